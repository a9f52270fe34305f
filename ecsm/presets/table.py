# SPDX-License-Identifier: Apache-2.0
"""The presets, by name."""

from __future__ import annotations

from dataclasses import replace

from ecsm.curves import Curve, UnknownCurveError, curve
from ecsm.formulas.gf2m.trace import Maps
from ecsm.names import UnknownName, joined, no_such
from ecsm.presets.gf2m import Multiplier, Preset, Protect
from ecsm.presets.gfp_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.halving import HALVING_PRESETS
from ecsm.presets.rebuilt_gf2m import REBUILT
from ecsm.presets.word import WORD_PRESETS, WordPreset, word_preset

SEE = "ecsm list --all"  # shows the presets
EveryPreset = AnyPreset | WordPreset
"""A preset of a core with a kP port, or of a word engine, which has schemes alone."""


class UnknownPreset(UnknownName):
    """No preset has this name."""


# A product every cycle, its operands and its result one register apart.
PARALLEL = Multiplier("karatsuba", depth=3)
# The same in two stages of equal length; operands have registers, so a stage is only its own logic.
PIPELINED = Multiplier("karatsuba", depth=3, stages=2, height=3)
# A level deeper it is a tenth smaller, and a LUT longer.
COMPACT = Multiplier("karatsuba", depth=4, stages=2, height=4)
# A level deeper again, from 283 bits on: innermost products have 9 to 18 bits then.
DEEP = Multiplier("karatsuba", depth=5, stages=2, height=5)
# Maps v^(2^k) with k up to 3 are sparse; a doubling set of dense ones keeps the inversion short.
SPARSE = (1, 2, 3)


def _trio(
    short: str, curve_name: str, fast: tuple[int, ...], few: tuple[int, ...], depth: int
) -> list[Preset]:
    """Return three presets: the fewest cycles, the least area times cycles, the least area.

    ``fast``: dense maps, all that save cycles in the inversion; ``few``: those worth their area.
    ``depth``: of Karatsuba's method in the second one.
    """
    return [
        Preset(
            f"{short}-fast", curve_name, 3, PARALLEL, Maps(SPARSE, fast),
            about="three one-cycle multipliers: two cycles a scalar bit",
        ),
        Preset(
            f"{short}-balanced", curve_name, 2, Multiplier("karatsuba", depth=depth),
            Maps(SPARSE, few), unroll=2,
            about="two one-cycle multipliers: five cycles for two scalar bits",
        ),
        Preset(
            f"{short}-small", curve_name, 1, Multiplier("serial", 8), Maps((1,), (), False),
            registers=10, about="one digit-serial multiplier, no dense map",
        ),
    ]  # fmt: skip


def _staged(
    short: str, curve_name: str, multiplier: Multiplier = COMPACT, b_map: bool = True
) -> Preset:
    cycles = "five" if b_map else "b as a product: six"
    return Preset(
        short, curve_name, 1, multiplier, Maps(SPARSE, (), b_map), ahead=True,
        about=f"one multiplier of two stages, {cycles} cycles a scalar bit",
    )  # fmt: skip


def _toy(name: str, curve_name: str, units: int, mul: Multiplier, **rest: object) -> Preset:
    return Preset(
        name, curve_name, units, mul, about="toy curve for exhaustive tests",
        **{"maps": Maps((1, 2), ()), **rest},  # type: ignore[arg-type]
    )  # fmt: skip


