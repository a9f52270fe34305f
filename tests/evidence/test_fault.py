# SPDX-License-Identifier: Apache-2.0
"""Campaigns of faults on toys: outcomes add up, and faults are where they are said to be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ecsm.cli import main
from ecsm.evidence.campaigns import fault as fault_module
from ecsm.evidence.campaigns import pieces as pieces_module
from ecsm.evidence.campaigns import subject as subject_module
from ecsm.evidence.campaigns.circuit import NAMES, Circuit, circuit
from ecsm.evidence.campaigns.fault import (
    CHUNK,
    MODES,
    SHOWN,
    SILENT,
    Faulted,
    Faults,
    Plan,
    Share,
    Silence,
    fault,
    module,
)
from ecsm.evidence.campaigns.fault_report import text
from ecsm.evidence.campaigns.lanes import FLIP, FLIP_CELL, Event, Lanes
from ecsm.evidence.campaigns.pieces import kept
from ecsm.evidence.campaigns.spans import Span, values
from ecsm.evidence.campaigns.subject import (
    ERROR,
    INFINITY,
    LATE,
    NONE,
    OFF,
    ON,
    OUTCOMES,
    RIGHT,
    TAG,
    WRONG_TAG,
    Answer,
    CoreJobs,
    CoreRun,
    Inputs,
)
from ecsm.evidence.kept import load_evidence
from ecsm.progress import Progress
from ecsm.results.evidence import fault_path
from ecsm.results.record import DamagedResult, write_json
from ecsm.results.sources import Sources
from ecsm.status import Status
from tests.evidence.small import HOLD, core, made, marked

TOY = "toy7-small"


def found(name: str = TOY, mode: str = "flip", count: int = CHUNK, seed: int = 1) -> Faults:
    return fault(Plan(name, mode, count, seed), "ecsm fault", None, 1, Progress())


def add_up(result: Faults, count: int) -> None:
    """Assert that each list of shares is of all faults."""
    assert [s.name for s in result.outcomes] == list(OUTCOMES)
    for shares in (result.modules, result.phases):
        assert sum(s.count for s in shares) == count
        assert sum(s.hits for s in shares) == result.wrong.hits
    assert sum(s.hits for s in result.outcomes) == count
    assert {s.count for s in (*result.outcomes, result.wrong)} == {count}
    assert sum(s.share for s in result.outcomes) == pytest.approx(1, abs=1e-4)
    assert sum(s.hits for s in result.outcomes if s.name.startswith("wrong")) == result.wrong.hits
    assert all(s.low <= s.share <= s.high for s in (*result.outcomes, result.wrong))


@pytest.mark.parametrize("mode", ["flip", "stuck", "skip"])
@pytest.mark.parametrize("name", marked((TOY, "toyp5-v", "toyp7-t", "toyp7-x")))
def test_shares_add_up(name: str, mode: str, here: Path) -> None:
    result, toy = found(name, mode), core(name)
    add_up(result, CHUNK)
    assert result.state == len(toy.circuit.registers)
    assert {s.name for s in result.phases} <= {*toy.phases}
    outcome = {s.name: s.hits for s in result.outcomes}
    assert 0 < outcome["right"] < CHUNK
    assert result.wrong.hits > 10, "nothing protects these cores"
    assert f"{CHUNK:,} faults" in text(result)


def test_the_report_says_what_the_names_of_registers_are(here: Path) -> None:
    """On this core the whole register file has the names of an operand's form."""
    result = found()
    assert any(s.name.endswith("u_form") for s in result.modules)
    assert NAMES in text(result)


@pytest.mark.full
@pytest.mark.parametrize("name", ["toyp5-v", "toyp8-glv-t"])
def test_memories(name: str, here: Path) -> None:
    """A word that is read later, if only by a thread without a job: many bits matter."""
    result, toy = found(name, "memory"), core(name)
    add_up(result, CHUNK)
    written = [m for m in toy.circuit.memories if m.writes]
    assert result.state == sum(m.words * m.width for m in written)
    assert {s.name for s in result.modules} <= {m.name for m in written}
    assert result.wrong.share > 0.1


