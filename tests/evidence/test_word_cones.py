# SPDX-License-Identifier: Apache-2.0
"""No data reaches a word engine's control but by a branch on the flag; what does is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.evidence.core import Core
from ecsm.evidence.faults import AND_NOT, XOR, before_register
from ecsm.evidence.gates import Net
from ecsm.evidence.word.cones import CLAIM, FLAG, branches, check, prove
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.words import Condition, Order
from ecsm.schemes.word.program import word_program
from tests.evidence.word_netlists import gates

P256 = "word-p256"


def register(core: Core, name: str) -> Net:
    """Return the register with a name."""
    (found,) = [q for q in core.registers if core.names.get(q) == name]
    return found


def test_only_the_flag_lets_data_in() -> None:
    proof = prove(WORD_PRESETS[P256], gates(P256), 12)
    assert proof.claim == CLAIM
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (12, 12)
    (ports, *_) = proof.notes
    assert "in_data_i" not in ports
    assert "req_op_i" in ports


@pytest.mark.parametrize("name", ["word-prime", "word-dual"])
def test_engines_that_take_tables(name: str) -> None:
    proof = prove(WORD_PRESETS[name], gates(name), 6)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (6, 6)


@pytest.mark.parametrize(
    ("control", "secret"),
    [
        ("u_scheme.u_core.u_control.state_q[0]", "u_scheme.u_core.u_mac.acc_q[0]"),
        ("u_scheme.u_core.u_control.pc_q[3]", "u_scheme.u_core.digit_q[4]"),
        ("u_scheme.u_core.u_walk.next_q[0]", "u_scheme.u_core.u_mac.zero_q"),
        ("u_scheme.u_core.u_control.condition_q", "u_scheme.u_core.negative_q"),
    ],
)
def test_a_secret_that_decides_is_found(control: str, secret: str) -> None:
    """A branch, a slot or a state that looks at a digit, a word, or whether a word is 0."""
    core = gates(P256)
    faulty = before_register(core, register(core, control), [register(core, secret)], XOR)
    assert "u_memory.copy_a" in check(faulty)
    assert check(faulty).endswith("reaches the control")


def test_a_string_that_decides_is_found() -> None:
    core = gates(P256)
    octet = core.inputs["in_data_i"][5]
    at = register(core, "u_scheme.u_core.u_control.walk_valid_q")
    assert check(before_register(core, at, [octet], AND_NOT)) == "in_data_i reaches the control"


def test_without_a_flag_or_a_control_nothing_is_proven() -> None:
    core = gates(P256)
    names = {q: n for q, n in core.names.items() if n != FLAG}
    assert check(replace(core, names=names)) == "there is not one flag"
    names = {q: n for q, n in core.names.items() if ".u_walk." not in n}
    assert "there is no control in u_scheme.u_core.u_walk." in check(replace(core, names=names))


def test_the_flag_is_data() -> None:
    """It has words of the memory in its cone, so that taking it out matters."""
    core = gates(P256)
    renamed = {q: n.replace(FLAG, "other") for q, n in core.names.items()}
    zero = register(core, "u_scheme.u_core.u_mac.zero_q")
    renamed[zero] = FLAG  # another register is taken for the flag
    assert check(replace(core, names=renamed)) != ""


def test_every_branch_on_the_flag_is_counted() -> None:
    p = WORD_PRESETS[P256]
    public, reasons = branches(p)
    program = word_program(p).built.program
    looks = [w for w in program if getattr(w, "order", None) is Order.BRANCH
             and getattr(w, "number", None) == Condition.FLAG]  # fmt: skip
    assert public + sum(reasons.values()) == len(looks)
    assert "r and s are handed out" in reasons
