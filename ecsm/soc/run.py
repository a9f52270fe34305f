# SPDX-License-Identifier: Apache-2.0
"""Run a program on the simulated system on chip with an accelerator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ecsm.device.extras import need
from ecsm.narrow.units import unit
from ecsm.sim.cache import Log
from ecsm.soc.firmware import SMALL, SW, Program, image, needs, parts, sources
from ecsm.soc.libraries import LIBRARIES
from ecsm.soc.scheme_headers import scheme_headers
from ecsm.soc.simulation import Exit, Soc
from ecsm.soc.system import System, system

LIMIT = 200_000_000
"""Clock cycles after which a program is given up, unless the caller says otherwise."""


def program(main: Path, s: System) -> Program:
    """Return what a program is compiled with on a system; one with schemes has headers of its own.

    Raises :class:`ecsm.device.base.DeviceError` where there is no libcrypto for their vectors.
    """
    for library in LIBRARIES:
        if needs(main, library.header):  # SMALL is faster: its loops are in the cache
            return replace(s.program, library=library, optimise=SMALL)
    if SW / "schemes" not in parts(main) or "unit.h" not in s.program.headers:
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
    more: Sequence[str] = (),
) -> Exit:
    """Run ``app`` with accelerator ``name``; ``coupling`` says how the program reaches it.

    ``app``: a program of ``sw/firmware/apps``, or a file of one's own, ``more`` files beside it.

    ``typed`` is sent to its serial port; ``defines`` are macros of the program, ``headers`` text by
    file name. Raises :class:`ecsm.device.base.DeviceError` and its subclass SocTimeout, and what
    :func:`ecsm.soc.system.system` does.
    """
    need("pythondata_cpu_vexriscv")  # before a program is compiled for it
    main, others = sources(app, more)
    s = system(name, coupling)
    of = program(main, s)
    of = replace(of, headers={**of.headers, **(headers or {})}, defines=defines)
    with Soc(s.name, s.text, image(main, of, log, others), log) as soc:
        soc.type(typed)
        return soc.run(cycles, heard)
