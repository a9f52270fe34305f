# SPDX-License-Identifier: Apache-2.0
"""Run a program on the simulated system on chip with a unit in both of its places."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.device.base import DeviceError
from ecsm.device.cache import Log
from ecsm.narrow.units import Unit, unit
from ecsm.soc.emit import soc_top
from ecsm.soc.firmware import firmware
from ecsm.soc.headers import COUPLINGS, unit_header, vectors_header
from ecsm.soc.simulation import DIVISOR, Exit, Soc

LIMIT = 200_000_000
"""Clock cycles after which a program is given up, unless the caller says otherwise."""


def soc_text(u: Unit) -> str:
    """Return the generated modules of a system with a unit in both places."""
    return "\n".join([*u.modules.values(), soc_top(u.module, u.module, divisor=DIVISOR)])


def program(app: str, u: Unit, coupling: str, defines: tuple[str, ...] = ()) -> bytes:
    """Return the image of a program for a unit; raises DeviceError if it does not compile."""
    if coupling not in COUPLINGS:
        raise DeviceError(f"there is no coupling {coupling!r}: {', '.join(COUPLINGS)}")
    headers = {"unit.h": unit_header(u, coupling), "vectors.h": vectors_header(u.curve)}
    return firmware(app, headers, defines)


def run_app(
    app: str,
    name: str = "field-163",
    coupling: str = "tc",
    log: Log | None = None,
    heard: Callable[[bytes], None] | None = None,
    typed: bytes = b"",
    cycles: int = LIMIT,
    defines: tuple[str, ...] = (),
) -> Exit:
    """Run ``app`` with unit ``name``; ``coupling`` says how the program reaches it.

    ``typed`` is sent to its serial port; ``defines`` are macros of the program. Raises
    :class:`DeviceError` and its subclass SocTimeout.
    """
    u = unit(name)
    image = program(app, u, coupling, defines)
    with Soc(u.name, soc_text(u), image, log) as soc:
        soc.type(typed)
        return soc.run(cycles, heard)
