# SPDX-License-Identifier: Apache-2.0
"""Measure cores, schemes and systems: cycles, area, clock, energy, and the tool itself."""
