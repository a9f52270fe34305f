# SPDX-License-Identifier: Apache-2.0
"""Schedules and microcode of the engine for ladders over GF(2^m)."""
