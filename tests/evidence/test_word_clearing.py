# SPDX-License-Identifier: Apache-2.0
"""What zeroize and reset leave in a word engine, and that what stays is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.evidence.core import Core
from ecsm.evidence.faults import before_register
from ecsm.evidence.word.clearing import Clearing, check, clearing, prove
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.word.program import word_program
from tests.evidence.test_word_cones import register
from tests.evidence.word_netlists import gates

P256 = "word-p256"


def of(core: Core) -> Clearing:
    return clearing(WORD_PRESETS[P256], core)


def test_nothing_is_left() -> None:
    proof = prove(WORD_PRESETS[P256], gates(P256), 6)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (6, 6)
    built = word_program(WORD_PRESETS[P256]).built
    words = built.depth - len(built.values)
    assert proof.notes[0].endswith(f"{words} words; {words} cycles")


@pytest.mark.parametrize(
    "name",
    ["u_scheme.u_core.u_mac.acc_q[40]", "u_scheme.u_core.flag_q", "u_scheme.u_core.digit_q[2]",
     "u_scheme.u_core.u_control.shift_q[7]"],
)  # fmt: skip
def test_a_register_that_keeps_a_bit_is_named(name: str) -> None:
    core = gates(P256)
    q = register(core, name)
    held = before_register(core, q, [q, *core.inputs["zeroize_i"]], (0, 1, 1, 0, 0, 1, 1, 0))
    assert name in check(of(held))


def test_a_copy_that_nothing_writes_is_found() -> None:
    core = gates(P256)
    for name in [m for m in core.memories if m.endswith(("copy_a", "copy_b"))]:
        never = replace(core.memories[name], writes=())
        faulty = replace(core, memories={**core.memories, name: never})
        assert "words of the memory" in check(of(faulty))


def test_zeroize_that_does_nothing_is_found() -> None:
    core = gates(P256)
    never = replace(core, inputs={**core.inputs, "zeroize_i": ("no net",)})
    assert "never ready" in check(of(never))
