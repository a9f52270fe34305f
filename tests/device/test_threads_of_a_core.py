# SPDX-License-Identifier: Apache-2.0
"""A simulated core starts no threads: they would be refused where a user may have no more."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import ecsm
from ecsm.device.base import Closing
from ecsm.device.schemes import SchemeDevice
from ecsm.device.sim import SimDevice
from ecsm.soc.firmware import image, main_of
from ecsm.soc.simulation import Soc
from ecsm.soc.system import system


def _soc() -> Soc:
    s = system("point-toy7k", "lc")
    return Soc(s.name, s.text, image(main_of("hello"), s.program))


CORES: dict[str, Callable[[], Closing]] = {
    "core": lambda: SimDevice("toy7-fast"),
    "schemes": lambda: SchemeDevice("b163-small"),
    "soc": _soc,
}


def threads() -> int:
    """Return how many threads this process has."""
    return len(list(Path("/proc/self/task").iterdir()))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="one processor: one thread anyway")
@pytest.mark.parametrize("kind", CORES)
def test_a_core_starts_no_threads(kind: str) -> None:
    CORES[kind]().close()  # what is imported for the first one may start some
    before = threads()
    core = CORES[kind]()
    assert threads() == before
    core.close()


def test_a_core_without_memory_is_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """C++ says that it has none by a null pointer."""
    load = ctypes.CDLL

    def without(name: str) -> ctypes.CDLL:
        lib = load(name)
        lib.__dict__["ecsm_new"] = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: None)
        return lib

    monkeypatch.setattr(ctypes, "CDLL", without)
    with pytest.raises(MemoryError, match="not enough memory for a core"):
        ecsm.open("sim:toy7-fast")
