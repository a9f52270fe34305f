# SPDX-License-Identifier: Apache-2.0
"""Emit the module of any preset: the engine of its family with its parameters."""

from __future__ import annotations

from ecsm.cores.design import AnyDesign
from ecsm.cores.table import family


def emit(d: AnyDesign) -> str:
    """Return the SystemVerilog text of the preset's module."""
    return family(d.preset).emit(d)
