# SPDX-License-Identifier: Apache-2.0
"""One run of nextpnr: its options, its log while it runs, its report when it is done."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ecsm.backend import gowin, tool
from ecsm.backend.gowin import GOWIN
from ecsm.progress import Progress
from ecsm.results.record import DEVICE, Attempt, Hop, Run
from ecsm.signals import scratch

DEVICES = {
    "LFE5U-25F": "--25k --package CABGA381",
    "LFE5U-45F": "--45k --package CABGA381",
    "LFE5U-85F": "--85k --package CABGA756",
}
SPEEDS = (6, 7, 8)  # 8 is the fastest
ICE40 = {"iCE40UP5K-SG48": "--up5k --package sg48"}
"""Devices of the iCE40 family, which have no speed grades here."""
DEVICE_HAS = {"lut": 83_640, "dsp": 156, "bram": 208}
"""Cells of a kind of :data:`DEVICE`, as results name them."""
# What is always right, and what may be chosen. Of heap's weights that of timing has been seen to
# matter, and for cores over GF(p) how dense it may pack. The static placer has the least wires if
# it does not look at timing: router1 ends then where a core of many XORs is too much for it else.
# router2 does not untangle the XOR networks of these cores, router1 does.
FIXED_OPTIONS = "--timing-allow-fail --lpf-allow-unconstrained"
FIXED_ICE40 = "--timing-allow-fail --pcf-allow-unconstrained"
PLACERS = {
    "heap": "--placer heap --placer-heap-timingweight 50",
    "static": "--placer static",
    "short": "--placer static --no-tmdriv",
    "spread": "--placer heap --placer-heap-timingweight 30 --placer-heap-beta 0.5",
}
ROUTERS = {"router2": "--router router2", "router1": "--router router1"}
PLACER, ROUTER = "heap", "router1"  # the defaults
MANY_BLOCKS = 100  # DSP blocks, from which on a core is not routed but with a floorplan
FLOORPLAN = (
    3  # version of how places are chosen (ecsm.backend.floorplan): other runs are other runs
)
# Reports of a router without a new least number of what it has left to do: it is stuck. router2
# reports each iteration, router1 each thousand arcs; of runs that ended, 19 is the most seen.
STALL = 60
REPORT = "report.json"
TIME_IS_UP = "not routed in"
ERROR = "ERROR: "  # how nextpnr begins its own complaints

_ITERATION = re.compile(r"iter=(\d+) wires=\d+ overused=(\d+)")
_ARCS = re.compile(r"Info: +\d+ \|[ \d]+\|[ \d]+\| *(\d+)\|")
_HEAP = re.compile(r"at iteration #(\d+), type \w+: .*legal = (\d+)")
_STATIC = re.compile(r"Info: iter=(\d+) steplen")
_PHASES = {
    "Info: Packing": "packing",
    "Info: Pack IOBs": "packing",
    "Info: Creating initial analytic placement": "placing",
    "Info: Running Static placer": "placing",
    "Info: Running simulated annealing": "refining the placement",
    "Info: Routing globals": "routing",
    "Info: Running router2": "routing",
    "Info: Running router1 to check": "checking the routes",
    "Info: Routing..": "routing",
}
_CLOCK = re.compile(r"Max frequency for clock +'(.+)': ([\d.]+) MHz")
_NAMED = re.compile(r"(?P<name>.*?)(\$_[A-Z]+.*|\\TRELLIS_FF)?$")


class Unroutable(RuntimeError):
    """The router will not finish this placement; the message says how far it came."""


@dataclass(frozen=True)
class Options:
    """What may be chosen for a run.

    ``floorplan``: DSP blocks and memories have places already (:mod:`ecsm.backend.floorplan`), of
    the largest device. ``device``: with its speed, as LFE5U-25F-6, or of :data:`ICE40` or
    :data:`ecsm.backend.gowin.GOWIN`.
    """

    placer: str = PLACER
    router: str = ROUTER
    floorplan: bool = False
    device: str = DEVICE

    @property
    def arguments(self) -> str:
        """The options as nextpnr takes them."""
        chosen = f"{PLACERS[self.placer]} {ROUTERS[self.router]}"
        if self.device in ICE40:
            return f"{ICE40[self.device]} {chosen} {FIXED_ICE40}"
        if self.device in GOWIN:
            return f"{GOWIN[self.device]} {chosen} {gowin.FIXED}"
        name, _, speed = self.device.rpartition("-")
        size, package = DEVICES[name].split(" ", 1)
        return f"{size} --speed {speed} {package} {chosen} {FIXED_OPTIONS}"

    @property
    def text(self) -> str:
        """What a run is told by."""
        return self.arguments + f" (floorplan {FLOORPLAN})" * self.floorplan


def target_of(device: str) -> str:
    """Return the target of synthesis for a device."""
    if device in GOWIN:
        return "gowin"
    return "ice40" if device in ICE40 else "ecp5"


def program_of(device: str) -> str:
    """Return the nextpnr of a device, as :func:`ecsm.results.sources.tools` names it."""
    return {"ecp5": "nextpnr"}.get(target_of(device), f"nextpnr-{target_of(device)}")


def repeatable(options: str) -> bool:
    """Return whether a run with these options, as :attr:`Options.text` has them, can be repeated.

    Places of an earlier version of the floorplan cannot.
    """
    return "(floorplan " not in options or options.endswith(f"(floorplan {FLOORPLAN})")


def suitable(netlist: Path, device: str = DEVICE) -> Options:
    """Return the options that a netlist, as Yosys JSON, routes best with."""
    many = netlist.read_text(encoding="utf-8").count('"type": "MULT18X18D"') >= MANY_BLOCKS
    if many and device == DEVICE:
        return Options("static", floorplan=True)
    return Options(device=device)


class Watcher:
    """Follow a log: show phase, iteration and overuse; raise :class:`Unroutable` when stuck."""

    def __init__(self, name: str, log: Progress, stall: int = STALL) -> None:
        self._name, self._log, self._stall = name, log, stall
        self._phase = ""
        self._reports = 0
        self._least: int | None = None
        self._least_at = 0
        self.left = ""
        """What the router had to do still when it last said so, to follow a failure."""

    def __call__(self, line: str) -> None:
        """Take one line."""
        for start, phase in _PHASES.items():
            if line.startswith(start) and phase != self._phase:
                self._phase, self.left = phase, ""
                self._log(f"{self._name}: {phase}")
        if found := _ITERATION.search(line):
            self._log.often(
                f"{self._name}: routing, iteration {found[1]}, {found[2]} wires overused"
            )
            self._left(int(found[2]), "wires overused", "iteration")
        elif found := _ARCS.match(line):
            if self._phase == "routing":
                self._log.often(f"{self._name}: routing, {found[1]} arcs left")
                self._left(int(found[1]), "arcs left", "report")
        elif found := _HEAP.search(line):
            self._log.often(f"{self._name}: placing, iteration {found[1]}, wires {found[2]}")
        elif found := _STATIC.match(line):
            self._log.often(f"{self._name}: placing, iteration {found[1]}")

    def _left(self, left: int, what: str, report: str) -> None:
        self._reports += 1
        self.left = f", {left} {what}"
        if self._least is None or left < self._least:
            self._least, self._least_at = left, self._reports
        elif self._reports - self._least_at >= self._stall:
            raise Unroutable(
                f"unroutable: {self._least} {what} since {report} {self._least_at}"
                f" of {self._reports}"
            )


NO_REPORT = "nextpnr left no report that can be read"
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Placed(Attempt):
    """One placement that is not routed; ``mhz`` is nextpnr's estimate.

    An estimate is a model's: it ranks placements, and no result is made of it.
    """


@contextmanager
def alone(log: Path, name: str, progress: Progress) -> Iterator[None]:
    """Lock the run or the runs of ``log``; wait while another process has the lock."""
    log.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{log}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress(f"{name}: waiting for another process that is at it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def place_and_route(
    netlist: Path,
    options: Options,
    seed: int,
    mhz: float,
    limit_s: float,
    log: Path,
    name: str,
    progress: Progress,
) -> Run:
    """Run nextpnr once on a JSON netlist; a run that does not route says why in ``failure``.

    Raises :class:`ecsm.backend.tool.FlowError` if nextpnr did not come to an end of its own.

    nextpnr sees a /tmp of its own, so it runs in a folder beside ``log`` and is given names
    relative to it. An interrupted run leaves nothing but its log; a killed one leaves its folder
    to the next run with that log, of which there must be one at a time (:func:`alone`).
    """
    failure, spent, report = _once(netlist, options, seed, mhz, limit_s, log, name, progress)
    if failure:
        return Run(options.text, seed, mhz, None, failure, spent.seconds, spent.peak_mb)
    try:
        clock, path = round(frequency(report), 2), critical_path(report)
        cells = report.get("utilization")
        used = cells and {kind: int(n["used"]) for kind, n in cells.items()}
    except UNREADABLE:
        raise tool.FlowError(f"{NO_REPORT} (log: {log})") from None
    return Run(options.text, seed, mhz, clock, "", spent.seconds, spent.peak_mb, path, used)


def place_only(
    netlist: Path,
    options: Options,
    seed: int,
    mhz: float,
    limit_s: float,
    log: Path,
    name: str,
    progress: Progress,
) -> Placed:
    """Place as :func:`place_and_route` would with the same arguments; same errors."""
    failure, spent, _ = _once(
        netlist, options, seed, mhz, limit_s, log, name, progress, "--no-route"
    )
    try:
        clock = None if failure else estimate(log.read_text(encoding="utf-8", errors="replace"))
    except ValueError:
        raise tool.FlowError(f"nextpnr told no clock (log: {log})") from None
    return Placed(options.text, seed, mhz, clock, failure, spent.seconds)


def _once(
    netlist: Path,
    options: Options,
    seed: int,
    mhz: float,
    limit_s: float,
    log: Path,
    name: str,
    progress: Progress,
    *more: str,
) -> tuple[str, tool.Spent, dict[str, Any]]:
    """Run nextpnr; return why it failed ("" if it did not), what it cost, and its report."""
    arguments = [*options.arguments.split(), "--seed", str(seed), "--freq", f"{mhz:g}", *more]
    arguments += ["--json", netlist.name]
    code = tool.NEXTPNRS[target_of(options.device)]
    if options.device not in GOWIN:
        return attempt(code, arguments, [netlist], limit_s, log, name, progress)
    arguments += ["--vopt", f"cst={gowin.CST}"]
    with scratch("pins-", log.parent) as folder:
        (pins := folder / gowin.CST).write_text(gowin.pin_text(netlist), encoding="ascii")
        return attempt(code, arguments, [netlist, pins], limit_s, log, name, progress)


def attempt(
    code: str,
    arguments: Sequence[str],
    inputs: Sequence[Path],
    limit_s: float,
    log: Path,
    name: str,
    progress: Progress,
    output: Path | None = None,
) -> tuple[str, tool.Spent, dict[str, Any]]:
    """Run a nextpnr on ``inputs``, which ``arguments`` name without a folder.

    Return why it failed ("" if it did not), what it cost, and its report. ``output``: where a file
    goes that it writes under the same name. For the rest see :func:`place_and_route`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    folder = f"{log.name}.run"
    for stale in log.parent.glob(f"{folder}*"):  # of a run with this log that was killed
        shutil.rmtree(stale, ignore_errors=True)
    with scratch(folder, log.parent) as work:
        for file in inputs:
            _share(file, work / file.name)
        watch = Watcher(name, progress)
        start = time.monotonic()
        try:
            spent = tool.run(
                code, [*arguments, "--report", REPORT], work, log, watch, limit_s,
                silent=progress.again,
            )  # fmt: skip
        except tool.TimeIsUp:
            failure = f"{TIME_IS_UP} {limit_s / 60:.3g} min{watch.left}"
        except Unroutable as error:
            failure = str(error)
        except tool.FlowError as error:
            failure = str(error).partition(" (log: ")[0]
            if not failure.startswith(ERROR):  # killed, out of memory, not installed: no result
                raise
        else:
            try:
                report = json.loads((work / REPORT).read_text(encoding="utf-8"))
            except UNREADABLE:
                raise tool.FlowError(f"{NO_REPORT} (log: {log})") from None
            if output:
                shutil.move(work / output.name, output)
            return "", spent, report
    return failure, tool.Spent(round(time.monotonic() - start, 1), 0), {}


