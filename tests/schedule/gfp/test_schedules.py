# SPDX-License-Identifier: Apache-2.0
"""Every kept schedule over a prime field: run on numbers, and within its promises."""

from __future__ import annotations

import copy
import dataclasses
import logging
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ecsm.cores import store
from ecsm.cores.design import PrimeDesign
from ecsm.cores.store import check, prime_design
from ecsm.cores.table import family
from ecsm.formulas.gfp.graph import Form, Kind, Op, Segment, Term
from ecsm.formulas.gfp.xfewest import XLadderFewest
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.schedule.gfp import solve as search
from ecsm.schedule.gfp.machine import Machine
from ecsm.schedule.gfp.microcode import Part, Word, assemble
from ecsm.schedule.gfp.registers import NoRegisters, allocate
from ecsm.schedule.gfp.solve import Limits, straight, turn_bound
from ecsm.schedule.gfp.types import clocks
from ecsm.schedule.program import Job, Microcode
from ecsm.schedule.types import Schedule, Slot

KEPT = [name for name in PRIME_PRESETS if store.path(name).exists()]
TOYS = [name for name in KEPT if name.startswith("toy")]
QUICK = ("p256-fast",)
REAL = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in KEPT
    if not name.startswith("toy")
]
EVERY = [*TOYS, *REAL]


def machine(d: PrimeDesign, code: Microcode[Word] | None = None) -> Machine:
    """Return the datapath of a preset, with its own microcode or another."""
    p, masks = d.preset, d.preset.random_factors()
    return Machine(code or d.microcode, p.units, p.residues, p.divsteps, p.recode, p.fixed, masks)


def off_curve(d: PrimeDesign) -> tuple[int, int]:
    x, y = d.preset.curve.generator
    return next((x, v) for v in range(y + 1, d.preset.curve.p) if v != d.preset.curve.p - y)


def test_toys_are_kept() -> None:
    assert {name for name in PRIME_PRESETS if name.startswith("toy")} == set(TOYS)


@pytest.mark.parametrize("name", EVERY)
def test_claims_fit_together(name: str) -> None:
    d = prime_design(name)
    s = d.schedule
    assert s.ii_bound <= s.ii
    assert s.cycles_bound <= s.cycles
    cycles = clocks(s.cycles, d.preset.threads, d.preset.masked)
    assert d.cycles_bound <= d.microcode.cycles == cycles
    assert s.starts["head"] <= s.starts["body"] < s.starts["tail"] < s.cycles
    assert s.starts["tail"] - s.starts["body"] >= d.graph.trips * s.ii
    assert len(list(d.microcode.unrolled())) < s.cycles
    # No more than a product a cycle.
    assert s.ii >= len(d.graph.body.products()) * d.preset.units.interval
    for part, segment in d.graph.segments.items():
        assert {o.atom for o in segment.ops} <= s.slots[part].keys()
        times = [s.slots[part][o.atom].time for o in segment.products()]
        assert len(times) == len(set(times))


@pytest.mark.parametrize("name", EVERY)
def test_a_bound_is_what_the_program_needs(name: str) -> None:
    """Of the loop no more than its bound, of its last turn its longest chain or its products."""
    d = prime_design(name)
    s, g, u = d.schedule, d.graph, d.preset.units
    turn = turn_bound(g.body, u)
    assert turn <= s.starts["tail"] - s.starts["body"] - (g.trips - 1) * s.ii
    assert s.cycles_bound >= (g.trips - 1) * s.ii_bound + turn
    idle = s.starts["tail"] - s.starts["body"] - (g.trips - 1) * s.ii_bound - turn
    assert s.cycles - s.cycles_bound >= idle


def test_the_solver_finds_shorter_loops_than_were_packed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    p = PRIME_PRESETS["toyp8-a"]
    caplog.set_level(logging.INFO)
    s = family(p).solve(p, 20, 3)
    assert isinstance(s, Schedule)
    (packed,) = (
        int(m[1]) for t in caplog.messages if (m := re.match(r"packed a loop of (\d+)", t))
    )
    assert s.ii_bound <= s.ii < packed
    kept = prime_design(p.name)
    assert kept.schedule.cycles_bound <= s.cycles_bound <= s.cycles < kept.schedule.cycles
    (code,) = assemble([Part(kept.graph, s, p.units)], p.residues, p.batch, p.threads)
    check(replace(kept, schedule=s, microcode=code))


