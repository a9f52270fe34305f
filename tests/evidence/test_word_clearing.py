# SPDX-License-Identifier: Apache-2.0
"""What zeroize and reset leave in a word engine, and that what stays is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.evidence.clearing import after_zeroize
from ecsm.evidence.core import Core
from ecsm.evidence.faults import AND_NOT, before_register
from ecsm.evidence.word.clearing import Clearing, check, clearing, left, prove
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.word.program import word_program
from tests.evidence.test_word_cones import register
from tests.evidence.word_netlists import gates

P256 = "word-p256"
VALID = "u_scheme.u_core.u_mac.four_q[10]"
COMMAND = "u_scheme.u_core.u_control.command_q"


def without(core: Core, *names: str) -> Core:
    """Return the netlist in which registers do not take what they would as zeroize comes."""
    (zeroize,) = core.inputs["zeroize_i"]
    for name in names:
        core = before_register(core, register(core, name), [zeroize], AND_NOT)
    return core


def right() -> Core:
    """Return the netlist of P-256 in which zeroize drops a word and a command that are due."""
    return without(gates(P256), VALID, COMMAND)


def of(core: Core) -> Clearing:
    return clearing(WORD_PRESETS[P256], core)


@pytest.mark.xfail(strict=True, reason="zeroize lets a word, or a command, through that is due")
def test_nothing_is_left() -> None:
    assert check(of(gates(P256))) == ""


def test_nothing_is_left_where_nothing_is_due() -> None:
    proof = prove(WORD_PRESETS[P256], right(), 6)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (6, 6)
    built = word_program(WORD_PRESETS[P256]).built
    words = built.depth - len(built.values)
    assert proof.notes[0].endswith(f"{words} words; {words} cycles")


def test_zeroize_for_two_cycles_leaves_nothing() -> None:
    run = after_zeroize((c := of(gates(P256))).core)
    run.step()
    assert left(c, run)[0] == ""


def test_a_word_that_is_due_is_written() -> None:
    """The first word that is cleared gets a slot's result, or keeps what it had."""
    wrong, _ = left(c := of(without(gates(P256), COMMAND)), after_zeroize(c.core))
    assert f"1 words of the memory from {c.fixed} on" in wrong
    assert "loaded_q" not in wrong


def test_a_command_that_is_due_is_followed() -> None:
    """A key slot is full after zeroize, or the random generator has a seed, of zeros."""
    wrong, _ = left(c := of(without(gates(P256), VALID)), after_zeroize(c.core))
    assert "loaded_q" in wrong
    assert "words of the memory" not in wrong


@pytest.mark.parametrize(
    "name",
    ["u_scheme.u_core.u_mac.acc_q[40]", "u_scheme.u_core.flag_q", "u_scheme.u_core.digit_q[2]",
     "u_scheme.u_core.u_control.shift_q[7]"],
)  # fmt: skip
def test_a_register_that_keeps_a_bit_is_named(name: str) -> None:
    core = right()
    q = register(core, name)
    held = before_register(core, q, [q, *core.inputs["zeroize_i"]], (0, 1, 1, 0, 0, 1, 1, 0))
    assert name in check(of(held))


def test_a_copy_that_nothing_writes_is_found() -> None:
    core = right()
    for name in [m for m in core.memories if m.endswith(("copy_a", "copy_b"))]:
        never = replace(core.memories[name], writes=())
        faulty = replace(core, memories={**core.memories, name: never})
        assert "words of the memory" in check(of(faulty))


def test_zeroize_that_does_nothing_is_found() -> None:
    core = right()
    never = replace(core, inputs={**core.inputs, "zeroize_i": ("no net",)})
    assert "never ready" in check(of(never))
