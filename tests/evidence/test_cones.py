# SPDX-License-Identifier: Apache-2.0
"""No secret reaches what tells of time; where one does, the proof names it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest

from ecsm.cores.store import design
from ecsm.evidence import cones
from ecsm.evidence.cones import CLAIMED, HANDSHAKE, Cones, notes, program, prove, seeded
from ecsm.evidence.core import Core, Memory, Read
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register
from ecsm.evidence.gates import Function
from ecsm.evidence.program import Place
from tests.evidence.netlists import BINARY, FULL, PRIME, TOYS, whole

HALVING = pytest.param("toy107-halving", marks=pytest.mark.full)


def check(name: str, core: Core) -> str:
    """Return what is wrong of a netlist; the program is where that of the preset has it."""
    return cones.check(core, place(name))


@lru_cache
def place(name: str) -> Place:
    """Return where a preset has its program."""
    return program(whole(name).core, design(name))


def renamed(core: Core) -> Core:
    """Return a netlist in which no register has a name."""
    return replace(core, names={n: f"net{n}" for n in core.names})


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_no_secret_decides_the_time(name: str) -> None:
    proof = prove(design(name), whole(name).core, faults=9)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (9, 9)


def test_a_job_that_ends_early_is_found() -> None:
    """The answer comes when the point is not on the curve: status decides the time."""
    core = whole("toy7-small").core
    (done,) = core.named("done_q")
    early = before_register(core, done, core.named("flag_q")[:1], (0, 1, 1, 1))
    assert check("toy7-small", early) == (
        "req_infinity_i, req_op_i, req_scalar_i, req_x_i, req_y_i reaches rsp_valid_o"
    ) or check("toy7-small", early).endswith("reaches rsp_valid_o")


@pytest.mark.parametrize("port", CLAIMED)
@pytest.mark.parametrize("data", ["req_scalar_i", "req_x_i", "req_op_i", "req_infinity_i"])
def test_a_port_at_an_output_is_found(port: str, data: str) -> None:
    core = whole("toy7-small").core
    faulty = before_output(core, port, 0, core.inputs[data][:1], XOR)
    assert check("toy7-small", faulty) == f"{data} reaches {port}"


def test_the_tag_decides_nothing_but_itself() -> None:
    core = whole("toyp8-k").core
    faulty = before_output(core, "req_ready_o", 0, core.inputs["req_tag_i"][:1], AND_NOT)
    assert check("toyp8-k", faulty) == "req_tag_i reaches req_ready_o"


@pytest.mark.parametrize("name", [*PRIME, HALVING])
def test_an_address_of_the_program(name: str) -> None:
    """It is found whatever its registers are called, and so is a secret that reaches it."""
    one = whole(name)
    found = program(renamed(one.core), design(name))
    assert found == place(name)
    assert found.what == "an address"
    (read,) = (p for p in one.core.parts if isinstance(p, Read) and p.inputs == found.nets)
    assert not one.core.memories[read.memory].writes
    assert set(found.nets) == set(one.core.named("word_q"))
    assert Cones(one.core).ports(found.nets) == HANDSHAKE
    for q in found.nets:
        faulty = renamed(before_register(one.core, q, one.core.inputs["req_scalar_i"][:1], XOR))
        wrong = cones.check(faulty, program(faulty, design(name)))
        assert wrong == "req_scalar_i reaches an address of the program"


@pytest.mark.parametrize("name", BINARY)
def test_a_word_of_the_program(name: str) -> None:
    """A program in gates: every register of its word is found, whatever it is called."""
    core = whole(name).core
    found = program(renamed(core), design(name))
    assert found == place(name)
    assert found.what == "a word"
    assert set(core.named("word_q")) <= set(found.nets)
    for q in core.named("word_q"):
        faulty = before_register(core, q, core.inputs["req_scalar_i"][:1], XOR)
        assert check(name, faulty) == "req_scalar_i reaches a word of the program"


@pytest.mark.parametrize("name", ["toyp8-k", "toyp7-t", HALVING])
def test_a_program_that_is_not_found_is_wrong(name: str) -> None:
    """One bit of one word is another one, or something writes the memory."""
    core = whole(name).core
    (read,) = (p for p in core.parts if isinstance(p, Read) and p.inputs == place(name).nets)
    (memory, words) = read.memory, core.memories[read.memory].words
    other = "1" if words[3][0] == "0" else "0"
    changed = Memory((*words[:3], other + words[3][1:], *words[4:]))
    some = next(m.writes for m in core.memories.values() if m.writes)
    for made in (changed, Memory(words, some)):
        proof = prove(design(name), replace(core, memories={**core.memories, memory: made}))
        assert proof.wrong == "no memory and no registers have the words of the program"
        assert not proof.holds


def test_a_program_in_gates_that_is_not_found_is_wrong() -> None:
    """A bit of its word is inverted, or data reaches it: then no register has its column."""
    core = whole("toy7-small").core
    q = core.named("word_q")[2]
    fault = Function("fault", (core.registers[q].d,), (1, 0))
    turned = {**core.registers, q: replace(core.registers[q], d="fault")}
    for faulty in (
        replace(core, parts=(*core.parts, fault), registers=turned),
        before_register(core, q, core.inputs["req_x_i"][:1], XOR),
    ):
        proof = prove(design("toy7-small"), faulty)
        assert proof.wrong == "no memory and no registers have the words of the program"


def test_notes_name_what_is_reached_and_what_selects_a_table() -> None:
    found = list(notes(whole("toyp8-k").core))
    assert "req_valid_i, rsp_ready_i, zeroize_i reach" in found[0]
    assert any("rsp_status_o" in n and "req_scalar_i" in n for n in found)
    assert any("u_table" in n and n.endswith("is read where req_scalar_i says") for n in found)
    assert not any("where" in n for n in notes(whole("toy7-small").core))


def test_a_memory_carries_what_is_written_to_it() -> None:
    core = whole("toyp8-k").core
    table = next(m for m in core.memories if "u_table" in m)
    (write,) = core.memories[table].writes
    reads = [p for p in core.parts if getattr(p, "memory", "") == table]
    assert all(set(write.inputs) <= Cones(core).of(r.outputs) for r in reads)


def test_seeded_faults_are_as_many_as_asked_for_and_differ() -> None:
    core: Core = whole("toyp8-k").core
    faults = list(seeded(core, place("toyp8-k"), 8))
    assert len(faults) == 8
    assert all((f.parts, f.registers, f.outputs) != (core.parts, core.registers, core.outputs)
               for f in faults)  # fmt: skip
