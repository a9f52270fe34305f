# SPDX-License-Identifier: Apache-2.0
"""``ecsm psec``: time PSEC-KEM in software (sw/baseline) on this host, keep and compare it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from ecsm.backend.tool import FlowError
from ecsm.markdown import markdown_table, number
from ecsm.measure.schemes import Schemes, schemes_path
from ecsm.resources import resource
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import agree, load, write_json
from ecsm.signals import scratch

SOURCE = resource("sw", "baseline")
HEADERS = ("gmp.h", "openssl/evp.h")
OPERATIONS = 200  # of each kind, of which the median is taken
CORES = {"secp256r1": "p256-fast", "secp256k1": "k256-glv"}
WAYS = {"affine": "affine, window 1", "projective": "Jacobian, window 5"}

PUBLISHED_MS = {"secp256r1": 18.0, "secp256k1": 14.0}
"""Milliseconds of the PSEC-KEM report (2012), section 5.1, for encryption and for decryption."""
PUBLISHED_ON = "2 GHz Core 2 Duo, 32 bits, gcc 4.4.3"


@dataclass(frozen=True)
class SoftwareTime:
    """Microseconds of processor time of one operation, medians."""

    curve: str
    way: str
    encapsulate_us: float
    decapsulate_us: float


@dataclass(frozen=True)
class Software:
    """What ``command`` has measured, on which processor, by which compiler and GMP."""

    command: str
    machine: str
    compiler: str
    operations: int
    results: list[SoftwareTime]


def software_path(root: AWhere) -> AWhere:
    """Return where the times are kept."""
    return root / "psec_kem.json"


def _compiler() -> str:
    return os.environ.get("CC") or "cc"


def missing() -> str | None:
    """Return what is missing to build the program; None if nothing is."""
    for tool in ("make", _compiler()):
        if shutil.which(tool) is None:
            return f"{tool} is missing"
    for header in HEADERS:
        done = subprocess.run(
            [_compiler(), "-E", "-x", "c", "-"], input=f"#include <{header}>\n",
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            return f"{header} is missing: .ci/install-libraries installs it on Debian"
    return None


def build_program(folder: Path, *variables: str) -> Path:
    """Compile the program into a folder; ``variables`` are make's. Raises :class:`FlowError`."""
    if lacking := missing():
        raise FlowError(f"psec_kem: {lacking}")
    done = subprocess.run(
        ["make", "-s", "-C", str(SOURCE), f"BUILD={folder.resolve()}", *variables],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise FlowError(f"psec_kem: {errors[0] if errors else 'make failed'}")
    return folder / "psec_kem"


def processor() -> str:
    """Return the name of this host's processor, or its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {platform.machine()}" if names else platform.machine()


def measure(program: Path, operations: int = OPERATIONS) -> Software:
    """Run the program's bench; raises :class:`FlowError`."""
    done = subprocess.run(
        [str(program), "bench", str(operations)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FlowError(done.stderr.strip() or f"psec_kem ended with {done.returncode}")
    *rows, last = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    results = []
    for curve, rest in rows:
        way, *times = rest.split()
        results.append(SoftwareTime(curve, way, *map(float, times)))
    return Software("ecsm psec", processor(), last[1], operations, results)


def _cores(root: Where) -> dict[tuple[str, str], int]:
    """Return the cores' cycles that are kept, by curve and operation."""
    record = load(Schemes, schemes_path(root))
    return {
        (r.curve, operation): cycles
        for r in (record.results if record else [])
        if CORES.get(r.curve) == r.preset
        for operation, cycles in r.cycles.items()
    }


def _complete(record: Software) -> bool:
    """Whether a record has each implementation on each curve once."""
    rows = sorted((r.curve, r.way) for r in record.results)
    times = (us for r in record.results for us in (r.encapsulate_us, r.decapsulate_us))
    return rows == sorted((c, w) for c in CORES for w in WAYS) and all(us > 0 for us in times)


def _rows(record: Software, root: Where) -> Iterable[list[str]]:
    """Yield a row for each implementation: its name, then both operations on both curves."""
    ms = [f"{PUBLISHED_MS[curve]:g} ms" for curve in CORES]
    yield [f"the report's, affine, window 1 ({PUBLISHED_ON})", ms[0], ms[0], ms[1], ms[1]]
    for way, name in WAYS.items():
        found = {r.curve: r for r in record.results if r.way == way}
        cells = [
            f"{us / 1000:.3f} ms"
            for curve in CORES
            for us in (found[curve].encapsulate_us, found[curve].decapsulate_us)
        ]
        yield [f"`psec_kem`, {name}", *cells]
    cycles = _cores(root)
    if cycles:
        cells = [
            f"{number(cycles[curve, operation])} cycles" if (curve, operation) in cycles else ""
            for curve in CORES
            for operation in ("encapsulate", "decapsulate")
        ]
        yield [f"the cores {' and '.join(f'`{p}`' for p in CORES.values())}", *cells]


HEAD = ["PSEC-KEM", *(f"{c} {o}" for c in CORES for o in ("encapsulate", "decapsulate"))]


def psec_table(root: Where = RESULTS) -> str:
    """Return the table of the times that are kept, and what they were measured on."""
    record = load(Software, software_path(root))
    if record is None:
        return "Not measured."
    agree(software_path(root), _complete(record), "it has not each way on each curve, with a time")
    table = markdown_table(HEAD, _rows(record, root), {1, 2, 3, 4})
    return (
        f"{table}\n\nMeasured by `{record.command}`: processor time of one thread, medians of"
        f" {record.operations}; {record.machine}; {record.compiler}."
    )


def psec(operations: int, as_json: bool, log: Callable[[str], None], root: Where) -> None:
    """Build, measure and print; the times are kept. Raises :class:`FlowError`."""
    with scratch() as folder:
        log("compiling sw/baseline")
        program = build_program(folder)
        log("measuring psec_kem")
        record = measure(program, operations)
    write_json(software_path(root), asdict(record))
    if as_json:
        print(json.dumps(asdict(record), indent=1))
        return
    columns = [column.split() for column in HEAD[1:]]
    print(f"{'':72}" + "".join(f"{curve:>15}" for curve, _ in columns))
    print(f"{'':72}" + "".join(f"{operation:>15}" for _, operation in columns))
    for name, *cells in _rows(record, root):
        print(f"{name.replace('`', ''):72}" + "".join(f"{cell:>15}" for cell in cells))
    print(f"measured: {record.machine}; {record.compiler}; median of {record.operations}")
