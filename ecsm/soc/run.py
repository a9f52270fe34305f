# SPDX-License-Identifier: Apache-2.0
"""Run a program on the simulated system on chip with an accelerator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ecsm.device.extras import need
from ecsm.narrow.units import unit
from ecsm.sim.cache import Log
from ecsm.soc import bearssl
from ecsm.soc.firmware import SMALL, SW, Program, firmware, needs, parts
from ecsm.soc.scheme_headers import scheme_headers
from ecsm.soc.simulation import Exit, Soc
from ecsm.soc.system import System, system

LIMIT = 200_000_000
"""Clock cycles after which a program is given up, unless the caller says otherwise."""


def program(app: str, s: System) -> Program:
    """Return what a program is compiled with on a system; one with schemes has headers of its own.

    Raises :class:`ecsm.device.base.DeviceError` where there is no libcrypto for their vectors.
    """
    if needs(app, bearssl.HEADER):
        return replace(
            s.program,
            headers={**s.program.headers, "string.h": bearssl.STRING},
            bearssl=True,
            optimise=SMALL,  # which is faster: its loops are in the cache
        )
    if SW / "schemes" not in parts(app) or "unit.h" not in s.program.headers:
        return s.program
    return replace(s.program, headers={**s.program.headers, **scheme_headers(unit(s.name).curve)})


def run_app(
    app: str,
    name: str = "field-163",
    coupling: str = "tc",
    log: Log | None = None,
    heard: Callable[[bytes], None] | None = None,
    typed: bytes = b"",
    cycles: int = LIMIT,
    defines: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Exit:
    """Run ``app`` with accelerator ``name``; ``coupling`` says how the program reaches it.

    ``typed`` is sent to its serial port; ``defines`` are macros of the program, ``headers`` text by
    file name. Raises :class:`ecsm.device.base.DeviceError` and its subclass SocTimeout, and what
    :func:`ecsm.soc.system.system` does.
    """
    need("pythondata_cpu_vexriscv")  # before a program is compiled for it
    s = system(name, coupling)
    of = program(app, s)
    image = firmware(
        app, replace(of, headers={**of.headers, **(headers or {})}, defines=defines), log
    )
    with Soc(s.name, s.text, image, log) as soc:
        soc.type(typed)
        return soc.run(cycles, heard)
