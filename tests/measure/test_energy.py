# SPDX-License-Identifier: Apache-2.0
"""Toggles of one kP: each net once, in the module that drives it, the same for one seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ecsm.cli import app
from ecsm.cores.store import binary_design
from ecsm.device.base import DeviceError
from ecsm.measure import energy
from ecsm.measure.energy import (
    energy_path,
    energy_table,
    instances,
    measure,
    module_of,
)
from ecsm.measure.tracing import TracingDevice
from ecsm.measure.vcd import VcdError, toggles
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, read_json, write_json
from ecsm.status import PointNotOnCurve
from tests.cli.test_cli import ecsm

TOY = "toy5-serial"

HEAD = """\
$timescale 1ps $end
 $scope module TOP $end
  $var wire 1 c clk_i $end
  $var wire 2 a data_i [1:0] $end
  $scope module top $end
   $var wire 1 c clk_i $end
   $var wire 2 a data_i [1:0] $end
   $var wire 2 r r [1:0] $end
   $scope module u_reg $end
    $var wire 1 c clk_i $end
    $var wire 2 a d_i [1:0] $end
    $var wire 2 r q_o [1:0] $end
    $var wire 1 s "state[0] $end
   $upscope $end
  $upscope $end
 $upscope $end
$enddefinitions $end
"""


def lines(text: str) -> list[bytes]:
    return [line.encode() + b"\n" for line in text.splitlines()]


def steps(*changes: str) -> list[bytes]:
    """Return a VCD with the first sample all zero and the others as given."""
    first = "b00 a\nb00 r\n0c\n0s"
    body = "\n".join(f"#{i}\n{text}" for i, text in enumerate((first, *changes)))
    return lines(HEAD + body)


def test_a_bit_that_changes_counts_in_the_scope_that_drives_it() -> None:
    # a: an input of the top module, though a port of u_reg too; r: u_reg's output.
    assert toggles(steps("b11 a", "b01 a\nb10 r", "b00 r")) == {("top",): 3, ("top", "u_reg"): 2}


def test_the_first_sample_and_equal_values_count_nothing() -> None:
    assert toggles(steps()) == {}
    assert toggles(steps("b00 a", "b0 r")) == {}


def test_the_clock_does_not_count() -> None:
    assert toggles(steps("1c", "0c", "1c\n1s")) == {("top", "u_reg"): 1}


def test_short_values_are_extended_by_zeros() -> None:
    assert toggles(steps("b1 a", "b10 a")) == {("top",): 3}


def wide(copies: str, changes: list[str]) -> dict[tuple[str, ...], int]:
    head = f"""\
