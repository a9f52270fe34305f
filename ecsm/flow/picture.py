# SPDX-License-Identifier: Apache-2.0
"""The picture of a design's schedule, over either kind of field."""

from __future__ import annotations

from ecsm.presets.store import AnyDesign, HalvingDesign, PrimeDesign
from ecsm.schedule import residue_svg, svg


def picture(d: AnyDesign) -> str:
    """Return a design's schedule as an SVG document; there is none of one with halvings."""
    if isinstance(d, PrimeDesign):
        return residue_svg.draw(d.graph, d.schedule, d.preset.units, d.preset.name)
    if isinstance(d, HalvingDesign):
        raise NotImplementedError("there is no picture of a schedule with halvings")
    return svg.draw(d.graph, d.schedule, d.preset.units, d.preset.name)