_ALL = [
    *_trio("b163", "sect163r2", (4, 8, 16, 32), (5, 32), depth=4),
    Preset(
        "b163-single", "sect163r2", 1, PARALLEL, Maps(SPARSE, (8,)),
        about="one one-cycle multiplier: five cycles a scalar bit",
    ),
    Preset(
        "b163-pipelined", "sect163r2", 2, PIPELINED, Maps(SPARSE, (), False), ahead=True,
        about="two multipliers of two stages, b as a product: four cycles a scalar bit",
    ),
    Preset(
        "b163-compact", "sect163r2", 1, COMPACT, Maps(SPARSE, ()), ahead=True,
        about="one multiplier of two stages, b as a map: five cycles a scalar bit",
    ),
    *_trio("b233", "sect233r1", (4, 8, 16, 32, 64), (5,), depth=4),
    *_trio("b283", "sect283r1", (4, 8, 16, 32, 64), (4,), depth=5),
    _staged("k163", "sect163k1"),
    _staged("r163", "sect163r1"),
    _staged("r193", "sect193r1"),
    _staged("r193b", "sect193r2"),
    _staged("k233", "sect233k1"),
    _staged("k239", "sect239k1"),
    _staged("k283", "sect283k1", DEEP),
    _staged("k409", "sect409k1", DEEP),
    _staged("b409", "sect409r1", DEEP, b_map=False),
    _staged("k571", "sect571k1", DEEP),
    _staged("b571", "sect571r1", DEEP, b_map=False),
    *REBUILT,
    _toy("toy7-fast", "toy7a", 3, Multiplier("karatsuba", depth=1)),
    _toy("toy7-two", "toy7k", 2, Multiplier("segmented", digit=3, stages=2)),
    _toy("toy8-one", "toy8a", 1, Multiplier("karatsuba", depth=2, stages=3, height=1)),
    _toy("toy9-balanced", "toy9a", 2, Multiplier("karatsuba"), unroll=2),
    _toy("toy9-four", "toy9k", 4, Multiplier("segmented", digit=4), fused=True),
    _toy(
        "toy7-small", "toy7a", 1, Multiplier("serial", digit=2), maps=Maps((1,), (), False)
    ),
    _toy(
        "toy8-ahead", "toy8a", 2, Multiplier("karatsuba", depth=1, stages=2, height=1),
        maps=Maps((1, 2, 3), (), False), ahead=True,
    ),
    _toy(  # its first product depends on the scalar: the word after the load
        "toy7-ahead", "toy7a", 1, Multiplier("karatsuba", depth=1, stages=2, height=1),
        maps=Maps((1, 2, 3), (), False), ahead=True,
    ),
    _toy(  # the structure of khan-benaissa
        "toy7-cascade", "toy7a", 2, Multiplier("segmented", digit=3, stages=2), fused=True,
        maps=Maps((1, 2), (), False), z_roots=False,
    ),
    _toy(  # the structure of cityu-ecsm, soc-* and, but for the multiplier, psec-sect283r1
        "toy5-squarer", "toy5a", 1, Multiplier("serial", digit=2),
        maps=Maps((1,), (), False), z_roots=False,
    ),
    _toy("toy5-serial", "toy5a", 2, Multiplier("serial", digit=1)),
]  # fmt: skip

MORE_REGISTERS = 3
"""That a masked ladder may have: S and D wait for each other before they are written."""


def protected(p: Preset, protect: Protect) -> Preset:
    """Return a preset that protects its key and its answer."""
    registers = p.registers + (MORE_REGISTERS if protect is Protect.FULL else 0)
    about = {
        Protect.CHECK: "; it checks its answer and its control",
        Protect.FULL: "; it checks its answer and its control, and masks scalar and coordinates",
    }[protect]
    return replace(
        p, name=f"{p.name}-{protect.value}", registers=registers, protect=protect,
        about=p.about + about, published="",
    )  # fmt: skip


PROTECTED = (
    "b163-small",
    "b163-compact",
    "b233-small",
    "toy7-small",
    "toy8-ahead",
    "toy9-balanced",
)
PRESETS: dict[str, Preset] = {}
for _p in _ALL:
    PRESETS[_p.name] = _p
    if _p.name in PROTECTED:
        for _protect in (Protect.CHECK, Protect.FULL):
            _q = protected(_p, _protect)
            PRESETS[_q.name] = _q

