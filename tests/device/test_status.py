# SPDX-License-Identifier: Apache-2.0
"""Statuses: the same in RTL and Python, one exception each."""

import re

from ecsm.hdl.files import RTL
from ecsm.status import ERRORS, Status


def test_rtl_and_python_have_the_same_statuses() -> None:
    text = (RTL / "engine" / "ecsm_pkg.sv").read_text()
    found = re.findall(r"Status(\w+)\s*=\s*4'd(\d+)", text)
    rtl = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper(): int(value) for name, value in found}
    assert rtl == {s.name: s.value for s in Status}


def test_every_error_status_has_its_exception() -> None:
    assert set(ERRORS) == set(Status) - {Status.OK}
    assert all(error.status is status for status, error in ERRORS.items())
