# SPDX-License-Identifier: Apache-2.0
"""The driver of docs/integrate/core.md, word for word, runs on every target that the guide names.

On the system on chip, whose CPU has the block behind its bus, and on emulated CPUs, whose accesses
go one by one to the simulated block. Results are libcrypto's.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.soc.firmware import image
from ecsm.soc.simulation import Soc, SocTimeout
from ecsm.soc.system import system
from ecsm.status import Status
from tests.docs import guide
from tests.hdl.test_header_targets import PACKED
from tests.sw.emulator import (
    DATA,
    OPTIMISATIONS,
    REGISTERS,
    TARGETS,
    Machine,
    Target,
    parameters,
)
from tests.sw.library import header, simulated

PAGE = guide.ROOT / "docs" / "integrate" / "core.md"
PRESET = "b163-small"  # as in the guide
BLOCK = Build(design(PRESET), attach="axil")
CURVE = BLOCK.preset.curve
WINDOW = 24  # octets
MAIN = guide.ROOT / "tests" / "soc" / "driver.c"
CYCLES = 1_000_000

Job = tuple[int, tuple[int, int]]
Answer = tuple[int, int, int]


def jobs() -> list[Job]:
    rng = random.Random(4)
    x, y = CURVE.generator
    scalars = [5, CURVE.n - 1, CURVE.n, 0, *(rng.getrandbits(163) for _ in range(2))]
    return [*((k, (x, y)) for k in scalars), (5, (x, y ^ 1)), (7, (x | 1 << 165, y))]


def expected(libcrypto: ModuleType) -> list[Answer]:
    """Statuses, and points that are libcrypto's; infinity and an error leave zeros."""
    answers = [(0, *(libcrypto.kp(CURVE.name, k, p) or (0, 0))) for k, p in jobs()[:-2]]
    bad = (Status.POINT_NOT_ON_CURVE, Status.COORDINATE_OUT_OF_RANGE)
    return [*answers, *((status.value, 0, 0) for status in bad)]


def octets(value: int) -> bytes:
    return value.to_bytes(WINDOW, "big")


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """The guide's kp.c."""
    source = tmp_path / "kp.c"
    source.write_text(guide.created(PAGE, source.name))
    return source


def on_soc(driver: Path, optimise: str, packed: bool = False) -> list[tuple[Answer, int]]:
    """Run the jobs on the system on chip; return answers and what ERROR then had."""
    s = system(f"axil-{PRESET}", "lc")
    rows = ", ".join(
        "{" + ", ".join(f"{{{', '.join(map(str, octets(v)))}}}" for v in (k, *p)) + "}"
        for k, p in jobs()
    )
    headers = {**s.program.headers, "jobs.h": f"#define JOBS {{{rows}}}\n"}
    if packed:
        name, text = header(BLOCK)
        headers[name] = text.replace("struct {", PACKED)
        assert PACKED in headers[name]
    program = replace(s.program, headers=headers, sources=(driver,), optimise=optimise)
    with Soc(s.name, s.text, image(MAIN, program)) as soc:
        done = soc.run(CYCLES)
    assert done.status == 0
    lines = [line.split() for line in done.output.decode().splitlines()]
    return [
        ((int(status), int(x, 16), int(y, 16)), int(error, 16)) for status, x, y, error in lines
    ]


@pytest.mark.parametrize("optimise", OPTIMISATIONS)
def test_it_runs_on_the_system_on_chip(driver: Path, optimise: str, libcrypto: ModuleType) -> None:
    assert on_soc(driver, optimise) == [(answer, 0) for answer in expected(libcrypto)]


@pytest.mark.parametrize("optimise", OPTIMISATIONS)
def test_a_packed_header_does_not_start_it_there(driver: Path, optimise: str) -> None:
    """The test above can fail: the block refuses octets, and the driver waits for ever."""
    with pytest.raises(SocTimeout, match="the program is not done"):
        on_soc(driver, optimise, packed=True)


@pytest.fixture(scope="module")
def block() -> Iterator[tuple[ctypes.CDLL, int]]:
    lib = simulated(BLOCK)
    made = lib.sim_new(0)
    yield lib, made
    lib.sim_free(made)


@pytest.mark.parametrize("optimise", OPTIMISATIONS)
@pytest.mark.parametrize("target", parameters(TARGETS))
def test_it_runs_on_every_target(
    driver: Path,
    target: Target,
    optimise: str,
    block: tuple[ctypes.CDLL, int],
    libcrypto: ModuleType,
) -> None:
    lib, made = block
    name, text = header(BLOCK)
    (driver.parent / name).write_text(text)
    program = target.image(driver.parent, optimise, "kp", driver)
    read, write = (partial(access, made) for access in (lib.sim_read, lib.sim_write))
    machine = Machine(target.cpu, program, read, write)
    places = [DATA + WINDOW * i for i in range(5)]
    answers = []
    for k, p in jobs():
        for at, value in zip(places, (k, *p, 0, 0), strict=True):
            machine.store(at, octets(value))
        status = machine.call((REGISTERS, *places))
        x, y = (int.from_bytes(machine.load(at, WINDOW), "big") for at in places[3:])
        answers.append((status, x, y))
    assert answers == expected(libcrypto)
    assert lib.sim_refused(made) == 0
