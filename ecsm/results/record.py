# SPDX-License-Identifier: Apache-2.0
"""Measured results: what a record contains, where it is kept, and how it is read and written.

``synth/PRESET.TARGET.json``, ``pnr/PRESET.json``, ``unrouted/PRESET.json`` and ``simulation.json``
in a folder of results (:mod:`ecsm.results.kept`); ``pnr/PRESET.DEVICE.json`` if the device is not
:data:`DEVICE`. A file is written aside and renamed into place,
so an interrupted write leaves the old one; a damaged one is refused with one line that names it.
"""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ecsm import files, resources
from ecsm.backend.netlist import area
from ecsm.results import kept
from ecsm.results.kept import RESULTS, AWhere, Where

DEVICE = "LFE5U-85F-8"
"""What cores are placed on if nothing else is asked for."""
DIGITS = 30  # no number of ours is longer
_FPGA = {"lut", "ff", "dsp", "bram"}
AREAS = {
    "ecp5": _FPGA, "xc7": _FPGA, "gowin": _FPGA, "ice40": {*_FPGA, "spram"},
    "cmos": {"transistors", "gates", "ff"},
}  # fmt: skip
"""What the area of a target is made of."""


class DamagedResult(ValueError):
    """A file of results is not what this module writes."""


@dataclass(frozen=True)
class Origin:
    """Where a result comes from.

    ``rtl`` is the digest of the design (:func:`ecsm.results.sources.sources`), ``commit`` the last
    commit (None outside a repository), ``dirty`` whether ecsm/ or rtl/ differed from it, and
    ``command`` what makes the result again. ``carried``: the digest of the design that was
    measured, if it was another text of the same circuit (:mod:`ecsm.backend.carry`).
    """

    command: str
    rtl: str
    commit: str | None
    dirty: bool
    tools: dict[str, str]
    carried: str = ""


@dataclass(frozen=True)
class Synth:
    """The bare core of a preset, synthesised for ``target``.

    ``cells`` counts every cell of the netlist by type; ``area`` sums them up: ``lut``, ``ff``,
    ``dsp``, ``bram`` (:data:`ecsm.backend.netlist.COUNTED`), or ``transistors`` and ``gates`` (of
    four transistors). ``levels``: LUTs (gates) on the longest path
    (:func:`ecsm.backend.netlist.levels`). ``seconds`` and ``peak_mb``: what synthesis took.
    """

    preset: str
    curve: str
    target: str
    cycles: int
    area: dict[str, int]
    levels: int
    cells: dict[str, int]
    script: list[str]
    seconds: float
    peak_mb: int
    origin: Origin


@dataclass(frozen=True)
class Hop:
    """A part of a critical path: ``kind`` of delay, its ns, the cell it ends in and where."""

    kind: str
    ns: float
    name: str
    x: int
    y: int


@dataclass(frozen=True)
class Attempt:
    """What nextpnr was asked for; ``mhz`` is None and ``failure`` says why if it did not do it."""

    options: str
    seed: int
    requested_mhz: float
    mhz: float | None
    failure: str
    seconds: float

    @property
    def key(self) -> tuple[str, int, float]:
        """What makes an attempt the same attempt."""
        return self.options, self.seed, self.requested_mhz

    @property
    def sound(self) -> bool:
        """Whether it has either a clock or a failure."""
        return bool(self.failure) if self.mhz is None else self.mhz > 0 and not self.failure


@dataclass(frozen=True)
class Run(Attempt):
    """One run of place and route; ``mhz`` is the routed clock.

    ``used``: cells of the device by kind, as nextpnr names them, those of the harness among them;
    None: not kept.
    """

    peak_mb: int
    path: list[Hop] = field(default_factory=list)
    used: dict[str, int] | None = None


@dataclass(frozen=True)
class Pnr:
    """All runs of place and route of one netlist (its key is ``netlist``) of a preset's core."""

    preset: str
    curve: str
    device: str
    cycles: int
    netlist: str
    mhz: float
    mhz_median: float
    us: float
    runs: list[Run]
    origin: Origin

    @property
    def best(self) -> Run:
        """The run with the highest clock."""
        return best(self.runs)


@dataclass(frozen=True)
class Unrouted:
    """Runs of place and route of one netlist of a preset's core, none of which routed."""

    preset: str
    device: str
    netlist: str
    runs: list[Run]
    origin: Origin

    @property
    def why(self) -> str:
        """What became of the runs, each end once."""
        return "; ".join(dict.fromkeys(r.failure for r in self.runs))