$scope module TOP $end
$scope module top $end
$var wire 4 w word [3:0] $end
$scope module u_a $end
{copies}
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
"""
    text = head + "\n".join(f"#{i}\n{c}" for i, c in enumerate(changes))
    return toggles(lines(text))


def test_a_copy_of_a_vector_counts_once_and_for_the_deeper_one() -> None:
    copy = "$var wire 4 x copy[0] [3:0] $end"
    changes = ["b0000 w\nb0000 x", "b1010 w\nb1010 x", "b1001 w\nb1001 x"]
    assert wide(copy, changes) == {("top", "u_a"): 4}
    port = "$var wire 4 x word_i[0] [3:0] $end"
    assert wide(port, changes) == {("top",): 4}
    changes[1] = "b1010 w\nb0101 x"
    assert wide(copy, changes) == {("top",): 4, ("top", "u_a"): 4}


def test_a_slice_of_a_busy_vector_counts_once() -> None:
    values = [(i * 7 + i * i // 3) % 16 for i in range(200)]
    changes = [f"b{v:04b} w\nb{v >> 1 & 3:02b} x" for v in values]
    expected = sum((a ^ b).bit_count() for a, b in pairwise(values))
    total = wide("$var wire 2 x part [1:0] $end", changes)
    assert sum(total.values()) == expected
    other = [f"b{v:04b} w\nb{v * 5 >> 2 & 3:02b} x" for v in values]
    assert sum(wide("$var wire 2 x part [1:0] $end", other).values()) > expected


@pytest.mark.parametrize(
    "text",
    ["", HEAD, HEAD + "#0\nb0 nobody\n", HEAD + "#0\nnonsense\n", HEAD.partition("$enddef")[0]],
)
def test_a_broken_stream_is_refused(text: str) -> None:
    with pytest.raises(VcdError):
        toggles(lines(text))


def test_every_instance_has_its_module() -> None:
    table = instances()
    assert table["gf2m_engine", "u_tester"] == ["gf2m_form"]
    assert set(table["gf2m_mul", "u_mul"]) == {
        "gf2m_mul_serial", "gf2m_mul_segmented", "gf2m_mul_karatsuba",
    }  # fmt: skip
    d = binary_design(TOY)
    scope = (d.preset.module, "u_engine", "gen_mul[1]", "u_mul", "gen_serial", "u_mul")
    assert module_of(scope, d) == "gf2m_mul_serial"
    assert module_of(scope[:4], d) == "gf2m_mul"
    with pytest.raises(DeviceError, match="u_nobody"):
        module_of((*scope, "u_nobody"), d)


def test_the_same_job_toggles_the_same() -> None:
    curve = binary_design(TOY).preset.curve
    with TracingDevice(TOY) as device:
        device.toggles(21, curve.generator)
        first = device.toggles(21, curve.generator)
        second = device.toggles(21, curve.generator)
        other = device.toggles(10, curve.generator)
    mul = [scope for scope in first if "u_mul" in scope]
    assert mul
    assert [first[s] for s in mul] == [second[s] for s in mul]
    assert [first[s] for s in mul] != [other.get(s) for s in mul]


def test_an_error_leaves_a_device_that_works() -> None:
    g = binary_design(TOY).preset.curve.generator
    with TracingDevice(TOY) as device:
        with pytest.raises(PointNotOnCurve):
            device.toggles(1, (g[0], g[1] ^ 1))
        assert device.kp(1, g) == g
        assert device.toggles(1, g)


def test_figures_depend_on_the_seed_alone() -> None:
    with Progress() as progress:
        first, again, other = (measure(TOY, 3, seed, progress) for seed in (1, 1, 2))
    assert first == again
    assert first.toggles != other.toggles
    assert first.least <= first.toggles <= first.most
    assert sum(first.modules.values()) == pytest.approx(first.toggles)
    assert {"ecsm_sequencer", "ecsm_regfile", "gf2m_form", "gf2m_mul_serial"} <= set(first.modules)


def test_the_registers_toggle_as_the_program_writes_them() -> None:
    # Every bit of every write toggles at most once; the end clears what is left.
    d = binary_design(TOY)
    code = d.microcode
    writes = 0
    for i, (word, repeat) in enumerate(zip(code.words, code.repeat, strict=True)):
        trips = code.count if code.count > 1 and code.first <= i <= code.last else 1
        writes += len(word.write) * trips * (repeat + 1)
    with Progress() as progress:
        found = measure(TOY, 2, 1, progress).modules["ecsm_regfile"]
    bound = (writes + code.registers) * d.preset.m
    assert bound / 8 < found < bound


def test_the_scalar_is_never_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scalars: list[int] = []

    class Fake:
        def __init__(self, *_: object) -> None: ...
        def __enter__(self) -> Fake:
            return self

        def __exit__(self, *_: object) -> None: ...
        def toggles(self, k: int, point: object) -> dict[tuple[str, ...], int]:
            del point
            scalars.append(k)
            return {("ecsm_b163_fast",): 7}

    monkeypatch.setattr(energy, "TracingDevice", Fake)
    for as_json in (False, True):
        options = ["--json"] if as_json else []
        assert app.main(["energy", "b163-fast", *options]) == 0
    assert len(set(scalars)) == 3
    shown = "".join(capsys.readouterr())
    assert "b163-fast" in shown
    assert not [k for k in scalars if f"{k:x}" in shown or str(k) in shown]


def test_the_command_says_that_it_is_modelled() -> None:
    done = ecsm("energy", TOY, "--runs", "1")
    assert done.returncode == 0
    assert "(modelled)" in done.stdout
    assert "1.469 W" in done.stdout
    found = json.loads(ecsm("energy", TOY, "--runs", "1", "--json").stdout)
    assert set(found) == {"command", "what", "seed", "published", "provenance", "results"}
    assert found["command"] == "ecsm energy --runs 1 --seed 1"
    assert found["results"][0]["toggles"] > 0


@pytest.mark.parametrize(
    "args",
    [
        ["b164-fast"],
        [TOY, "p256-small"],
        [TOY, "--runs", "0"],
        [TOY, "--runs", "1001"],
        [TOY, "--runs", "x"],
        [TOY, "--seed", "x"],
    ],
)
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = ecsm("energy", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "opening" not in done.stderr  # nothing was begun


@pytest.mark.parametrize(
    "damage", [lambda d: [], lambda d: {}, lambda d: d | {"results": [{}]},
               lambda d: d | {"results": [d["results"][0] | {"toggles": 0}]},
               lambda d: d | {"results": [d["results"][0] | {"preset": "nobody"}]}],
)  # fmt: skip
def test_damaged_figures_are_refused(damage: Callable[[Any], Any], tmp_path: Path) -> None:
    assert energy_table(tmp_path) == "Not measured."
    write_json(energy_path(tmp_path), damage(read_json(energy_path(RESULTS))))
    with pytest.raises(DamagedResult, match=r"energy\.json is damaged"):
        energy_table(tmp_path)


def test_the_kept_figures_are_of_the_default_presets() -> None:
    record = json.loads((RESULTS / "energy.json").read_text())
    assert [row["preset"] for row in record["results"]] == list(energy.DEFAULT)
    assert all(
        row["cycles"] == binary_design(row["preset"]).microcode.cycles for row in record["results"]
    )
