# SPDX-License-Identifier: Apache-2.0
"""``ecsm pnr``: place and route a preset's core over seeds and requested clocks; keep every run.

Each run is kept in the cache when it finishes, also if it failed. So an interrupted sweep continues
where it stopped. The result is the routed runs of the current netlist. It is in ``pnr`` in a folder
of results, and only a routed run changes it. If no run has routed, the result is in ``unrouted``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from filelock import FileLock

from ecsm.backend.nextpnr import (
    TIME_IS_UP,
    Options,
    Placed,
    alone,
    place_and_route,
    place_only,
    program_of,
    repeatable,
    suitable,
    target_of,
)
from ecsm.backend.synth import Netlist, flow_dir, harness_netlist
from ecsm.progress import Progress
from ecsm.results.kept import Where, read, written
from ecsm.results.record import (
    DEVICE,
    Attempt,
    DamagedResult,
    Origin,
    Pnr,
    Run,
    Unrouted,
    best,
    decode,
    load_pnr,
    load_unrouted,
    median_mhz,
    pnr_path,
    read_json,
    save,
    unrouted_path,
    write_json,
)
from ecsm.results.sources import Sources, origin, sources_of, tools

STEP = 1.1  # the next round requests this much more than the best clock so far
GAIN = 1.02  # less than this much more is no gain: the sweep ends


@dataclass(frozen=True)
class Sweep:
    """What to run: ``seeds`` runs a round, from ``mhz`` on, at most ``rounds`` rounds.

    ``first``: the first seed; the others follow it. ``tries``: if it is more than ``seeds``, so
    many seeds are placed, and the ``seeds`` of them with the best estimated clocks are routed.
    ``limit_s``: the time limit of a run. ``again`` repeats runs that are kept. ``options``: None
    for those that suit the netlist. ``device``: where ``options`` are for none.
    """

    seeds: int = 3
    mhz: float = 100.0
    rounds: int = 3
    limit_s: float = 5400.0
    options: Options | None = None
    again: bool = False
    first: int = 1
    tries: int = 0
    device: str = DEVICE


class NothingRouted(RuntimeError):
    """No run of a sweep routed; earlier results are as they were."""


Made = TypeVar("Made", bound=Attempt)


class _Kept(Generic[Made]):
    """The runs (or placements) of one netlist, in the cache; those that can be repeated."""

    def __init__(
        self, kind: type[Made], preset: str, netlist: Netlist, ending: str, program: str
    ) -> None:
        self._kind = kind
        self.folder = flow_dir(preset) / "pnr"
        self._file = self.folder / f"{netlist.key}-{tools(program)[program]}{ending}"

    def runs(self) -> list[Made]:
        data = read_json(self._file)
        if data is None:
            return []
        try:
            if not isinstance(data, list):
                raise TypeError("it is no list")
            found = [decode(self._kind, d) for d in data]
            if not all(r.sound for r in found):
                raise TypeError("a run has a clock that is none, or has failed and has one")
        except TypeError as error:
            raise DamagedResult(f"{self._file} is damaged: {error}; remove it") from None
        return [r for r in found if repeatable(r.options)]

    def add(self, *new: Made) -> None:
        """Replace kept runs by new ones of the same inputs; a failed run replaces no routed one.

        (Whether a run comes to its end depends on its time and its machine, its clock does not.)
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._file}.lock"):
            old = {r.key: r for r in self.runs()}
            found = [r for r in new if not (r.failure and r.key in old and not old[r.key].failure)]
            keys = {r.key for r in found}
            runs = [*(r for key, r in old.items() if key not in keys), *found]
            write_json(self._file, [asdict(r) for r in runs])


