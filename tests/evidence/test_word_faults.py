# SPDX-License-Identifier: Apache-2.0
"""Faults in signatures of a word engine; noise in lanes."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ecsm.cli import main
from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.host import Reply
from ecsm.evidence.campaigns.lanes import FEW, FLIP, FLIP_CELL, STUCK_1, Event, Lanes
from ecsm.evidence.campaigns.subjects import subject_class
from ecsm.evidence.campaigns.textbook import ERROR, KEY, NONE, OTHER, RIGHT
from ecsm.evidence.campaigns.word_multiple import ERROR as ERROR_X
from ecsm.evidence.campaigns.word_multiple import LATE as LATE_X
from ecsm.evidence.campaigns.word_multiple import NONE as NONE_X
from ecsm.evidence.campaigns.word_multiple import OCTETS, OFF, ON, WordMultiple
from ecsm.evidence.campaigns.word_multiple import RIGHT as RIGHT_X
from ecsm.evidence.campaigns.word_signing import WordSignature
from ecsm.progress import Progress
from tests.evidence.small import core

NAME = "schemes-word-p256"


def noises(lanes: Lanes, port: str, cycles: int) -> list[np.ndarray]:
    """Return what an input is in some cycles."""
    found = []
    for _ in range(cycles):
        lanes.run(1)
        found.append(lanes.planes(lanes.circuit.ports[port]))
    return found


def test_noise_differs_in_lanes_and_cycles_and_comes_again() -> None:
    circuit = core("toy7-small").circuit
    with Lanes(circuit) as lanes:
        lanes.noise("req_x_i", 5)
        first = noises(lanes, "req_x_i", 50)
        bits = np.unpackbits(np.stack(first))
        assert 0.48 < bits.mean() < 0.52
        assert len({v.tobytes() for v in first}) == 50
        values = np.unpackbits(first[0], axis=1, bitorder="little").T
        assert len({v.tobytes() for v in values}) > 16
        lanes.clear()
        lanes.run(3)
        assert not lanes.planes(circuit.ports["req_x_i"]).any()
        lanes.noise("req_x_i", 5)
        assert all((a == b).all() for a, b in zip(noises(lanes, "req_x_i", 50), first, strict=True))


@pytest.fixture(scope="module")
def signature() -> WordSignature:
    return WordSignature(NAME, Progress())


@pytest.mark.slow
def test_faults_of_a_word_engine(signature: WordSignature) -> None:
    """Lanes without a fault are right; faults that say what they are have that outcome."""
    names = signature.circuit.registers
    with Lanes(signature.circuit) as lanes:
        asked = signature.jobs(random.Random(1), 8, lanes.lanes)
        noisy = names.index("u_scheme.u_noise.u_health.failed_o")
        state = names.index("u_scheme.u_core.u_control.state_q[0]")
        point = names.index("u_scheme.u_core.u_mac.term_q[7]")
        middle = signature.last // 2
        affine = signature.phases.index("x, 1/k, s")
        inverses = [affine + 500 + 900 * i for i in range(20)]  # of Z, then of the nonce
        inverses += [affine + 26000 + 1500 * i for i in range(20)]
        slots = [names.index(f"u_scheme.{name}[0]") for name in ("slot_q", "other_slot_q")]
        rests = [
            names.index(f"u_scheme.u_host.{name}")
            for name in ("shifts_q[0]", "shifts_q[2]", "bytes_q[1]", "last_q", "full_q", "open_q")
        ]
        loop = [names.index(f"u_scheme.u_core.u_control.counter_q[{i}]") for i in range(5)]
        loops = [(bit, 4096 * (1 + i)) for i in range(8) for bit in loop]
        events = [
            Event(1, STUCK_1, noisy, 1), Event(middle, STUCK_1, state, 2),
            *(Event(middle + 3 * i, FLIP, point, 3 + i) for i in range(20)),
            *(Event(cycle, FLIP, point, 23 + i) for i, cycle in enumerate(inverses)),
            *(Event(middle, FLIP, bit, 63 + i) for i, bit in enumerate(slots)),
            *(Event(middle, FLIP, bit, 65 + i) for i, bit in enumerate(rests)),
            *(Event(signature.phases.index("kP") + cycle, FLIP, bit, 71 + i)
              for i, (bit, cycle) in enumerate(loops)),
        ]  # fmt: skip
        found = signature.judged(lanes, asked, events)
    assert found[0] == RIGHT
    assert found[1] == ERROR
    assert found[2] in (ERROR, NONE)
    assert set(found[3:23]) <= {RIGHT, ERROR}, "a point off the curve is not handed out"
    assert ERROR in found[3:23]
    assert set(found[23:63]) <= {RIGHT, ERROR}, "neither is what is made of a wrong inverse"
    assert min(found[23:43].count(ERROR), found[43:63].count(ERROR)) > 10
    assert found[63:65] == [ERROR] * 2, "another slot's key is not used"
    assert found[65:71] == [RIGHT] * 6, "what a fault leaves where no string is, is dropped"
    assert not set(found[71:111]) & {KEY, OTHER}, "a product of other digits is not signed with"
    assert found[71:111].count(ERROR) > 10
    assert set(found[111:]) == {RIGHT}
    assert signature.phases.count("kP") > signature.last // 2
    assert len(signature.phases) == signature.cycles


@pytest.fixture(scope="module")
def multiple() -> WordMultiple:
    found = subject_class("word-p256")("word-p256", Progress())
    assert isinstance(found, WordMultiple)
    return found


def few(circuit: Circuit) -> Lanes:
    """Return 64 lanes: quicker than 512 where no more are needed."""
    return Lanes(circuit, lanes=FEW)


@pytest.mark.slow
def test_faults_in_a_kp(multiple: WordMultiple) -> None:
    """Seeded ones have their outcome, lanes without one are right.

    A machine whose control stays stuck is mute, and a zeroize does not revive it.
    """
    names = multiple.circuit.registers
    control = "u_scheme.u_core.u_control."
    middle = multiple.last // 2
    point = names.index("u_scheme.u_core.u_mac.term_q[7]")
    rest = names.index("u_scheme.u_host.full_q")
    stuck = names.index(f"{control}state_q[0]")
    stack = [names.index(f"{control}stack_q[{i}]") for i in range(8, 20)]
    slots = [names.index(f"u_scheme.{name}[0]") for name in ("slot_q", "other_slot_q")]
    with few(multiple.circuit) as lanes:
        asked = multiple.jobs(random.Random(2), 16, lanes.lanes)
        assert (len(set(asked.keys)), len(set(asked.points)), asked.same) == (16, 16, False)
        found = multiple.judged(lanes, asked, [
            Event(middle, STUCK_1, stuck, 1),
            *(Event(middle + 3 * i, FLIP, point, 2 + i) for i in range(20)),
            Event(middle, FLIP, rest, 22),
            *(Event(middle + 97 * i, FLIP, bit, 23 + i) for i, bit in enumerate(stack)),
            *(Event(middle, FLIP, bit, 35 + i) for i, bit in enumerate(slots)),
        ])  # fmt: skip
        again = multiple.again(lanes, asked)
    assert found[0] == RIGHT_X
    assert found[1] == NONE_X
    assert set(found[2:22]) <= {RIGHT_X, ERROR_X}, "a point off the curve is not handed out"
    assert ERROR_X in found[2:22]
    assert found[22] == RIGHT_X
    assert set(found[23:35]) <= {RIGHT_X, ERROR_X}, "a wrong return address is noticed"
    assert ERROR_X in found[23:35]
    assert found[35:37] == [ERROR_X] * 2
    assert set(found[37:]) == {RIGHT_X}
    assert [lane for lane, a in enumerate(again) if not a] == [1]
    assert multiple.phases.count("kP") > multiple.last // 2
    assert len(multiple.phases) == multiple.cycles


def compared(multiple: WordMultiple, lanes: Lanes, cycles: list[int]) -> list[int]:
    """Return those of these cycles in which ``word_guard`` compares parities."""
    compares = multiple._nets("u_guard.kept_q")
    assert len(compares) == 1
    asked = multiple.jobs(random.Random(1), 1, lanes.lanes)
    run, found = multiple.start(lanes, asked), []
    for cycle in sorted(cycles):
        run.to(cycle)
        if lanes.planes(compares).any():
            found.append(cycle)
    assert len(found) > len(cycles) // 2
    return found


@pytest.mark.full
def test_a_fault_in_where_the_program_is_has_an_answer(multiple: WordMultiple) -> None:
    """A flip in any register of it: an answer in twice the usual time, and never a wrong x.

    In cycles in which the guard compares, one in what it compares is never answered with OK and
    something else, and one in a loop counter or return address that is read again is detected.
    """
    names, control = multiple.circuit.registers, "u_scheme.u_core.u_control."
    kinds = ("pc_q", "word_q", "counter_q", "stack_q", "state_q", "open_q", "answers_q", "u_guard.")
    bits = [i for i, n in enumerate(names) if n.removeprefix(control).startswith(kinds)]
    rng = random.Random(5)
    found: list[tuple[str, int]] = []
    with few(multiple.circuit) as lanes:
        cycles = compared(multiple, lanes, [rng.randrange(2, multiple.last - 2) for _ in bits])
        for first in range(0, len(bits), lanes.lanes - 1):
            asked = multiple.jobs(rng, 4, lanes.lanes)
            chosen = bits[first : first + lanes.lanes - 1]
            events = [Event(rng.choice(cycles), FLIP, bit, lane)
                      for lane, bit in enumerate(chosen, start=1)]  # fmt: skip
            right, *others = multiple.judged(lanes, asked, events)
            assert right == RIGHT_X
            found += zip((names[bit] for bit in chosen), others, strict=False)
    kept = [o for name, o in found if "counter_q" in name or "stack_q" in name]
    assert len(kept) > 40
    assert kept.count(ERROR_X) > 0.9 * len(kept)
    said = {RIGHT_X, LATE_X, ERROR_X}
    compared_with = tuple(control + name for name in ("pc_q", "word_q", "counter_q", "stack_q"))
    missed = [(name, o) for name, o in found if o not in said]
    assert not [name for name, _ in missed if name.startswith(compared_with)]
    assert {o for _, o in missed} <= {OCTETS}, "an early end is all that is not noticed"


@pytest.mark.slow
def test_replies_of_a_kp_are_judged(multiple: WordMultiple) -> None:
    curve: Any = multiple.machine.curve
    right, other = (curve.mul(k, curve.generator)[0] for k in (5, 6))
    none = next(x for x in range(2, 99) if curve.lift_x(x) is None)

    def text(x: int) -> list[bytes]:
        return [x.to_bytes(32, "big")]

    usual = Reply(0, text(right), b"", multiple.last)
    cases = [
        (usual, RIGHT_X), (replace(usual, cycle=7), LATE_X), (replace(usual, status=7), ERROR_X),
        (replace(usual, status=None), NONE_X), (replace(usual, strings=text(other)), ON),
        (replace(usual, strings=text(none)), OFF), (replace(usual, rest=b"x"), OCTETS),
        (replace(usual, strings=text(curve.p + 5)), OFF),
        (replace(usual, strings=[]), OCTETS), (replace(usual, strings=text(right) * 2), OCTETS),
    ]  # fmt: skip
    assert [multiple.judge_x(reply, right) for reply, _ in cases] == [kind for _, kind in cases]


@pytest.mark.slow
@pytest.mark.parametrize("of", ["multiple", "signature"])
def test_words_of_memories_that_matter(of: str, request: pytest.FixtureRequest) -> None:
    """All lanes have one job and one noise: a flip in any is in the word that was drawn.

    Both copies are written at the same times, and each is read by its own operand.
    """
    it = request.getfixturevalue(of)
    asked = it.jobs(random.Random(3), 1, 512)
    assert asked.same
    spans = it.spans(None, asked)
    names = [m.name for m in it.circuit.memories]
    copies = [names.index(f"u_scheme.u_core.u_memory.copy_{c}") for c in "ab"]
    each = [[s for s in spans if s.memory == m] for m in copies]
    assert all(len({s.word for s in of}) > 100 for of in each)
    assert {(s.word, s.first) for s in each[0]} & {(s.word, s.first) for s in each[1]}
    assert {(s.word, s.end) for s in each[0]} != {(s.word, s.end) for s in each[1]}
    with few(it.circuit) as lanes:
        jobs = it._first(asked, lanes.lanes)
        run = it.start(lanes, jobs)
        run.to(5000)
        registers = range(2 + it.circuit.inputs, 2 + it.circuit.inputs + len(it.circuit.registers))
        rows = lanes.planes(registers)
        assert set(np.unique(rows)) <= {0, 255}, "one noise"
        # Behind the last read a flip changes nothing; within spans, some do.
        own = sorted(each[0], key=lambda s: s.first - s.end)[:20]
        dead = [(s, s.end) for s in own if s.end < it.last - 1 and not any(
            o.word == s.word and o.first <= s.end < o.end for o in each[0])]  # fmt: skip
        rng, both = random.Random(4), [*each[0], *each[1]]
        drawn = rng.choices(both, [s.end - s.first for s in both], k=40)
        live = [(s, rng.randrange(s.first, s.end)) for s in drawn]
        events = [
            Event(cycle, FLIP_CELL, it.circuit.cell(s.memory, s.word, 3), 1 + lane)
            for lane, (s, cycle) in enumerate([*dead, *live])
        ]
        found = it.judged(lanes, jobs, events)
    assert dead
    assert set(found[1 : 1 + len(dead)]) == {0} == {found[0]}
    assert {*found[1 + len(dead) : 1 + len(dead) + len(live)]} != {0}


def test_what_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["leak", NAME, "--vary", "scalar"], f"--vary of {NAME} is key or nonce"),
        (["leak", "word-p256", "--vary", "key"], "--vary of word-p256 is scalar or point"),
        (["fault", "word-prime"], "has its program from its host"),
        # Without its tables it answers UNSUPPORTED: that is seen before its netlist is made.
        (["leak", "word-prime"], "has its program from its host"),
        (["leak", "word-prime-p521", "--vary", "point"], "has its program from its host"),
        (["leak", "schemes-word-prime", "--vary", "key"], "has its program from its host"),
        (["fault", "schemes-word-prime-none"], "has its program from its host"),
        (["fault", NAME, "--mode", "skip"], "no words of a word engine's program are skipped"),
        (["fault", "word-p256", "--mode", "skip"], "no words of a word engine's program"),
    ):  # fmt: skip
        assert main(words) == 2
        assert said in capsys.readouterr().err
