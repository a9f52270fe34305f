# SPDX-License-Identifier: Apache-2.0
"""Registers of kept schedules, and where there are none."""

from __future__ import annotations

import itertools

import pytest

from ecsm.cores import store
from ecsm.cores.design import PrimeDesign
from ecsm.cores.store import prime_design
from ecsm.formulas.gfp.graph import ONE, Form, Kind, Op, Segment, Term
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.schedule.gfp.registers import (
    NoRegisters,
    Span,
    Writes,
    banks,
    colour,
    spans,
    together,
)
from ecsm.schedule.gfp.solve import edges
from ecsm.schedule.gfp.types import DEPTH, REQUEST

KEPT = [name for name in PRIME_PRESETS if store.path(name).exists()]


def held(d: PrimeDesign, name: str) -> list[tuple[str, int, Span]]:
    """Return what registers hold in a segment that is not the loop: name, register and cycles."""
    segment, s, units = d.graph.segments[name], d.schedule, d.preset.units
    times = {a: slot.time for a, slot in s.slots[name].items()}
    rows = []
    for i, r in enumerate(REQUEST if name == "head" else s.variables):
        readers = [times[o.atom] for o in segment.ops if i in o.atoms]
        rows.append((f"input {i}", r, (0, max(readers, default=0))))
    end = max(times.values()) + units.latency + units.reduce
    for atom, span in spans(segment, units, times).items():
        register = s.slots[name][atom].register
        assert register is not None
        rows.append((f"atom {atom}", register, span))
    for i, atom in enumerate(segment.outputs):
        rows = [row for row in rows if row[0] != f"atom {atom}"]
        op = next(o for o in segment.ops if o.atom == atom)
        rows.append((f"output {i}", s.variables[i], (times[atom] + units.delay(op) + 1, end)))
    return rows


@pytest.mark.parametrize("preset", KEPT)
def test_nothing_is_written_over(preset: str) -> None:
    """Also not the request by the loop's first values."""
    d = prime_design(preset)
    for name in ("head", "tail"):
        for (a, r, (start, last)), (b, q, (first, end)) in itertools.combinations(held(d, name), 2):
            assert r != q or last < first or end < start, f"{name}: {a} and {b} in register {r}"


@pytest.mark.parametrize("preset", KEPT)
def test_what_is_read_together_is_in_two_banks(preset: str) -> None:
    d = prime_design(preset)
    s, units = d.schedule, d.preset.units
    seen = 0
    for name, segment in d.graph.segments.items():
        times = {a: slot.time for a, slot in s.slots[name].items()}
        places = dict(enumerate(REQUEST if name == "head" else s.variables))
        places |= {
            a: slot.register for a, slot in s.slots[name].items() if slot.register is not None
        }
        for a, b in together(segment, units, times):
            assert places[a] // DEPTH != places[b] // DEPTH, (name, a, b)
            seen += 1
    assert seen


def loop(pairs: set[tuple[int, int]]) -> dict[str, Writes]:
    """Return a loop of three variables, of which it reads ``pairs`` together."""
    forms = (Form([Term(0, 1)]),)
    ops = [Op(atom, Kind.SUM, f"s{atom}", forms) for atom in (3, 4, 5)]
    ready = {3: 10, 4: 11, 5: 12}
    out = {}
    for name in ("head", "body", "tail"):
        segment = Segment(ops, outputs=[] if name == "tail" else [3, 4, 5])
        mine = pairs if name == "body" else set()
        out[name] = Writes(segment, ready, mine, {}, 20 if name == "body" else None)
    return out


def test_variables_have_banks_apart() -> None:
    found = banks(loop({(0, 1), (1, 2)}))
    assert found[0] != found[1]
    assert found[1] != found[2]
    with pytest.raises(NoRegisters, match="two registers of one bank"):
        banks(loop({(0, 1), (1, 2), (0, 2)}))


def test_results_of_one_cycle_go_to_two_banks() -> None:
    writes = loop({(0, 1), (1, 2)})
    writes["head"].ready = {3: 10, 4: 11, 5: 10}
    with pytest.raises(NoRegisters):
        banks(writes)


def test_a_result_waits_for_a_turn_of_the_loop_at_most() -> None:
    """In the next one its register is written again."""
    assert colour({5: (10, 94)}, {5: 9}, [], {}, 85, [], {}) == {5: 0}
    with pytest.raises(NoRegisters, match="waits longer than the loop of 85 cycles"):
        colour({5: (10, 95)}, {5: 9}, [], {}, 85, [], {})
    d = prime_design("toyp8-u")
    units, ii, body = d.preset.units, d.schedule.ii, d.graph.body
    kept = {atom: slot.time for atom, slot in d.schedule.slots["body"].items()}

    def holds(times: dict[int, int]) -> bool:
        rows = edges(body, units, True)
        return all(times[e.after] + e.trips * ii >= times[e.before] + e.delay for e in rows)

    assert holds(kept)
    last = max(kept, key=lambda atom: kept[atom])  # a turn later it would read what is new
    assert not holds(kept | {last: kept[last] + 2 * ii})


def test_together_is_what_is_in_registers() -> None:
    """Not what is on a unit's output, and not the constant 1."""
    d = prime_design("toyp8-a")
    units = d.preset.units
    a, b = (Op(i, Kind.SUM, "s", (Form([Term(0, 1)]),)) for i in (2, 3))
    both = Form([Term(ONE, 5), Term(0, 1), Term(2, 1), Term(3, 2)])
    product = Op(4, Kind.PRODUCT, "p", (both, Form([Term(2, 1), Term(3, 1)])))
    segment = Segment([a, b, product], {0: "x", 1: "y"})
    times = {2: 0, 3: 3, 4: 3 + units.sum_latency}
    assert together(segment, units, times) == {(0, 2)}
    assert together(segment, units, times | {4: 20}) == {(0, 2), (0, 3), (2, 3)}
