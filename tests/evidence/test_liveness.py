# SPDX-License-Identifier: Apache-2.0
"""Every job ends after the cycles of its schedule; what does not is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.cores.store import design
from ecsm.evidence.cone_states import ConeStates, NotSmall
from ecsm.evidence.core import Register
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register
from ecsm.evidence.gates import Function
from ecsm.evidence.liveness import OUTPUTS, Phase, check, protocol, prove
from tests.evidence.netlists import FULL, TOYS, whole

KEEP = (0, 0, 1, 1)  # a register stays what it is


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_every_job_ends_in_time(name: str) -> None:
    one = whole(name)
    proof = prove(design(name), one.core, one.reached)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (5, 5)


def test_every_phase_is_reached() -> None:
    """Of a core of three threads: batches of one, two and three jobs, and all their answers."""
    found = whole("toyp7-t").reached.at
    kinds = {(p.kind, p.jobs) for p in found}
    assert {("idle", 0), ("idle", 1), ("idle", 2), ("clear", 0)} < kinds
    assert {(k, n) for k in ("busy", "answer") for n in (1, 2, 3)} < kinds
    p = protocol(design("toyp7-t"))
    assert {q.age for q in found if q.kind == "answer" and q.jobs == 3} == {0, 1, 2}
    assert max(q.age for q in found if q.kind == "busy" and q.jobs == 3) == p.full - 1
    assert max(q.age for q in found if q.kind == "busy" and q.jobs == 1) == p.alone - 1


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("off", [-1, 1])
def test_another_number_of_cycles_is_refused(name: str, off: int) -> None:
    p = protocol(design(name))
    wrong = replace(p, full=p.full + off, alone=p.alone + off)
    assert "in phase" in check(whole(name).core, wrong).wrong


def test_another_patience_is_refused() -> None:
    p = protocol(design("toyp7-t"))
    assert check(whole("toyp7-t").core, replace(p, patience=p.patience + 1)).wrong


@pytest.mark.parametrize("name", ["toy7-small", "toyp8-k"])
def test_any_register_of_the_handshake_that_never_changes_is_found(name: str) -> None:
    core, reached = whole(name).core, whole(name).reached
    p = replace(protocol(design(name)), clearing=reached.clearing)
    deciding = set(ConeStates(core, OUTPUTS[:2]).registers)
    frozen = [q for q in reached.moving if q in deciding]
    assert len(frozen) > 15
    for q in frozen:
        assert check(before_register(core, q, [q], KEEP), p).wrong, core.names[q]


def test_an_answer_that_goes_is_found() -> None:
    """It goes with the tag's port, a request, or of itself when it was there once."""
    core = whole("toy8-ahead").core
    p = protocol(design("toy8-ahead"))
    (valid,) = core.outputs["rsp_valid_o"]
    for port in ("req_valid_i", "req_tag_i"):
        gone = before_register(core, valid, core.inputs[port][:1], AND_NOT)
        assert check(gone, p).wrong
    assert "phase answer" in check(before_register(core, valid, [valid], AND_NOT), p).wrong


def test_a_core_that_is_ready_while_it_works_is_found() -> None:
    core = whole("toy7-small").core
    p = protocol(design("toy7-small"))
    running = core.named("running_q")
    faulty = before_output(core, "req_ready_o", 0, running, XOR)
    assert check(faulty, p).wrong == "req_ready_o is 1, not 0, in phase busy, 1 jobs, cycle 1"


def test_zeroize_that_does_nothing_is_found() -> None:
    core = whole("toy7-small").core
    (zeroize,) = core.inputs["zeroize_i"]
    deaf = tuple(
        replace(f, inputs=tuple("0" if n == zeroize else n for n in f.inputs))
        for f in core.parts
        if isinstance(f, Function)
    )
    assert len(deaf) == len(core.parts)
    assert check(replace(core, parts=deaf), protocol(design("toy7-small"))).wrong


def test_a_core_that_is_ready_too_late_is_found() -> None:
    core, p = whole("toyp8-k").core, protocol(design("toyp8-k"))
    assert "after reset" in check(core, replace(p, most_clearing=8)).wrong
    assert (
        "after reset"
        in check(core, replace(p, clearing=whole("toyp8-k").reached.clearing + 1)).wrong
    )


def test_registers_without_a_reset_begin_with_every_value() -> None:
    core = whole("toy7-small").core
    (valid,) = core.outputs["rsp_valid_o"]
    registers = {**core.registers, valid: Register(core.registers[valid].d, None)}
    faulty = replace(core, registers=registers)
    assert len(ConeStates(faulty, OUTPUTS).first()) == 2
    assert check(faulty, protocol(design("toy7-small"))).wrong.startswith("rsp_valid_o is 1, not 0")


def test_a_cone_with_data_is_refused() -> None:
    core = whole("toy7-small").core
    with pytest.raises(NotSmall, match="bits of ports"):
        ConeStates(core, ["rsp_x_o"])


def test_states_have_names() -> None:
    reached = whole("toy7-small").reached
    (one,) = reached.values(Phase("answer", 1, 0))
    (valid,) = whole("toy7-small").core.outputs["rsp_valid_o"]
    assert one[valid] == 1
    assert set(one) == set(reached.registers)
