# SPDX-License-Identifier: Apache-2.0
"""A cheque has one encoding; a form's fields are read strictly."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecsm.demo.echeque.cheque import AMOUNT_AT, BadCheque, Cheque, decode, money, read_cheque

DAY = date(2026, 3, 1)
GOOD = Cheque("Alice", "Bob", 1250, DAY, 7)


def test_encoding_is_text_with_the_amount_in_its_place() -> None:
    octets = GOOD.encode()
    assert octets == (
        b"e-cheque 1\ncents=00001250\nnumber=000007\ndate=2026-03-01\npayer=Alice\npayee=Bob\n"
    )
    assert octets[AMOUNT_AT : AMOUNT_AT + 8] == b"00001250"


@given(
    st.integers(1, 99_999_999), st.integers(1, 999_999), st.dates(date(1, 1, 1)),
    st.sampled_from(["Bob", "Zoë", "O'Hara & Söhne", "payee=x", "李小龍"]),
)  # fmt: skip
def test_decoding_inverts_encoding(cents: int, number: int, day: date, payee: str) -> None:
    c = Cheque("Alice", payee, cents, day, number)
    assert decode(c.encode()) == c


@given(st.integers(0, len(GOOD.encode()) - 1), st.integers(1, 255))
def test_another_octet_is_another_cheque_or_none(at: int, bits: int) -> None:
    octets = bytearray(GOOD.encode())
    octets[at] ^= bits
    try:
        found = decode(bytes(octets))
    except BadCheque:
        return
    assert found != GOOD
    assert found.encode() == bytes(octets)


@pytest.mark.parametrize(
    "octets",
    [
        b"", GOOD.encode() + b"\n", GOOD.encode()[:-1], GOOD.encode() * 2,
        GOOD.encode().replace(b"00001250", b"00000000"),
        GOOD.encode().replace(b"00001250", "0000125٠".encode()),
        GOOD.encode().replace(b"03-01", b"02-30"), GOOD.encode().replace(b"Bob", b"Alice"),
        GOOD.encode().replace(b"Bob", b" Bob"), GOOD.encode().replace(b"Bob", b"B\x00b"),
        GOOD.encode().replace(b"Bob", b"\xff"), GOOD.encode().replace(b"Bob", b"B" * 41),
        GOOD.encode().replace(b"Bob", "B\u202eob".encode()),
    ],
)  # fmt: skip
def test_what_is_no_cheque_is_refused(octets: bytes) -> None:
    with pytest.raises(BadCheque):
        decode(octets)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("payee", "", "payee"), ("payee", "B" * 41, "payee"), ("payee", "a\u202eb", "payee"),
        ("payee", "Alice", "two persons"), ("amount", "", "amount"), ("amount", "1,5", "amount"),
        ("amount", "1.5", "amount"), ("amount", "-1", "amount"), ("amount", "0", "amount"),
        ("amount", "1e3", "amount"), ("amount", "١", "amount"), ("amount", "1000000", "amount"),
        ("date", "", "date"), ("date", "2026-02-30", "date"), ("date", "01/03/2026", "date"),
        ("date", "20260301", "date"), ("number", "", "number"), ("number", "0", "number"),
        ("number", "1000000", "number"), ("number", "1.0", "number"), ("number", "²", "number"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(field: str, value: str, says: str) -> None:
    fields = {
        "payer": "Alice", "payee": "Bob", "amount": "12.50", "day": "2026-03-01", "number": "7"
    } | {"day" if field == "date" else field: value}  # fmt: skip
    with pytest.raises(BadCheque, match=says):
        read_cheque(**fields)


def test_fields_are_read() -> None:
    assert read_cheque("Alice", "  Bob ", " 12.50", "2026-03-01", "7") == GOOD
    assert read_cheque("Alice", "Bob", "12", "2026-03-01", "007").cents == 1200


def test_money_is_written_with_a_point() -> None:
    assert [money(c) for c in (5, 1250, 123_456_789)] == ["0.05", "12.50", "1,234,567.89"]
