# SPDX-License-Identifier: Apache-2.0
"""The rules of rtl/ hold in rtl/scheme, and parameters that cannot be are refused."""

from __future__ import annotations

import pytest

from ecsm.backend.lint import lint_unit
from ecsm.hdl.units import Unit


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
