# SPDX-License-Identifier: Apache-2.0
"""Named configurations: curve, program, multipliers, maps; and their solved schedules."""

from ecsm.presets.preset import Multiplier, Preset
from ecsm.presets.solving import solve_preset
from ecsm.presets.store import Design, binary_design, design
from ecsm.presets.table import PRESETS, binary_preset, preset

__all__ = [
    "PRESETS",
    "Design",
    "Multiplier",
    "Preset",
    "binary_design",
    "binary_preset",
    "design",
    "preset",
    "solve_preset",
]
