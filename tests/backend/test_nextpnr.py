# SPDX-License-Identifier: Apache-2.0
"""What is read from nextpnr while it runs and when it is done."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from ecsm.backend import tool
from ecsm.backend.nextpnr import (
    MANY_BLOCKS,
    STALL,
    Options,
    Placed,
    Unroutable,
    Watcher,
    critical_path,
    describe_path,
    frequency,
    place_and_route,
    place_only,
    readable,
    suitable,
)
from ecsm.backend.tool import FlowError
from ecsm.results.record import Hop, Run
from tests.results.files import Told


def routing(*overused: int, first: int = 1) -> list[str]:
    """Lines of router2 as nextpnr 0.11.1 writes them."""
    return [
        f"Info:     iter={i} wires=12751 overused={n} overuse={n + 3} archfail=NA"
        for i, n in enumerate(overused, start=first)
    ]


HEAD = [
    "Info: Packing IOs..",
    "Info: Packing constants..",
    "Info: Creating initial analytic placement for 867 cells, random placement wirelen = 94172.",
    "Info:     at iteration #7, type ALL: wirelen solved = 1680, spread = 4044, legal = 4173;"
    " time = 0.03s",
    "Info: Running router2...",
]


def watch(lines: list[str], **rest: int) -> list[str]:
    told = Told()
    watcher = Watcher("x", told, **rest)
    for line in lines:
        watcher(line)
    return told.lines


def test_phases_iterations_and_overuse_are_shown() -> None:
    assert watch([*HEAD, *routing(1089, 674)]) == [
        "x: packing",
        "x: placing",
        "x: placing, iteration 7, wires 4173",
        "x: routing",
        "x: routing, iteration 1, 1089 wires overused",
        "x: routing, iteration 2, 674 wires overused",
    ]


def test_the_arcs_left_to_router1_are_shown() -> None:
    lines = [
        "Info: Routing..",
        "Info:      33000 |     7440      25559 |  255   745 |     71180|       0.45      15.40|",
    ]
    assert watch(lines) == ["x: routing", "x: routing, 71180 arcs left"]


def test_the_static_placer_is_shown() -> None:
    lines = ["Info: Running Static placer...", "Info: iter=3 steplen=2.255813 a=2.749791 penalty=["]
    assert watch(lines) == ["x: placing", "x: placing, iteration 3"]


def test_a_router_that_comes_no_further_is_stuck() -> None:
    stuck = routing(9000, 500, 210, *[211 + i % 7 for i in range(STALL)])
    assert watch(stuck[:-1])
    with pytest.raises(Unroutable, match=f"210 wires overused since iteration 3 of {STALL + 3}"):
        watch(stuck)


def test_router1_is_stuck_when_no_fewer_arcs_are_left() -> None:
    def line(arcs: int) -> str:
        return (
            f"Info:      33000 |     7440      25559 |  255   745 |     {arcs}|       0.4      1.4|"
        )

    lines = ["Info: Routing..", line(900), line(700), *[line(701)] * STALL]
    assert watch(lines[:-1])
    with pytest.raises(Unroutable, match=f"700 arcs left since report 2 of {STALL + 2}"):
        watch(lines)


def test_a_router_that_is_slow_is_not_stuck() -> None:
    slow = [n for k in range(30, 0, -1) for n in [k] * (STALL - 1)]
    assert len(watch(routing(*slow, 0))) == len(slow) + 1


def test_rising_at_first_is_not_stuck() -> None:
    assert watch(routing(*range(100, 100 + STALL), 50, *range(60, 10, -1)))


def report() -> dict[str, Any]:
    def at(cell: str, x: int) -> dict[str, Any]:
        return {"cell": cell, "loc": [x, 2], "port": "A"}

    def hop(kind: str, delay: float, cell: str, x: int) -> dict[str, Any]:
        return {"type": kind, "delay": delay, "from": at("?", 0), "to": at(cell, x)}

    first = "$flatten\\u_core.u_engine.u_scalar.bits_q[6]$_DFFE_PN0P_"
    lut = "$flatten\\u_core.$abc$26393$lut$aiger$o1189"
    path = [hop("clk-to-q", 0.4, first, 1), hop("routing", 2.0, lut, 5), hop("logic", 0.2, lut, 5),
            hop("routing", 1.4, "req_valid_q\\TRELLIS_FF", 9),
            hop("setup", 0.0, "req_valid_q\\TRELLIS_FF", 9)]  # fmt: skip
    clock = "posedge clk"
    return {
        "critical_paths": [
            {"from": "<async>", "to": "<async>", "path": [hop("routing", 99.0, lut, 1)]},
            {"from": "<async>", "to": clock, "path": [hop("routing", 50.0, lut, 1)]},
            {"from": clock, "to": clock, "path": path},
        ],
        "fmax": {"clk": {"achieved": 250.0, "constraint": 100.0}},
    }


def test_the_clock_and_its_critical_path_are_read() -> None:
    assert frequency(report()) == 250.0
    path = critical_path(report())
    assert path[0] == Hop("clk-to-q", 0.4, "u_core.u_engine.u_scalar.bits_q[6]", 1, 2)
    assert sum(h.ns for h in path) == pytest.approx(4.0)
    lines = describe_path(path)
    assert lines[0] == (
        "critical path 4.00 ns: 3.40 in wires, 0.60 in cells, through 1 LUTs or bits of a carry"
        " chain"
    )
    assert lines[1].split() == ["0.40", "+", "0.40", "clk-to-q", "X1Y2", path[0].name]
    assert lines[-1].split()[-1] == "req_valid_q"


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("$flatten\\u_core.u_e.g[0].data_q[2]$_DFFE_PN0P_", "u_core.u_e.g[0].data_q[2]"),
        ("rsp_q[14]$_SDFFE_PP0P_", "rsp_q[14]"),
        ("u_core.rsp_tag_o[3]\\TRELLIS_FF", "u_core.rsp_tag_o[3]"),
        ("$abc$3487$lut$aiger$o201", "LUT"),
        ("$flatten\\u_core.$abc$3487$lut$aiger$o201", "LUT"),
        ("$auto$abc_ops_reintegrate.cc:694:reintegrate$3488", "LUT"),
    ],
)
def test_cells_have_the_names_of_the_rtl(cell: str, name: str) -> None:
    assert readable(cell) == name


def run_fake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], end: str, limit_s: float = 60
) -> Run:
    """Run a nextpnr that prints ``lines`` and then does ``end``."""
    code = f"import time\nprint({chr(10).join(lines)!r}, flush=True)\n{end}\n"
    monkeypatch.setitem(tool.NEXTPNRS, "ecp5", code)
    (tmp_path / "top.json").write_text("{}")
    log = tmp_path / "pnr" / "a.log"
    netlist = tmp_path / "top.json"
    return place_and_route(netlist, Options(), 7, 90.0, limit_s, log, "x", Told())


STUCK = [*HEAD, *routing(*[300] * (STALL + 2))]


def test_an_unroutable_run_is_ended_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = time.monotonic()
    run = run_fake(tmp_path, monkeypatch, STUCK, "time.sleep(50)")
    assert time.monotonic() - start < 20
    assert (run.seed, run.requested_mhz, run.mhz) == (7, 90.0, None)
    assert run.failure.startswith("unroutable: 300 wires overused since iteration 1 of ")
    assert [p.name for p in (tmp_path / "pnr").iterdir()] == ["a.log"]
    assert "overused=300" in (tmp_path / "pnr" / "a.log").read_text()


def test_a_run_that_takes_too_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_fake(tmp_path, monkeypatch, HEAD, "time.sleep(50)", 1.2)
    assert run.failure == "not routed in 0.02 min"
    assert run.mhz is None
    assert 1.2 <= run.seconds < 20
    some = [*HEAD, *routing(300, 200, 250)]
    run = run_fake(tmp_path, monkeypatch, some, "time.sleep(50)", 1.2)
    assert run.failure == "not routed in 0.02 min, 250 wires overused"
    some += ["Info: Running router1 to check"]  # what is to do has been done
    run = run_fake(tmp_path, monkeypatch, some, "time.sleep(50)", 1.2)
    assert run.failure == "not routed in 0.02 min"


def test_an_error_of_nextpnr_is_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [*HEAD, "ERROR: Unable to place cell 'a', no BELs remaining", "0 warnings, 1 error"]
    run = run_fake(tmp_path, monkeypatch, lines, "status = 1")
    assert run.failure == "ERROR: Unable to place cell 'a', no BELs remaining"


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "import no_such_module"])
def test_a_crash_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    with pytest.raises(FlowError, match=r"a\.log"):
        run_fake(tmp_path, monkeypatch, HEAD, end)


def test_an_interrupted_run_leaves_only_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Watcher, line: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Watcher, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_fake(tmp_path, monkeypatch, HEAD, "time.sleep(50)")
    assert [p.name for p in (tmp_path / "pnr").iterdir()] == ["a.log"]


def test_what_a_killed_run_left_is_gone_after_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = "os.kill(os.getppid(), 9); time.sleep(50)"
    child = os.fork()
    if child == 0:  # the process that a user would kill; it must not go on with other tests
        try:
            run_fake(tmp_path, monkeypatch, HEAD, killed)
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    folder = tmp_path / "pnr"
    assert len([p for p in folder.iterdir() if p.is_dir()]) == 1
    (folder / "b.log.run1").mkdir()  # of another run, which may be at it
    run_fake(tmp_path, monkeypatch, STUCK, "time.sleep(50)")
    assert {p.name for p in folder.iterdir()} == {"a.log", "b.log.run1"}


EXPECTED = [
    "Info: Max frequency for clock 'a': 80.25 MHz (PASS at 12.00 MHz)",
    "Warning: Max frequency for clock  '$glbnet$b_i': 61.50 MHz (FAIL at 90.00 MHz)",
    "Info: Max frequency for clock 'a': 60.75 MHz (PASS at 12.00 MHz)",
]


def place_fake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], end: str
) -> Placed:
    """Place with a nextpnr that prints ``lines`` and then does ``end``."""
    code = f"import time\nprint({chr(10).join(lines)!r}, flush=True)\n{end}\n"
    monkeypatch.setitem(tool.NEXTPNRS, "ecp5", code)
    (tmp_path / "top.json").write_text("{}")
    return place_only(
        tmp_path / "top.json", Options(), 7, 90.0, 60, tmp_path / "a.log", "x", Told()
    )


def test_an_estimate_is_what_the_slowest_clock_has_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = "status = 0 if '--no-route' in sys.argv else 1\nopen('report.json', 'w').write('{}')"
    placed = place_fake(tmp_path, monkeypatch, [*HEAD, *EXPECTED], f"import sys\n{end}")
    assert (placed.seed, placed.requested_mhz, placed.failure) == (7, 90.0, "")
    assert placed.mhz == 60.75


def test_a_placement_that_fails_has_no_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [*HEAD, *EXPECTED, "ERROR: Unable to place cell 'a', no BELs remaining"]
    placed = place_fake(tmp_path, monkeypatch, lines, "status = 1")
    assert placed.mhz is None
    assert placed.failure == "ERROR: Unable to place cell 'a', no BELs remaining"


@pytest.mark.parametrize("blocks", [0, MANY_BLOCKS - 1, MANY_BLOCKS])
def test_a_core_with_many_dsp_blocks_has_a_floorplan(tmp_path: Path, blocks: int) -> None:
    cells = {f"m{i}": {"type": "MULT18X18D"} for i in range(blocks)}
    netlist = tmp_path / "harness.json"
    text = json.dumps({"modules": {"top": {"cells": {**cells, "f": {"type": "TRELLIS_FF"}}}}})
    netlist.write_text(text, encoding="utf-8")
    many = blocks >= MANY_BLOCKS
    assert suitable(netlist) == (Options("static", floorplan=True) if many else Options())
