# SPDX-License-Identifier: Apache-2.0
"""Faults of whole signatures, on the smallest scheme machine: what each makes of a signature."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ecsm.cli import main
from ecsm.cores.store import design
from ecsm.evidence.campaigns import fault as fault_module
from ecsm.evidence.campaigns import pieces as pieces_module
from ecsm.evidence.campaigns import signing as signing_module
from ecsm.evidence.campaigns.circuit import Circuit, circuit_of
from ecsm.evidence.campaigns.fault import Faults, Plan, fault
from ecsm.evidence.campaigns.fault_report import text
from ecsm.evidence.campaigns.host import Hosts, Reply
from ecsm.evidence.campaigns.lanes import FEW, FLIP, FLIP_CELL, STUCK_0, STUCK_1, Event, Lanes
from ecsm.evidence.campaigns.signing import OPERATION, Inputs, Signature
from ecsm.evidence.campaigns.spans import values
from ecsm.evidence.campaigns.textbook import (
    ERROR,
    KEY,
    KINDS,
    LATE,
    NONCE,
    NONE,
    OCTETS,
    OTHER,
    RIGHT,
)
from ecsm.evidence.kept import load_evidence
from ecsm.progress import Progress
from ecsm.results.evidence import fault_path
from ecsm.results.record import write_json
from ecsm.schemes.program import program
from ecsm.schemes.words import Decide, Kind
from tests.evidence.signer import Flip, replies

PRESET = "toy107-halving"
NAME = f"schemes-{PRESET}"
HASH_UNIT = "u_scheme.u_units.u_symmetric.u_hash.u_hash.u_core"
CHUNK = 512
pytestmark = pytest.mark.full
Said = pytest.CaptureFixture[str]

CONTROL = Signature.control


@cache
def machine() -> Signature:
    return Signature(NAME, Progress())


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    with Lanes(machine().circuit) as found:
        yield found


def jobs(lanes: Lanes, count: int = 16) -> Inputs:
    return machine().jobs(random.Random("jobs"), count, lanes.lanes)


def register(name: str) -> int:
    return machine().circuit.registers.index(name)


def key_cell() -> int:
    """Return a bit of the key in its slot: a word of the memory that nothing writes in the job."""
    it = machine()
    with Lanes(it.circuit) as lanes:
        spans = values(it, lanes, jobs(lanes, 1))
    names = [m.name for m in it.circuit.memories]
    memory = names.index("u_scheme.u_strings.u_memory.memory")
    held = {s.word for s in spans if s.memory == memory and s.first == 1}
    assert held >= {0, 1}, "a key of 107 bits has two words"
    return it.circuit.cell(memory, 1, 5)


def words(lanes: Lanes) -> list[int]:
    """Return the cycles in which words of the program begin."""
    return [cycle for cycle, _ in machine().skips(lanes, jobs(lanes))]


def test_every_lane_signs_its_own_digest(lanes: Lanes) -> None:
    it, asked = machine(), jobs(lanes, 64)
    assert len(set(asked.digests)) == len(set(asked.keys)) == 64
    assert it.judged(lanes, asked, []) == [RIGHT] * lanes.lanes
    assert len(it.phases) == it.cycles
    assert it.phases[it.last - 1 : it.last + 1] == ["s = k^-1 (e + d r)", "answer"]


def test_seeded_faults_have_each_outcome(lanes: Lanes) -> None:
    """Each is in a lane of its own; every other lane is right."""
    it, last = machine(), machine().last
    begins = words(lanes)
    kp = next(cycle for cycle, phase in enumerate(it.phases) if phase.startswith("kP"))
    seeded = [
        ([Event(last, FLIP, register(f"{CONTROL}.status_q[1]"), 0)], ERROR),
        ([Event(100, STUCK_0, register(f"{CONTROL}.valid_q"), 0)], NONE),
        ([Event(100, FLIP, register(f"{CONTROL}.status_q[1]"), 0)], RIGHT),
        ([Event(100, STUCK_1, register(f"{CONTROL}.status_q[1]"), 0)], ERROR),
        ([Event(300, FLIP, register(f"{HASH_UNIT}.h_q[7]"), 0)], NONCE),
        ([Event(begins[-2], FLIP, register(f"{CONTROL}.valid_q"), 0)], OCTETS),
        ([Event(2, FLIP_CELL, key_cell(), 0)], OTHER),
        ([Event(kp, FLIP, register("u_scheme.u_units.u_kp.scalar[5]"), 0)], KEY),
        ([Event(begins[-20], FLIP, register(f"{CONTROL}.valid_q"), 0)], LATE),
    ]  # fmt: skip
    places = [3 + 7 * i for i in range(len(seeded))]
    events = [e._replace(lane=lane) for lane, (its, _) in zip(places, seeded, strict=True)
              for e in its]  # fmt: skip
    found = it.judged(lanes, jobs(lanes), events)
    assert [KINDS[found[lane]] for lane in places] == [KINDS[kind] for _, kind in seeded]
    assert {o for lane, o in enumerate(found) if lane not in places} == {RIGHT}


def test_replies_are_judged() -> None:
    """Also those that no seeded fault makes."""
    it, book = machine(), machine().book
    with Lanes(it.circuit, FEW) as small:
        asked = it.jobs(random.Random(5), 1, small.lanes)
    job = asked.keys[0], asked.digests[0], asked.nonces[0]
    right = book.sign(*job)
    usual = Reply(0, it._strings(right), b"", it.last)
    another = it._strings(book.sign(*job[:2], 77))
    cases = [
        (usual, RIGHT), (replace(usual, cycle=it.last + 1), LATE),
        (replace(usual, status=5), ERROR), (replace(usual, status=None), NONE),
        (replace(usual, strings=another), NONCE), (replace(usual, strings=[], status=3), ERROR),
        (replace(usual, strings=[b"".join(usual.strings)]), OCTETS),
        (replace(usual, strings=usual.strings[:1]), OCTETS),
        (replace(usual, strings=[*usual.strings, b""]), OCTETS),
        (replace(usual, rest=b"\0"), OCTETS),
        (replace(usual, strings=usual.strings[::-1]), OTHER),
        (replace(usual, strings=it._strings((0, 0))), OTHER),
    ]  # fmt: skip
    assert [it.judge(reply, job, right) for reply, _ in cases] == [kind for _, kind in cases]


def test_words_that_are_skipped_are_the_programs(lanes: Lanes) -> None:
    """From the operation's first word on, each is the one behind, or where a jump goes to."""
    it = machine()
    index = [2 + it.circuit.inputs + register(f"{CONTROL}.index_q[{i}]") for i in range(11)]
    begins, asked, at = words(lanes), jobs(lanes), []
    run = it.start(lanes, asked)
    for cycle in begins:
        run.to(cycle)
        bits = (lanes.planes(index)[:, 0] & 1).tolist()
        at.append(sum(int(b) << i for i, b in enumerate(bits)) - 1)
    text_ = program(design(it.machine.name).preset).words
    assert at[0] == it._program.number(OPERATION)
    for here, after in pairwise(at):
        word = text_[here]
        jumps = isinstance(word, Decide) and word.kind == Kind.JUMP
        assert after == here + 1 or (jumps and after == word.target)  # type: ignore[union-attr]
    last = text_[at[-1]]
    assert isinstance(last, Decide)
    assert last.kind == Kind.END


