# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc place``: the whole system on chip, placed and routed for an LFE5U-85F.

The system has CPU, memory, serial port, timer and one accelerator in one of its places. nextpnr
chooses the pins. Each run is kept in ``soc_place.json`` as soon as it has routed, unless a better
run of the same system is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.nextpnr import Options, alone, place_and_route
from ecsm.backend.pnr import NothingRouted
from ecsm.backend.synth import flow_dir
from ecsm.device.base import DeviceError
from ecsm.markdown import markdown_table, number
from ecsm.measure.soc import mapped
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import AREAS, DEVICE, Origin, Run, agree, load, write_json
from ecsm.results.sources import digest_of, origin_of, tools
from ecsm.signals import scratch
from ecsm.soc.emit import TOP, cpu_file, soc_files
from ecsm.soc.system import System, system

COMMAND = "ecsm soc place"
DEFAULT = (
    ("core-b163-small", "tc"), ("schemes-b163-small", "lc"), ("schemes-word-prime", "lc"),
)  # fmt: skip
DIVISOR = 434  # 115,200 Bd at 50 MHz


@dataclass(frozen=True)
class SocPlace:
    """One system: what it takes, and its best routed run."""

    name: str
    coupling: str
    device: str
    area: dict[str, int]
    levels: int
    run: Run
    origin: Origin

    @property
    def mhz(self) -> float:
        """The routed clock."""
        return self.run.mhz or 0.0


@dataclass(frozen=True)
class SocPlaces:
    """What ``ecsm soc place`` measured."""

    command: str
    systems: list[SocPlace]


def place_path(root: AWhere) -> AWhere:
    """Return where the results are kept."""
    return root / "soc_place.json"


def _digest(s: System) -> str:
    return digest_of(s.text, _files(s))


def _files(s: System) -> list[Path]:
    return [cpu_file(), *soc_files(s.text)]


def _system(name: str, coupling: str) -> System:
    return system(name, coupling, divisor=DIVISOR, alone=True)


def load_places(root: Where = RESULTS) -> list[SocPlace]:
    """Return what is kept; raises :class:`ecsm.results.record.DamagedResult`."""
    path = place_path(root)
    kept = load(SocPlaces, path)
    for r in [] if kept is None else kept.systems:
        sound = set(r.area) == AREAS["ecp5"] and min(r.area.values()) >= 0
        agree(path, sound and r.run.sound and r.mhz > 0, f"{r.name!r} is not placed and routed")
        try:
            _system(r.name, r.coupling)
        except (DeviceError, LookupError, ValueError) as error:
            agree(path, False, str(error))
    return [] if kept is None else kept.systems


def is_current(r: SocPlace) -> bool:
    """Return whether a system is of the RTL as it is."""
    return r.origin.rtl == _digest(_system(r.name, r.coupling))


def place_soc(
    name: str,
    coupling: str,
    mhz: float,
    seeds: int,
    limit_s: float,
    log: Progress,
    root: Where,
    command: str = "",
) -> SocPlace:
    """Synthesise, place and route a system; keep and return the best of what routed.

    ``mhz``: the clock that is asked for; ``limit_s``: time for each of the ``seeds`` runs;
    ``command``: what the user gave. Raises :class:`NothingRouted`,
    :class:`ecsm.backend.tool.FlowError`, :class:`ecsm.results.record.DamagedResult`, and what
    ``system`` does.
    """
    tools("nextpnr")  # refuse what is none, and what cannot be replaced, before the work
    load_places(root)
    s = _system(name, coupling)
    label, files = f"soc with {name}, {coupling}", flow_dir("soc") / f"{name}.{coupling}"
    best, why = None, []
    with alone(files, label, log):
        # Of what is read now, whatever is edited meanwhile.
        where = origin_of(_digest(s), command or COMMAND, "yosys", "nextpnr")
        module, _ = mapped(label, TOP, s.text, _files(s), Path(f"{files}.synth.log"), log)
        size, depth = area("ecp5", cells(module)), levels(module)
        for run in _runs(module, label, files, mhz, seeds, limit_s, log):
            if run.mhz is None:
                why.append(run.failure)
                continue
            found = SocPlace(name, coupling, DEVICE, size, depth, run, where)
            with FileLock(flow_dir("soc") / "results.lock"):
                best = _keep(found, root)
    if best is None:
        what = "; ".join(dict.fromkeys(why))
        raise NothingRouted(f"{label}: {what}; earlier results are unchanged")
    return best


def _runs(
    module: dict[str, Any], label: str, files: Path, mhz: float, seeds: int, limit_s: float,
    log: Progress,
) -> Iterator[Run]:  # fmt: skip
    """Yield the runs of a system's netlist; their logs are ``files`` with a suffix."""
    with scratch(where=files.parent) as work:
        netlist = work / "soc.json"
        netlist.write_text(json.dumps({"creator": "ecsm", "modules": {TOP: module}}), "utf-8")
        for seed in range(1, seeds + 1):
            yield place_and_route(
                netlist, Options(), seed, mhz, limit_s, Path(f"{files}.{seed}.log"), label, log
            )


def _keep(found: SocPlace, root: Where) -> SocPlace:
    """Keep a system, or the one that is kept if it is the same and faster; return which."""
    kept = load_places(root)
    mine = (found.name, found.coupling)
    for old in kept:
        same = (old.origin.rtl, old.origin.tools) == (found.origin.rtl, found.origin.tools)
        if (old.name, old.coupling) == mine and same and old.mhz >= found.mhz:
            return old
    others = [r for r in kept if (r.name, r.coupling) != mine]
    systems = sorted([*others, found], key=lambda r: (r.name, r.coupling))
    write_json(place_path(root), asdict(SocPlaces(COMMAND, systems)))
    return found


def place_table(root: Where = RESULTS) -> str:
    """Return the systems that are placed and routed; those of older RTL say so."""
    rows: list[list[object]] = []
    for r in load_places(root):
        old = not is_current(r)
        size = [number(r.area[key]) for key in ("lut", "ff", "bram")]
        rows.append(
            [f"`{r.name}`", r.coupling.upper(), *size, f"{r.mhz:.1f}",
             "of an earlier commit" if old else ""]
        )  # fmt: skip
    head = ["accelerator", "coupling", "LUT4", "FF", "BRAM", "MHz", "state"]
    return markdown_table(head, rows, {2, 3, 4, 5})
