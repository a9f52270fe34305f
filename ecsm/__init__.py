# SPDX-License-Identifier: Apache-2.0
"""ECSM: an open elliptic-curve accelerator, from the field multiplier to a simulated core.

The name is the field's own: elliptic curve scalar multiplication, kP.
"""

__version__ = "0.1.0"
