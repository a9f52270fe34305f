# SPDX-License-Identifier: Apache-2.0
"""The presets over prime fields, by name."""

from __future__ import annotations

from dataclasses import replace

from ecsm.presets.gf2m import Preset
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.halving import HalvingPreset
from ecsm.presets.rebuilt_gfp import PRIME_REBUILT

FAST = "a product every cycle, eight cycles long"
UPWARD = "a product every cycle, digits from the lowest up"
SIGN = "p256-fast, and kG by combs of constants"
BOTH = "aG + bP in about the time of kP"
TURNS = "six jobs in turn on one multiplier"
# Twelve cycles a product, two turns; one round of carries needs one rank.
_TURNS = {"threads": 6, "ranks": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), "per_cycle": 1}
HALVES = "a product in three cycles, of halves one after another"
_FOLDED = {"kind": "folded", "ranks": (0, 1, 3, 7, 8, 10), "per_cycle": 1}
SMALL = "a column of DSP blocks, a digit of 18 bits a cycle"
ANY = "Montgomery's product, for any prime, a digit of 18 bits a cycle"


def _small(name: str, curve_name: str, **rest: object) -> PrimePreset:
    """Return a preset with the units that take least."""
    return PrimePreset(
        name, curve_name, per_cycle=1,
        **{"kind": "column", "ranks": (7, 8, 9, 10), "about": SMALL, **rest},  # type: ignore[arg-type]
    )  # fmt: skip


def _toy(name: str, curve_name: str, window: int, **rest: object) -> PrimePreset:
    return PrimePreset(
        name, curve_name, window, about="toy curve for exhaustive tests",
        **{"ranks": (1, 8), "digit": 3, "batch": 6, "per_cycle": 1, "word": 2, **rest},  # type: ignore[arg-type]
    )  # fmt: skip


