# SPDX-License-Identifier: Apache-2.0
"""Protected cores: every multiple of toy curves, the package, and what refuses random words."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path

import pytest

from ecsm.backend.synth import farm_sources
from ecsm.boards.board import board
from ecsm.boards.designs import board_design
from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.cores.store import design
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.device.base import NoDevice
from ecsm.device.opening import open_device
from ecsm.device.sim import SimDevice
from ecsm.hdl.build import Build
from ecsm.hdl.farm import emit_modules
from ecsm.hdl.machines import machine
from ecsm.hdl.package_texts import readme
from ecsm.narrow.units import UnknownUnit, unit
from ecsm.presets.gfp_table import MASKED
from ecsm.presets.table import (
    PRESETS,
    PROTECTED,
    any_preset,
    binary_preset,
    is_toy,
    preset,
    protects_keys,
)
from ecsm.results.sources import sources
from ecsm.schemes.program import without_schemes
from ecsm.soc.accelerators import accelerators
from ecsm.soc.system import system

TOYS = [name + more for name in PROTECTED if is_toy(PRESETS[name]) for more in ("-check", "-full")]
TOYS += [f"{name}-full" for name in MASKED if is_toy(preset(name))]
FULL, PRIME = "toy7-small-full", "toyp7-c-full"


def points(c: BinaryCurve | PrimeCurve) -> list[tuple[int, int]]:
    """Return the points of a toy curve but infinity."""
    q = c.q if isinstance(c, BinaryCurve) else c.p
    return [point for point in product(range(q), range(q)) if c.contains(point)]


@pytest.mark.parametrize("name", TOYS)
def test_every_multiple_is_right(name: str) -> None:
    """All scalars of the port, of points of each order, each with masks of its own."""
    p = preset(name)
    c = p.curve
    assert isinstance(c, BinaryCurve | PrimeCurve)
    some = [None, *points(c)][:: max(1, c.n * c.h // 8)]
    jobs = [(k, point) for point in some for k in range(1 << p.scalar_bits)]
    with SimDevice(name) as device:
        found = device.kp_many(jobs)
        assert [c.mul(k, point) for k, point in jobs] == list(islice(found, len(jobs)))


def test_a_core_takes_its_random_words_or_none() -> None:
    for name in (FULL, PRIME):
        assert "random_valid_i" in Build(design(name)).modules()[preset(name).module]
    for name in ("toy7-small", "toy7-small-check"):
        module = Build(design(name)).modules()[binary_preset(name).module]
        assert "input  logic random_valid_i" not in module


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Build(design(FULL), engines=2), ValueError),
        (lambda: Build(design(FULL), attach="axil"), ValueError),
        (lambda: Build(design(FULL), attach="stream"), ValueError),
        (lambda: unit(f"core-{FULL}"), UnknownUnit),
        (lambda: Build(design(PRIME), attach="axil"), ValueError),
        (lambda: open_device(f"sim:{PRIME}*2"), NoDevice),
        (lambda: board_design(FULL, board("ulx3s-85f")), NoDevice),
        (lambda: emit_modules(design(FULL), 2), ValueError),
        (lambda: farm_sources(sources(design(FULL)), 2), ValueError),
        (lambda: open_device(f"sim:{FULL}*2"), NoDevice),
        (lambda: system(f"axil-{FULL}", "lc"), NoDevice),
    ],
)
def test_what_gives_no_random_words_refuses_the_core(
    make: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"random words|no unit"):
        make()


@pytest.mark.parametrize(
    "words",
    [
        ("kp", "--preset", FULL, "--k", "5", "--engines", "2"),
        ("info", "--preset", FULL, "--engines", "2"), ("test", FULL, "--engines", "2"),
        ("bench", FULL, "--engines", "2"), ("synth", FULL, "--engines", "2"),
        ("soc", "run", "kp", "--unit", f"axil-{FULL}", "--coupling", "lc"),
        ("bitstream", FULL, "--board", "ulx3s-85f"),
    ],
)  # fmt: skip
def test_commands_refuse_the_core_before_they_compile_or_measure(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A farm was simulated and did not answer, or was measured and kept; others were tracebacks."""
    for name in ("ECSM_CACHE", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    assert main(list(words)) == USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "takes random words" in err.splitlines()[-1]
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("name", ["toyp8-c-full", FULL])
def test_a_refusal_does_not_send_to_schemes_that_there_are_not(name: str) -> None:
    with pytest.raises(ValueError, match=r"ecsm build it by itself$"):
        Build(design(name), attach="axil")


def test_a_refusal_sends_to_schemes_that_there_are() -> None:
    for name in ("b163-small-full", "p256-fast-full"):
        with pytest.raises(ValueError, match=r"by itself, or with --schemes$"):
            Build(design(name), attach="axil")


@pytest.mark.parametrize("more", [(), ("--wide",)])
def test_who_serves_a_key_is_sent_to_machines_that_there_are(
    more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of P-256 masked cores were named, which had no schemes then; all that is named has them."""
    words = ("serve", "--preset", "p256-small", "--socket", str(tmp_path / "socket"), *more)
    assert main(list(words)) == USAGE
    err = capsys.readouterr().err
    assert "does not protect keys" in err
    said = err.split("disturbs it: ")[1].split(" does;")[0]
    names = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", said)
    assert len(names) == 3
    assert all(without_schemes(any_preset(name), bool(more)) is None for name in names)
    assert all(protects_keys(any_preset(name)) for name in names)


@pytest.mark.parametrize(
    ("name", "told"), [(PRIME, 1), (FULL, 1), ("toy7-small-check", 1), ("toy7-small", 0)]
)
def test_the_readme_has_the_status_of_a_fault(name: str, told: int) -> None:
    assert readme(design(name)).count("| 7 | `StatusFaultDetected` |") == told


def test_no_list_names_a_block_of_the_core() -> None:
    """``ecsm soc units`` named it, and its use was a traceback."""
    full = [a.unit for a in accelerators(toys=True) if a.unit.endswith("-small-full")]
    assert full
    assert all(unit.startswith("schemes-") for unit in full)


@pytest.mark.parametrize("name", ["b163-small-check", "b163-small-full", "p256-fast-full"])
def test_a_machine_of_schemes_gives_what_the_core_takes(name: str) -> None:
    """A machine draws the random words of its core, so its blocks and boards take every core."""
    assert machine(name).design is not None
    assert system(f"schemes-{name}", "lc").name == f"schemes-{name}-lc"
    assert board_design(f"schemes-{name}", board("ulx3s-85f")).text
