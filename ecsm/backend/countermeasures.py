# SPDX-License-Identifier: Apache-2.0
"""``--countermeasures`` of ``ecsm synth`` and ``ecsm units``: what each one costs on an ECP5.

A core, or a scheme machine without its core, is synthesised as it is, and once more without each of
its countermeasures (:data:`ecsm.hdl.countermeasures.REMOVALS`); the difference is the cost. Results
are ``countermeasures/NAME.json``. Netlists of cores are in the cache, so an interrupted run
continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ecsm.backend.netlist import area, cells, read_module
from ecsm.backend.synth import netlist
from ecsm.backend.units import map_unit, unit_digest
from ecsm.hdl.countermeasures import REMOVALS, without
from ecsm.hdl.units import Unit
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where, check
from ecsm.results.record import AREAS, Origin, agree, load, write_json
from ecsm.results.sources import digest_of, origin, origin_of, sources_of
from ecsm.signals import scratch

TARGET = "ecp5"


@dataclass(frozen=True)
class Costs:
    """The area of a preset's core, or a unit's, and by identifier without each countermeasure."""

    name: str
    area: dict[str, int]
    without: dict[str, dict[str, int]]
    origin: Origin

    def cost(self, countermeasure: str, kind: str) -> int:
        """Return how many cells of a kind, ``lut`` or ``ff``, a countermeasure takes."""
        return self.area[kind] - self.without[countermeasure][kind]


def costs_path(name: str, root: AWhere) -> AWhere:
    """Return where the costs in a preset or a unit are kept."""
    return root / "countermeasures" / f"{name}.json"


def load_costs(name: str, root: Where = RESULTS) -> Costs | None:
    """Return the kept costs in a preset or a unit, None if there are none. Raises DamagedResult."""
    path = costs_path(name, root)
    found = load(Costs, path)
    if found is not None:
        agree(path, found.name == name, "it is of another preset")
        areas = [found.area, *found.without.values()]
        agree(path, all(set(a) == AREAS[TARGET] for a in areas), "it is of another target")
        agree(path, set(found.without) <= set(REMOVALS), "it has unknown countermeasures")
    return found


def in_core(p: AnyPreset | WordPreset) -> list[str]:
    """Return the countermeasures that a preset's core has, by their identifiers."""
    return [] if isinstance(p, WordPreset) else [*p.countermeasures]


MACHINE = ("SCALAR.PARTS",)


def core_refusal(name: str) -> str:
    """Return why the countermeasures of a preset cannot be measured; "" if they can."""
    p = any_preset(name)
    if isinstance(p, WordPreset):
        return f"{name} is a word engine, whose countermeasures cannot be taken out"
    return "" if in_core(p) else f"{name} has no countermeasures (docs/security/ladders.md)"


def unit_refusal(unit: Unit) -> str:
    """Return why the countermeasures of a unit cannot be measured; "" if they can."""
    if unit.parameters.get("Masked") == "1'b1":
        return ""
    return f"{unit.name} has no countermeasures that can be taken out (docs/security/ladders.md)"


def measure_core(name: str, log: Progress, root: Where) -> Costs:
    """Measure what each countermeasure of a preset's core costs; keep that below ``root``.

    Raises ValueError for a preset that has none, FlowError if Yosys fails.
    """
    if why := core_refusal(name):
        raise ValueError(why)
    s = sources_of(name)
    found = in_core(s.preset)

    def area_of(files: tuple[Path, ...]) -> dict[str, int]:
        made = netlist(replace(s, files=files, digest=digest_of(s.text, files)), TARGET, log)
        return area(TARGET, cells(read_module(made.json)))

    where = origin(s, f"ecsm synth {name} --countermeasures", "yosys")
    return _measure(name, found, s.files, area_of, where, log, root)


def measure_unit(unit: Unit, log: Progress, root: Where) -> Costs:
    """Measure what the countermeasures of a scheme machine cost, as :func:`measure_core` does."""
    if why := unit_refusal(unit):
        raise ValueError(why)

    def area_of(files: tuple[Path, ...]) -> dict[str, int]:
        return area(TARGET, cells(map_unit(unit, files, TARGET, log)[0]))

    where = origin_of(unit_digest(unit), f"ecsm units {unit.name} --countermeasures", "yosys")
    return _measure(unit.name, MACHINE, unit.files, area_of, where, log, root)


def _measure(
    name: str, found: Sequence[str], files: Sequence[Path],
    area_of: Callable[[tuple[Path, ...]], dict[str, int]], where: Origin, log: Progress,
    root: Where,
) -> Costs:  # fmt: skip
    check(costs_path(name, root))
    areas: dict[str, dict[str, int]] = {}
    for n, each in enumerate(found):
        log(f"{name}: without {each}, {n + 1} of {len(found)}")
        with scratch() as work:
            areas[each] = area_of(tuple(without(each, files, work)))
    result = Costs(name, area_of(tuple(files)), areas, where)
    write_json(costs_path(name, root), asdict(result))
    return result
