# SPDX-License-Identifier: Apache-2.0
"""``ecsm energy``: how many nets toggle for one kP, module by module. Modelled, not measured.

The RTL is simulated without delays. Glitches, capacitance, clock tree, leakage and logic without a
name are not modelled. The figure compares designs and modules with each other; it is not in watts.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ecsm.cores.design import BinaryDesign
from ecsm.cores.store import binary_design
from ecsm.device.base import DeviceError
from ecsm.hdl.files import rtl_files
from ecsm.markdown import markdown_table, number
from ecsm.measure.tracing import TracingDevice
from ecsm.measure.vcd import Scope
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import Provenance, agree, load
from ecsm.results.sources import agree_preset, current_digest, row_name

DEFAULT = ("b163-fast", "b163-balanced", "b163-single", "b163-small")
PUBLISHED = "published: CityU ECSM IP core: 1.469 W, 32.3 us a kP (Virtex-4): 47 uJ a kP"
LABEL = (
    "modelled: zero-delay toggles of the RTL's named nets, clock excluded; no capacitance, no"
    " glitches, not watts"
)


@dataclass(frozen=True)
class Activity:
    """Toggles of one kP of a preset: mean over ``runs`` random jobs.

    ``modules``: mean by module that drives the nets. ``least`` and ``most`` are of the totals.
    ``rtl``: digest of the design.
    """

    preset: str
    curve: str
    cycles: int
    runs: int
    toggles: float
    least: int
    most: int
    modules: dict[str, float]
    rtl: str
    carried: str = ""

    @property
    def per_cycle(self) -> float:
        """Toggles a cycle."""
        return self.toggles / self.cycles


@dataclass(frozen=True)
class Energy:
    """What ``ecsm energy`` counted, with ``seed`` for the random jobs."""

    command: str
    what: str
    seed: int
    published: str
    provenance: Provenance
    results: list[Activity]


def energy_path(root: AWhere) -> AWhere:
    """Return where the toggles are kept."""
    return root / "energy.json"


@cache
def instances() -> dict[tuple[str, str], list[str]]:
    """Return the module of each instance of the hand-written RTL: by (module around it, name).

    Several where generate blocks choose between instances of one name.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in rtl_files():
        kind = ""
        for match in _INSTANCE.finditer(file.read_text(encoding="utf-8")):
            kind = match["kind"] or kind
            if match["name"]:
                found[file.stem, match["name"]].append(kind)
    return dict(found)


# `gf2m_form #(` and, after its parameters, `) u_form (`; or `gf2m_form u_form (`.
_INSTANCE = re.compile(r"^ +(?:(?P<kind>[a-z]\w*) (?:#\($|(?=u_))|\) )?(?P<name>u_\w+)?", re.M)


def module_of(scope: Scope, d: BinaryDesign) -> str:
    """Return the module that a scope lies in; raises :class:`DeviceError` for an unknown one."""
    top = d.preset.module
    module, block = top, ""
    table = {(top, "u_engine"): ["gf2m_engine"], **instances()}
    for name in scope[1:]:
        if not name.startswith("u_"):
            block = name.partition("[")[0].removeprefix("gen_")
            continue
        found = table.get((module, name), [])
        chosen = [m for m in found if m.endswith(f"_{block}")] or found
        if len(set(chosen)) != 1:
            raise DeviceError(f"{module} has no instance {name}, or several")
        module = chosen[0]
    return module


def measure(name: str, runs: int, seed: int, progress: Progress) -> Activity:
    """Count the toggles of ``runs`` random scalars times random points, the same for one seed."""
    d, rtl = binary_design(name), current_digest(name) or ""
    curve = d.preset.curve
    rng = random.Random(f"ecsm energy {seed} {name}")
    totals: list[int] = []
    modules: Counter[str] = Counter()
    progress(f"opening {name} with tracing")
    with TracingDevice(name, progress) as device:
        for i in range(runs):
            progress(f"counting toggles of {name} ({i + 1} of {runs})")
            point = curve.mul(rng.randrange(1, curve.n), curve.generator)
            found = device.toggles(rng.getrandbits(d.preset.m), point)
            totals.append(sum(found.values()))
            for scope, count in found.items():
                modules[module_of(scope, d)] += count
    return Activity(
        name, curve.name, d.microcode.cycles, runs, statistics.mean(totals), min(totals),
        max(totals), {m: n / runs for m, n in modules.most_common()}, rtl,
    )  # fmt: skip


def record(rows: Sequence[Activity], runs: int, seed: int, where: Provenance) -> Energy:
    """Return the rows as they are kept and printed as JSON, and the command that repeats them."""
    command = f"ecsm energy --runs {runs} --seed {seed}"
    return Energy(command, LABEL, seed, PUBLISHED, where, list(rows))


def energy_table(root: Where = RESULTS) -> str:
    """Return what was last counted: toggles of one kP and the modules that have most."""
    kept = load(Energy, energy_path(root))
    if kept is None or not kept.results:
        return "Not measured."
    rows = []
    base = kept.results[0].toggles
    for r in kept.results:
        agree_preset(energy_path(root), r.preset)
        agree(energy_path(root), base > 0 and r.toggles > 0, f"{r.preset} toggles nothing")
        share = (f"`{m}` {100 * n / r.toggles:.0f} %" for m, n in list(r.modules.items())[:3])
        spread, ratio = f"{number(r.least)} to {number(r.most)}", f"{r.toggles / base:.2f}"
        name = row_name(r.preset, r.rtl, r.carried)
        rows.append([name, number(round(r.toggles)), spread, ratio, ", ".join(share)])
    head = ["preset", "toggles a kP (modelled)", "spread", "relative", "most of them in"]
    return markdown_table(head, rows, {1, 2, 3})


def show(row: Activity, first: Activity) -> None:
    """Print a row, module by module, beside the first one."""
    print(
        f"{row.preset} ({row.curve}), {row.cycles:,} cycles: {row.toggles:,.0f} toggles a kP"
        f" (modelled), {row.per_cycle:,.0f} a cycle;"
    )
    print(
        f"  {row.runs} random jobs, from {row.least:,} to {row.most:,};"
        f" {row.toggles / first.toggles:.3g} times {first.preset}"
    )
    for module, count in row.modules.items():
        print(f"  {module:24}{count:>14,.0f}{100 * count / row.toggles:>8.1f}%")
    sys.stdout.flush()
