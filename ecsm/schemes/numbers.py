# SPDX-License-Identifier: Apache-2.0
"""Operations by their numbers, which a machine may have gaps in."""

from __future__ import annotations

from typing import Protocol

ABSENT = "-"
"""In lists of operations by number: a number that no operation has."""


class Operations(Protocol):
    """What a machine's program offers."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of its operations."""
        ...

    def number(self, operation: str) -> int:
        """Return req_op_i of an operation. Raises UnknownName if there is none of that name."""
        ...


def by_number(p: Operations) -> tuple[str, ...]:
    """Return the operations of a program by their numbers, :data:`ABSENT` between them."""
    names = {p.number(name): name for name in p.operations}
    return tuple(names.get(i, ABSENT) for i in range(max(names) + 1))
