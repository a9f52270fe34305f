# SPDX-License-Identifier: Apache-2.0
"""One interface of devices (`base.py`); the default device is the core itself, simulated."""
