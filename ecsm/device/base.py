# SPDX-License-Identifier: Apache-2.0
"""What every device offers, and how one is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from ecsm.curves import Point

Job = tuple[int, Point]
Progress = Callable[[int, int], None]


class DeviceError(RuntimeError):
    """The device cannot be opened or does not answer."""


@dataclass(frozen=True)
class Info:
    """What a device is. ``cycles`` is what one kP takes, whatever its inputs."""

    uri: str
    preset: str
    curve: str
    field_bits: int
    scalar_bits: int
    multipliers: int
    multiplier: str
    registers: int
    cycles: int


class Device(Protocol):
    """An elliptic-curve core."""

    last_cycles: int

    def kp(self, k: int, point: Point) -> Point:
        """Return k*point; ``None`` is infinity, in and out.

        Raises the exception of :mod:`ecsm.status` that the core's status names, and
        :class:`DeviceError` if the device is gone.
        """
        ...

    def kp_many(self, jobs: Iterable[Job], progress: Progress | None = None) -> list[Point]:
        """Return the results of many jobs in order; ``progress(done, total)`` is told."""
        ...

    def info(self) -> Info:
        """Return what the device is."""
        ...

    def close(self) -> None:
        """Release the device; closing twice is allowed."""
        ...

    def __enter__(self) -> Self:
        """Return the device."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the device."""
        ...


def open_device(uri: str = "sim:b163-fast", log: Callable[[str], None] | None = None) -> Device:
    """Open a device by its address: ``sim:PRESET`` is the preset's core in simulation.

    The first opening of a preset compiles its core (``log`` is told); later ones take it from
    the cache. Raises :class:`DeviceError`, or :class:`ecsm.presets.table.UnknownPreset`.
    """
    from ecsm.device.sim import SimDevice

    scheme, _, rest = uri.partition(":")
    if scheme != "sim" or not rest:
        raise DeviceError(f"no device {uri!r}: the address is sim:PRESET, as in sim:b163-fast")
    return SimDevice(rest, log)
