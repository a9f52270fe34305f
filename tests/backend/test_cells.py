# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist answers as the RTL does: results, statuses, cycles, reset, zeroize."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ecsm.backend import register_copies, synth
from ecsm.backend.cells import netlist, netlist_core
from ecsm.backend.synth import FLAGS
from ecsm.cores.store import binary_design, design
from ecsm.curves import Point
from ecsm.device.base import DeviceError
from ecsm.device.sim import SimDevice
from ecsm.measure.selftest import run
from ecsm.presets import binary_preset, preset
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import is_toy
from ecsm.status import CoreError

# Karatsuba in one cycle, segmented in two; the digit-serial kind is b163-small's and toy5-serial's.
TOYS = ("toy7-fast", "toy7-two")
# One with threads, whose registers are block memories, and Montgomery's; the others are slow.
PRIME_TOYS = [
    pytest.param(p.name, marks=[] if p.name in ("toyp8-glv-t", "toyp6-m") else [pytest.mark.slow])
    for p in PRIME_PRESETS.values()
    if is_toy(p)
]
LUT = re.compile(r"(\.INIT\(16'h)([0-9a-f]{4})(\))")


def gates(name: str) -> SimDevice:
    return SimDevice(name, core=netlist_core(binary_design(name)))


def answer(device: SimDevice, op: int, k: int, point: Point) -> tuple[object, int]:
    """Return the point or the status, and the cycles."""
    try:
        return device.job(op, k, point), device.last_cycles
    except CoreError as error:
        return error.status, device.last_cycles


@pytest.mark.parametrize("name", TOYS)
def test_every_scalar_times_every_point(name: str) -> None:
    curve = binary_preset(name).curve
    cycles = set()
    with gates(name) as device:
        for point in curve.points():
            expected: Point = None
            for k in range(1 << curve.field.m):
                assert device.kp(k, point) == expected, (k, point)
                cycles.add(device.last_cycles)
                expected = curve.add(expected, point)
    assert cycles == {binary_design(name).microcode.cycles}


@pytest.mark.parametrize("name", PRIME_TOYS)
def test_netlists_over_prime_fields_are_right(name: str) -> None:
    summary = run(name, 100, lambda _: None, netlist=True)
    assert summary.passed, summary.failed


@pytest.mark.parametrize(
    ("name", "table", "kind", "copies"),
    [("toyp6-m", "_AFTER_DSP", "TRELLIS_FF", 100), ("toy7-two", "_AFTER_SEGMENTED", "LUT4", 30)],
)
def test_a_netlist_of_copies_is_right(
    name: str, table: str, kind: str, copies: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = []

    def every_other(module: dict[str, Any]) -> int:
        made.append(register_copies.spread(module, 2, kind))
        return made[-1]

    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setattr(synth, table, {"copies": every_other})
    summary = run(name, 30, lambda _: None, netlist=True)
    assert summary.passed, summary.failed
    assert made[0] > copies


def test_products_are_kept_in_their_blocks() -> None:
    text = netlist(design("toyp8-glv-t"))
    assert text.count('.REG_OUTPUT_CLK("CLK0")') == text.count("MULT18X18D #(") > 0


@pytest.mark.parametrize("name", TOYS)
def test_statuses_are_those_of_the_rtl(name: str) -> None:
    p = preset(name)
    side = range(0, 1 << p.coordinate_bits, 7)
    jobs: list[tuple[int, Point]] = [(0, (x, y)) for x in side for y in side]
    jobs += [(op, p.curve.generator) for op in range(16)] + [(1, None)]
    with gates(name) as device, SimDevice(name) as rtl:
        for op, point in jobs:
            assert answer(device, op, 77, point) == answer(rtl, op, 77, point), (op, point)


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("name", TOYS)
def test_a_stopped_netlist_is_empty_and_ready(name: str, reset: bool) -> None:
    g = preset(name).curve.generator
    with gates(name) as netlist_device, SimDevice(name) as rtl:
        for device in (netlist_device, rtl):
            for after in range(binary_design(name).microcode.cycles + 3):
                device.abort(93, g, after, reset)
                assert device.kp(1, g) == g
            with pytest.raises(ValueError, match="before it starts"):
                device.abort(93, g, -1, reset)


def test_a_netlist_without_zeroize_is_noticed() -> None:
    name = "toy5-serial"
    text = netlist(binary_design(name))
    cut = text.replace("(zeroize_i)", "(1'h0)")
    assert cut != text
    g = preset(name).curve.generator
    with SimDevice(name, core=netlist_core(binary_design(name), text=cut)) as device:
        assert device.kp(3, g) == preset(name).curve.mul(3, g)
        device.abort(9, g, 4, reset=True)
        with pytest.raises(DeviceError, match="not ready and empty after a zeroize"):
            device.abort(9, g, 4)


def damaged(text: str, part: float) -> str:
    """Return the netlist with every bit of one LUT's INIT turned, the LUT at that part of all."""
    every = list(LUT.finditer(text))
    m = every[int(part * len(every))]
    return text[: m.start()] + f"{m[1]}{int(m[2], 16) ^ 0xFFFF:04x}{m[3]}" + text[m.end() :]


def wrong(name: str, text: str) -> int:
    """Return how many answers of the netlist differ from the curve's."""
    curve = binary_preset(name).curve
    jobs = [(k, p) for p in curve.points() for k in range(1 << curve.field.m)]
    with SimDevice(name, core=netlist_core(binary_design(name), text=text)) as device:
        try:
            return sum(answer(device, 0, k, p)[0] != curve.mul(k, p) for k, p in jobs)
        except DeviceError:  # no answer, or a wrong count of cycles
            return 1


def test_the_undamaged_netlist_is_right() -> None:
    assert wrong("toy5-serial", netlist(binary_design("toy5-serial"))) == 0


@pytest.mark.parametrize(
    "part",
    [0.1, pytest.param(0.5, marks=pytest.mark.slow), pytest.param(0.9, marks=pytest.mark.slow)],
)
def test_one_wrong_lut_is_noticed(part: float) -> None:
    text = netlist(binary_design("toy5-serial"))
    bad = damaged(text, part)
    assert sum(a != b for a, b in zip(text, bad, strict=True)) == 4
    assert wrong("toy5-serial", bad) > 0


def test_the_netlist_has_nothing_but_cells() -> None:
    text = netlist(binary_design("toy5-serial"))
    assert text.count("\nmodule ") == 1
    cells = set(re.findall(r"^  (\w+) #\(", text, re.MULTILINE))
    assert cells <= {"LUT4", "CCU2C", "TRELLIS_FF"}
    assert "always" not in text


def test_the_selftest_says_that_it_simulated_the_netlist() -> None:
    summary = run("toy5-serial", 20, lambda _: None, netlist=True)
    assert summary.passed
    assert summary.simulated == "netlist of synth_ecp5 -nowidelut"
    assert run("toy5-serial", 0, lambda _: None).simulated == "RTL"


def test_a_failing_synthesis_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setitem(FLAGS, "ecp5", "-nonsense")
    with pytest.raises(DeviceError, match="Unknown option"):
        netlist(binary_design("toy5-serial"))
    assert not list(tmp_path.rglob("core.v"))


@pytest.mark.slow
def test_a_real_netlist_against_the_oracle() -> None:
    summary = run("b163-small", 20, lambda _: None, netlist=True)
    assert summary.passed, summary.failed
    assert summary.oracle.startswith("OpenSSL")
