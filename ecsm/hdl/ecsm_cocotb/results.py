# SPDX-License-Identifier: Apache-2.0
"""What jobs give, and what goes wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

Point = tuple[int, int] | None
"""x and y; None is infinity."""


class EcsmError(Exception):
    """Something is not as the package's documents say."""


class Refused(EcsmError):
    """The block refused an access: SLVERR, ERR or PSLVERR. Its register ERROR says why."""


class NoAnswer(EcsmError):
    """An access or a job was not answered in time."""


class ProtocolError(EcsmError):
    """A signal breaks the rules of its bus."""


class Result(NamedTuple):
    """Of a core: the status's name; the product, None for infinity and for errors; the cycles."""

    status: str
    point: Point
    cycles: int


class Answer(NamedTuple):
    """Of the schemes: the status's name; the strings that came out; the cycles."""

    status: str
    strings: list[bytes]
    cycles: int


def number(package: Any, operation: str | int) -> int:
    """Return an operation's number. Raises EcsmError."""
    if isinstance(operation, int):
        return operation
    if operation not in package.OPERATIONS:
        raise EcsmError(f"{package.TOP} has no operation {operation}")
    return int(package.OPERATIONS[operation])