_ALL = [
    PrimePreset("p224-fast", "secp224r1", 4, complete=True, upward=True, about=UPWARD),
    PrimePreset("p256-fast", "secp256r1", 4, complete=True, upward=True, about=UPWARD),
    PrimePreset(
        "p256-sign", "secp256r1", 4, complete=True, upward=True, columns=4, groups=8, about=SIGN,
    ),
    PrimePreset("k256-fast", "secp256k1", about=FAST),
    PrimePreset(
        "k256-glv", "secp256k1", 4, endomorphism=True, upward=True,
        about="the scalar in two halves, digits from the lowest up",
    ),
    PrimePreset(
        "k256-sign", "secp256k1", 4, endomorphism=True, upward=True, columns=4, groups=8,
        about="k256-glv, and kG by combs of constants",
    ),
    PrimePreset("p256-verify", "secp256r1", complete=True, double=True, about=BOTH),
    PrimePreset("k256-verify", "secp256k1", endomorphism=True, double=True, about=BOTH),
    PrimePreset("p384-verify", "secp384r1", complete=True, double=True, about=BOTH),
    PrimePreset("p384-fast", "secp384r1", 4, complete=True, upward=True, about=UPWARD),
    PrimePreset("p521-fast", "secp521r1", 4, complete=True, upward=True, about=UPWARD),
    PrimePreset("x25519", "curve25519", 1, about=FAST),
    PrimePreset("ed25519", "edwards25519", 4, about=UPWARD),
    PrimePreset(
        "ed25519-sign", "edwards25519", 4, columns=4, groups=8,
        about="ed25519, and kG by combs of constants",
    ),
    PrimePreset("p256-throughput", "secp256r1", about=TURNS, **_TURNS),  # type: ignore[arg-type]
    PrimePreset(
        "k256-throughput", "secp256k1", endomorphism=True, about=TURNS, **_TURNS,  # type: ignore[arg-type]
    ),
    PrimePreset(
        "x25519-throughput", "curve25519", 1, about="twelve jobs in turn on one multiplier",
        **{**_TURNS, "threads": 12},  # type: ignore[arg-type]
    ),
    PrimePreset("p256-compact", "secp256r1", about=HALVES, **_FOLDED),  # type: ignore[arg-type]
    PrimePreset(
        "k256-compact", "secp256k1", endomorphism=True, about=HALVES, **_FOLDED,  # type: ignore[arg-type]
    ),
    PrimePreset("p384-compact", "secp384r1", about=HALVES, **_FOLDED),  # type: ignore[arg-type]
    _small("p224-small", "secp224r1"),
    _small("p256-small", "secp256r1"),
    _small("p256-small-lut", "secp256r1", multiplier_in="lut", about="p256-small, no DSP blocks"),
    _small("p256-small-dsp", "secp256r1", adder_in="dsp", about="p256-small, sums in DSP blocks"),
    _small("k256-small", "secp256k1"),
    _small("p384-small", "secp384r1"),
    _small("bp256-small", "brainpoolP256r1", kind="montgomery", about=ANY),
    *PRIME_REBUILT,
    _toy("toyp8-k", "toyp8k", 3),
    _toy("toyp8-glv", "toyp8e", 2, endomorphism=True, halves=3),
    _toy("toyp8-a", "toyp8a", 2, ranks=(0, 3, 10)),
    _toy("toyp7-a", "toyp7a", 4),
    _toy("toyp7-c", "toyp7a", 3, complete=True),
    _toy("toyp8-c", "toyp8a", 2, complete=True, ranks=(0, 3, 8)),
    _toy("toyp7-v", "toyp7a", 3, complete=True, double=True),
    _toy("toyp8-u", "toyp8a", 3, complete=True, upward=True, ranks=(0, 3, 8)),
    _toy("toyp5-u", "toyp5a", 2, complete=True, upward=True, ranks=(0, 3, 8)),
    _toy("toyp8-b", "toyp8a", 3, complete=True, upward=True, columns=2, groups=2, ranks=(1, 8)),
    _toy("toyp7-b", "toyp7a", 4, columns=2, groups=3),
    _toy(
        "toyp8-glv-b", "toyp8e", 2, endomorphism=True, upward=True, halves=3, columns=2, groups=2,
    ),
    _toy("toyp5-v", "toyp5a", 2, complete=True, double=True, ranks=(0, 3, 8)),
    _toy("toyp8-v", "toyp8e", 2, endomorphism=True, halves=3, double=True),
    _toy("toyp7-t", "toyp7a", 4, threads=3, ranks=(0, 3, 6, 10)),
    _toy("toyp8-t", "toyp8k", 3, threads=4, ranks=(1, 8)),
    _toy("toyp8-glv-t", "toyp8e", 2, endomorphism=True, halves=3, threads=4, ranks=(1, 8)),
    _toy("toyp7-xt", "toyp7x", 1, threads=3, ranks=(0, 3, 6, 10)),
    _toy("toyp5-s", "toyp5a", 2, kind="column", step=3, ranks=(6, 9)),
    _toy("toyp8-f", "toyp8a", 2, kind="folded", ranks=(0, 3, 8)),
    _toy("toyp7-x", "toyp7x", 1),
    _toy("toyp7-d", "toyp7d", 3),
    _toy("toyp7-db", "toyp7d", 3, columns=2, groups=2),
    _toy("toyp6-m", "toyp6a", 3, kind="montgomery", step=4),
]  # fmt: skip

MASKED = (
    "p256-fast", "p384-fast", "k256-fast", "p256-small",
    "toyp8-k", "toyp8-c", "toyp7-c", "toyp5-s", "toyp8-f",
)  # fmt: skip


def masked(p: PrimePreset) -> PrimePreset:
    """Return the preset that masks scalar and coordinates, with the units of one that does not."""
    return replace(
        p, name=f"{p.name}-full", window=1, complete=False, upward=False, masked=True,
        columns=0, groups=0,
        about="a ladder of bits; it checks its answer and its control, and masks scalar and"
        " coordinates", published="",
    )  # fmt: skip


AnyPreset = Preset | PrimePreset | HalvingPreset
PRIME_PRESETS: dict[str, PrimePreset] = {}
for _p in _ALL:
    PRIME_PRESETS[_p.name] = _p
    if _p.name in MASKED:
        _q = masked(_p)
        PRIME_PRESETS[_q.name] = _q