@dataclass(frozen=True)
class SimulatedRow:
    """What a simulated core did on the machine that measured, and what making it took there.

    The seconds are those of :func:`ecsm.measure.cost.measured`; None: not measured.
    """

    preset: str
    curve: str
    cycles: int
    simulated_kp_per_second: float
    simulated_cycles_per_second: int
    solve_seconds: float | None
    elaborate_seconds: float
    compile_seconds: float
    compile_cpu_seconds: float
    runtime_cpu_seconds: float
    rtl: str
    carried: str = ""


@dataclass(frozen=True)
class Provenance:
    """Of what and where something was measured that has many designs, each with its digest.

    ``commit`` and ``dirty`` as in :class:`Origin`; ``processor``: its kind, as it calls itself.
    """

    commit: str | None
    dirty: bool
    processor: str
    tools: dict[str, str]


@dataclass(frozen=True)
class Simulation:
    """What ``ecsm bench`` measured."""

    command: str
    provenance: Provenance
    results: list[SimulatedRow]


Record = TypeVar("Record")  # a data class of this module or of one like it


def best(runs: list[Run]) -> Run:
    """Return the routed run with the highest clock; ValueError if none routed."""
    return max((r for r in runs if r.mhz is not None), key=lambda r: r.mhz or 0.0)


def by_seed(runs: list[Run]) -> dict[int, float]:
    """Return the best clock of each seed that routed with the best run's options."""
    options = best(runs).options
    seeds: dict[int, float] = {}
    for r in runs:
        if r.options == options and r.mhz is not None:
            seeds[r.seed] = max(r.mhz, seeds.get(r.seed, 0.0))
    return seeds


def median_mhz(runs: list[Run]) -> float:
    """Return the median over the seeds, each at its best (:func:`by_seed`)."""
    return round(statistics.median(by_seed(runs).values()), 2)


def synth_path(preset: str, target: str, root: AWhere) -> AWhere:
    """Return where the areas of a preset are kept."""
    return root / "synth" / f"{preset}.{target}.json"


def _on(preset: str, device: str) -> str:
    return f"{preset}.json" if device == DEVICE else f"{preset}.{device}.json"


def pnr_path(preset: str, root: AWhere, device: str = DEVICE) -> AWhere:
    """Return where the clock of a preset on a device is kept."""
    return root / "pnr" / _on(preset, device)


def unrouted_path(preset: str, root: AWhere, device: str = DEVICE) -> AWhere:
    """Return where the runs of a preset that never routed are kept."""
    return root / "unrouted" / _on(preset, device)


def load_synth(preset: str, target: str, root: Where = RESULTS) -> Synth | None:
    """Return the kept areas of a preset, None if there are none.

    Raises :class:`DamagedResult`, for those of another preset or target too.
    """
    path = synth_path(preset, target, root)
    found = load(Synth, path)
    if found is not None:
        known = (found.preset, found.target, set(found.area))
        agree(path, known == (preset, target, AREAS[target]), "it is of another preset or target")
        agree(path, found.cycles > 0 and found.levels > 0, "no core has these cycles or levels")
        agree(path, found.area == area(target, found.cells), "its area is not that of its cells")
    return found


def load_pnr(preset: str, root: Where = RESULTS, device: str = DEVICE) -> Pnr | None:
    """Return the kept clock of a preset on a device, None if there is none.

    Raises :class:`DamagedResult`, for that of another preset too, and for a clock or a time that
    does not follow from the runs and the cycles.
    """
    path = pnr_path(preset, root, device)
    found = load(Pnr, path)
    if found is not None:
        agree(path, found.preset == preset, f"it is of {found.preset}")
        agree(path, found.device == device, f"it is of {found.device}")
        routed = [r.mhz for r in found.runs if r.mhz is not None]
        agree(path, found.mhz > 0 and found.mhz == max(routed, default=0.0), "mhz is no run's")
        agree(path, 0 < found.mhz_median <= found.mhz, "mhz_median is above mhz, or none")
        agree(path, found.cycles > 0, "no core has these cycles")
        agree(path, found.us == round(found.cycles / found.mhz, 3), "us is not cycles / mhz")
    return found


