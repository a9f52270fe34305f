# SPDX-License-Identifier: Apache-2.0
"""Named configurations: curve, program, multipliers, maps; and their solved schedules."""

from ecsm.presets.preset import Multiplier, Preset
from ecsm.presets.store import Design, design, solve_preset
from ecsm.presets.table import PRESETS, preset

__all__ = ["PRESETS", "Design", "Multiplier", "Preset", "design", "preset", "solve_preset"]
