# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth --attach``: a core or a word engine behind what ``ecsm build --attach`` makes.

Engine and attachment are synthesised together, as one module. Results are kept beside those of the
bare core, as ``synth/PRESET-ATTACHMENT.TARGET.json``. The log of the last synthesis is
``flow/PRESET/ATTACHMENT-TARGET.log`` in the cache.
"""

from __future__ import annotations

from functools import cache

from ecsm.backend.netlist import area, cells, levels
from ecsm.backend.synth import TEXT, changes, core_script, flow_dir, recipe, synthesise_module
from ecsm.hdl.build import Build
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.machines import preset_of, subject
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Synth, load_synth, save, synth_path
from ecsm.results.sources import Sources, digest_of, origin, sources_of


def attached_name(name: str, attach: str) -> str:
    """Return the name under which the result is kept."""
    return f"{name}-{attach}"


@cache
def attached_sources(name: str, attach: str) -> tuple[str, Sources]:
    """Return the top's name, and what it is made from; a document asks for it several times.

    Raises ValueError for an attachment that the preset cannot have, and UnknownPreset.
    """
    of = subject(name)
    modules = Build(of, attach=attach).modules()
    text = "\n".join(modules.values())
    files = tuple(needed(text, rtl_files()))
    return list(modules)[-1], Sources(of, text, files, digest_of(text, files))


def synthesise_attached(
    name: str, attach: str, target: str, log: Progress, root: Where
) -> Synth:  # fmt: skip
    """Measure a preset behind an attachment on ``target`` and keep the result below ``root``.

    ``cycles`` are the bare engine's. Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails;
    earlier results then stay. Raises as :func:`attached_sources`.
    """
    top, s = attached_sources(name, attach)
    kept = attached_name(name, attach)
    where = origin(s, f"ecsm synth {name} --target {target} --attach {attach}", "yosys")
    names = " ".join(f.name for f in s.files)
    read = f"read_slang --top {top} {names} {TEXT}"
    log(f"{kept}: synthesising for {target}")
    module, spent = synthesise_module(
        kept, top, [read, *core_script(s, target, top)], s.files,
        flow_dir(name) / f"{attach}-{target}.log", log, s.text,
    )  # fmt: skip
    for change in changes(s, target).values():
        change(module)
    found = cells(module)
    result = Synth(
        preset=kept,
        curve=preset_of(s.design).curve.name,
        target=target,
        cycles=sources_of(name).cycles,
        area=area(target, found),
        levels=levels(module),
        cells=found,
        script=recipe(s, target, top),
        seconds=spent.seconds,
        peak_mb=spent.peak_mb,
        origin=where,
    )
    save(synth_path(kept, target, root), result)
    return result


def load_attached(
    name: str, attach: str, target: str, root: Where = RESULTS
) -> tuple[Synth | None, bool]:
    """Return the kept areas, None if there are none, and whether they are of today's RTL.

    Raises :class:`ecsm.results.record.DamagedResult`.
    """
    found = load_synth(attached_name(name, attach), target, root)
    if found is None:
        return None, False
    top, s = attached_sources(name, attach)
    return found, (found.origin.rtl, found.script) == (s.digest, recipe(s, target, top))
