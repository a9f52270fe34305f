# SPDX-License-Identifier: Apache-2.0
"""The RISC-V system on chip: its RTL, its firmware, its simulation."""
