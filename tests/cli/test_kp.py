# SPDX-License-Identifier: Apache-2.0
"""One kP on the command line: points, scalars, and what is said of bad ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecsm.curves.toy import TOY_XLINE
from tests.cli.test_cli import TOY, TOY7, ecsm, kp


def test_kp_prints_the_point() -> None:
    done = kp("--k", "5", "--point", "0x2b,0x66")
    expected = TOY7.mul(5, (0x2B, 0x66))
    assert expected is not None
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == [f"x = {expected[0]:#x}", f"y = {expected[1]:#x}"]


def test_kp_reads_and_prints_an_x_alone_where_there_is_no_y() -> None:
    done = ecsm("kp", "--preset", "toyp7-x", "--k", "0x28", "--point", "9")
    assert done.returncode == 0
    expected = TOY_XLINE.mul(0x28, (9, 0))
    assert expected is not None
    lines = done.stdout.splitlines()
    assert lines[0] == f"x = {expected[0]:#x}"
    assert [line.split(" = ")[0] for line in lines] == ["x", "cycles"]
    done = ecsm("kp", "--preset", "toyp7-x", "--point", "1,2,3")
    assert done.returncode == 2
    assert "--point takes X or G or infinity" in done.stderr


def test_kp_adds_a_multiple_of_the_generator() -> None:
    toy = ("kp", "--preset", "toyp5-v", "--k", "3")
    sum_, whole = (ecsm(*toy, "--a", "5"), ecsm("kp", "--preset", "toyp5-v", "--k", "8"))
    assert sum_.stdout == whole.stdout
    assert sum_.returncode == 0
    assert ecsm(*toy, "--a", "38").stdout.startswith("aG + kP = infinity\n")
    assert "a is not in 0 .. 2^6 - 1" in ecsm(*toy, "--a", "64").stderr
    assert f"{TOY} computes kP, not aG + bP" in kp("--k", "3", "--a", "5").stderr


def test_kp_of_a_core_that_cannot_add_is_refused_before_that_is_compiled(tmp_path: Path) -> None:
    cache = {"ECSM_CACHE": str(tmp_path / "cache")}
    done = ecsm("kp", "--preset", "k256-sign", "--k", "3", "--a", "5", env=cache)
    assert done.returncode == 1
    assert done.stderr == "ecsm: Unsupported: k256-sign computes kP, not aG + bP\n"
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--k", str(1 << 256)], "ScalarOutOfRange: k is not in 0 .. 2^256 - 1"),
     (["--k", "-1"], "ScalarOutOfRange: k is not in 0 .. 2^256 - 1"),
     (["--point", f"1,{1 << 256}"], "CoordinateOutOfRange: y is not in 0 .. 2^256 - 1")],
)  # fmt: skip
def test_what_no_port_can_carry_is_refused_before_a_core_is_compiled(
    words: list[str], said: str, tmp_path: Path
) -> None:
    cache = {"ECSM_CACHE": str(tmp_path / "cache")}
    done = ecsm("kp", "--preset", "p256-small", *words, env=cache)
    assert (done.returncode, done.stderr) == (1, f"ecsm: {said}\n")
    assert not (tmp_path / "cache").exists()


def test_kp_defaults_to_minus_the_generator() -> None:
    x, y = TOY7.generator
    assert json.loads(kp("--json").stdout)["result"] == [hex(x), hex(x ^ y)]


@pytest.mark.parametrize("args", [["--k", "0"], ["--k", "67"], ["--k", "9", "--point", "infinity"]])
def test_kp_at_infinity(args: list[str]) -> None:
    assert kp(*args).stdout.startswith("kP = infinity\n")
    assert json.loads(kp(*args, "--json").stdout)["result"] is None


SECRET = 0x5D


@pytest.mark.parametrize("secret", [hex(SECRET), str(SECRET)])
@pytest.mark.parametrize(
    ("point", "error"),
    [("1,2", "PointNotOnCurve"), ("0x80,1", "CoordinateOutOfRange"),
     ("1,0x100", "CoordinateOutOfRange")],
)  # fmt: skip
def test_a_bad_point_exits_1_with_the_exception_and_without_the_scalar(
    secret: str, point: str, error: str
) -> None:
    done = kp("--k", secret, "--point", point)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ecsm: {error}: ")
    assert not done.stdout
    assert secret not in done.stderr


@pytest.mark.parametrize(
    ("scalar", "code"), [("48879", 1), ("-48879", 1), ("0xbeefx", 2), ("48879z", 2), ("", 2)]
)
def test_a_bad_scalar_is_refused_without_repeating_it(scalar: str, code: int) -> None:
    done = kp("--k", scalar)
    assert done.returncode == code
    assert not done.stdout
    assert "beef" not in done.stderr
    assert "48879" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("args", [[], ["--json"]])
def test_a_good_scalar_appears_nowhere(args: list[str]) -> None:
    # k = n - 1 = 66: the point has other digits, and so have the cycles.
    done = kp("--k", "66", *args)
    assert done.returncode == 0
    assert "66" not in done.stderr
    assert "66" not in done.stdout


@pytest.mark.parametrize("point", ["1", "1,2,3", "x,y", ""])
def test_a_point_that_is_none_exits_2(point: str) -> None:
    done = kp("--k", "1", "--point", point)
    assert done.returncode == 2
    assert "--point" in done.stderr