class Writing:
    """In place of a core: HOLD, which reads word 5 of one memory in each cycle, and word 1 of two.

    ``every``: both are written in each cycle; else they were before.
    """

    def __init__(self, every: bool) -> None:
        self.circuit, self.every, self.last = made(HOLD), every, 6

    def start(self, lanes: Lanes, _: Inputs) -> CoreRun:
        lanes.clear()
        lanes.set("load_i", 0)
        lanes.set("value_i", 3)
        lanes.set("a_i", 5)
        lanes.set("we_i", int(self.every))
        lanes.run(1)
        return CoreRun(lanes)


def test_a_word_that_is_read_in_the_next_cycle_counts() -> None:
    it: Any = Writing(every=True)
    with Lanes(it.circuit) as lanes:
        spans = sorted(values(it, lanes, Inputs([], [])))
        places = [(m, 5 if it.circuit.memories[m].name == "memory" else 1) for m in range(2)]
        word = tuple(range(8))
        assert spans == [Span(*p, word, c, c + 1) for p in places for c in range(1, 6)]
        m = [it.circuit.memories[i].name for i in range(2)].index("memory")
        it.start(lanes, Inputs([], []))
        lanes.run(1)
        lanes.run(0, events=[Event(0, FLIP_CELL, it.circuit.cell(m, 5, 0), 7)])
        assert [i for i, v in enumerate(lanes.get("word_o")) if v != 3] == [7]
        lanes.run(1)
        assert set(lanes.get("word_o")) == {3}
        still: Any = Writing(every=False)
        assert values(still, lanes, Inputs([], [])) == []


def test_no_memory_to_fault_is_said() -> None:
    with pytest.raises(ValueError, match="toy7-small has no memory that is written"):
        found(mode="memory")


