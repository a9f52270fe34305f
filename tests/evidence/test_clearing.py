# SPDX-License-Identifier: Apache-2.0
"""Zeroize leaves nothing; what stays is found and named."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.evidence.clearing import (
    after_answer,
    after_reset,
    after_zeroize,
    check,
    cleared,
    prove,
    unknown,
)
from ecsm.evidence.core import Register
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register
from ecsm.evidence.gates import Function
from ecsm.evidence.symbols import UNKNOWN
from tests.evidence.netlists import BINARY, FULL, TOYS, whole


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_nothing_is_left(name: str) -> None:
    one = whole(name)
    proof = prove(one.core, one.answers.waiting)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (5, 5)


@pytest.mark.parametrize("name", BINARY)
def test_three_ways_lead_to_one_state(name: str) -> None:
    core, (waiting,) = whole(name).core, whole(name).answers.waiting
    begins = (after_zeroize(core), after_reset(core), after_answer(core, waiting))
    found = [cleared(core, begin) for begin in begins]
    assert None not in found
    assert found[0] == found[1] == found[2]
    assert found[0] is not None
    assert found[0][0] == whole(name).reached.clearing


def test_any_register_that_keeps_a_bit_is_found() -> None:
    core = whole("toy8-ahead").core
    for q in random.Random(1).sample(sorted(core.registers, key=str), 60):
        faulty = before_register(core, q, [q], XOR)
        found = cleared(faulty, after_zeroize(faulty))
        assert found is None or found[1][0][q] == UNKNOWN
        assert "not ready" in (wrong := check(faulty)) or "are not clear" in wrong


def test_a_register_that_zeroize_misses_is_found_and_named() -> None:
    """It is cleared only when it is written, too."""
    core = whole("toy7-small").core
    (q,) = [n for n, name in core.names.items() if name.endswith("gen_reg[4].data_q[0]")]
    written_or_kept = (0, 0, 0, 1, 1, 1, 0, 1)
    kept = before_register(core, q, [core.named("write_q")[4], q], written_or_kept)
    assert check(kept) == f"after zeroize: 1 registers ({core.names[q]}) are not clear"


def test_zeroize_that_does_nothing_is_found() -> None:
    core = whole("toy7-small").core
    (zeroize,) = core.inputs["zeroize_i"]
    deaf = tuple(
        replace(f, inputs=tuple("0" if n == zeroize else n for n in f.inputs))
        for f in core.parts
        if isinstance(f, Function)
    )
    assert check(replace(core, parts=deaf)) == "the core is not ready after zeroize"


def test_a_core_that_is_never_ready_is_found() -> None:
    core = whole("toy7-small").core
    never = before_output(core, "req_ready_o", 0, ["1"], AND_NOT)
    assert check(never) == "the core is not ready after zeroize"


def test_a_memory_that_nothing_writes_is_found() -> None:
    core = whole("toyp8-k").core
    name = next(m for m in core.memories if "u_table" in m)
    memories = {**core.memories, name: replace(core.memories[name], writes=())}
    found = cleared(replace(core, memories=memories), after_zeroize(core))
    assert found is not None
    assert "48 bits of memories" not in unknown(core, found[1])  # of the run's own netlist
    other = replace(core, memories=memories)
    found = cleared(other, after_zeroize(other))
    assert found is not None
    assert f"48 bits of memories ({name})" in unknown(other, found[1])


def test_another_state_after_reset_is_found() -> None:
    """A register that keeps 1 after reset, and 0 after zeroize."""
    core = whole("toy7-small").core
    (zeroize,) = core.inputs["zeroize_i"]
    registers = {**core.registers, -1: Register(-2, 1)}
    kept = Function(-2, (-1, zeroize), AND_NOT)
    faulty = replace(core, registers=registers, parts=(*core.parts, kept))
    assert check(faulty) == "the state after reset is not that after zeroize"
