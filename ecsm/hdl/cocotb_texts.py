# SPDX-License-Identifier: Apache-2.0
"""The folder ``cocotb`` of a package: the driver, what it is to know, an example with answers.

The driver is :mod:`ecsm.hdl.ecsm_cocotb`, copied; it needs cocotb, so nothing here imports it.
"""

from __future__ import annotations

from pathlib import Path

from ecsm.hdl.build import Build
from ecsm.hdl.package_texts import VERILATOR_LIMITS
from ecsm.hdl.registers import register_map
from ecsm.hdl.scheme_jobs import jobs
from ecsm.hdl.vectors import OP_KP, Oracle, edge_cases, thinned
from ecsm.hdl.word_image import LOAD_OPERATION
from ecsm.status import Status
from ecsm.templates import render

FOLDER = "cocotb"
DRIVER = Path(__file__).parent / "ecsm_cocotb"
SOME = 6
"""Vectors of a core, at least: the testbench has more."""
LONG = 100
"""Octets of a string that is left to the testbench."""


def cocotb_files(build: Build, top: str) -> dict[str, str]:
    """Return the files of the folder by their path in the package."""
    return {
        **{f"{FOLDER}/{DRIVER.name}/{f.name}": f.read_text("utf-8") for f in driver_files()},
        f"{FOLDER}/ecsm_package.py": _package(build, top),
        f"{FOLDER}/test_package.py": _example(build),
    }


def driver_files() -> list[Path]:
    """Return the files of the driver, the same in all packages."""
    return sorted(DRIVER.glob("*.py"))


def _package(build: Build, top: str) -> str:
    p, registers = build.preset, build.registers()
    operations = {"kp": OP_KP}
    if build.schemes:
        m = build.machine
        operations = {name: m.program.number(name) for name in m.program.operations}
        if m.tables:
            operations["load-tables"] = LOAD_OPERATION
    scalars = 2 if p.double else 1
    return render(
        "hdl/ecsm_package.py",
        command=build.command,
        top=top,
        curve=p.curve.name,
        bus=build.attach,
        schemes=build.schemes,
        registers=register_map(registers) if registers else {},
        operations=operations,
        statuses={s.name: s.value for s in Status},
        scalars=scalars,
        scalar_bits=p.scalar_bits // scalars,
        coordinate_bits=p.coordinate_bits,
        engines=build.engines,
        cycles=build.core.cycles_alone if build.core and not build.schemes else 0,
    )


def _example(build: Build) -> str:
    return render(
        "hdl/test_package.py",
        command=build.command,
        schemes=build.schemes,
        loaded=bool(build.schemes and build.machine.tables),
        curve=build.preset.curve.name,
        limits=VERILATOR_LIMITS.split(),
        rows=_jobs(build) if build.schemes else _vectors(build),
    )


def _vectors(build: Build) -> list[str]:
    """Return the rows of a core: name, operation, k, a, P, status, result."""
    assert build.core is not None
    p, oracle = build.core.preset, Oracle(build.core.preset, both=True)
    bits = p.scalar_bits // 2 if p.double else p.scalar_bits
    cases = [c for c in edge_cases(p) if not c.infinity or not c.x]
    rows = []
    for case in thinned(cases, SOME):
        a, k = divmod(case.k, 1 << bits)
        want, point = oracle.answer(case), None if case.infinity else (case.x, case.y)
        rows.append(
            f'("{case.name}", {case.op}, {k:#x}, {a:#x}, {_point(point)},'
            f' "{want.status.name}", {_point(want.point)}),'
        )
    return rows


def _point(point: tuple[int, int] | None) -> str:
    return f"({point[0]:#x}, {point[1]:#x})" if point else "None"


def _jobs(build: Build) -> list[str]:
    """Return the rows of schemes: name, operation, slot, strings in, status, strings out."""
    names = {build.machine.program.number(n): n for n in build.machine.program.operations}
    return [
        f'("{job.name}", "{names[job.operation]}", {job.slot}, {_strings(job.strings)},'
        f' "{job.status.name}", {_strings(job.answer)}),'
        for job in jobs(build.machine)
        if job.operation in names and all(len(string) < LONG for string in job.strings)
    ]


def _strings(strings: tuple[bytes, ...]) -> str:
    return "[" + ", ".join(f'"{string.hex()}"' for string in strings) + "]"
