# SPDX-License-Identifier: Apache-2.0
"""What the scheduler is given and what it returns.

Time: the request is captured in cycle -2 of the program's own clock (:data:`CAPTURE`), the loop's
variables are loaded in cycle -1, iteration i of the body starts at
``i * ii``, the tail's origin is ``trips * ii``. A product issued in cycle t on a multiplier of
latency L is written at the end of cycle t + L - 1 and can be read from cycle t + L.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

CAPTURE = 1  # cycles before the load: the request is captured


class Unschedulable(RuntimeError):
    """No schedule exists within the limits, or none was found in the time given."""


class ScheduleError(AssertionError):
    """The schedule breaks a rule; the message says which, where and when."""


@dataclass(frozen=True)
class Units:
    """The multipliers of an engine, all alike.

    ``latency`` and ``interval`` in cycles; ``fused``: a multiplier's result may pass a map other
    than the identity on its way into a register. ``ahead``: operands have registers of their own,
    loaded the cycle before (:mod:`ecsm.schedule.gf2m.ahead`), so an operand may not read what a map
    that is not sparse wrote in the cycle before.
    """

    count: int
    latency: int
    interval: int
    fused: bool = False
    ahead: bool = False


@dataclass(frozen=True)
class Slot:
    """Where one operation is placed.

    ``time`` is its first cycle, relative to its segment. ``register`` is None if every reader takes
    the result at the output of its unit, and for operations without a result. ``unit`` and ``swap``
    (operands exchanged) are for products that have a choice.
    """

    time: int
    register: int | None = None
    unit: int | None = None
    swap: bool = False

    def row(self, of_units: bool) -> list[object]:
        """Return what is kept of it; ``of_units``: unit and swap, too."""
        return [self.time, *([self.unit, self.swap] if of_units else []), self.register]

    @staticmethod
    def of(row: Sequence[object], of_units: bool) -> Slot:
        """Inverse of :meth:`row`; raises ValueError or TypeError for other data."""
        time, unit, swap, register = row if of_units else (row[0], None, False, *row[1:])
        if type(swap) is not bool:
            raise ValueError(f"{swap!r} is not true or false")
        return Slot(
            whole(time, -MOST_CYCLES, MOST_CYCLES),
            _maybe(register, MOST_REGISTERS),
            _maybe(unit, MOST_REGISTERS),
            swap,
        )


@dataclass
class Schedule:
    """A solved program. ``cycles`` counts from the accepted request to the valid response.

    ``slots`` by segment and atom. ``starts``: the cycle in which each segment first starts, where
    segments do not overlap. ``floor``: cycles below which no schedule can be, from counts alone;
    ``*_bound``: what the solver proved. ``cost``: of the network. ``graph``: the program's hash.
    """

    ii: int
    ii_bound: int
    slots: dict[str, dict[int, Slot]]
    variables: list[int]
    cycles: int
    cycles_bound: int
    starts: dict[str, int] = field(default_factory=dict)
    floor: int = 0
    cost: int = 0
    cost_bound: int = 0
    graph: str = ""

    @property
    def body(self) -> dict[int, Slot]:
        """The loop's slots."""
        return self.slots["body"]

    @property
    def tail(self) -> dict[int, Slot]:
        """The tail's slots."""
        return self.slots["tail"]

    @property
    def registers(self) -> int:
        """Number of registers in use; the request's x and y have two at least."""
        used = [s.register for part in self.slots.values() for s in part.values()]
        return 1 + max([r for r in used if r is not None] + self.variables + [1])

    def places(self, atoms: Iterable[int]) -> tuple[int, ...]:
        """Return the registers of results of the tail; raises LookupError for one without."""
        found = [self.tail[a].register for a in atoms]
        if None in found:
            raise LookupError("a result is in no register")
        return tuple(r for r in found if r is not None)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one list per operation."""
        of_units = not self.starts
        rows = {
            name: {str(a): s.row(of_units) for a, s in part.items()}
            for name, part in self.slots.items()
        }
        data = {**vars(self), **(rows if of_units else {"slots": rows})}
        return {key: data[key] for key in (_OF_UNITS if of_units else _OF_STARTS)}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Schedule:
        """Inverse of :meth:`to_json`; raises ValueError, KeyError or TypeError for other data."""
        of_units = "slots" not in data
        keys = _OF_UNITS if of_units else _OF_STARTS
        if set(data) != set(keys):
            raise ValueError("its keys are not those of a schedule")
        for key, bound, low, high in _FIGURES:
            if key in keys:
                whole(data[bound], low, whole(data[key], low, high))
        if type(data["graph"]) is not str or type(data["variables"]) is not list:
            raise ValueError("its graph is no text, or its variables are no list")
        for v in data["variables"]:
            whole(v, 0, MOST_REGISTERS)
        for at in data.get("starts", {}).values():
            whole(at, 0, MOST_CYCLES)
        parts = {k: data[k] for k in ("body", "tail")} if of_units else data["slots"]
        slots = {
            name: {int(a): Slot.of(row, of_units) for a, row in part.items()}
            for name, part in parts.items()
        }
        return Schedule(
            slots=slots, **{k: v for k, v in data.items() if k not in (*parts, "slots")}
        )


# What is kept of a schedule, in its order: where the solver chooses units, and where each segment
# starts by itself.
_OF_UNITS = (
    "ii", "body", "tail", "variables", "cycles", "ii_bound", "cycles_bound", "floor", "cost",
    "cost_bound", "graph",
)  # fmt: skip
_OF_STARTS = (
    "ii", "ii_bound", "starts", "slots", "variables", "cycles", "cycles_bound", "graph",
)  # fmt: skip
MOST_CYCLES = 1 << 20  # CYCLE_BITS of the port's counter
MOST_REGISTERS = 255  # a sink's number has 8 bits
_FIGURES = (
    ("ii", "ii_bound", 1, MOST_CYCLES), ("cycles", "cycles_bound", 1, MOST_CYCLES),
    ("floor", "floor", 1, MOST_CYCLES), ("cost", "cost_bound", 0, 1 << 30),
)  # fmt: skip
"""Figures that a schedule may have, each with its bound from below, the least and the most."""


def whole(value: object, low: int, high: int) -> int:
    """Return ``value`` if it is an integer in the range; raises ValueError."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r} is not a whole number from {low} to {high}")
    return value


def _maybe(value: object, high: int) -> int | None:
    return None if value is None else whole(value, 0, high)
