# SPDX-License-Identifier: Apache-2.0
"""An answer carries the tag of its request; a tag that is another one is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ecsm.cores.store import design
from ecsm.evidence import answers, tags
from ecsm.evidence.core import Core
from ecsm.evidence.faults import XOR, before_output, before_register
from ecsm.evidence.gates import Net
from ecsm.evidence.liveness import protocol
from tests.evidence.netlists import FULL, TOYS, whole

OTHER = "may have another tag than its request"


def found(name: str, core: Core) -> str:
    reached = whole(name).reached
    return tags.check(core, replace(protocol(design(name)), clearing=reached.clearing), reached)


def keeping(name: str) -> list[Net]:
    """Return the registers that keep tags."""
    one = whole(name)
    return tags.Tags(one.core, 1, one.reached.registers).registers


@pytest.mark.parametrize("name", [*TOYS, *FULL])
def test_an_answer_has_its_requests_tag(name: str) -> None:
    one = whole(name)
    assert found(name, one.core) == ""
    faulty = list(tags.seeded(one.core, one.reached, 9))
    assert [found(name, core).endswith(OTHER) for core in faulty] == [True] * 9


@pytest.mark.parametrize("name", ["toy7-small", "toy9-four", "toyp8-k", "toyp7-t"])
def test_every_register_of_a_tag_matters(name: str) -> None:
    """Each one that never changes, or takes the port whatever there is, is found."""
    core = whole(name).core
    threads = design(name).microcode.threads
    registers = keeping(name)
    assert len(registers) == threads * len(core.inputs["req_tag_i"])
    for q in registers:
        assert found(name, before_register(core, q, [q], (0, 0, 1, 1))).endswith(OTHER)
        faulty = before_register(core, q, core.inputs["req_tag_i"][:1], (0, 0, 1, 1))
        assert found(name, faulty).endswith(OTHER)


def test_two_bits_that_are_exchanged_are_found_as_an_answer_fails() -> None:
    """Nothing else of the answers' proof sees it."""
    one, d = whole("toy7-small"), design("toy7-small")
    low, high, *more = one.core.outputs["rsp_tag_o"]
    faulty = replace(one.core, outputs={**one.core.outputs, "rsp_tag_o": (high, low, *more)})
    wrong = answers.check(answers.batches(d, faulty, one.reached), one.answers.windows).wrong
    assert wrong == f"answer 0 of 1 {OTHER}"


@pytest.mark.parametrize(("slots", "jobs"), [((1, 0), 1), ((0, 2, 1), 2)])
def test_an_answer_with_the_tag_of_another_one_is_found(slots: tuple[int, ...], jobs: int) -> None:
    """In a core of three threads two slots are exchanged."""
    core, width = whole("toyp7-t").core, 8
    slot = [core.named("tag_q")[i * width : (i + 1) * width] for i in range(3)]
    order = [*slots, *range(len(slots), 3)]
    takes = {q: core.registers[slot[order[i]][b]] for i in range(3) for b, q in enumerate(slot[i])}
    faulty = replace(core, registers={**core.registers, **takes})
    wrong = found("toyp7-t", faulty)
    assert wrong.endswith(OTHER)
    assert wrong.startswith("answer ")
    assert int(wrong.split()[3]) >= jobs


def test_a_tag_that_is_wrong_in_a_batch_of_two_alone_is_found() -> None:
    core = whole("toyp7-t").core
    second, third = core.named("occupied_q")[1:]
    others = [*core.outputs["rsp_valid_o"], second, third]
    table = tuple((i & 1) ^ (i >> 1 == 0b011) for i in range(16))
    faulty = before_output(core, "rsp_tag_o", 5, others, table)
    assert found("toyp7-t", faulty).endswith(f"of 2 {OTHER}")


def test_a_tag_that_stays_from_the_last_job_is_found() -> None:
    """A bit is that of the last job's tag, too, where nothing cleared it."""
    core = whole("toy7-small").core
    q = keeping("toy7-small")[0]
    assert found("toy7-small", before_register(core, q, [q], (0, 1, 1, 1))).endswith(OTHER)


def test_data_at_the_tag_is_named() -> None:
    core = whole("toy7-small").core
    faulty = before_output(core, "rsp_tag_o", 0, core.inputs["req_scalar_i"][:1], XOR)
    assert found("toy7-small", faulty) == "req_scalar_i reaches rsp_tag_o"
