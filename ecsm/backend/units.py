# SPDX-License-Identifier: Apache-2.0
"""``ecsm units``: synthesise the hand-written units by themselves and keep their areas.

Results are ``units/UNIT.TARGET.json``; the log of the last synthesis of a unit is
``flow/units/UNIT.TARGET.log`` in the cache. A unit is synthesised alone, with all its ports. No
input is constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.synth import flow_dir, script, synthesise_module
from ecsm.backend.tool import Spent
from ecsm.curves import curve
from ecsm.curves.order import OrderUnit
from ecsm.hdl.units import UNITS, Unit
from ecsm.markdown import markdown_table, number
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import AREAS, Origin, agree, load, write_json
from ecsm.results.sources import digest_of, origin_of


@dataclass(frozen=True)
class UnitArea:
    """A unit, synthesised for ``target``: see :class:`ecsm.results.record.Synth`."""

    unit: str
    target: str
    area: dict[str, int]
    levels: int
    cells: dict[str, int]
    script: list[str]
    seconds: float
    peak_mb: int
    origin: Origin


def unit_path(unit: str, target: str, root: AWhere) -> AWhere:
    """Return where the area of a unit is kept."""
    return root / "units" / f"{unit}.{target}.json"


def load_unit(unit: str, target: str, root: Where = RESULTS) -> UnitArea | None:
    """Return the kept area of a unit, None if there is none.

    Raises :class:`ecsm.results.record.DamagedResult`, for that of another unit or target too.
    """
    path = unit_path(unit, target, root)
    found = load(UnitArea, path)
    if found is not None:
        known = (found.unit, found.target, set(found.area))
        agree(path, known == (unit, target, AREAS[target]), "it is of another unit or target")
        agree(path, found.area == area(target, found.cells), "its area is not that of its cells")
    return found


def unit_digest(unit: Unit) -> str:
    """Return the digest of a unit as it is now."""
    return digest_of(f"{unit.module} {dict(unit.parameters)}", unit.files)


def synthesise_unit(unit: Unit, target: str, log: Progress, root: Where) -> UnitArea:
    """Measure a unit on ``target`` and keep the result below ``root``.

    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails; earlier results then stay.
    """
    log(f"{unit.name}: synthesising for {target}")
    # Of what is read now, whatever is edited meanwhile.
    origin = origin_of(unit_digest(unit), f"ecsm units {unit.name} --target {target}", "yosys")
    module, spent = map_unit(unit, unit.files, target, log)
    found = cells(module)
    result = UnitArea(
        unit=unit.name,
        target=target,
        area=area(target, found),
        levels=levels(module),
        cells=found,
        script=unit_script(unit, target),
        seconds=spent.seconds,
        peak_mb=spent.peak_mb,
        origin=origin,
    )
    write_json(unit_path(unit.name, target, root), as_json(result))
    return result


def map_unit(
    unit: Unit, files: Iterable[Path], target: str, log: Progress
) -> tuple[dict[str, Any], Spent]:
    """Return a unit's mapped module, made of ``files``, and what it took. Raises FlowError."""
    read, *mapping = unit_script(unit, target)
    return synthesise_module(
        unit.name,
        unit.module,
        [f"{read} {' '.join(f.name for f in files)}", *mapping],
        files,
        flow_dir("units") / f"{unit.name}.{target}.log",
        log,
    )


def unit_script(unit: Unit, target: str) -> list[str]:
    """Return the Yosys commands that read a unit, its files left out, and map it."""
    values = " ".join(f"-G {name}={value}" for name, value in unit.parameters.items())
    # Yosys names a module with parameters for them.
    return [
        f"read_slang --top {unit.module} {values}",
        f"rename -top {unit.module}",
        *script(target, unit.module),
    ]


def as_json(result: UnitArea) -> dict[str, Any]:
    """Return a result as it is kept."""
    return {**vars(result), "origin": vars(result.origin)}


def unit_table(root: Where = RESULTS, units: Iterable[Unit] = UNITS.values()) -> str:
    """Return the table of the units' areas on ECP5; it marks those of earlier RTL."""
    rows = []
    for unit in units:
        r = load_unit(unit.name, "ecp5", root)
        if r is None:
            rows.append([f"`{unit.name}`", unit.describe(), "not measured", *[""] * 5])
            continue
        now = (unit_digest(unit), unit_script(unit, "ecp5"))
        old = "" if (r.origin.rtl, r.script) == now else "of an earlier commit"
        numbers = [number(r.area[kind]) for kind in ("lut", "ff", "dsp", "bram")]
        rows.append([f"`{unit.name}`", unit.describe(), *numbers, number(r.levels), old])
    head = ["unit", "module", "LUT4", "FF", "DSP", "block RAM", "levels", "state"]
    return markdown_table(head, rows, set(range(2, 7)))


ORDER_CURVES = (
    "sect163r2", "sect233r1", "sect283r1", "sect571r1", "P-256", "secp256k1", "P-384", "P-521",
)  # fmt: skip


def order_cycles(size: str) -> str:
    """Return the table of an order unit's cycles for some curves; ``size``: ``DIGITxWORD``.

    The string is one of the order's octets and 16 more.
    """
    digit, word = map(int, size.split("x"))
    rows = []
    for name in ORDER_CURVES:
        u, c = OrderUnit.of(curve(name), digit, word), curve(name)
        bits = 8 * ((c.n.bit_length() + 7) // 8 + 16)
        cycles = [
            u.add_cycles, u.mul_cycles, u.inv_cycles(0), u.inv_cycles(1), u.mod_cycles,
            u.check_cycles, u.reduce_cycles(bits), u.clear_cycles,
        ]  # fmt: skip
        rows.append([name, u.width, *map(number, cycles)])
    head = [
        "curve",
        "W",
        "a ± b",
        "a b",
        "1/a, order",
        "1/a, field",
        "a",
        "check",
        "string",
        "clear",
    ]
    return markdown_table(head, rows, set(range(1, len(head))))
