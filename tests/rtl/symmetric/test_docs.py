# SPDX-License-Identifier: Apache-2.0
"""docs/theory/symmetric.md: its figures are those that the tests count in the simulated RTL."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from ecsm.hdl.files import RTL
from ecsm.resources import resource
from tests.rtl.symmetric.system import SYSTEMS, aes_cycles, block_cycles, drbg_cycles, hmac_cycles

ROOT = resource()

PAGE = (ROOT / "docs" / "theory" / "symmetric.md").read_text(encoding="utf-8")
COLUMNS = [("32x2", "sha1"), ("32x2, one round", "sha256"), ("32x2", "sha256"), ("64x1", "sha512")]
KEYS = (16, 24, 32)


def row(head: str) -> list[int]:
    """Return the figures of the row that begins so."""
    (cells,) = re.findall(rf"^\| {re.escape(head)} \| (.*) \|$", PAGE, re.MULTILINE)
    return [int(cell.replace(",", "")) for cell in cells.split(" | ")]


def test_figures_of_the_hashes() -> None:
    units = [(SYSTEMS[name], alg) for name, alg in COLUMNS]
    assert row("a block") == [block_cycles(s, alg) for s, alg in units]
    got = row("HMAC of 32 octets, a new key of 32 octets")
    assert got == [hmac_cycles(s, alg, 32, 32) for s, alg in units]
    got = row("Instantiate with 48 octets")
    assert got == [drbg_cycles(s, alg, "instantiate", seed=48) for s, alg in units]
    got = row("Reseed with 32 octets")
    assert got == [drbg_cycles(s, alg, "reseed", seed=32) for s, alg in units]
    got = row("Generate 32 octets")
    assert got == [drbg_cycles(s, alg, "generate", octets=32) for s, alg in units]


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_figures_of_aes(columns: int) -> None:
    got = row(f"a block, Columns = {columns}")
    assert got == [aes_cycles(key, columns) for key in KEYS]


def test_figures_of_aes_in_a_stream() -> None:
    got = row("a block of a stream, Columns = 1, W = 64")
    assert got == [aes_cycles(key, 1) + 256 // 64 + 1 for key in KEYS]


def test_the_example_prints_the_defaults() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {})
    text = (RTL / "symmetric" / "sym_drbg.sv").read_text(encoding="utf-8")
    for line in printed.getvalue().splitlines():
        name, value = line.split()
        assert f"parameter int unsigned {name} = {value}," in text


def test_every_unit_is_named() -> None:
    modules = {f.stem for f in (RTL / "symmetric").glob("*.sv")}
    assert set(re.findall(r"`(sym_\w+)`", PAGE)) <= modules
