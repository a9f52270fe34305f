# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_threads: see threads_cocotb.py for what is asserted of the RTL."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.endomorphism import roots
from ecsm.hdl.files import RTL
from tests.rtl.cocotb_run import run
from tests.rtl.scalar.test_scalar_window import lint
from tests.rtl.scalar.threads import Shared, threads_top
from tests.rtl.scalar.window import Halves

FILE = RTL / "scalar" / "ecsm_scalar_threads.sv"
FILES = [RTL / "scalar" / "ecsm_scalar_glv.sv", FILE]
N = curve("secp256k1").n

# Threads a power of two or not; a row of one digit, of some, of all.
UNITS = {
    "three": Shared(Halves(151, roots(151)[0], 2, 3), 3, 4),
    "four": Shared(Halves(211, roots(211)[1], 3, 3), 4, 8),
    "row": Shared(Halves(211, roots(211)[0], 2, 3), 5, 1),
    "k256": Shared(Halves(N, roots(N)[0], 5, 18), 6, 16),
}


@pytest.mark.parametrize("name", UNITS)
def test_digits_of_every_thread(name: str) -> None:
    run(
        "threads_top",
        FILES,
        "tests.rtl.scalar.threads_cocotb",
        text=threads_top(UNITS[name]),
        env={"SHARED": UNITS[name].to_json()},
    )


def linted(unit: Shared) -> str:
    """Return a module with just this unit."""
    return f"module linted (\n{unit.ports()}\n);\n  {unit.instance()}\nendmodule\n"


@pytest.mark.parametrize("name", UNITS)
def test_elaborates_without_a_warning(name: str, tmp_path: Path) -> None:
    done = lint(linted(UNITS[name]), tmp_path, *FILES)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "bad", [(".Threads(4)", ".Threads(2)"), (".NumRow(8)", ".NumRow(6)"), ("W(5)", "W(4)")]
)
def test_bad_parameters_are_refused(bad: tuple[str, str], tmp_path: Path) -> None:
    text = linted(UNITS["four"])
    assert bad[0] in text
    assert lint(text.replace(*bad), tmp_path, *FILES).returncode != 0
