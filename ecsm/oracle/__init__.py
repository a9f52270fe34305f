# SPDX-License-Identifier: Apache-2.0
"""Independent implementations that cores are compared with."""
