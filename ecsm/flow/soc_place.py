# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc place``: the whole system on chip, placed and routed for an LFE5U-85F.

CPU, memory, serial port, timer and one accelerator in one of its places; its pins are left to
nextpnr. Results are kept in ``bench/results/soc_place.json``; only a routed run changes them.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from ecsm.flow.markdown import markdown_table, number
from ecsm.flow.netlist import area, cells, levels
from ecsm.flow.nextpnr import DEVICE, Options, alone, place_and_route
from ecsm.flow.pnr import NothingRouted
from ecsm.flow.progress import Progress
from ecsm.flow.results import RESULTS, Origin, Run, load, write_json
from ecsm.flow.soc import mapped
from ecsm.flow.sources import digest_of, origin_of, tools
from ecsm.flow.synth import flow_dir
from ecsm.soc.emit import TOP, cpu_file, soc_files
from ecsm.soc.system import System, system

COMMAND = "ecsm soc place"
DEFAULT = (("core-b163-small", "tc"), ("schemes-b163-small", "lc"))
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


@dataclass(frozen=True)
class SocPlaces:
    """What ``ecsm soc place`` measured."""

    command: str
    systems: list[SocPlace]


def place_path(root: Path = RESULTS) -> Path:
    """Return where the results are kept."""
    return root / "soc_place.json"


def _digest(s: System) -> str:
    return digest_of(s.text, _files(s))


def _files(s: System) -> list[Path]:
    return [cpu_file(), *soc_files(s.text)]


def _system(name: str, coupling: str) -> System:
    return system(name, coupling, divisor=DIVISOR, alone=True)


def place_soc(
    name: str, coupling: str, mhz: float, seeds: int, limit_s: float, log: Progress
) -> SocPlace:
    """Synthesise, place and route a system; keep and return the best of ``seeds`` runs.

    ``mhz``: the clock that is asked for; ``limit_s``: time for one run. Raises
    :class:`NothingRouted`, :class:`ecsm.flow.tool.FlowError`, and what ``system`` does.
    """
    tools("nextpnr")  # refuse what is none before the work
    s = _system(name, coupling)
    label, files = f"soc with {name}, {coupling}", flow_dir("soc") / f"{name}.{coupling}"
    with alone(files, label, log):
        module, runs = _runs(s, label, files, mhz, seeds, limit_s, log)
    routed = [r for r in runs if r.mhz is not None]
    if not routed:
        why = "; ".join(dict.fromkeys(r.failure for r in runs))
        raise NothingRouted(f"{label}: {why}; earlier results are unchanged")
    found = SocPlace(
        name,
        coupling,
        DEVICE,
        area("ecp5", cells(module)),
        levels(module),
        max(routed, key=lambda r: r.mhz or 0.0),
        origin_of(_digest(s), COMMAND, "yosys", "nextpnr"),
    )
    with FileLock(flow_dir("soc") / "results.lock"):
        _keep(found)
    return found


def _runs(
    s: System, label: str, files: Path, mhz: float, seeds: int, limit_s: float, log: Progress
) -> tuple[dict[str, Any], list[Run]]:
    """Return the system's netlist and its runs; their logs are ``files`` with a suffix."""
    module, _ = mapped(label, TOP, s.text, _files(s), Path(f"{files}.synth.log"), log)
    with tempfile.TemporaryDirectory(dir=files.parent) as work:
        netlist = Path(work) / "soc.json"
        netlist.write_text(json.dumps({"creator": "ecsm", "modules": {TOP: module}}), "utf-8")
        return module, [
            place_and_route(
                netlist, Options(), seed, mhz, limit_s, Path(f"{files}.{seed}.log"), label, log
            )
            for seed in range(1, seeds + 1)
        ]


def _keep(found: SocPlace, root: Path = RESULTS) -> None:
    kept = load(SocPlaces, place_path(root)) or SocPlaces(COMMAND, [])
    others = [r for r in kept.systems if (r.name, r.coupling) != (found.name, found.coupling)]
    systems = sorted([*others, found], key=lambda r: (r.name, r.coupling))
    write_json(place_path(root), asdict(SocPlaces(COMMAND, systems)))


def place_table(root: Path = RESULTS) -> str:
    """Return the systems that are placed and routed; those of older RTL say so."""
    kept = load(SocPlaces, place_path(root)) or SocPlaces(COMMAND, [])
    rows: list[list[object]] = []
    for r in kept.systems:
        old = r.origin.rtl != _digest(_system(r.name, r.coupling))
        size = [number(r.area[key]) for key in ("lut", "ff", "bram")]
        rows.append(
            [f"`{r.name}`", r.coupling.upper(), *size, f"{r.run.mhz:.1f}",
             "of an earlier commit" if old else ""]
        )  # fmt: skip
    head = ["accelerator", "coupling", "LUT4", "FF", "BRAM", "MHz", "state"]
    return markdown_table(head, rows, {2, 3, 4, 5})
