# SPDX-License-Identifier: Apache-2.0
"""Schedules and microcode of the engine over GF(p)."""
