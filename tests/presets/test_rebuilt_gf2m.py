# SPDX-License-Identifier: Apache-2.0
"""The rebuilt published designs: their stated structure, and cycles beside the published ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design, design
from ecsm.measure.published import (
    ORIGINALS,
    PSEC_ENCAPSULATION,
    PSEC_KP,
    PSEC_OVERHEAD,
)
from ecsm.presets import PRESETS
from ecsm.report import docs
from ecsm.report.measured import REAL, in_short
from ecsm.schedule.gf2m.words import Gate

NAMES = [p.name for p in PRESETS.values() if p.published]
ALL = [p for p in REAL if p.published]  # over prime fields, too: test_rebuilt_gfp.py
every = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Structure:
    """What a rebuilt preset must be: see docs/results/published.md.

    ``loop``: cycles a key bit. ``power``: the largest k of v^(2^k) in a cycle after the load.
    ``ahead``: the network is behind a register's write, so an operand may be a product's square.
    """

    curve: str
    multipliers: int
    kind: str
    digit: int
    latency: int
    interval: int
    loop: int
    power: int
    fused: bool = False
    ahead: bool = False


STRUCTURES = {
    "cityu-ecsm": Structure("sect163r1", 1, "serial", 21, 9, 8, 48, 1),
    "khan-benaissa": Structure("sect163r2", 2, "segmented", 14, 2, 1, 4, 2, True),
    "khan-benaissa-one": Structure("sect163r2", 1, "segmented", 14, 2, 1, 6, 2, True),
    "khan-benaissa-three": Structure("sect163r2", 3, "segmented", 14, 2, 1, 4, 2, True),
    "soc-163": Structure("sect163r1", 1, "serial", 32, 7, 6, 36, 1),
    "soc-193": Structure("sect193r1", 1, "serial", 32, 8, 7, 42, 1),
    "soc-233": Structure("sect233r1", 1, "serial", 32, 9, 8, 48, 1),
    "psec-sect283r1": Structure("sect283r1", 1, "karatsuba", 1, 2, 1, 6, 1, ahead=True),
}


def gates(d: BinaryDesign, load: bool) -> list[Gate]:
    """Return the gates of the load, or all others, that read no constant."""
    words = d.microcode.words[:1] if load else d.microcode.words[1:]
    return [g for w in words for g in w.gates if g.source[0] != "const"]


def test_every_original_is_rebuilt_and_every_rebuilt_preset_has_one() -> None:
    assert {p.published for p in ALL} == set(ORIGINALS)
    assert set(STRUCTURES) == set(NAMES)


@every
def test_units_and_loop_are_those_of_the_document(name: str) -> None:
    d, s = binary_design(name), STRUCTURES[name]
    p = d.preset
    assert (p.curve_name, p.multipliers) == (s.curve, s.multipliers)
    assert (p.fused, p.ahead) == (s.fused, s.ahead)
    assert (p.multiplier.kind, p.multiplier.digit) == (s.kind, s.digit)
    assert (p.units.latency, p.units.interval) == (s.latency, s.interval)
    assert d.graph.body.bits == 1
    assert d.schedule.ii == s.loop
    assert {x.unit for x in d.schedule.body.values()} - {None} == set(range(s.multipliers))
    # The textbook's six products: b times Z⁴ is a product like the other five.
    assert len(d.graph.body.products()) == 6
    assert not p.variable_time


@every
def test_no_power_is_longer_than_the_structure_has(name: str) -> None:
    d, s = binary_design(name), STRUCTURES[name]
    after = gates(d, load=False)
    assert max(g.map.k for g in after) == s.power
    assert not d.preset.maps.write
    assert max(g.map.k for g in gates(d, load=True)) == 2
    # No product with a constant in the network, the load's included.
    assert {g.map.c for g in (*after, *gates(d, load=True))} == {1}


@every
def test_results_pass_a_map_only_where_the_document_cascades_it(name: str) -> None:
    d, s = binary_design(name), STRUCTURES[name]
    mapped = [g for g in gates(d, load=False) if g.source[0] == "mul" and not g.map.is_identity]
    assert bool(mapped) == (s.fused or s.ahead)
    assert s.fused or not any(g.sink[0] == "write" for g in mapped)


def test_khan_benaissa_cascades_are_there() -> None:
    """Mul-Sqr, Mul-Add and Mul-Add-Sqr: one write of the loop each, at least."""
    d = binary_design("khan-benaissa")
    code = d.microcode
    found = set()
    for word in code.words[code.first : code.last + 1]:
        for r in word.write:
            into = [g for g in word.gates if g.sink == ("write", r, 0)]
            if any(g.source[0] == "mul" for g in into):
                added = "-Add" if len(into) > 1 else ""
                squared = "-Sqr" if any(g.map.k == 1 for g in into) else ""
                found.add(f"Mul{added}{squared}")
    assert {"Mul-Sqr", "Mul-Add", "Mul-Add-Sqr"} <= found


@pytest.mark.parametrize("name", [n for n in NAMES if binary_design(n).preset.multipliers == 1])
def test_one_multiplier_is_never_idle_in_the_loop(name: str) -> None:
    """Careful scheduling: six products a key bit back to back, in the digit-serial ones too."""
    d = binary_design(name)
    assert d.schedule.ii == 6 * d.preset.units.interval == d.schedule.ii_bound


@every
def test_cycles_are_within_a_tenth_of_the_published(name: str) -> None:
    d = binary_design(name)
    original = ORIGINALS[d.preset.published]
    if original.cycles is not None:
        assert abs(d.microcode.cycles - original.cycles) <= original.cycles / 10
    if original.bit_cycles is not None:
        assert d.schedule.ii == original.bit_cycles


def test_psec_breakdown() -> None:
    """The encapsulation is two kP and what the report's other curves take beside theirs."""
    assert PSEC_OVERHEAD == (600, 1000)
    assert PSEC_KP == 2050
    ours = 2 * binary_design("psec-sect283r1").microcode.cycles
    for overhead in PSEC_OVERHEAD:
        assert abs(ours + overhead - PSEC_ENCAPSULATION) <= PSEC_ENCAPSULATION / 10


def test_table_has_a_row_for_every_build() -> None:
    text = docs.rebuilt()
    rows = text.splitlines()[2:]
    assert len(rows) == sum(len(o.builds) or 1 for o in ORIGINALS.values())
    for p in ALL:
        assert f"`{p.name}` | {design(p.name).microcode.cycles:,} |" in text
        assert in_short(p) in text
