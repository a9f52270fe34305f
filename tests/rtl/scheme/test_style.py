# SPDX-License-Identifier: Apache-2.0
"""The rules of rtl/ hold in rtl/scheme, and parameters that cannot be are refused."""

from __future__ import annotations

import pytest

from ecsm.flow.lint import lint_style, lint_unit
from ecsm.hdl.files import RTL
from ecsm.hdl.units import SCHEME_UNITS, Unit


def test_style() -> None:
    files = sorted((RTL / "scheme").glob("*.sv"))
    clean, text = lint_style(files)
    assert clean, text
    assert all(len(f.read_text(encoding="utf-8").splitlines()) <= 400 for f in files)


@pytest.mark.parametrize("name", SCHEME_UNITS)
def test_machine_elaborates_without_a_warning(name: str) -> None:
    assert lint_unit(SCHEME_UNITS[name]) == (True, "")


@pytest.mark.parametrize(
    ("module", "parameters", "complaint"),
    [
        ("scheme_random", {"Octets": 0}, "at least one octet"),
        ("scheme_replay", {"Words": 24}, "must be a power of 2"),
    ],
)
def test_parameters_are_checked(module: str, parameters: dict[str, int], complaint: str) -> None:
    clean, text = lint_unit(Unit("wrong", module, parameters))
    assert not clean
    assert complaint in text
