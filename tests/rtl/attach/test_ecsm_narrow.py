# SPDX-License-Identifier: Apache-2.0
"""Units on the narrow port, through their ports."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import needed, rtl_files
from ecsm.narrow.units import unit
from ecsm.oracle import libcrypto
from tests.rtl.attach.tops import narrow_top
from tests.rtl.cocotb_run import run

TOYS = ["field-toy5a", "field-toy7a", "point-toy5a", "point-toy5k", "core-toy5-serial"]
LONG = ["point-toy7a", "point-toy8b", "field-toy8a"]
REAL = ["field-163", "point-163"]
LONG_REAL = ["field-193", "field-233", "point-193", "point-233", "core-soc-163"]


def check(name: str, count: int) -> None:
    text = "\n".join(unit(name).modules.values()) + narrow_top(unit(name))
    run(
        "narrow_top",
        needed(text, rtl_files()),
        "tests.rtl.attach.narrow_cocotb",
        text=text,
        env={"NARROW_UNIT": name, "NARROW_COUNT": str(count)},
    )


@pytest.mark.parametrize("name", [*TOYS, *(pytest.param(n, marks=pytest.mark.slow) for n in LONG)])
def test_every_case_of_a_toy(name: str) -> None:
    check(name, 0)


@pytest.mark.skipif(not libcrypto.available(), reason="no libcrypto")
@pytest.mark.parametrize(
    "name", [*REAL, *(pytest.param(n, marks=pytest.mark.slow) for n in LONG_REAL)]
)
def test_cases_of_a_real_curve(name: str) -> None:
    check(name, 3)