def place(name: str, sweep: Sweep, progress: Progress, root: Where, command: str = "") -> Pnr:
    """Run a sweep on preset ``name``; return its result, which is kept below ``root`` too.

    Raises :class:`NothingRouted`, :class:`ecsm.backend.tool.FlowError` if synthesis fails, and
    :class:`DamagedResult` if what was kept cannot be read.
    """
    device = sweep.device
    # Before hours of work: refuse what is none, and to replace what nobody can read.
    tools(program_of(device))
    load_pnr(name, root, device)
    load_unrouted(name, root, device)
    s = sources_of(name)
    netlist = harness_netlist(s, progress, target_of(device))
    one = _Runner(s, netlist, sweep, progress, root, command or f"ecsm pnr {name}")
    seeds = list(range(sweep.first, sweep.first + max(sweep.seeds, sweep.tries)))
    if sweep.tries > sweep.seeds:
        seeds = one.most_promising(seeds)[: sweep.seeds]
    clocks = {seed: one.run(seed, sweep.mhz).mhz for seed in seeds}
    for _ in range(1, sweep.rounds):
        top = max((c for c in clocks.values() if c is not None), default=0.0)
        if top == 0.0:
            break
        again = _round(one, clocks, round(top * STEP, 1))
        if again is None or max(c or 0.0 for c in again.values()) < top * GAIN:
            break
        clocks = again
    return one.result()


def _round(
    one: _Runner, before: dict[int, float | None], request: float
) -> dict[int, float | None] | None:
    """Run all seeds again, the best first; None as soon as the request changes nothing at all.

    (nextpnr normalises slacks, so with most placers the requested clock has no effect.)
    """
    seeds = sorted(before, key=lambda seed: -(before[seed] or 0.0))
    after: dict[int, float | None] = {}
    for seed in seeds:
        after[seed] = one.run(seed, request).mhz
        if after[seed] == before[seed] and seed == seeds[0]:
            return None
    return after


