# SPDX-License-Identifier: Apache-2.0
"""The rules of rtl/ hold in rtl/symmetric, and parameters that cannot be are refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ecsm.backend.lint import lint_unit
from ecsm.hdl.units import Unit
from ecsm.sim.cache import verilator_env
from tests.rtl.symmetric.system import SYSTEMS
from tests.rtl.symmetric.tops import sources


@pytest.mark.parametrize("name", SYSTEMS)
def test_units_over_one_hash_make_no_loop(name: str, tmp_path: Path) -> None:
    """Ready goes through the units without a register: it must not come back as valid."""
    text = SYSTEMS[name].top().text()
    file = tmp_path / "hash_system.sv"
    file.write_text(text, encoding="utf-8")
    options = ["-Wno-style", "-Wno-UNUSEDSIGNAL", "--top-module", "hash_system"]
    done = subprocess.run(
        ["verilator", "--quiet", "--lint-only", "-Wall", *options, *map(str, sources(text)),
         str(file)],
        capture_output=True, text=True, check=False, env=verilator_env(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("module", "parameters", "complaint"),
    [
        ("sym_hash", {"WordW": 16}, "WordW must be 32 or 64"),
        ("sym_hash", {"PerCycle": 4}, "PerCycle 1 or 2"),
        ("sym_hash", {"PerCycle": 1, "Rounds": 2}, "Rounds 1 or PerCycle"),
        ("sym_kdf", {"LengthW": 33}, "LengthW 8 .. 32"),
        ("sym_hmac_drbg", {"ReseedLimit": 0}, "ReseedLimit must be 1 .. 2^48"),
        ("sym_hmac_drbg", {"LengthW": 17}, "2^16 octets at most"),
        ("sym_health", {"ProportionCutoff": 513}, "at most the window"),
        ("sym_drbg", {"SeedSamples": 40}, "at least 384 bits"),
        ("sym_drbg", {"SeedSamples": 97}, "whole words"),
        ("sym_aes", {"Columns": 3}, "Columns must be 1, 2 or 4"),
    ],
)
def test_parameters_are_checked(module: str, parameters: dict[str, int], complaint: str) -> None:
    clean, text = lint_unit(Unit("wrong", module, parameters))
    assert not clean
    assert complaint in text