def test_a_skipped_word_is_not_executed(lanes: Lanes) -> None:
    """A word in each lane: without its last move the signature has no s."""
    it, begins = machine(), words(lanes)
    valid = register(f"{CONTROL}.valid_q")
    it._reset(lanes, asked := jobs(lanes))
    it._request(lanes, OPERATION)
    events = [Event(cycle, FLIP, valid, lane) for lane, cycle in enumerate(begins)]
    found = Hosts(lanes, asked.digests).run(events, 2 * it.last)
    r, s = it._strings(it._right(asked, len(begins) - 2))
    assert found[len(begins) - 2].strings == [r]
    r, s = it._strings(it._right(asked, len(begins) - 3))
    assert found[len(begins) - 3].strings == [s]


SKIPS = (2, 13, 30, 720, 863, 877, 1335, 1340)
FLIPS = [
    ("", 1), *[(f"{CONTROL}.valid_q", cycle) for cycle in SKIPS], (f"{CONTROL}.index_q[3]", 50),
    (f"{CONTROL}.state_q[0]", 100), (f"{CONTROL}.status_q[1]", 1344),
    ("u_scheme.u_units.u_kp.x_q[7]", 900), ("u_scheme.u_strings.u_channel.out_valid_q", 1300),
    ("u_scheme.u_units.u_order.u_order.u_datapath.acc_q[10]", 1000),
    ("u_scheme.u_units.u_order.u_order.u_control.count_q[3]", 1000),
    ("u_scheme.u_units.u_symmetric.u_nonce.u_hmac.count_q[1]", 200),
    ("u_scheme.u_units.u_symmetric.u_nonce.state_q[1]", 300),
    ("u_scheme.u_strings.u_memory.word_q[3]", 9),
]  # fmt: skip


