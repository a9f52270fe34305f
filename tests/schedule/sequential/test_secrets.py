# SPDX-License-Identifier: Apache-2.0
"""Programs that branch on a secret, or hand one out, are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.multiply import multiplication
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.secrets import Leaks, check
from ecsm.schedule.sequential.words import Capture, Mask, Order, Table

KEY, OPEN, WORK, OTHER = range(4, 8)
EIGHT = 16  # the first of a table of numbers
Text = Callable[[Assembler], None]


def built(text: Text) -> Built:
    """Return a program that reads KEY, a secret, and OPEN."""
    a = Assembler(Modulus(2**255 - 19))
    assert a.numbers(4) == [KEY, OPEN, WORK, OTHER]
    for number in (KEY, OPEN):
        a.transfer(Order.IN, number, 36)
    text(a)
    end = a.here()
    a.order(Order.DONE)
    a.order(Order.DONE)
    assert end >= 0
    return a.built()


def branch(a: Assembler) -> None:
    """Branch to the next word."""
    a.order(Order.BRANCH, label=(label := a.label()))
    a.place(label)


def by_sign(a: Assembler) -> None:
    a.move("difference", WORK, OPEN, KEY, capture=Capture.SIGN)
    branch(a)


def by_a_product_long_ago(a: Assembler) -> None:
    a.move("product", WORK, KEY, OPEN)
    a.move("sum", OTHER, WORK, OPEN)
    a.move("sum", OTHER, OTHER, OTHER, capture=Capture.ZERO)
    branch(a)


def by_a_digit(a: Assembler) -> None:
    a.move("digit", KEY, KEY, capture=Capture.DIGIT)
    a.move("sum", WORK, OPEN, EIGHT, mask=Mask.PICK, immediate=Table.EIGHT, capture=Capture.ZERO)
    branch(a)


def by_a_choice(a: Assembler) -> None:
    a.move("sum", WORK, KEY, KEY, capture=Capture.SIGN)
    a.move("sum", OTHER, OPEN, OPEN, mask=Mask.CHOOSE)
    a.move("sum", OTHER, OTHER, OPEN, capture=Capture.ZERO)
    branch(a)


def in_the_second_turn(a: Assembler) -> None:
    with a.repeat(2, counter=1):
        a.move("sum", WORK, OTHER, OPEN, capture=Capture.ZERO)
        branch(a)
        a.move("sum", OTHER, KEY, OPEN)


def behind_a_public_branch(a: Assembler) -> None:
    a.move("sum", WORK, OPEN, OPEN, capture=Capture.ZERO)
    far, near = a.label(), a.label()
    a.order(Order.BRANCH, label=far)
    a.order(Order.JUMP, label=near)
    a.place(far)
    by_sign(a)
    a.place(near)


def in_a_routine(a: Assembler) -> None:
    over = a.label()
    a.order(Order.JUMP, label=over)
    with a.routine() as tested:
        a.move("sum", WORK, OTHER, OTHER, capture=Capture.ZERO)
    a.place(over)
    a.call(tested)
    branch(a)
    a.move("sum", OTHER, KEY, OPEN)
    a.call(tested)
    branch(a)


SECRET = (by_sign, by_a_product_long_ago, by_a_digit, by_a_choice, in_the_second_turn,
          behind_a_public_branch, in_a_routine)  # fmt: skip


@pytest.mark.parametrize("text", SECRET)
def test_a_branch_on_a_secret_is_refused(text: Text) -> None:
    with pytest.raises(Leaks, match="branches on a secret"):
        check(built(text), 0, {KEY}, {KEY, OPEN, WORK, OTHER})
    assert check(built(text), 0, (), ()) > 0


def by_an_entry_of_a_table(a: Assembler) -> None:
    a.move("sum", EIGHT + 5, KEY, OPEN)
    a.move("digit", OPEN, OPEN, capture=Capture.DIGIT)
    a.move("sum", WORK, OPEN, EIGHT, mask=Mask.PICK, immediate=Table.ENTRY, capture=Capture.ZERO)
    branch(a)


def test_a_table_with_a_secret_in_it_gives_a_secret() -> None:
    with pytest.raises(Leaks, match="branches on a secret"):
        check(built(by_an_entry_of_a_table), 0, {KEY}, ())
    assert check(built(by_an_entry_of_a_table), 0, (), ()) > 0


def constants(a: Assembler) -> None:
    """Read constants by the number that the key is in the memory."""
    a.move("digit", OPEN, OPEN, capture=Capture.DIGIT)
    a.move("sum", WORK, OPEN, KEY, mask=Mask.PICK, immediate=Table.CONSTANT_ENTRY,
           capture=Capture.ZERO)  # fmt: skip
    branch(a)


def test_a_table_of_constants_is_no_secret() -> None:
    assert check(built(constants), 0, {KEY}, ()) > 0


@pytest.mark.parametrize("table", Table)
def test_an_address_by_a_secret_digit_is_refused(table: Table) -> None:
    def text(a: Assembler) -> None:
        a.move("digit", KEY, KEY, capture=Capture.DIGIT)
        a.move("sum", WORK, OPEN, EIGHT, mask=Mask.PICK, immediate=table)

    if table.whole:
        assert check(built(text), 0, {KEY}, ()) > 0
    else:
        with pytest.raises(Leaks, match="an address that depends on a secret"):
            check(built(text), 0, {KEY}, ())
    assert check(built(text), 0, (), ()) > 0


def public(a: Assembler) -> None:
    a.move("sum", WORK, KEY, OPEN)
    a.move("sum", WORK, OPEN, OPEN, capture=Capture.ZERO)
    branch(a)
    a.transfer(Order.OUT, WORK, 36)


def test_what_is_written_over_is_public_again() -> None:
    assert check(built(public), 0, {KEY}, ()) > 0


def test_a_secret_is_handed_out_only_if_that_is_said() -> None:
    def text(a: Assembler) -> None:
        a.move("product", WORK, KEY, OPEN)
        a.transfer(Order.OUT, WORK, 36)

    with pytest.raises(Leaks, match=f"hands out number {WORK}"):
        check(built(text), 0, {KEY}, {OTHER})
    assert check(built(text), 0, {KEY}, {WORK}) > 0


def test_the_program_of_kp_with_a_secret_point_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its checks of the point are branches: the scalar is the only secret."""

    def with_the_point(
        b: Built, operation: int, secrets: Collection[int], released: Collection[int]
    ) -> int:
        return check(b, operation, {*secrets, *released}, released)

    monkeypatch.setattr("ecsm.schedule.sequential.multiply.check", with_the_point)
    c = curve("P-256")
    assert isinstance(c, PrimeCurve)
    with pytest.raises(Leaks, match="branches on a secret"):
        multiplication(c)
