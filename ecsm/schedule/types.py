# SPDX-License-Identifier: Apache-2.0
"""What the scheduler is given and what it returns.

Time: the request is captured in cycle -2 of the program's own clock (:data:`CAPTURE`), the loop's
variables are loaded in cycle -1, iteration i of the body starts at
``i * ii``, the tail's origin is ``trips * ii``. A product issued in cycle t on a multiplier of
latency L is written at the end of cycle t + L - 1 and can be read from cycle t + L.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CAPTURE = 1  # cycles before the load: the request is captured


class Unschedulable(RuntimeError):
    """No schedule exists within the limits, or none was found in the time given."""


@dataclass(frozen=True)
class Units:
    """The multipliers of an engine, all alike.

    ``latency`` and ``interval`` in cycles; ``fused``: a multiplier's result may pass a map other
    than the identity on its way into a register. ``ahead``: operands have registers of their own,
    loaded the cycle before (:mod:`ecsm.schedule.ahead`), so an operand may not read what a map that
    is not sparse wrote in the cycle before.
    """

    count: int
    latency: int
    interval: int
    fused: bool = False
    ahead: bool = False


@dataclass(frozen=True)
class Slot:
    """Where one operation is placed.

    ``time`` is its first cycle, relative to its segment; ``unit`` and ``swap`` (operands
    exchanged) are for products; ``register`` is None if every reader takes the result as it
    leaves the multiplier, and for tests.
    """

    time: int
    unit: int | None = None
    swap: bool = False
    register: int | None = None


@dataclass
class Schedule:
    """A solved program. ``cycles`` counts from the accepted request to the valid response."""

    ii: int
    body: dict[int, Slot]
    tail: dict[int, Slot]
    variables: list[int]
    cycles: int
    ii_bound: int
    cycles_bound: int
    floor: int
    cost: int = 0
    cost_bound: int = 0
    graph: str = ""

    @property
    def registers(self) -> int:
        """Number of registers in use."""
        used = [s.register for s in (*self.body.values(), *self.tail.values())]
        return 1 + max([r for r in used if r is not None] + self.variables)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one list per operation."""
        data = asdict(self)
        for part in ("body", "tail"):
            data[part] = {
                str(a): [s.time, s.unit, s.swap, s.register] for a, s in getattr(self, part).items()
            }
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> Schedule:
        """Inverse of :meth:`to_json`; raises ValueError, KeyError or TypeError for other data."""
        fields = dict(data)
        for key in ("ii", "cycles", "ii_bound", "cycles_bound", "floor"):
            whole(data[key], 1, MOST_CYCLES)
        for v in data["variables"]:
            whole(v, 0, MOST_REGISTERS)
        for part in ("body", "tail"):
            fields[part] = {int(a): _slot(*row) for a, row in data[part].items()}
        return Schedule(**fields)


MOST_CYCLES = 1 << 20  # CYCLE_BITS of the port's counter
MOST_REGISTERS = 255  # a sink's number has 8 bits


def whole(value: object, low: int, high: int) -> int:
    """Return ``value`` if it is an integer in the range; raises ValueError."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r} is not a whole number from {low} to {high}")
    return value


def _slot(time: object, unit: object, swap: object, register: object) -> Slot:
    if type(swap) is not bool:
        raise ValueError(f"{swap!r} is not true or false")
    return Slot(
        whole(time, -MOST_CYCLES, MOST_CYCLES),
        None if unit is None else whole(unit, 0, MOST_REGISTERS),
        swap,
        None if register is None else whole(register, 0, MOST_REGISTERS),
    )
