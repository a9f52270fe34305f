# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_window and its model: see window_cocotb.py for what is asserted of the RTL."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.recode import high_range, recode_window, window_digits, window_latency
from ecsm.hdl.files import RTL
from ecsm.sim.cache import verilator_env
from tests.rtl.cocotb_run import run
from tests.rtl.scalar.window import Halves, Unit, Window, assigned, unit_top, units_to_json

FILE = RTL / "scalar" / "ecsm_scalar_window.sv"
TOY_ORDERS = (41, 137, 211, 223, 251, 521)
CURVES = ("P-224", "P-256", "secp256k1", "P-384", "P-521")
# Each window with a chunk that divides the port or not, is a bit, or is the whole of it.
CHUNKS = {2: (1, 16), 3: (3, 8), 4: (4, 5), 5: (2, 7)}
TOYS = [Window(n, w, c) for n in TOY_ORDERS for w, chunks in CHUNKS.items() for c in chunks]
REAL = [Window(curve(c).n, w, chunk) for c in CURVES for w, chunk in ((4, 16), (5, 16), (5, 33))]
HIGH = [Window(curve(c).n, 5, chunk) for c in ("P-224", "P-384") for chunk in (32, 224, 384)]


def check(units: Sequence[Unit], *files: Path) -> None:
    """Run every test of window_cocotb.py on these units."""
    run(
        "unit_group",
        list(files or (FILE,)),
        "tests.rtl.scalar.window_cocotb",
        text=unit_top(units),
        env={"UNITS": units_to_json(units)},
    )


def test_every_scalar_of_toy_orders() -> None:
    check(TOYS)


def test_every_scalar_from_the_lowest_digit_up() -> None:
    check([Window(t.n, t.w, t.chunk, 1) for t in TOYS])
    check([Window(r.n, r.w, r.chunk, 1) for r in (*REAL, *HIGH)])


def test_smallest_and_single_digit_orders() -> None:
    check([Window(n, w, c) for n in (3, 5, 31) for w, c in ((2, 1), (5, 2), (7, 5))])


def test_orders_of_the_standards() -> None:
    check(REAL)
    assert {high_range(w.n, w.w) for w in REAL} == {False, True}


def test_orders_of_the_high_range() -> None:
    """The bit above the port, with chunks that end at the port, and with one longer than it."""
    check(HIGH)
    assert all(high_range(w.n, w.w) for w in HIGH)


def test_the_toys_try_every_way_to_the_bit_above_the_port() -> None:
    """High range or not, chunks that end at the port or not, 3n of one bit more than n or two."""
    seen = {(high_range(t.n, t.w), t.bits % t.chunk == 0, 3 * t.n >> t.bits + 1) for t in TOYS}
    assert len(seen) == 8


@pytest.mark.parametrize("n", [3, 5, 7, *TOY_ORDERS])
@pytest.mark.parametrize("w", [2, 3, 4, 5, 9, 12])
def test_the_model_is_right_for_every_scalar(n: int, w: int) -> None:
    for k in range(1 << n.bit_length()):
        r = recode_window(k, n, w)
        total = sum(d << w * i for i, d in enumerate(r.digits))
        assert n <= total < 2 * n if high_range(n, w) else 1 <= total <= n
        assert total % 2 == 1
        assert (k + total if r.negate else k - total) % n == 0
        assert r.zero == (k in (0, n))
        assert len(r.digits) == window_digits(n, w)
        assert all(d % 2 == 1 and abs(d) < 1 << w for d in r.digits)
        assert r.digits[-1] > 0


@pytest.mark.parametrize("n", TOY_ORDERS)
@pytest.mark.parametrize("w", [2, 3, 4, 5])
def test_a_digit_less_would_not_do(n: int, w: int) -> None:
    most = sum(((1 << w) - 1) << w * i for i in range(window_digits(n, w) - 1))
    assert most < (2 * n - 1 if high_range(n, w) else n)


@pytest.mark.parametrize(("k", "n", "w"), [(1, 8, 2), (1, 1, 2), (1, 7, 1), (-1, 7, 2), (8, 7, 2)])
def test_the_model_refuses(k: int, n: int, w: int) -> None:
    with pytest.raises(ValueError, match=r"must be odd|has not the"):
        recode_window(k, n, w)


def test_the_latency_counts_both_turns() -> None:
    assert [window_latency(curve("P-256").n, c) for c in (16, 17, 256)] == [33, 33, 3]


def lint(top: str, tmp_path: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    """Elaborate the module ``linted`` under Verilator's warnings."""
    units = map(str, files or (FILE,))
    file = tmp_path / "linted.sv"
    file.write_text(top, encoding="utf-8")
    command = ["verilator", "--quiet", "--lint-only", "-Wall", "--top-module", "linted"]
    return subprocess.run(
        [*command, *units, str(file)], capture_output=True, text=True, check=False,
        env=verilator_env(),
    )  # fmt: skip


def linted(unit: Window | Halves) -> str:
    """Return a module with just this unit."""
    return f"""\
module linted (
  input logic clk_i, input logic clear_i, input logic load_i, input logic next_i,
  input logic [{unit.bits - 1}:0] scalar_i, output logic [{unit.w - 2}:0] index_o,
  output logic negative_o, output logic zero_o, output logic negate_o
);
  {unit.module} #({assigned(unit)}) u_dut (.*);
endmodule
"""


@pytest.mark.parametrize("window", [TOYS[0], TOYS[-1], *REAL[:3], *REAL[-3:]])
def test_elaborates_without_a_warning(window: Window, tmp_path: Path) -> None:
    done = lint(linted(window), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("window", [Window(40, 2, 1), Window(41, 1, 1), Window(31, 5, 2, 1)])
def test_bad_parameters_are_refused(window: Window, tmp_path: Path) -> None:
    done = lint(linted(window), tmp_path)
    assert done.returncode != 0


def test_an_order_shorter_than_the_port_is_refused(tmp_path: Path) -> None:
    done = lint(linted(Window(41, 2, 1)).replace("6'h29", "6'h1d"), tmp_path)
    assert "N odd with W bits" in done.stderr
