# SPDX-License-Identifier: Apache-2.0
"""A cheque: its fields, its one encoding in octets, and how people write the fields.

The encoding is text in UTF-8, one line for each field, in a fixed order. The amount is first and
has a fixed width, so it is always in the same octets: an attacker knows where to alter it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

NAME = 40  # characters of a name, at most
MOST_CENTS = 99_999_999
MOST_NUMBER = 999_999
MOST_OCTETS = 1024  # of an encoding

_HEAD = "e-cheque 1"
_LINES = re.compile(
    _HEAD + r"\ncents=(?P<cents>[0-9]{8})\nnumber=(?P<number>[0-9]{6})\ndate=(?P<date>[0-9-]{10})"
    r"\npayer=(?P<payer>[^\n]+)\npayee=(?P<payee>[^\n]+)\n"
)
AMOUNT_AT = len(_HEAD) + len("\ncents=")
"""The octet of the encoding in which the amount begins."""


class BadCheque(ValueError):
    """The input is no cheque; the message names the field and what it must be."""


@dataclass(frozen=True)
class Cheque:
    """A cheque as it is signed. Raises :class:`BadCheque` for fields out of range."""

    payer: str
    payee: str
    cents: int
    date: date
    number: int

    def __post_init__(self) -> None:
        for what, name in (("payer", self.payer), ("payee", self.payee)):
            if not 0 < len(name) <= NAME or name != _tidy(name) or not name.isprintable():
                raise BadCheque(f"The {what} is a name of 1 to {NAME} printable characters.")
        if self.payer == self.payee:
            raise BadCheque("Payer and payee are two persons.")
        if not 1 <= self.cents <= MOST_CENTS:
            raise BadCheque(f"The amount is from 0.01 to {money(MOST_CENTS)}.")
        if not 1 <= self.number <= MOST_NUMBER:
            raise BadCheque(f"The cheque's number is from 1 to {MOST_NUMBER}.")

    def encode(self) -> bytes:
        """Return the octets that are signed."""
        return (
            f"{_HEAD}\ncents={self.cents:08}\nnumber={self.number:06}\n"
            f"date={self.date.isoformat()}\npayer={self.payer}\npayee={self.payee}\n"
        ).encode()


def decode(octets: bytes) -> Cheque:
    """Return the cheque that has this encoding, and no other. Raises :class:`BadCheque`."""
    try:
        match = _LINES.fullmatch(octets.decode()) if len(octets) <= MOST_OCTETS else None
        if match is not None:
            found = Cheque(
                match["payer"], match["payee"], int(match["cents"]),
                date.fromisoformat(match["date"]), int(match["number"]),
            )  # fmt: skip
            if found.encode() == octets:
                return found
    except ValueError:  # UnicodeDecodeError, BadCheque and a date that is none, too
        pass
    raise BadCheque("These octets are no cheque.")


def _tidy(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def money(cents: int) -> str:
    """Return an amount as people write it: 123450 is 1,234.50."""
    return f"{cents // 100:,}.{cents % 100:02}"


def read_cheque(payer: str, payee: str, amount: str, day: str, number: str) -> Cheque:
    """Return the cheque of a form's fields. Raises :class:`BadCheque`."""
    match = re.fullmatch(r"([0-9]{1,6})(?:\.([0-9]{2}))?", amount.strip())
    if match is None:
        raise BadCheque("The amount is written with digits and a point, as in 12 or 12.50.")
    if not re.fullmatch(r"[0-9]{1,6}", number.strip()):
        raise BadCheque(f"The cheque's number is from 1 to {MOST_NUMBER}.")
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day.strip()):
            raise ValueError
        on = date.fromisoformat(day.strip())
    except ValueError:
        raise BadCheque("The date is a day of the calendar, as in 2026-01-31.") from None
    cents = 100 * int(match[1]) + int(match[2] or 0)
    return Cheque(_tidy(payer), _tidy(payee), cents, on, int(number))
