# SPDX-License-Identifier: Apache-2.0
"""Statuses: the same in RTL and Python, one exception each."""

import re

from ecsm.hdl.files import rtl_file
from ecsm.resources import resource
from ecsm.status import ERRORS, MEANINGS, Status


def test_rtl_and_python_have_the_same_statuses() -> None:
    text = rtl_file("ecsm_pkg").read_text()
    found = re.findall(r"Status(\w+)\s*=\s*4'd(\d+)", text)
    rtl = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper(): int(value) for name, value in found}
    assert rtl == {s.name: s.value for s in Status}


def test_every_error_status_has_its_exception() -> None:
    assert set(ERRORS) == set(Status) - {Status.OK}
    assert all(error.status is status for status, error in ERRORS.items())


def test_a_status_means_what_its_exception_says() -> None:
    assert {s: error.__doc__ for s, error in ERRORS.items()} == {
        s: text for s, text in MEANINGS.items() if s is not Status.OK
    }


def test_c_has_a_text_for_every_status_and_its_own_codes_beyond() -> None:
    link = (resource() / "sw" / "link" / "link.c").read_text("utf-8")
    texts = re.findall(r'"([^"]+)"', link.split("statuses[] = {")[1].split("};")[0])
    assert len(texts) == len(Status)
    assert texts[Status.NO_KEY] == "the key is not in the device"
    header = (resource() / "sw" / "libecsm" / "include" / "ecsm.h").read_text("utf-8")
    codes = re.findall(r"ECSM_(\w+) = (\d+)", header.split("typedef uint32_t ecsm_status_t")[1])
    driver = [int(value) for name, value in codes[: codes.index(("NO_ANSWER", "20")) + 1]]
    assert driver[0] == Status.OK
    assert min(driver[1:]) > max(Status)
