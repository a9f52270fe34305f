# SPDX-License-Identifier: Apache-2.0
"""``ecsm test``: compare a simulated core with an independent oracle."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain

from ecsm.backend.cells import netlist_core
from ecsm.backend.synth import FLAGS
from ecsm.cores.store import design
from ecsm.device.request import OpJob
from ecsm.device.sim import SimDevice
from ecsm.hdl.vectors import Answer, Case, Oracle, edge_cases, random_cases
from ecsm.presets.table import preset as preset_named
from ecsm.status import Status

Log = Callable[[str], None]
REPORT_SECONDS = 1.0
SHOWN = 10  # failures listed


@dataclass
class Summary:
    """What a self-test found. ``failed`` names cases; the cases of a preset never change.

    ``base_cycles``: those of kG, where it has a program of its own; ``cycles``: all others.
    """

    preset: str
    simulated: str
    oracle: str
    cases: int = 0
    failed: list[str] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    cycles_expected: int = 0
    base_cycles: list[int] = field(default_factory=list)
    base_cycles_expected: int = 0
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every answer was right and every request took the expected cycles."""
        return not self.failed and self.steady

    @property
    def steady(self) -> bool:
        """Whether every request took the expected cycles."""
        base = [self.base_cycles_expected] if self.base_cycles_expected else []
        return (self.cycles, self.base_cycles) == ([self.cycles_expected], base)


def selftest(
    preset: str, count: int, as_json: bool, log: Log, netlist: bool = False, engines: int = 1
) -> int:
    """Run the edge cases and ``count`` random ones; print a summary; return 0, or 1 on failure.

    With ``netlist`` the synthesised netlist is simulated in place of the RTL; with ``engines`` a
    farm of so many, all cases in one stream.

    Raises ValueError if ``count`` is negative or a netlist's farm is asked for,
    :class:`ecsm.presets.table.UnknownPreset` and :class:`ecsm.device.base.DeviceError`. ``log`` is
    told of progress.
    """
    if count < 0:
        raise ValueError("the count of random cases must not be negative")
    if netlist and engines > 1:
        raise ValueError("there is no netlist of a farm")
    summary = run(preset, count, log, netlist, engines)
    if as_json:
        print(json.dumps({**asdict(summary), "passed": summary.passed}, indent=1))
    else:
        _print(summary)
    return 0 if summary.passed else 1


def run(preset: str, count: int, log: Log, netlist: bool = False, engines: int = 1) -> Summary:
    """Run the cases and return what was found (see :func:`selftest`)."""
    p, d = preset_named(preset), design(preset)
    oracle = Oracle(p)
    # The device has no way to send coordinates together with infinity.
    edges = [c for c in edge_cases(p) if not c.infinity or c.x == c.y == 0]
    # The last batches are full: one that is not waits.
    count += -(len(edges) + count) % (p.threads * engines)
    total = len(edges) + count
    core = netlist_core(d, log) if netlist else None
    with SimDevice(preset, log, core, engines) as device:
        what = f"netlist of synth_ecp5 {FLAGS['ecp5']}" if netlist else "RTL"
        what += f", {engines} engines" if engines > 1 else ""
        summary = Summary(preset, what, oracle.name, total)
        summary.cycles_expected = d.microcode.cycles
        summary.base_cycles_expected = d.base_cycles
        log(f"comparing {total} cases with {oracle.name}")
        asked: dict[int, Case] = {}
        wrong: dict[int, str] = {}
        cycles: set[int] = set()
        base: set[int] = set()

        def ask() -> Iterator[OpJob]:
            for i, case in enumerate(chain(edges, random_cases(p, count))):
                asked[i] = case
                k = divmod(case.k, 1 << p.scalar_bits // 2) if p.double else case.k
                yield case.op, k, None if case.infinity else (case.x, case.y)

        start = reported = time.monotonic()
        for i, done in enumerate(device.operations(ask()), start=1):
            case = asked.pop(done.index)
            status = Status.OK if done.error is None else done.error.status
            if Answer(status, done.point) != oracle.answer(case):
                wrong[done.index] = case.name
            point = None if case.infinity else (case.x, case.y)
            (cycles if d.of(point) is d else base).add(done.cycles)
            if (now := time.monotonic()) - reported >= REPORT_SECONDS:
                reported = now
                log(f"{i} of {total}")
        summary.failed = [wrong[i] for i in sorted(wrong)]
        summary.cycles, summary.base_cycles = sorted(cycles), sorted(base)
        summary.seconds = round(time.monotonic() - start, 3)
    return summary


def _print(s: Summary) -> None:
    cycles, base = (", ".join(map(str, found)) for found in (s.cycles, s.base_cycles))
    cycles += " in every case" * s.steady
    if s.base_cycles_expected:
        cycles += f", {base} where the point is G"
    if not s.steady:
        cycles += f", not {s.cycles_expected}"
        cycles += f" and {s.base_cycles_expected}" * bool(s.base_cycles_expected)
    print(f"{'preset':10} {s.preset}")
    print(f"{'simulated':10} {s.simulated}")
    print(f"{'oracle':10} {s.oracle}")
    print(f"{'cases':10} {s.cases}, {len(s.failed)} wrong")
    print(f"{'cycles':10} {cycles}")
    for name in s.failed[:SHOWN]:
        print(f"{'wrong':10} {name}")
    if len(s.failed) > SHOWN:
        print(f"{'wrong':10} and {len(s.failed) - SHOWN} more")
    print("PASS" if s.passed else "FAIL")