def estimate(log: str) -> float:
    """Return the last clock in MHz in nextpnr's log: the slowest one, if there are several clocks.

    After a run without routing it is the estimate for the placement.
    """
    clocks: dict[str, float] = {}
    for name, clock in _CLOCK.findall(log):
        clocks[name] = float(clock)
    return min(clocks.values())


def _share(source: Path, target: Path) -> None:
    """Link a file where the file system can; nextpnr follows no symbolic link out of its folder."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def frequency(report: Mapping[str, Any]) -> float:
    """Return the clock of a report in MHz: the slowest one, if there are several.

    Raises ValueError if it has none above 0.
    """
    clock = float(min(clock["achieved"] for clock in report["fmax"].values()))
    if not 0.0 < clock < math.inf:
        raise ValueError(f"a clock of {clock} MHz")
    return clock


def critical_path(report: Mapping[str, Any]) -> list[Hop]:
    """Return the critical path of the clock, register to register, hop by hop."""
    paths = [p["path"] for p in report["critical_paths"] if p["from"] == p["to"] != "<async>"]
    if not paths:
        return []
    longest = max(paths, key=lambda path: sum(hop["delay"] for hop in path))
    return [
        Hop(
            h["type"],
            round(h["delay"], 2),
            readable(h["to"]["cell"]),
            h["to"]["loc"][0],
            h["to"]["loc"][1],
        )
        for h in longest
    ]


def readable(cell: str) -> str:
    """Return the name of a cell in the RTL, or ``LUT`` for a cell that only the mapper named."""
    cell = cell.replace("$flatten\\", "")
    found = _NAMED.match(cell)
    name = found["name"] if found else cell
    return "LUT" if not name or "$" in name else name


def describe_path(path: list[Hop]) -> list[str]:
    """Return a critical path as lines: its sum, then every register and every LUT on the way."""
    if not path:
        return ["no critical path is known"]
    total, routing = sum(h.ns for h in path), sum(h.ns for h in path if h.kind == "routing")
    luts = sum(h.kind == "logic" for h in path)
    lines = [
        f"critical path {total:.2f} ns: {routing:.2f} in wires, {total - routing:.2f} in cells,"
        f" through {luts} LUTs or bits of a carry chain"
    ]
    at = 0.0
    for hop in path:
        at += hop.ns
        if hop.kind != "logic":
            where = f"X{hop.x}Y{hop.y}"
            lines.append(f"  {at:6.2f}  +{hop.ns:5.2f} {hop.kind:9} {where:9} {hop.name}")
    return lines
