# SPDX-License-Identifier: Apache-2.0
"""The families, and which one a preset belongs to. No other module chooses a family."""

from __future__ import annotations

from typing import Any

from ecsm.cores.family import Family
from ecsm.cores.gf2m import Binary
from ecsm.cores.gfp import Prime
from ecsm.cores.halving import Halving
from ecsm.presets.gfp_table import AnyPreset

FAMILIES: tuple[Family[Any, Any, Any], ...] = (Binary(), Prime(), Halving())


def family(p: AnyPreset) -> Family[Any, Any, Any]:
    """Return the family of a preset."""
    return next(f for f in FAMILIES if isinstance(p, f.preset))
