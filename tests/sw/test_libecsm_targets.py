# SPDX-License-Identifier: Apache-2.0
"""libecsm signs on every target: compiled for it and run, its accesses on the simulated block."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.schemes.model import Model
from tests.sw.emulator import (
    DATA,
    OPTIMISATIONS,
    REGISTERS,
    TARGETS,
    Machine,
    Target,
    parameters,
)
from tests.sw.library import BLOCK, LIBRARY, ROOT, headers, simulated

MODEL = Model(BLOCK.preset.curve)
D = BLOCK.preset.curve.n * 3 // 7
DIGEST = hashlib.sha256(b"a message").digest()
SOURCES = (
    Path(__file__).with_name("sign.c"),
    *sorted((LIBRARY / "src").glob("*.c")),
    ROOT / "sw" / "firmware" / "memory.c",  # what compilers call where there is no C library
    Path(__file__).with_name("aeabi.c"),
)


@pytest.fixture(scope="module")
def block() -> Iterator[tuple[ctypes.CDLL, int]]:
    lib = simulated()
    made = lib.sim_new(0)
    yield lib, made
    lib.sim_free(made)


@pytest.mark.parametrize("optimise", OPTIMISATIONS[::2])
@pytest.mark.parametrize("target", parameters(TARGETS))
def test_it_signs(
    target: Target, optimise: str, block: tuple[ctypes.CDLL, int], tmp_path: Path
) -> None:
    lib, made = block
    program = target.image(tmp_path, optimise, "sign", *SOURCES, options=headers(tmp_path))
    read, write = (partial(access, made) for access in (lib.sim_read, lib.sim_write))
    machine = Machine(target.cpu, program, read, write)
    places = [DATA + 64 * i for i in range(4)]
    for at, octets in zip(places, (MODEL.scalar(D), DIGEST), strict=False):
        machine.store(at, octets)
    assert machine.call((REGISTERS, *places)) == 0
    signature = tuple(machine.load(at, MODEL.octets) for at in places[2:])
    assert signature == MODEL.sign(D, DIGEST, "sha256")
    assert lib.sim_refused(made) == 0