def test_a_fault_does_the_same_to_verilators_model(lanes: Lanes) -> None:
    """Its strings, its status and the cycle: another nonce, errors, and no answer among them."""
    it, asked = machine(), jobs(lanes)
    it._reset(lanes, asked)
    it._request(lanes, OPERATION)
    events = [Event(cycle, FLIP, register(name), lane)
              for lane, (name, cycle) in enumerate(FLIPS) if name]  # fmt: skip
    found = Hosts(lanes, asked.digests).run(events, 2 * it.last)[: len(FLIPS)]
    keys = it._strings(asked.keys[: len(FLIPS)])
    flips = [Flip(key, digest, *flip)
             for key, digest, flip in zip(keys, asked.digests, FLIPS, strict=False)]  # fmt: skip
    assert found == replies(PRESET, flips, 2 * it.last)
    assert len({(r.status, r.cycle) for r in found}) > 8


@pytest.fixture
def quick(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a campaign have the netlist that is read already, and small pieces."""

    class Read(Signature):
        def __new__(cls, *_: object) -> Signature:  # type: ignore[misc]
            return machine()

    monkeypatch.setattr(fault_module, "subject_class", lambda _: Read)
    monkeypatch.setattr(fault_module, "CHUNK", CHUNK)
    return here


@pytest.mark.parametrize("mode", fault_module.MODES)
def test_a_campaign_adds_up_and_can_be_kept(mode: str, quick: Path, tmp_path: Path) -> None:
    it = machine()
    result = fault(Plan(NAME, mode, CHUNK), "ecsm fault", None, 1, Progress())
    assert [s.name for s in result.outcomes] == list(KINDS)
    assert sum(s.hits for s in result.outcomes) == result.wrong.count == CHUNK
    assert {s.name for s in result.phases} <= {*it.phases}
    of = [s.hits for s in result.outcomes]
    assert result.wrong.hits == of[KEY] + of[OTHER]
    assert min(of[RIGHT], of[NONCE], of[KEY] + of[OTHER], of[NONE]) > 0
    assert f"{NAME}: {CHUNK:,} faults" in text(result)
    assert f"| {KINDS[KEY]} " in text(result)
    file = fault_path(NAME, mode, tmp_path)
    write_json(file, asdict(result))
    assert load_evidence(Faults, file) == result


def test_a_signature_that_is_wrong_without_a_fault_is_said(
    pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the order unit has lost a bit of its accumulator."""

    def wrong(*asked: Any) -> Circuit:
        c = circuit_of(*asked)
        lost = c.registers.index("u_scheme.u_units.u_kp.rsp_x_q[7]")
        return replace(c, inputs_of_registers=_without(c.inputs_of_registers, lost))

    monkeypatch.setattr(signing_module, "circuit_of", wrong)
    monkeypatch.setattr(pieces_module, "check", lambda *_: None)
    with pytest.raises(ValueError, match=f"{NAME}: the netlist is wrong without a fault"):
        fault_module.piece(Plan(NAME, "flip", CHUNK), 0, pieces / "faults-0.npz")
    assert not pieces.exists()


def _without(nets: Sequence[int], lost: int) -> list[int]:
    return [0 if i == lost else net for i, net in enumerate(nets)]


def test_the_command(quick: Path, tmp_path: Path, capsys: Said) -> None:
    ask = ["fault", NAME, "--count", "1", "--json", "--results", str(tmp_path)]
    assert main(ask) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["preset"], told["mode"], told["wrong"]["count"]) == (NAME, "flip", CHUNK)
    assert told == json.loads(fault_path(NAME, "flip", tmp_path).read_text())
    assert told["origin"]["command"] == f"ecsm fault {NAME} --count 1 --mode flip --seed 1"
    assert told["origin"]["rtl"] == machine().digest
