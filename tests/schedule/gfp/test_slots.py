# SPDX-License-Identifier: Apache-2.0
"""Slots of operands: what they must keep to, and that they are few."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

from ecsm.cores.store import prime_design
from ecsm.schedule.gfp.slots import (
    SLOTS,
    Feature,
    Gate,
    NoSlots,
    Operands,
    Placed,
    Row,
    exclude,
    opened,
    place,
)
from ecsm.schedule.gfp.types import DEPTH

A, B = ("mul", 0), ("mul", 1)
PRODUCT, SUM = ("mul", 0), ("add", 0)
IF, NOT = ("negative", True), ("negative", False)


def mul(a: list[Row], b: list[Row]) -> tuple[str, Operands]:
    return "x", Operands("mul", (tuple(a), tuple(b)))


def gates(op: Operands, placed: Placed) -> list[Gate]:
    return [
        row.gate((op.unit, side), slot)
        for form, side, slots in zip(op.forms, placed.sides, placed.slots, strict=True)
        for row, slot in zip(form, slots, strict=True)
    ]


def network(ops: list[tuple[str, Operands]]) -> set[Feature]:
    """Return what the slots have, once it is sure that they are right."""
    placed = place(ops)
    found: set[Feature] = set()
    for _, op in ops:
        p = placed[op]
        assert sorted(p.sides) == list(range(len(op.forms)))
        for form, slots in zip(op.forms, p.slots, strict=True):
            for (r, s), (q, t) in itertools.combinations(zip(form, slots, strict=True), 2):
                assert s != t or exclude(r.guard, q.guard)
            assert all(0 <= s < SLOTS for s in slots)
        found |= {f for g in gates(op, p) for f in g.features}
    return found


def test_operands_change_sides_where_that_is_smaller() -> None:
    """The product is in one operand only, whichever it is written in."""
    r, p = Row(("reg", 3)), Row(PRODUCT)
    found = network([mul([r], [p]), mul([p], [r]), mul([p], [Row(("reg", 7))])])
    assert len(found) == 2
    assert {f.value for f in found} == {("reg", 0), PRODUCT}


def test_what_is_there_is_used_again() -> None:
    """Terms stand in the slots that have them, whatever else an operand is the sum of."""
    c = [Row(("const", i)) for i in range(2)]
    p, s = Row(PRODUCT, 1), Row(SUM, complement=True)
    found = network([mul([p, s, c[0]], [c[1]]), mul([s], [c[1]]), mul([s, p], [c[1]])])
    kinds = [f.kind for f in found]
    assert sorted(kinds) == ["complement", "shift", *["source"] * 4]


def test_a_sink_reads_one_register_of_each_bank() -> None:
    one, other, beside = Row(("reg", 3)), Row(("reg", DEPTH + 3)), Row(("reg", 4))
    found = network([mul([one, other, Row(("reg", 3), 1)], [Row(SUM)])])
    assert sorted(str(f.value) for f in found if f.value != SUM) == [
        "('reg', 0)", "('reg', 0)", "('reg', 1)", "1",
    ]  # fmt: skip
    with pytest.raises(NoSlots, match="x has more than 3 terms, or two registers of a bank"):
        place([mul([one, beside], [Row(SUM)])])
    with pytest.raises(NoSlots):
        place([mul([Row(("const", i)) for i in range(SLOTS + 1)], [Row(SUM)])])


def test_guarded_terms_share_a_slot() -> None:
    plus, minus = Row(("table", 1), guard=NOT), Row(("table", 1), complement=True, guard=IF)
    ops = [mul([plus, minus, Row(PRODUCT), Row(SUM)], [Row(("table", 0))])]
    found = network(ops)
    assert len([f for f in found if f.kind == "source"]) == 4


def test_what_both_values_open_is_open_always() -> None:
    source, flip = Feature(A, 0, "source", ("table", 1)), Feature(A, 0, "complement", 0)
    word = [
        Gate(A, 0, ("table", 1), guard=NOT),
        Gate(A, 0, ("table", 1), complement=True, guard=IF),
    ]
    assert opened(word) == {(source, None), (flip, IF)}
    assert opened(word[:1]) == {(source, NOT)}
    assert opened([*word[:1], Gate(A, 0, ("table", 1))]) == {(source, None)}
    assert opened([Gate(B, 1, SUM, 3)]) == {
        (Feature(B, 1, "source", SUM), None),
        (Feature(B, 1, "shift", 3), None),
    }


@pytest.mark.parametrize(
    ("name", "sources", "others", "cost"),
    [("p256-fast", 49, 10, 255), ("k256-throughput", 46, 8, 217), ("p256-compact", 39, 12, 228)],
)
def test_networks_stay_small(name: str, sources: int, others: int, cost: int) -> None:
    """A network costs LUTs: what is here is what docs/results/prime.md and the results speak of."""
    words = prime_design(name).microcode.words
    found = {f for w in words for g in w.gates for f in g.features}
    assert sum(f.kind == "source" for f in found) <= sources
    assert sum(f.kind != "source" for f in found) <= others
    assert sum(f.cost for f in found) <= cost


def test_a_module_is_the_same_in_every_process() -> None:
    """Whatever strings hash to: else results could not be told to be of a module."""
    code = "from ecsm.hdl.emit import emit; from ecsm.cores.store import prime_design;"
    code += "d = prime_design('k256-throughput'); print(emit(d))"
    texts = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert b"module ecsm_k256_throughput" in texts[0]
    assert texts[0] == texts[1] == texts[2]