def load_unrouted(preset: str, root: Where = RESULTS, device: str = DEVICE) -> Unrouted | None:
    """Return the kept runs of a preset that never routed, None if there are none.

    Raises :class:`DamagedResult`, for those of another preset and for one that routed, too.
    """
    path = unrouted_path(preset, root, device)
    found = load(Unrouted, path)
    if found is not None:
        agree(path, found.preset == preset, f"it is of {found.preset}")
        agree(path, found.device == device, f"it is of {found.device}")
        agree(path, bool(found.runs), "it has no runs")
        agree(path, all(r.mhz is None and r.failure for r in found.runs), "a run routed")
    return found


def agree(path: Where, sound: bool, complaint: str) -> None:
    """Raise :class:`DamagedResult` with the complaint unless the file is sound."""
    if not sound:
        raise DamagedResult(f"{_shown(path)} is damaged: {complaint}")


def simulation_path(root: AWhere) -> AWhere:
    """Return where the speed of the simulated cores is kept."""
    return root / "simulation.json"


def save(path: Where, record: Synth | Pnr | Unrouted | Simulation) -> None:
    """Write a record; what was there before stays if this is interrupted."""
    write_json(path, asdict(record))


def load(kind: type[Record], path: Where) -> Record | None:
    """Return the record of a file, None if there is none; raises :class:`DamagedResult`."""
    data = read_json(path)
    if data is None:
        return None
    try:
        return decode(kind, data)
    except TypeError as error:
        raise DamagedResult(f"{_shown(path)} is damaged: {error}") from None


def write_json(path: Where, data: object) -> None:
    """Write JSON aside and rename it into place."""
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_text(path: Where, text: str) -> None:
    """Write a file, in a folder that is made if need be; see :func:`ecsm.files.replacing`."""
    kept.check(path)
    file = kept.written(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    files.replace(file, text.encode())


def read_json(path: Where) -> object:
    """Return the JSON of a file, None if there is no file; raises :class:`DamagedResult`."""
    try:
        found: object = json.loads(
            kept.read(path).read_text(encoding="utf-8"),
            parse_constant=_no_number, parse_float=_finite, parse_int=_whole,
        )  # fmt: skip
        if found is None:  # or it would be taken for no file
            raise ValueError("it has null in it, and no result")
        return found
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise DamagedResult(f"{_shown(path)} is damaged: {error}") from None


def _no_number(text: str) -> float:
    """Refuse what Python reads and JSON does not have: NaN and infinities."""
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    return float(text) if math.isfinite(float(text)) else _no_number(text)


def _whole(text: str) -> int:
    """Read an integer that a float can hold."""
    if len(text) > DIGITS:
        raise ValueError(f"a number of {len(text)} digits is none of ours")
    return int(text)


def _shown(path: Where) -> Path:
    file, project = kept.read(path), resources.checkout()
    return file.relative_to(project) if project and file.is_relative_to(project) else file


def decode(kind: type[Record], data: object) -> Record:
    """Return a record from JSON; TypeError names the field that is wrong."""
    found: Record = _decode(kind, data, kind.__name__.lower())
    return found


def _decode(kind: Any, data: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _decode_record(kind, data, where)
    if isinstance(kind, UnionType):
        if data is None and type(None) in get_args(kind):
            return None
        (kind,) = (k for k in get_args(kind) if k is not type(None))
        return _decode(kind, data, where)
    if get_origin(kind) is list and isinstance(data, list):
        (item,) = get_args(kind)
        return [_decode(item, d, f"{where}[{i}]") for i, d in enumerate(data)]
    if get_origin(kind) is dict and isinstance(data, dict):
        _, item = get_args(kind)
        return {str(k): _decode(item, d, f"{where}.{k}") for k, d in data.items()}
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise TypeError(f"{where} is {type(data).__name__}, not {getattr(kind, '__name__', kind)}")
    return data


def _decode_record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise TypeError(f"{where} is {type(data).__name__}, not an object")
    names = [f.name for f in fields(kind)]
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    missing, unknown = [n for n in needed if n not in data], [n for n in data if n not in names]
    if missing or unknown:
        wrong = [f"{n} is missing" for n in missing] + [f"{n} is unknown" for n in unknown]
        raise TypeError(f"{where}: {', '.join(wrong)}")
    hints = get_type_hints(kind)
    return kind(**{n: _decode(hints[n], data[n], f"{where}.{n}") for n in names if n in data})
