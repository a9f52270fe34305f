# SPDX-License-Identifier: Apache-2.0
"""What an engine is built with: program, walks, and the first words of its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ecsm.schedule.sequential.machine import Engine
from ecsm.schedule.sequential.walk import DISTANCE, Walk
from ecsm.schedule.sequential.words import Word


class TooLong(ValueError):
    """A program, or its walks, have no room."""


@dataclass(frozen=True)
class Built:
    """What the engine is built with: program, walks, and the first words of the memory."""

    W: int
    walks: tuple[Walk, ...]
    program: tuple[Word, ...]
    values: tuple[int, ...]
    depth: int  # words of the memory
    stride: int  # words from a number to the next
    key: int  # the number that stands for that of the key slot; 0: there is none
    random: int  # the first word that is cleared when there is no entropy
    work: int  # the first word that is cleared after a program
    table: tuple[int, ...] = ()  # constants that only Mask.PICK reads
    step: int = 1  # words from a number of them to the next, a power of two
    decoys: int = 0  # the first of 16 numbers: see DECOYS

    def engine(self) -> Engine:
        """Return the model, as it is after reset."""
        memory = [*self.values, *[0] * (self.depth - len(self.values))]
        return Engine(self.W, self.walks, self.program, memory, self.stride, self.key, self.work,
                      self.table, self.step, self.decoys)  # fmt: skip

    @property
    def starts(self) -> list[int]:
        """Where each walk begins in the table of slots."""
        return [sum(len(w.slots) for w in self.walks[:i]) for i in range(len(self.walks))]

    @property
    def slots(self) -> list[int]:
        """The table of slots."""
        return [s.word() for w in self.walks for s in w.slots]


def back_to_back(walks: Sequence[Walk]) -> bool:
    """Return whether every walk can follow every other one at once and read what it wrote."""
    return all(len(w.slots) >= DISTANCE for w in walks) and not any(
        after.early(before, side) for before in walks for after in walks for side in ("a", "b")
    )
