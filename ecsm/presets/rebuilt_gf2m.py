# SPDX-License-Identifier: Apache-2.0
"""Published designs, rebuilt from this project's parts to the structure their documents describe.

``published`` is the key of the published figures in :mod:`ecsm.measure.published`.
docs/results/published.md says for each what its document states, what was guessed and what was
chosen. All store the Z coordinates themselves (``z_roots=False``), so that the loop has no power
that the original does not have. All multiply by b with the multiplier: six products a key bit. All
are constant time, which says nothing about the originals.
"""

from __future__ import annotations

from ecsm.formulas.gf2m.trace import Maps
from ecsm.presets.gf2m import Multiplier, Preset

# One digit-serial multiplier and one squarer; x^4 only in the load.
SQUARER = Maps((1,), (), linear_constants=False)
# Squarer and quad-squarer, and nothing longer.
QUAD = Maps((1, 2), (), linear_constants=False)
# Twelve segments of 14 bits (the last has 9), a register after them and one after the reduction.
FULL_PRECISION = Multiplier("segmented", digit=14, stages=2)


def _khan(name: str, multipliers: int, published: str, about: str) -> Preset:
    # fused: the document's Mul-Sqr, Mul-Add and Mul-Add-Sqr cascades behind the multiplier.
    return Preset(
        name, "sect163r2", multipliers, FULL_PRECISION, QUAD, fused=True, z_roots=False,
        published=published, about=about,
    )  # fmt: skip


def _soc(m: int) -> Preset:
    return Preset(
        f"soc-{m}", f"sect{m}r1", 1, Multiplier("serial", digit=32), SQUARER,
        registers=12, z_roots=False, published=f"soc-{m}",
        about="SoC thesis: 32-bit digits; guessed: curve, one multiplier, one squarer",
    )  # fmt: skip


REBUILT: list[Preset] = [
    Preset(
        "cityu-ecsm", "sect163r1", 1, Multiplier("serial", digit=21), SQUARER,
        registers=12, z_roots=False, published="cityu-ecsm",
        about="CityU ECSM core; guessed: all but the curve; digits of 21 bits for its cycles",
    ),
    _khan(
        "khan-benaissa", 2, "khan-benaissa",
        "Khan-Benaissa, two multipliers, four cycles a bit; guessed: curve, conversion schedule",
    ),
    _khan(
        "khan-benaissa-one", 1, "khan-benaissa-one",
        "Khan-Benaissa, its schedule for one multiplier: six cycles a bit",
    ),
    _khan(
        "khan-benaissa-three", 3, "khan-benaissa-three",
        "Khan-Benaissa, its schedule for three multipliers: four cycles a bit, two bubbles",
    ),
    *(_soc(m) for m in (163, 193, 233)),
    Preset(
        "psec-sect283r1", "sect283r1", 1,
        Multiplier("karatsuba", depth=5, stages=2, height=5), SQUARER,
        ahead=True, z_roots=False, published="psec-sect283r1",
        about="PSEC-KEM report, sect283r1; guessed: one multiplier of two stages, one squarer",
    ),
]  # fmt: skip
