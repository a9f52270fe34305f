# SPDX-License-Identifier: Apache-2.0
"""Faults in signatures of a word engine; noise in lanes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ecsm.cli import main
from ecsm.evidence.campaigns.lanes import FLIP, STUCK_1, Event, Lanes
from ecsm.evidence.campaigns.textbook import ERROR, KEY, NONE, OTHER, RIGHT
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
