# SPDX-License-Identifier: Apache-2.0
"""Numbers on the command line are written in ASCII digits; others are refused, as is none."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from ecsm.cli import main
from ecsm.cli.common import (
    USAGE,
    at_most,
    count,
    integer,
    natural,
    numbers,
    positive,
    real,
    scalar,
    some,
    some_up_to,
)

ARABIC, FULL_WIDTH, SUPERSCRIPT = "٣", "３", "²"


@pytest.mark.parametrize("digit", [ARABIC, FULL_WIDTH, SUPERSCRIPT])
@pytest.mark.parametrize(
    "read", [scalar, count, some, some_up_to(9), positive, at_most(9), numbers]
)
def test_a_digit_of_another_script_is_none(read: Callable[[str], object], digit: str) -> None:
    assert read("3") in (3, 3.0, [3])
    for text in (digit, f"1{digit}", f"{digit}1"):
        with pytest.raises(argparse.ArgumentTypeError):
            read(text)


def test_numbers_are_what_they_say() -> None:
    assert [integer(t) for t in ("0", "17", "-5", "+5", "0x1F", "0XfF")] == [0, 17, -5, 5, 31, 255]
    assert [natural(t) for t in ("0", "007", "-1", "1_0", " 1", "", "9" * 19)] == [
        0, 7, None, None, None, None, None,
    ]  # fmt: skip
    assert [real(t) for t in ("2", "2.5", ".5", "1e3", "-1.", "nan", "inf", "1_0", "")] == [
        2.0, 2.5, 0.5, 1000.0, -1.0, None, None, None, None,
    ]  # fmt: skip
    for text in ("", " 1", "1_0", "0b1", "0x", "x", "1.0", f"0x{FULL_WIDTH}"):
        with pytest.raises(ValueError):  # noqa: PT011
            integer(text)


@pytest.mark.parametrize(
    "command",
    [
        f"demo echeque --port 802{ARABIC}",
        f"info --engines {ARABIC}",
        f"kp --k {ARABIC}",
        f"kp --point {ARABIC},4",
        f"compare --price device={ARABIC}0,cpu=300",
        f"energy --seed {ARABIC}",
        f"explore --curve B-163 --depth {ARABIC}",
        f"pnr b163-fast --timeout {ARABIC}",
        "kp --k=--",
        "kp --preset=--",
        "demo echeque --port=--",
    ],
)
def test_a_command_refuses_what_is_no_number(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(command.split())
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == USAGE
    assert "Traceback" not in capsys.readouterr().err


def test_a_number_of_any_length_is_read() -> None:
    """Python's int() would refuse more than 4,300 digits, and say nothing of a scalar's limit."""
    for digits in ("9" * 4300, "1" + "0" * 5000, "7" * 12_345):
        value = integer(digits)
        assert value % 10**4000 == int(digits[-4000:])
        assert value // 10 ** (len(digits) - 9) == int(digits[:9])
        assert integer(f"-{digits}") == -value
        assert scalar(f"+{digits}") == value
    assert [integer(t) for t in ("0", "000", "-0", "0x0A", "-0XfF")] == [0, 0, 0, 10, -255]
    for text in ("007", "0_1", "1_0", "", "-", "0x"):
        with pytest.raises(ValueError, match=r"^$"):
            integer(text)