def test_times_that_fit_no_banks_are_searched_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On a busy machine, one search in ten ended before its times did."""
    p, refused = PRIME_PRESETS["toyp7-x"], 2

    def refusing(*args: Any) -> Any:
        nonlocal refused
        refused -= 1
        if refused >= 0:
            raise NoRegisters("two registers of one bank")
        return allocate(*args)

    monkeypatch.setattr(search, "allocate", refusing)
    with caplog.at_level(logging.INFO, "ecsm.schedule"):
        s = search.solve(p.graph(), p.units, Limits(8, 0.1))
    assert caplog.messages.count("two registers of one bank: the next search") == 2
    assert s.cycles >= s.cycles_bound
    refused = search.TRIES
    with pytest.raises(NoRegisters):
        search.solve(p.graph(), p.units, Limits(8, 0.01))


def test_a_product_that_none_reads_is_done_when_the_program_ends() -> None:
    x, other = (Form([Term(atom, 1)]) for atom in (0, 1))
    total = Form([Term(2, 1)])
    ops = [
        Op(2, Kind.SUM, "x", (x,)),
        Op(3, Kind.ANSWER, "x", (total,)),
        Op(4, Kind.PRODUCT, "of use", (x, other)),
        Op(5, Kind.PRODUCT, "of none", (Form([Term(4, 1)]), other)),
    ]
    units = replace(PRIME_PRESETS["toyp8-a"].units, latency=9, sum_latency=2, reduce=5)
    times, least = straight(Segment(ops, {0: "x", 1: "y"}), units, Limits(5, 5), {})
    assert max(times[4], times[5]) + units.latency <= times[3] + units.reduce - 1
    assert times[3] == least == 14


@pytest.mark.parametrize("name", TOYS)
def test_every_scalar_on_a_toy(name: str) -> None:
    """Of aG + bP some pairs, of a masked ladder some scalars; all of them are tried in the RTL."""
    d = prime_design(name)
    p, c, m = d.preset, d.preset.curve, machine(d)
    points = [c.generator, c.mul(3, c.generator)]
    for k in range(0, 1 << p.scalar_bits, 523 if p.double else 9 if p.masked else 1):
        point = points[k % 2]
        result = m.run(k, point)
        assert result.on_curve
        assert result.point == p.multiple(k, point), (k, point)
    assert not m.run(5, off_curve(d)).on_curve
    for k in (5, 5 << c.n.bit_length()) if p.double else (5,):
        assert m.run(k, None).point == p.multiple(k, None)


@pytest.mark.parametrize("name", [n for n in KEPT if PRIME_PRESETS[n].threads > 1])
def test_threads_do_not_disturb_each_other(name: str) -> None:
    """Whatever the others have, infinity, nothing at all or a point off the curve."""
    d = prime_design(name)
    c, m = d.preset.curve, machine(d)
    rng = random.Random(name)
    for count in range(1, d.preset.threads + 1) if name in TOYS else [d.preset.threads]:
        for _ in range(25 if name in TOYS else 1):
            jobs: list[Job] = []
            for _ in range(count):
                point = c.mul(rng.randrange(1, c.n), c.generator)
                other = rng.choice([point, point, None, off_curve(d)])
                jobs.append((rng.choice([0, c.n, rng.randrange(c.n)]), other))
            for (k, point), result in zip(jobs, m.run_all(jobs), strict=True):
                assert result.on_curve == (point is None or c.contains(point))
                assert result.point == (c.mul(k, point) if result.on_curve else None)


@pytest.mark.parametrize("name", REAL)
def test_some_scalars_on_a_standard_curve(name: str) -> None:
    d = prime_design(name)
    c, m = d.preset.curve, machine(d)
    rng = random.Random(name)
    point = c.mul(rng.randrange(1, c.n), c.generator)
    scalars = [0, 1, 2, c.n - 1, c.n, (1 << c.n.bit_length()) - 1, rng.randrange(c.n)]
    if d.preset.double:
        scalars += [rng.getrandbits(d.preset.scalar_bits), (c.n - 1) << c.n.bit_length()]
    t = d.preset.threads
    for some in (scalars[i : i + t] for i in range(0, len(scalars), t)):
        for k, result in zip(some, m.run_all([(k, point) for k in some]), strict=True):
            assert result.point == d.preset.multiple(k, point), hex(k)
    assert not m.run(5, off_curve(d)).on_curve
    assert m.run(5, None).point is None


@pytest.mark.parametrize("name", EVERY)
def test_words_are_executed_as_they_were_compressed(name: str) -> None:
    """The loop and the repeats unrolled use every unit as often as the graph does."""
    d = prime_design(name)
    words = list(d.microcode.unrolled())
    g = d.graph
    trips = {"head": 1, "body": g.trips, "tail": 1}
    for unit, kind in ((("mul", 0), Kind.PRODUCT), (("add", 0), Kind.SUM)):
        used = sum(any(gate.sink == unit for gate in w.gates) for w in words)
        forms = sum(
            trips[part] * sum(o.kind is kind and bool(o.forms[0]) for o in s.ops)
            for part, s in g.segments.items()
        )
        assert used == forms, kind
    digits = {part: sum(map(bool, s.digit_turns())) for part, s in g.segments.items()}
    digits["head"] = max(min(1, g.head.top), digits["head"])  # looked at or not
    assert sum(w.next for w in words) == sum(trips[part] * digits[part] for part in trips)
    assert sum("divide" in w.take for w in words) == 1
    for name_ in ("curve", "x", "y"):
        threads = [w.thread for w in words if name_ in w.take]
        times = 2 if d.preset.masked and name_ != "curve" else 1
        if name_ == "y" and isinstance(d.preset.program, XLadderFewest):
            times = 0  # it stays 0, as it was cleared
        assert sorted(threads) == [*range(d.preset.threads)] * times
    stores = sum(len(w.store) for w in words)
    kept = sum(trips[part] * len(s.kept) for part, s in g.segments.items())
    assert stores == sum(len(v) for v in g.head.stores.values()) + kept


def changed(s: Schedule, part: str, atom: int, **change: int | None) -> Schedule:
    """Return a schedule with one slot changed."""
    other = copy.deepcopy(s)
    slot = other.slots[part][atom]
    other.slots[part][atom] = dataclasses.replace(slot, **change)  # type: ignore[arg-type]
    return other


def answers(d: PrimeDesign, s: Schedule, scalars: list[int]) -> bool:
    """Whether the microcode of a schedule can be made and computes kP for these scalars."""
    p = d.preset
    try:
        part = Part(d.graph, s, p.units)
        m = machine(d, *assemble([part], p.residues, p.batch, p.threads))
        jobs = [(k, p.curve.mul(k + 2, p.curve.generator)) for k in scalars]
        for some in (jobs[i : i + p.threads] for i in range(0, len(jobs), p.threads)):
            answered = [result.point for result in m.run_all(some)]
            if answered != [p.multiple(*job) for job in some]:
                return False
        return not m.run(7, off_curve(d)).on_curve
    except (ValueError, LookupError, AssertionError):
        return False


def moves(d: PrimeDesign, step: int) -> Iterator[Schedule]:
    """Yield schedules with one operation a cycle earlier or later, or in another register."""
    s = d.schedule
    ops = [(part, op) for part, segment in d.graph.segments.items() for op in segment.ops]
    for part, op in ops[::step]:
        slot: Slot = s.slots[part][op.atom]
        yield changed(s, part, op.atom, time=slot.time - 1)
        yield changed(s, part, op.atom, time=slot.time + 1)
        if slot.register is not None:
            yield changed(s, part, op.atom, register=None)
            yield changed(s, part, op.atom, register=(slot.register + 1) % s.registers)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param("toyp8-k", 1, marks=pytest.mark.slow),
        pytest.param("toyp8-k", 5, id="toyp8-k-some"),
        pytest.param("toyp7-t", 5, id="toyp7-t-some"),
    ],
)
def test_machine_notices_a_moved_operation(name: str, step: int) -> None:
    """A move is noticed, or is slack: then every scalar is answered rightly all the same."""
    d = prime_design(name)
    n = d.preset.curve.n
    some = [1, n - 2, 5 * n // 7, 0x5A % n]
    noticed = slack = 0
    for moved in moves(d, step):
        if answers(d, moved, some):
            slack += 1
        else:
            noticed += 1
    print(f"{noticed} noticed, {slack} slack")
    assert noticed > 5 * slack


def guarded(code: Microcode[Word], cycle: int, name: str) -> Microcode[Word] | None:
    """Return microcode that looks at a condition in a cycle and does the same in both cases.

    None if the cycle's word has nothing to make conditional, or others execute it too.
    """
    executed = list(code.unrolled())
    word = executed[cycle]
    gate = next((g for g in sorted(word.gates, key=str) if g.guard is None), None)
    if gate is None or sum(w is word for w in executed) > 1:
        return None
    both = {dataclasses.replace(gate, guard=(name, value)) for value in (False, True)}
    other = dataclasses.replace(word, gates=word.gates - {gate} | both)
    return dataclasses.replace(code, words=[other if w is word else w for w in code.words])


def known(d: PrimeDesign) -> dict[str, int]:
    """Return the first cycle in which a word may look at each condition."""
    units, executed = d.preset.units, list(d.microcode.unrolled())
    tested = max(i for i, w in enumerate(executed) if "curve" in w.take) + units.reduce
    (divided,) = (i + units.divide for i, w in enumerate(executed) if "divide" in w.take)
    divided += (d.preset.divsteps.batches - 1) * units.period
    return {
        "negative": units.prepare + units.lookup,
        "invalid": max(units.prepare, tested + 1) + 1,  # a cycle for its register
        "flip": max(units.prepare, divided) + 1,  # when its word is decoded
    }


@pytest.mark.parametrize("condition", ["negative", "invalid", "flip"])
@pytest.mark.parametrize("name", ["toyp8-k", "toyp8-glv", "toyp7-t", "toyp8-glv-t"])
def test_machine_refuses_a_condition_that_is_not_known_yet(name: str, condition: str) -> None:
    d = prime_design(name)
    c, first = d.preset.curve, known(d)[condition]
    job = (c.n // 3, c.generator)
    cycles = range(len(list(d.microcode.unrolled())))
    codes = [(i, code) for i in cycles if (code := guarded(d.microcode, i, condition))]
    early, late = ([row for row in codes if (row[0] < first) == before] for before in (True, False))
    assert early
    assert late
    for cycle, code in (*early[::5], *early[-2:]):
        with pytest.raises(ValueError, match=f"is not known in cycle {cycle}"):
            machine(d, code).run(*job)
    for _, code in late[:3]:
        assert machine(d, code).run(*job).point == c.mul(*job)


def slower(d: PrimeDesign, **change: int) -> Machine:
    """Return the machine of a design with other units than it was scheduled for."""
    p = d.preset
    units = dataclasses.replace(p.units, **change)
    return Machine(
        d.microcode, units, p.residues, p.divsteps, p.recode, p.fixed, p.random_factors()
    )


@pytest.mark.parametrize("name", TOYS)
def test_machine_refuses_a_digit_before_the_scalar_is_prepared(name: str) -> None:
    """As late as the program allows all is well, a cycle later no more."""
    d = prime_design(name)
    c, s, units = d.preset.curve, d.schedule, d.preset.units
    looks = [
        s.starts[part] + s.slots[part][o.atom].time
        for part in ("head", "body")
        for o in d.graph.segments[part].digit_ops()
    ]
    asked = next(i for i, w in enumerate(d.microcode.unrolled()) if w.next)
    latest = min(min(looks) - units.lookup, asked)
    assert latest >= units.prepare
    job = (c.n // 3, c.generator)
    assert slower(d, prepare=latest).run(*job).point == c.mul(*job)
    with pytest.raises(ValueError, match="is not known"):
        slower(d, prepare=latest + 1).run(*job)


@pytest.mark.parametrize("name", TOYS)
def test_machine_refuses_to_end_before_the_reducer_does(name: str) -> None:
    d = prime_design(name)
    code, g = d.microcode, d.preset.curve.generator
    assert machine(d).run(1, g).point == g
    *words, left = code.repeat
    if left:
        code = dataclasses.replace(code, repeat=[*words, left - 1])
    else:
        code = dataclasses.replace(code, words=code.words[:-1], repeat=words)
    with pytest.raises(ValueError, match="ends before"):
        machine(d, code).run(1, g)


@pytest.mark.parametrize("name", TOYS[:1])
def test_the_unmoved_schedule_is_accepted(name: str) -> None:
    d = prime_design(name)
    assert answers(d, d.schedule, [1, 2, d.preset.curve.n - 2])


@pytest.mark.parametrize("name", PRIME_PRESETS)
def test_constants_keep_the_largest_register_above_zero(name: str) -> None:
    """A difference of any register, sums included, has no negative limb."""
    d = prime_design(name)
    r = d.preset.residues
    largest = r.limit
    mask = (1 << r.operand) - 1
    for word in d.microcode.words:
        for sink in {g.sink for g in word.gates}:
            for value in (True, False):
                gates = [
                    g for g in word.gates if g.sink == sink and (not g.guard or g.guard[1] == value)
                ]
                if any(g.source[0] == "matrix" for g in gates):
                    continue
                down = [g for g in gates if g.complement]
                const = [d.microcode.consts[g.source[1]] for g in gates if g.source[0] == "const"]
                for i, limb in enumerate(largest):
                    total = sum(c[i] for c in const)
                    assert (total - len(down)) & mask >= sum(limb << g.shift for g in down)


def test_units_that_cannot_run_a_program_are_refused() -> None:
    toy = PRIME_PRESETS["toyp8-k"]
    with pytest.raises(ValueError, match="does not fit a residue"):
        dataclasses.replace(toy, batch=8).graph()
    with pytest.raises(ValueError, match="over before its four products"):
        dataclasses.replace(toy, batch=4, per_cycle=2).graph()