class _Runner:
    """Run what is not kept; keep it."""

    def __init__(
        self, s: Sources, netlist: Netlist, sweep: Sweep, log: Progress, root: Where, command: str
    ) -> None:
        self._s, self._netlist, self._sweep, self._log = s, netlist, sweep, log
        self._options = sweep.options or suitable(netlist.json, sweep.device)
        self._device = self._options.device
        kind = "" if self._device == DEVICE else f"-{self._device}"
        self._root = root
        # Of what is read now, whatever is edited meanwhile.
        self._origin = origin(s, command, "yosys", program := program_of(self._device))
        self._kept = _Kept(Run, s.preset.name, netlist, f"{kind}.json", program)
        self._placed = _Kept(Placed, s.preset.name, netlist, f"{kind}-placed.json", program)
        known = {r.key for r in self._kept.runs()}
        if new := [r for r in self._published() if r.key not in known or not r.failure]:
            self._kept.add(*new)
        self._here: list[Run] = []  # asked for, and found or made
        self._made: set[tuple[str, int, float]] = set()

    def run(self, seed: int, mhz: float) -> Run:
        """Return the run with ``seed`` that requests ``mhz``, from what is kept or made now."""
        label, log = self._named(seed, mhz)
        with alone(log, label, self._log):
            found = self._find(self._kept.runs(), seed, mhz)
            if found is None:
                found = place_and_route(
                    self._json(), self._options, seed, mhz,
                    self._sweep.limit_s, log, label, self._log,
                )  # fmt: skip
                self._kept.add(found)
                self._made.add(found.key)
                outcome = found.failure or f"{found.mhz:.2f} MHz in {found.seconds:.0f} s"
                self._log(f"{label}: {outcome}")
            else:
                self._log(f"{label}: kept, {found.failure or f'{found.mhz:.2f} MHz'}")
        self._here.append(found)
        self._publish()
        return found

    def _publish(self) -> None:
        """Write the runs that are kept as the result; none that routed replaces no clock."""
        name, root = self._s.preset.name, self._root
        with FileLock(self._kept.folder / "result.lock"):  # or one of two would write fewer runs
            if any(r.mhz is not None for r in self._kept.runs()):
                save(pnr_path(name, root, self._device), self._record())
                written(unrouted_path(name, root, self._device)).unlink(missing_ok=True)
            elif not read(pnr_path(name, root, self._device)).exists():
                save(unrouted_path(name, root, self._device), self._unrouted())

    def most_promising(self, seeds: list[int]) -> list[int]:
        """Place with each seed; return those that came to an end, the best estimate first.

        Raises :class:`NothingRouted` if none did.
        """
        placed = [self._try(seed, self._sweep.mhz) for seed in seeds]
        good = [p for p in placed if p.mhz is not None]
        if not good:
            why = "; ".join(dict.fromkeys(p.failure for p in placed))
            raise NothingRouted(f"{self._s.preset.name}: {why}; earlier results are unchanged")
        return [p.seed for p in sorted(good, key=lambda p: -(p.mhz or 0.0))]

    def _try(self, seed: int, mhz: float) -> Placed:
        label, log = self._named(seed, mhz, "try-")
        with alone(log, label, self._log):
            found = self._find(self._placed.runs(), seed, mhz)
            kept = "kept, " * (found is not None)
            if found is None:
                found = place_only(
                    self._json(), self._options, seed, mhz,
                    self._sweep.limit_s, log, label, self._log,
                )  # fmt: skip
                self._placed.add(found)
        outcome = found.failure or f"placed, {found.mhz:.2f} MHz expected"
        self._log(f"{label}: {kept}{outcome}")
        return found

    def _named(self, seed: int, mhz: float, what: str = "") -> tuple[str, Path]:
        """Return what a run is called and where its log is."""
        options = self._options
        kind = f"{options.placer}-{options.router}" + "-floorplan" * options.floorplan
        kind += f"-{self._device}" * (self._device != DEVICE)
        log = self._kept.folder / f"{what}{kind}-{seed}-{mhz:g}.log"
        return f"{self._s.preset.name}: seed {seed} at {mhz:g} MHz", log

    def _json(self) -> Path:
        """Return the netlist that nextpnr is given."""
        if not self._options.floorplan:
            return self._netlist.json
        from ecsm.backend.floorplan import planned  # only who needs it waits for its packages

        return planned(self._s.preset.name, self._netlist, self._log)

    def _published(self) -> list[Run]:
        """Return the runs of the result, where it is of this netlist and these tools."""
        name, root = self._s.preset.name, self._root
        device = self._device
        old = load_pnr(name, root, device) or load_unrouted(name, root, device)
        if old is None or not self._is_of_now(old):
            return []
        return [r for r in old.runs if repeatable(r.options)]

    def _is_of_now(self, old: Pnr | Unrouted) -> bool:
        """Whether a result is of this netlist and these tools."""
        return (old.netlist, old.origin.tools) == (self._netlist.key, self._origin.tools)

    def _find(self, kept: list[Made], seed: int, mhz: float) -> Made | None:
        """Return a kept run, unless it reached a limit shorter than the present one."""
        for r in kept:
            if r.key == (self._options.text, seed, mhz) and not self._sweep.again:
                slow = r.failure.startswith(TIME_IS_UP) and r.seconds < self._sweep.limit_s
                return None if slow else r
        return None

    def _record(self) -> Pnr:
        runs = self._kept.runs()
        routed = [r for r in runs if r.mhz is not None]
        top = best(routed)
        cycles, clock = self._s.cycles, top.mhz or 0.0
        old = load_pnr(self._s.preset.name, self._root, self._device)
        return Pnr(
            preset=self._s.preset.name,
            curve=self._s.preset.curve.name,
            device=self._device,
            cycles=cycles,
            netlist=self._netlist.key,
            mhz=clock,
            mhz_median=median_mhz(routed),
            us=round(cycles / clock, 3),
            # One path is enough, and the files stay small.
            runs=[r if r is top else replace(r, path=[]) for r in runs],
            origin=self._where(old, [top], [] if old is None else [old.best]),
        )

    def _where(self, old: Pnr | Unrouted | None, runs: list[Run], before: list[Run]) -> Origin:
        """Return what makes ``runs`` again: this sweep, or that of the ``old`` result with them."""
        keys = {r.key for r in runs}
        found = keys == {r.key for r in before} and not keys & self._made
        return old.origin if old and found and self._is_of_now(old) else self._origin

    def result(self) -> Pnr:
        """Return the result so far; raises :class:`NothingRouted`."""
        if not any(r.mhz is not None for r in self._here):
            why = "; ".join(dict.fromkeys(r.failure for r in self._here))
            raise NothingRouted(f"{self._s.preset.name}: {why}; earlier results are unchanged")
        return self._record()

    def _unrouted(self) -> Unrouted:
        runs = self._kept.runs()
        old = load_unrouted(self._s.preset.name, self._root, self._device)
        return Unrouted(
            preset=self._s.preset.name,
            device=self._device,
            netlist=self._netlist.key,
            runs=runs,
            origin=self._where(old, runs, [] if old is None else old.runs),
        )
