# SPDX-License-Identifier: Apache-2.0
"""Named configurations: curve, program, multipliers, maps. Their schedules are in ``schedules``.

:mod:`ecsm.cores` makes a core of each.
"""

from ecsm.presets.gf2m import Multiplier, Preset
from ecsm.presets.table import PRESETS, binary_preset, preset

__all__ = ["PRESETS", "Multiplier", "Preset", "binary_preset", "preset"]