def test_a_core_that_is_wrong_without_a_fault_is_said(
    pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own wrong answers would be those of faults. Here it has lost a bit of the scalar."""

    def wrong(s: Sources, tell: Progress) -> Circuit:
        c = circuit(s, tell)
        lost = c.registers.index("u_engine.gen_none.u_scalar.bits_q[3]")
        inputs = [0 if i == lost else net for i, net in enumerate(c.inputs_of_registers)]
        return replace(c, inputs_of_registers=inputs)

    monkeypatch.setattr(subject_module, "circuit", wrong)
    file = pieces / "faults-0.npz"
    plan = Plan(TOY, "flip", CHUNK)
    monkeypatch.setattr(pieces_module, "check", lambda *_: None)
    with pytest.raises(ValueError, match="toy7-small: the netlist is wrong without a fault"):
        fault_module.piece(plan, 0, file)
    assert not file.exists()


def test_pieces_are_used_again(here: Path) -> None:
    one = found()
    two = found(count=CHUNK + 1)
    files = sorted(here.rglob("*.npz"))
    assert [f.name for f in files] == ["faults-0.npz", "faults-1.npz"]
    assert two.wrong.count == 2 * one.wrong.count
    rows = [kept(f) for f in files]
    assert rows[0] is not None
    assert rows[1] is not None
    assert (rows[0]["rows"] != rows[1]["rows"]).any()
    assert found(seed=2).outcomes != one.outcomes


def test_no_fault_is_right_and_a_fault_is_in_its_lane(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other lane has the worst of flips: its job's program ends; the others are right."""

    def half(it: CoreJobs, lanes: Lanes, _rng: random.Random, _inputs: Inputs) -> list[Faulted]:
        bit = next(i for i in it.sequencer if "running" in it.circuit.registers[i])
        return [
            (bit, 30, [Event(30, FLIP, bit, lane)] if lane % 2 else [])
            for lane in range(lanes.lanes)
        ]

    monkeypatch.setitem(fault_module._DRAW, "flip", half)
    result = found()
    outcome = {s.name: s.hits for s in result.outcomes}
    assert outcome["right"] == CHUNK // 2
    assert sum(outcome.values()) == CHUNK


@pytest.mark.parametrize("mode", MODES[:1] + MODES[2:])
def test_where_and_when_are_drawn_evenly(mode: str) -> None:
    toy, rng = core(TOY), random.Random(1)
    with Lanes(toy.circuit) as lanes:
        g = toy.design.preset.curve.generator
        inputs = Inputs([5] * lanes.lanes, [g] * lanes.lanes)
        drawn = [f for _ in range(8192 // lanes.lanes)
                 for f in fault_module._DRAW[mode](toy, lanes, rng, inputs)]  # fmt: skip
    cycles = [cycle for _, cycle, _ in drawn]
    last = toy.design.cycles_alone
    assert (min(cycles), max(cycles)) == (1, last - 1)
    even(cycles, last)
    assert all(e.cycle == cycle for _, cycle, events in drawn for e in events)
    if mode != "skip":
        even([bit for bit, _, _ in drawn], len(toy.circuit.registers))
        assert all(len(events) == 1 for _, _, events in drawn)
    if mode == "stuck":
        kinds = [events[0].kind for _, _, events in drawn]
        assert abs(kinds.count(min(kinds)) / len(kinds) - 0.5) < 0.03


def even(values: Sequence[int], end: int) -> None:
    """Assert that values below ``end`` are spread evenly, by the quarter."""
    for quarter in range(4):
        share = sum(quarter * end <= 4 * v < (quarter + 1) * end for v in values) / len(values)
        assert abs(share - 0.25) < 0.03


def test_a_skipped_word_is_a_cycle_less() -> None:
    """The program is a cycle ahead: the answer comes a cycle early, when it should, or never."""
    toy, rng = core("toy7-fast"), random.Random(2)
    with Lanes(toy.circuit) as lanes:
        g = toy.design.preset.curve.generator
        inputs = Inputs([77] * lanes.lanes, [g] * lanes.lanes)
        skips = fault_module._DRAW["skip"](toy, lanes, rng, inputs)
        events = [e for _, _, its in skips for e in its]
        last = toy.design.cycles_alone
        answers = toy.run(lanes, inputs, events, 2 * last)
        cycles = {a.cycle for a in answers if a.status is not None}
    assert cycles <= {last - 1, last}
    assert last - 1 in cycles


def test_outcomes() -> None:
    toy = core(TOY)
    c, last = toy.design.preset.curve, toy.last
    right, other = c.generator, c.double(c.generator)
    off = (right[0], right[1] ^ 1)
    assert not toy.on_curve(off)
    cases = {
        RIGHT: Answer(0, right, last), LATE: Answer(0, right, last + 1),
        NONE: Answer(None, None, 99),
        ERROR: Answer(Status.POINT_NOT_ON_CURVE, None, last), OFF: Answer(0, off, last),
        ON: Answer(0, other, last), INFINITY: Answer(0, None, last),
        WRONG_TAG: Answer(0, right, last, TAG ^ 1),
    }  # fmt: skip
    assert {o: toy.judge(a, right) for o, a in cases.items()} == {o: o for o in cases}
    assert toy.judge(Answer(0, None, last), None) == RIGHT
    assert len(cases) == len(OUTCOMES)


def test_shares_and_names() -> None:
    assert Share.of("x", 15, 148) == Share("x", 15, 148, 0.10135, 0.06239, 0.16049)
    assert Share.of("none", 0, 0).share == 0
    assert module("u_engine.u_front.done_q") == "u_engine.u_front"
    assert module("ready_q[0]") == "port"


def test_who_has_no_answer_is_shown_and_asked_again(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other lane is mute, every fourth one to the end. Who answers is not asked."""
    silent = OUTCOMES.index(SILENT)
    asked: list[Lanes] = []

    def judged(_: CoreJobs, lanes: Lanes, *__: Any) -> list[int]:
        first = not asked
        asked.append(lanes)
        return [0 if first or lane % 2 else silent for lane in range(lanes.lanes)]

    def again(_: CoreJobs, lanes: Lanes, __: Inputs) -> list[bool]:
        return [lane % 4 == 0 for lane in range(lanes.lanes)]

    monkeypatch.setattr(CoreJobs, "judged", judged)
    result = found()
    assert (result.again, result.silent) == (None, [])
    monkeypatch.setattr(CoreJobs, "revives", True)
    monkeypatch.setattr(CoreJobs, "again", again)
    asked.clear()
    result = found(seed=2)
    assert result.again == Share.of("answers after a zeroize", CHUNK // 4, CHUNK // 2)
    assert len(result.silent) == SHOWN
    assert [s.again for s in result.silent] == [True, False] * (SHOWN // 2)
    toy = core(TOY)
    assert {s.place for s in result.silent} <= set(toy.circuit.registers)
    assert all(toy.phases[s.cycle] == s.phase for s in result.silent)
    assert "Of 1,024 machines without an answer 512 answer after a zeroize." in text(result)
    file = fault_path(TOY, "flip", here)
    write_json(file, asdict(result))
    assert load_evidence(Faults, file) == result
    for damaged in (
        replace(result, again=Share.of("x", CHUNK // 4, CHUNK // 4)),
        replace(result, silent=result.silent[1:]),
    ):
        write_json(file, asdict(damaged))
        with pytest.raises(DamagedResult, match="of those without an answer"):
            load_evidence(Faults, file)


def test_a_campaign_goes_on_with_what_a_shorter_one_has_found(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = found(count=3 * CHUNK)
    file = fault_path(TOY, "flip", tmp_path)
    ask = ["fault", TOY, "--results", str(tmp_path)]
    assert main([*ask, "--more"]) == 2
    assert "no result of toy7-small, flip, for --more" in capsys.readouterr().err
    assert main([*ask, "--count", str(CHUNK)]) == 0
    assert main([*ask, "--count", str(3 * CHUNK), "--more"]) == 0
    both = load_evidence(Faults, file)
    assert replace(both, origin=whole.origin) == whole
    assert both.origin.command == f"ecsm fault {TOY} --count {3 * CHUNK} --mode flip --seed 1"
    capsys.readouterr()
    for more, message in (
        (("--count", str(3 * CHUNK)), "is of 6144 faults already"),
        (("--count", "10240", "--seed", "2"), "is of seed 1 and"),
    ):
        assert main([*ask, "--more", *more]) == 2
        assert message in capsys.readouterr().err
    write_json(file, asdict(replace(both, lanes=32)))
    assert main([*ask, "--more"]) == 2
    assert "of 32 runs at once" in capsys.readouterr().err
    module, *others = both.modules
    for other in (
        replace(both, origin=replace(both.origin, rtl="0" * 24)),
        replace(both, cycles=both.cycles + 1),
        replace(both, state=both.state + 1),
        replace(both, modules=[replace(module, name="u_other"), *others]),
    ):
        write_json(file, asdict(other))
        assert main([*ask, "--more"]) == 2
        assert "is of another netlist" in capsys.readouterr().err
    right, *rest = both.outcomes
    odd = replace(
        both,
        wrong=Share.of(both.wrong.name, both.wrong.hits, both.wrong.count - 1),
        outcomes=[Share.of(s.name, s.hits - (s is right), 3 * CHUNK - 1) for s in (right, *rest)],
        modules=[Share.of(module.name, module.hits, module.count - 1), *others],
        phases=[Share.of(s.name, s.hits, s.count - (i == 0)) for i, s in enumerate(both.phases)],
    )
    write_json(file, asdict(odd))
    assert main([*ask, "--more"]) == 2
    assert "is not of whole pieces of 2048 faults" in capsys.readouterr().err


def test_machines_without_an_answer_are_added(here: Path) -> None:
    quiet = Silence("a", 1, "kP", True)
    first, second = found(), found(seed=2)
    both = fault_module._together(
        replace(first, again=Share.of("again", 1, 2), silent=[quiet] * 2),
        replace(second, again=Share.of("again", 60, 63), silent=[quiet] * 63),
    )
    assert both.again == Share.of("again", 61, 65)
    assert both.silent == [quiet] * SHOWN
    assert both.wrong.count == 2 * CHUNK
