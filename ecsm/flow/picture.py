# SPDX-License-Identifier: Apache-2.0
"""The picture of a design's schedule, over either kind of field."""

from __future__ import annotations

from ecsm.cores.store import AnyDesign, HalvingDesign, PrimeDesign
from ecsm.schedule import halving_svg, residue_svg, svg


def picture(d: AnyDesign) -> str:
    """Return a design's schedule as an SVG document."""
    if isinstance(d, PrimeDesign):
        return residue_svg.draw(d.graph, d.schedule, d.preset.units, d.preset.name)
    if isinstance(d, HalvingDesign):
        p = d.preset
        return halving_svg.draw(p.curve, p.halves, p.tail, d.schedule, d.microcode, p.units, p.name)
    return svg.draw(d.graph, d.schedule, d.preset.units, d.preset.name)