RECOMMENDED = (
    "b163-halving", "b163-compact", "b163-fast", "b163-small", "k163", "b233-fast", "b233-small",
    "k233", "b283-balanced", "b283-small", "k283", "b409", "k409", "b571", "k571", "p224-small",
    "p256-fast", "p256-throughput", "p256-verify", "p256-small", "k256-glv", "k256-small",
    "p384-fast", "p384-compact", "p384-small", "p521-fast", "bp256-small", "x25519",
    "x25519-throughput", "ed25519",
    "word-p256", "word-k256", "word-prime", "word-dual",
)  # fmt: skip
"""The presets to look at first: of each curve the quickest, the smallest, or the only one."""


def preset(name: str) -> AnyPreset:
    """Return the core ``name``; raises :class:`UnknownPreset` with those that may be meant."""
    found = any_preset(name)
    if isinstance(found, WordPreset):
        raise UnknownPreset(
            f"{name} has schemes and no kP port: ecsm sign, verify, ecdh, keygen, build and serve"
            f" take it; {SEE} shows cores"
        )
    return found


def any_preset(name: str) -> EveryPreset:
    """Return the core or the word engine ``name``; raises :class:`UnknownPreset`.

    TypeError for what is no text.
    """
    if not isinstance(name, str):
        raise TypeError(f"a preset is a name, not {type(name).__name__}")
    for presets in (PRESETS, HALVING_PRESETS, PRIME_PRESETS):
        if found := presets.get(name):
            return found
    if word := word_preset(name):
        return word
    raise UnknownPreset(_unknown(name))


def _unknown(name: str) -> str:
    """Return the complaint: of a curve's name with its presets, of another with those near it."""
    try:
        c = curve(name)
    except UnknownCurveError:
        return no_such("preset", name, (p.name for p in every_preset()), SEE)
    names = [p.name for p in presets_of(c)]
    meant = f"did you mean {joined(names, 'or')}?" if names else "it has no preset:"
    return f"there is no preset {name!r}, that is the curve {c.name}: {meant} {SEE} shows all"


def presets_of(c: Curve) -> list[EveryPreset]:
    """Return the presets of a curve."""
    return [p for p in every_preset() if curve_name(p) == c.name]


def curve_name(p: EveryPreset) -> str:
    """Return the name of a preset's curve; for an unknown curve the name in the preset."""
    try:
        return curve(p.curve_name).name
    except UnknownCurveError:
        return p.curve_name


def all_presets() -> list[AnyPreset]:
    """Return every core, those over binary fields first."""
    return [*PRESETS.values(), *HALVING_PRESETS.values(), *PRIME_PRESETS.values()]


def every_preset() -> list[EveryPreset]:
    """Return every preset, word engines last."""
    return [*all_presets(), *WORD_PRESETS.values()]


def is_toy(p: EveryPreset) -> bool:
    """Whether the preset is for exhaustive tests only."""
    return curve_name(p).startswith("toy")


def recommended() -> list[EveryPreset]:
    """Return the presets to look at first."""
    return [any_preset(name) for name in RECOMMENDED]


def binary_preset(name: str) -> Preset:
    """Return the preset ``name`` of the ladder's engine; raises :class:`UnknownPreset`."""
    if found := PRESETS.get(name):
        return found
    other = "is over a prime field" if preset(name).field_kind == "prime" else "halves points"
    raise UnknownPreset(f"{name} {other}; this is for a ladder over GF(2^m): {SEE} shows all")


def protects_keys(p: EveryPreset) -> bool:
    """Whether its schemes protect keys from who measures a machine or disturbs it.

    Word engines do, but for those with ``-none``, and machines around masked cores.
    """
    return p.protected if isinstance(p, WordPreset) else p.random_bits > 0


def netlist_of(p: EveryPreset) -> tuple[EveryPreset, ...]:
    """Return the presets that have the netlist of one: itself, or those with other tables, too."""
    if isinstance(p, WordPreset) and p.netlist:
        return tuple(q for q in WORD_PRESETS.values() if q.netlist == p.netlist)
    return (p,)


def netlist_name(p: EveryPreset) -> str:
    """Return the name of what is built for a preset: its own, unless it only has other tables."""
    return p.netlist_name if isinstance(p, WordPreset) else p.name
