# SPDX-License-Identifier: Apache-2.0
"""What the answer port shows is proven, and what shows too much is found."""

from __future__ import annotations

import pytest

from ecsm.cores.store import binary_design, design
from ecsm.evidence.answers import CAUSES, Answers, batches, check, prove, quiet
from ecsm.evidence.core import Core
from ecsm.evidence.faults import XOR, before_output, before_register
from ecsm.evidence.gates import Table
from tests.evidence.netlists import FULL, TOYS, whole

OR: Table = (0, 1, 1, 1)
WITH: Table = (0, 1, 0, 1, 0, 1, 1, 1)  # the first one, or both others


def found(name: str, core: Core) -> Answers:
    one = whole(name)
    return check(batches(design(name), core, one.reached), one.answers.windows)


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_answers(name: str) -> None:
    one = whole(name)
    proof = prove(design(name), one.core, one.reached, one.answers)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (5, 5)


@pytest.mark.full
def test_the_gate_of_the_result_opens_in_the_cycle_of_the_last_test() -> None:
    """The last word but one tests the curve: what it finds decides the gate in the same cycle."""
    one, d = whole("b163-compact"), binary_design("b163-compact")
    last = list(d.microcode.unrolled())[-2]
    assert last.test
    proof = prove(d, one.core, one.reached, one.answers)
    assert proof.wrong == ""
    assert (proof.found, proof.faults) == (5, 5)


@pytest.mark.parametrize("port", ["rsp_x_o", "rsp_y_o", "rsp_infinity_o", "rsp_status_o"])
@pytest.mark.parametrize("name", ["toy7-small", "toyp8-k"])
def test_what_shows_before_an_answer_is_found(name: str, port: str) -> None:
    core = whole(name).core
    for q in (*core.named("flag_q"), *core.named("curve_q")):
        faulty = before_output(core, port, 0, [q], OR)
        assert quiet(faulty) == f"{port} may show before an answer"


@pytest.mark.parametrize("name", ["toy7-small", "toyp8-k", "toyp7-t"])
@pytest.mark.parametrize("port", ["req_x_i", "req_valid_i"])
def test_a_port_that_changes_an_answer_is_found(name: str, port: str) -> None:
    core = whole(name).core
    (valid,) = core.outputs["rsp_valid_o"]
    faulty = before_output(core, "rsp_y_o", 1, [valid, core.inputs[port][0]], WITH)
    assert found(name, faulty).wrong == "rsp_y_o may change while answer 0 waits"


def test_a_register_of_the_answer_that_changes_is_found() -> None:
    core = whole("toy7-small").core
    for name in ("status_q", "tag_q", "affine_q"):
        q = core.named(name)[0]
        faulty = before_register(core, q, [core.inputs["req_tag_i"][0]], XOR)
        assert "may change" in found("toy7-small", faulty).wrong


@pytest.mark.parametrize("name", ["toy7-small", "toy8-ahead", "toyp8-k", "toyp7-t"])
def test_a_point_with_an_error_is_found(name: str) -> None:
    core = whole(name).core
    (valid,) = core.outputs["rsp_valid_o"]
    faulty = before_output(core, "rsp_x_o", 0, [valid, core.outputs["rsp_tag_o"][0]], WITH)
    assert found(name, faulty).wrong == "rsp_x_o may show with an error"


@pytest.mark.parametrize("cause", ["unsupported_q", "flag_q"])
def test_a_point_whose_gate_forgets_a_cause_is_found(cause: str) -> None:
    """The gate of the result opens with an error: ``affine_q`` does not look at a cause."""
    core = whole("toy7-small").core
    (q,) = core.named("affine_q")
    decides = core.named(cause)[0]
    table: Table = OR if cause == "unsupported_q" else (1, 1, 0, 1)
    assert "with an error" in found("toy7-small", before_register(core, q, [decides], table)).wrong


def test_every_status_has_a_cause() -> None:
    for name, there in (("toy7-small", 4), ("toyp8-k", 4)):
        core = whole(name).core
        assert sum(bool(core.named(cause)) for cause in CAUSES) == there
