# SPDX-License-Identifier: Apache-2.0
"""No secret reaches what tells of time; where one does, the proof names it."""

from __future__ import annotations

import pytest

from ecsm.evidence.cones import CLAIMED, HANDSHAKE, Cones, check, notes, programs, prove, seeded
from ecsm.evidence.core import Core
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register
from tests.evidence.netlists import FULL, TOYS, whole


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_no_secret_decides_the_time(name: str) -> None:
    proof = prove(whole(name).core, faults=9)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (9, 9)


def test_a_job_that_ends_early_is_found() -> None:
    """The answer comes when the point is not on the curve: status decides the time."""
    core = whole("toy7-small").core
    (done,) = core.named("done_q")
    early = before_register(core, done, core.named("flag_q")[:1], (0, 1, 1, 1))
    assert check(early) == (
        "req_infinity_i, req_op_i, req_scalar_i, req_x_i, req_y_i reaches rsp_valid_o"
    ) or check(early).endswith("reaches rsp_valid_o")


@pytest.mark.parametrize("port", CLAIMED)
@pytest.mark.parametrize("data", ["req_scalar_i", "req_x_i", "req_op_i", "req_infinity_i"])
def test_a_port_at_an_output_is_found(port: str, data: str) -> None:
    core = whole("toy7-small").core
    faulty = before_output(core, port, 0, core.inputs[data][:1], XOR)
    assert check(faulty) == f"{data} reaches {port}"


def test_the_tag_decides_nothing_but_itself() -> None:
    core = whole("toyp8-k").core
    faulty = before_output(core, "req_ready_o", 0, core.inputs["req_tag_i"][:1], AND_NOT)
    assert check(faulty) == "req_tag_i reaches req_ready_o"


def test_an_address_of_the_program() -> None:
    core = whole("toyp8-k").core
    (read,) = programs(core)
    assert not core.memories[read.memory].writes
    assert Cones(core).ports(read.inputs) == HANDSHAKE
    secret = core.inputs["req_scalar_i"][:1]
    address = core.named("word_q")[0]
    wrong = check(before_register(core, address, secret, XOR))
    assert wrong == "req_scalar_i reaches an address of the program"


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
    faults = list(seeded(core, 8))
    assert len(faults) == 8
    assert all((f.parts, f.registers, f.outputs) != (core.parts, core.registers, core.outputs)
               for f in faults)  # fmt: skip
