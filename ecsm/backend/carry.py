# SPDX-License-Identifier: Apache-2.0
"""Carry results over to a design that is another text and the same circuit.

``python -m ecsm.backend.carry FOLDER...``: each folder was written by ``ecsm build PRESET`` of an
earlier version, of a core or of a word engine. If its netlist is that of the preset now
(:mod:`ecsm.backend.same_netlist`), every kept result of the folder's design becomes one of the
design now: its digest is replaced, and ``carried`` keeps the digest of what was measured. The exit
code is 1 if a circuit differs; its results stay as they are. It is 2 for a folder that is no such
package, results that cannot be read, or a tool that fails; folders before are then carried, and of
this one no result is.

The digests of netlists stay in the cache, so an interrupted command continues.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ecsm.backend import same_netlist
from ecsm.backend.nextpnr import target_of
from ecsm.backend.same_netlist import NotComparable
from ecsm.backend.synth import farm_sources, harness_key
from ecsm.backend.tool import FlowError
from ecsm.device.base import DeviceError
from ecsm.hdl.farm import MOST_ENGINES, no_farm
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, agree, read_json, write_json
from ecsm.results.sources import Sources, digest_of, sources_of, tables_digest, tools
from ecsm.sim.cache import entry


class NoPackage(ValueError):
    """A folder is no package of a core or of a word engine."""


FAILURES = (NoPackage, NotComparable, DamagedResult, DeviceError, FlowError, OSError)
"""After these it is not known whether a circuit differs, or nothing of it is carried."""


def main(arguments: Sequence[str]) -> int:
    """Carry the results of each folder; return 1 if one is of another circuit."""
    parser = argparse.ArgumentParser(prog="python -m ecsm.backend.carry", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are kept")
    args = parser.parse_args(arguments)
    if not args.results.is_dir():
        parser.error(f"{args.results}: no folder of results")
    differ = 0
    with Progress() as tell:
        for folder in args.folders:
            try:
                name, carried = carry(folder, args.results, tell)
            except FAILURES as error:
                print(f"carry: {error}", file=sys.stderr)
                return 2
            differ += carried is None
            print(f"{name}: " + ("another circuit" if carried is None else f"{carried} carried"))
    return int(differ > 0)


def carry(folder: Path, results: Path, tell: Progress) -> tuple[str, int | None]:
    """Return the preset of a package and how many results of it were carried, None: another."""
    try:
        files = [folder / f for f in (folder / same_netlist.LISTED).read_text("utf-8").split()]
        name = _preset(folder, files[-1].stem)
        old = digest_of(files[-1].read_text(encoding="utf-8"), files[:-1])
        now = sources_of(name)
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise NoPackage(f"{folder} is no package of a core or a word engine: {why}") from None
    if old == now.digest:
        return name, 0
    tell(f"{name}: comparing netlists")
    try:
        before = netlist_digest(old, partial(same_netlist.netlist_of, folder))
    except FlowError as error:
        raise NoPackage(f"{folder} has RTL that Yosys does not read: {error}") from None
    if before != netlist_digest(now.digest, partial(same_netlist.netlist_of_design, now)):
        return name, None
    pairs = [(old, now.digest, now), *_loaded(name, old, now), *_farms(name, results, files, now)]
    new = {before: (digest, of) for before, digest, of in pairs}
    return name, _carry_all(results, new)


def _carry_all(results: Path, new: Mapping[str, tuple[str, Sources]]) -> int:
    """Carry the results of a folder; return how many. All are read before one is written."""
    files = {file: read_json(file) for file in sorted(results.rglob("*.json")) if file.is_file()}
    counts = {file: _carried(file, data, new) for file, data in files.items()}
    for file in filter(counts.get, files):
        write_json(file, files[file])
    return sum(counts.values())


def _loaded(name: str, old: str, now: Sources) -> Iterator[tuple[str, str, Sources]]:
    """Yield the digests that a word engine has with each of the tables that it is loaded with."""
    for p in WORD_PRESETS.values():
        if p.netlist == name:
            yield tables_digest(p, old), tables_digest(p, now.digest), now


def _preset(folder: Path, top: str) -> str:
    """Return the preset of a package; of a word engine, whose top is all that names it."""
    parameters = folder / "parameters.json"
    if parameters.exists():
        return str(json.loads(parameters.read_text(encoding="utf-8"))["preset"])
    (name,) = (
        p.name for p in WORD_PRESETS.values() if p.module == top and p.netlist_name == p.name
    )
    return name


def _farms(
    name: str, results: Path, files: Sequence[Path], now: Sources
) -> Iterator[tuple[str, str, Sources]]:
    """Yield the digest that each kept farm of the cores had, and the farm now.

    What is around the cores is the same text; the cores in it are equal circuits.
    """
    if no_farm(now.preset):
        return
    for kept in results.glob(f"synth/{name}-farm*.json"):
        count = re.fullmatch("[1-9][0-9]?", kept.name.partition("-farm")[2].partition(".")[0])
        if not count or not 1 < int(count[0]) <= MOST_ENGINES:
            continue  # nothing that ecsm synth has kept
        farm = farm_sources(now, int(count[0]))
        around = [f for f in farm.files if f not in now.files]
        text = files[-1].read_text(encoding="utf-8") + farm.text
        yield digest_of(text, [*files[:-1], *around]), farm.digest, farm


def netlist_digest(design_digest: str, netlist: Callable[[], same_netlist.Json]) -> str:
    """Return the digest of the netlist of a design, from the cache if it is there."""
    key = hashlib.sha256(
        json.dumps([design_digest, same_netlist.FLAT, tools("yosys")["yosys"]]).encode()
    ).hexdigest()[:16]

    def make(work: Path, done: Path) -> None:
        (done / "digest").write_text(same_netlist.digest(netlist()), encoding="utf-8")

    return (entry(f"flow/netlists/{key}", make) / "digest").read_text(encoding="utf-8")


def _carried(file: Path, data: object, new: Mapping[str, tuple[str, Sources]]) -> int:
    """Let the results in a file's data be of the new digests; return how many.

    Raises DamagedResult for a clock whose device is none.
    """
    found = [d for d in _objects(data) if isinstance(old := d.get("rtl"), str) and old in new]
    for d in found:
        old = d["rtl"]
        digest, now = new[old]
        d |= {"rtl": digest, "carried": d.get("carried") or old}
        if file.parent.name in ("pnr", "unrouted") and isinstance(data, dict):
            device = data.get("device")
            agree(file, isinstance(device, str), "it is of no device")
            data["netlist"] = harness_key(now, target_of(str(device)))
    return len(found)


def _objects(data: object) -> list[dict[str, Any]]:
    """Return every object in JSON."""
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [*([data] if isinstance(data, dict) else []), *(o for v in inner for o in _objects(v))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
