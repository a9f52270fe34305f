# SPDX-License-Identifier: Apache-2.0
"""Published designs over prime fields, rebuilt from our parts: docs/results/published.md.

``published`` is the key of the published figures in :mod:`ecsm.measure.published`. All differ from
their documents in parts of our engine: residues in limbs that carry late, an inversion by division
steps, and regular signed odd digits where the originals are variable in time, so that these presets
are constant in time.
"""

from __future__ import annotations

from ecsm.presets.gfp import PrimePreset

STAGES = (5, 6, 7, 8, 9, 10)  # all ranks that the reduction behind a column can have


def _gueneysu(bits: int) -> PrimePreset:
    # Digits of 16 bits times limbs of 70 in blocks of 18: 16 blocks, as P-256's document has them;
    # 14 are stated for P-224, whose highest limb is half as wide, which the column does not use.
    # Guessed: the ranks; how the registers are shared out; the order of operations.
    return PrimePreset(
        f"guneysu-p{bits}", f"secp{bits}r1", 4, STAGES, per_cycle=1, kind="column", step=16,
        adder_in="dsp", published=f"guneysu-p{bits}",
        about="Gueneysu-Paar: a column of DSP blocks, sums in DSP blocks; guessed: pipeline depth",
    )  # fmt: skip


def _psec(name: str, curve_name: str, window: int, endomorphism: bool = False) -> PrimePreset:
    # Ten digits of 27 bits are the ten cycles; the original takes two products of 128 bits twice.
    # The window is that with about as many additions as the original has on average: half as many
    # as doublings, three quarters with the endomorphism. Guessed: where the reduction's ranks are.
    return PrimePreset(
        name, curve_name, window, STAGES, digit=27, per_cycle=1, kind="column", step=27,
        multiplier_in="lut", endomorphism=endomorphism, published=name,
        about="PSEC-KEM report: ten cycles a product, no DSP; guessed: the multiplier's inside",
    )  # fmt: skip


PRIME_REBUILT: list[PrimePreset] = [
    _gueneysu(224),
    _gueneysu(256),
    _psec("psec-secp256r1", "secp256r1", 2),
    _psec("psec-secp256k1", "secp256k1", 3, endomorphism=True),
]
