# SPDX-License-Identifier: Apache-2.0
"""``ecsm synth``: synthesise the bare core of a preset with Yosys and keep netlist and areas.

The cache keeps each netlist under the digest of its sources, so place and route and the simulation
of netlists do not make it again. The full log of the last synthesis is ``flow/PRESET/TARGET.log``
in the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ecsm.backend import dsp_registers, memory_registers, register_copies, tool
from ecsm.backend.netlist import area, cells, levels, read_module
from ecsm.backend.register_copies import MOST_OF_LUT
from ecsm.cores.store import check
from ecsm.hdl.engines.module import port_text
from ecsm.hdl.farm import emit_modules, no_farm, top_name
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.harness import harness, harness_name, schemes_port_text
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.results.kept import Where
from ecsm.results.record import Synth, save, synth_path
from ecsm.results.sources import Sources, digest_of, origin, sources_of, tools
from ecsm.signals import scratch
from ecsm.sim.cache import cache_dir, entry

# -nowidelut: with PFUMX and L6MUX21, abc9 maps XORs into LUT5 and LUT6 and the area grows by half.
# A bare core has no pads and no clock buffer.
FLAGS = {
    "ecp5": "-nowidelut",
    "ice40": "-device u -dsp -spram",
    "gowin": "-family gw2a",
    "xc7": "-family xc7 -flatten -noiopad -noclkbuf",
    "cmos": "-flatten -noabc",
}
TARGETS = tuple(FLAGS)
CORE, HARNESS = ("core.json", "core.v"), ("harness.json", "harness.v")
COST = "cost.json"
ALONE, TEXT = "module.json", "generated.sv"
SUM_TREE = Path(__file__).with_name("sum_tree.v")


@dataclass(frozen=True)
class Netlist:
    """A netlist in the cache, one module of mapped cells: as Yosys JSON and as Verilog.

    ``cost`` is what it took to make, once.
    """

    key: str
    json: Path
    verilog: Path
    cost: tool.Spent


def flow_dir(preset: str) -> Path:
    """Return the folder of the cache for netlists and logs of a preset."""
    return cache_dir() / "flow" / preset


def script(target: str, top: str, sums: bool = False, pads: bool = False) -> list[str]:
    """Return the Yosys commands that map the module ``top``, once it is read.

    ``sums``: it has sums of many numbers. On ECP5 they become trees of carry chains: a bit costs
    one LUT, and two in the compressors that Yosys makes. The file of the tree must then be in the
    folder (:func:`tree_name`). ``pads``: on Gowin, its ports are pins, and get cells for them.
    """
    flags = FLAGS[target] + " -noiopads" * (target == "gowin" and not pads)
    if target == "xc7":
        return [f"synth_xilinx -top {top} {flags}", "check -noinit -assert"]
    if target == "cmos":
        return [
            f"synth -top {top} {flags}",
            "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN?_ x",  # enables become multiplexers
            "opt -nodffe -nosdff",
            "abc -g cmos",
            "opt_clean",
            "check -assert",
        ]
    synth = f"synth_{target} -top {top} {flags}"
    to_gates = [f"{synth} -run :map_ffs"]
    if sums and target == "ecp5":
        to_gates = [
            f"{synth} -run :map_ram",
            f"techmap -map {tree_name()} t:$macc_v2 r:NPRODUCTS=0 %i",
            "maccmap -unmap",  # what has products
            f"{synth} -run map_ram:map_ffs",
        ]
    return [
        *to_gates,
        "rename -wire t:$_*DFF*",  # flip-flops are named for their registers: paths can be read
        f"{synth} -run map_ffs:check",
        "blackbox =A:whitebox",
        "check -noinit -assert",
    ]


def tree_name() -> str:
    """Return the name of the file that maps sums, which tells its text."""
    digest = hashlib.sha256(SUM_TREE.read_bytes()).hexdigest()[:8]
    return f"{SUM_TREE.stem}-{digest}{SUM_TREE.suffix}"


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join((*parts, tools("yosys")["yosys"])).encode()).hexdigest()[:16]


def _read(s: Sources, top: str, texts: dict[str, str], work: Path, extra: str = "") -> str:
    """Lay out the files in ``work``, where Yosys runs: no path is ever in a log or a netlist."""
    for file in s.files:
        shutil.copyfile(file, work / file.name)
    for module, text in texts.items():
        (work / f"{module}.sv").write_text(text, encoding="utf-8")
    names = [*(f.name for f in s.files), *(f"{module}.sv" for module in texts)]
    return f"read_slang --top {top} {extra}{' '.join(names)}"


def _read_around(s: Sources, top: str, text: str, work: Path) -> str:
    """Lay out and read what is around a core. A black box has no parameters: it is ports alone."""
    module, p = s.preset.module, s.preset
    ports = schemes_port_text(p) if isinstance(p, WordPreset) else port_text(p)
    texts = {module: ports, top: text}
    return _read(s, top, texts, work, f"--blackboxed-module {module} ")


def _write(top: str, names: tuple[str, str]) -> list[str]:
    """Write the module ``top`` alone, as JSON and as Verilog."""
    json_name, verilog_name = names
    return [
        f"select -module {top}",
        f"write_json -selected -noscopeinfo {json_name}",
        f"write_verilog -selected -noattr {verilog_name}",
    ]


# Down to the passes of ABC9, which takes the longest.
PASS = re.compile(r"(?:\d+\.){1,4} Executing ([^\s.]+)")


class Passes:
    """Tell of the passes of a Yosys run, of the design ``name``."""

    def __init__(self, name: str, log: Progress) -> None:
        self._name, self._log, self._last = name, log, ""

    def __call__(self, line: str) -> None:
        """Take one line of the log."""
        if (found := PASS.match(line)) and found[1].lower() != self._last:
            self._last = found[1].lower()
            self._log.often(f"{self._name}: {self._last}")


def _yosys(
    name: str, commands: list[str], work: Path, done: Path, made: tuple[str, ...], log: Progress
) -> None:
    """Run Yosys in ``work`` for "PRESET WHAT"; move what it ``made`` to ``done``."""
    preset, _, what = name.partition(" ")
    file = flow_dir(preset) / f"{what}.log"
    shutil.copyfile(SUM_TREE, work / tree_name())
    spent = tool.run(tool.YOSYS, commands, work, file, Passes(name, log), silent=log.again)
    for made_file in made:
        whole(work / made_file, file)
        (work / made_file).rename(done / made_file)
    (done / COST).write_text(json.dumps(asdict(spent)), encoding="utf-8")


def whole(netlist: Path, log: Path) -> None:
    """Raise :class:`ecsm.backend.tool.FlowError` if a netlist is not there to its end.

    Yosys looks at no error of a write, as on a disk that is full for a while.
    """
    end = b"}" if netlist.suffix == ".json" else b"endmodule"
    try:
        with netlist.open("rb") as file:
            file.seek(-min(64, netlist.stat().st_size), os.SEEK_END)
            sound = file.read().rstrip().endswith(end)
    except OSError:
        sound = False
    if not sound:
        raise tool.FlowError(f"Yosys wrote {netlist.name} in part: is the disk full? (log: {log})")


def _netlist(key: str, folder: Path, names: tuple[str, str]) -> Netlist:
    cost = json.loads((folder / COST).read_text(encoding="utf-8"))
    return Netlist(key, folder / names[0], folder / names[1], tool.Spent(**cost))


def _multiplies_in_dsp(s: Sources) -> bool:
    return isinstance(s.preset, WordPreset) or s.preset.multiplier_in == "dsp"


def core_script(s: Sources, target: str, top: str = "") -> list[str]:
    """Return the Yosys commands that map a design's bare core, or ``top`` around it.

    A core over GF(p) has sums of many numbers. If products are made in look-up tables, these sums
    are the products. Then chains would be twice as deep as compressors and save an eighth of the
    area.
    """
    return script(target, top or s.preset.module, _multiplies_in_dsp(s))


def recipe(s: Sources, target: str, top: str = "") -> list[str]:
    """Return what makes a design's netlist for ``target``: commands of Yosys, and what is after."""
    return [*core_script(s, target, top), *changes(s, target)]


def changes(s: Sources, target: str) -> Mapping[str, Change]:
    """Return what is done to a netlist when Yosys has mapped it."""
    if target != "ecp5":
        return {}
    if isinstance(s.preset, WordPreset):
        return _AFTER_WORDS
    if _multiplies_in_dsp(s):
        return _AFTER_DSP
    return _AFTER_SEGMENTED if s.preset.multiplier_kind == "segmented" else {}


Change = Callable[[dict[str, Any]], int]
"""Changes a mapped module in place and returns how often it did."""

_AFTER_DSP: Mapping[str, Change] = {
    f"dsp_registers.pack, version {dsp_registers.VERSION}": dsp_registers.pack,
    f"register_copies.spread, version {register_copies.VERSION}": register_copies.spread,
}
_AFTER_WORDS: Mapping[str, Change] = {
    f"dsp_registers.pack, version {dsp_registers.VERSION}": dsp_registers.pack,
    f"memory_registers.pack, version {memory_registers.VERSION}": memory_registers.pack,
}
_AFTER_SEGMENTED: Mapping[str, Change] = {
    f"register_copies.spread of LUT4, {MOST_OF_LUT} readers, version {register_copies.VERSION}": (
        partial(register_copies.spread, most=MOST_OF_LUT, kind="LUT4")
    ),
}
_AGAIN = [f"read_json {CORE[0]}", f"write_verilog -noattr {CORE[1]}"]


def core_key(s: Sources, target: str) -> str:
    """Return what a design's netlist for ``target`` is known by in the cache."""
    key = _key(s.digest, *core_script(s, target), *_write(s.preset.module, CORE))
    after = changes(s, target)
    return _key(key, *after, *_AGAIN) if after else key


def netlist(s: Sources, target: str, log: Progress) -> Netlist:
    """Return the netlist of a design's bare core for ``target``, from the cache or made anew.

    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails.
    """
    found = _mapped(s, target, log)
    after = changes(s, target)
    if not after:
        return found
    name, top = s.preset.name, s.preset.module
    key = core_key(s, target)

    def make(work: Path, done: Path) -> None:
        data = json.loads(found.json.read_text(encoding="utf-8"))
        for change in after.values():
            change(data["modules"][top])
        (work / CORE[0]).write_text(json.dumps(data), encoding="utf-8")
        _yosys(f"{name} registers", _AGAIN, work, done, CORE, log)
        (done / COST).write_text(json.dumps(asdict(found.cost)), encoding="utf-8")

    return _netlist(key, entry(f"flow/{name}/{target}-{key}", make), CORE)


def _mapped(s: Sources, target: str, log: Progress) -> Netlist:
    """Return the netlist as Yosys makes it."""
    p, top = s.preset, s.preset.module
    commands = [*core_script(s, target), *_write(top, CORE)]
    key = _key(s.digest, *commands)

    def make(work: Path, done: Path) -> None:
        if not isinstance(s.design, WordPreset):
            check(s.design)
        log(f"{p.name}: synthesising for {target}")
        read = _read(s, top, {top: s.text}, work)
        _yosys(f"{p.name} {target}", [read, *commands], work, done, CORE, log)

    return _netlist(key, entry(f"flow/{p.name}/{target}-{key}", make), CORE)


def _harness_script(s: Sources, target: str) -> list[str]:
    top = harness_name(s.preset)
    return [
        *script(target, top, pads=True),
        f"delete ={s.preset.module}",
        f"read_json {CORE[0]}",
        f"hierarchy -check -top {top}",
        "flatten",
        "opt_clean -purge",
        "check -noinit -assert",
        *_write(top, HARNESS),
    ]


def harness_key(s: Sources, target: str = "ecp5") -> str:
    """Return what the netlist that is placed and routed is known by."""
    return _key(core_key(s, target), harness(s.preset), *_harness_script(s, target))


def harness_netlist(s: Sources, log: Progress, target: str = "ecp5") -> Netlist:
    """Return the netlist of the harness with the core's netlist in it, unchanged."""
    bare = netlist(s, target, log)
    p, top, text = s.preset, harness_name(s.preset), harness(s.preset)
    key, commands = harness_key(s, target), _harness_script(s, target)

    def make(work: Path, done: Path) -> None:
        log(f"{p.name}: synthesising the harness")
        shutil.copyfile(bare.json, work / CORE[0])
        read = _read_around(s, top, text, work)
        _yosys(f"{p.name} harness", [read, *commands], work, done, HARNESS, log)

    return _netlist(key, entry(f"flow/{p.name}/harness-{key}", make), HARNESS)


def synthesise_module(
    name: str, top: str, commands: list[str], files: Iterable[Path], log_file: Path, log: Progress,
    text: str = "", beside: Mapping[str, bytes] | None = None,
) -> tuple[dict[str, Any], tool.Spent]:  # fmt: skip
    """Run ``commands`` on copies of ``files``; return the mapped module ``top`` and what it took.

    ``text``, if there is some, is the file :data:`TEXT` beside them; ``beside``: octets of
    other files, by the name they have there. Nothing is kept but the log.
    Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails.
    """
    write = [f"select -module {top}", f"write_json -selected -noscopeinfo {ALONE}"]
    with scratch() as work:
        for file in files:
            shutil.copyfile(file, work / file.name)
        for beside_name, octets in (beside or {}).items():
            (work / beside_name).write_bytes(octets)
        if text:
            (work / TEXT).write_text(text, encoding="utf-8")
        shutil.copyfile(SUM_TREE, work / tree_name())
        spent = tool.run(
            tool.YOSYS, [*commands, *write], work, log_file, Passes(name, log), silent=log.again
        )
        whole(work / ALONE, log_file)
        modules = json.loads((work / ALONE).read_text(encoding="utf-8"))["modules"]
    (module,) = modules.values()
    return module, spent


def farm_name(name: str, engines: int) -> str:
    """Return the name under which a farm's result is kept."""
    return name if engines == 1 else f"{name}-farm{engines}"


def farm_sources(s: Sources, engines: int) -> Sources:
    """Return what a farm of a design's cores is made from. Raises ValueError for what is none."""
    if isinstance(s.design, WordPreset):
        raise ValueError(no_farm(s.design))
    top = emit_modules(s.design, engines)[top_name(s.design.preset, engines)]
    files = tuple(needed(s.text + top, rtl_files()))
    return Sources(s.design, top, files, digest_of(s.text + top, files))


def farm_netlist(s: Sources, engines: int, target: str, log: Progress) -> Netlist:
    """Return the netlist of a farm without its cores; the ports of the cores are ports of it."""
    p, farm = s.preset, farm_sources(s, engines)
    top = f"{p.module}_farm{engines}"
    outside = [f"hierarchy -check -top {top}", "proc", "flatten", "expose -evert"]
    commands = [*outside, *script(target, top), *_write(top, CORE)]
    key = _key(farm.digest, *commands)

    def make(work: Path, done: Path) -> None:
        log(f"{p.name}: synthesising the farm around {engines} cores for {target}")
        read = _read_around(farm, top, farm.text, work)
        name = f"{p.name} farm{engines}-{target}"
        _yosys(name, [read, *commands], work, done, CORE, log)

    return _netlist(key, entry(f"flow/{p.name}/farm{engines}-{target}-{key}", make), CORE)


def synthesise(name: str, target: str, log: Progress, root: Where, engines: int = 1) -> Synth:
    """Measure the bare core of preset ``name`` on ``target`` and keep the result below ``root``.

    ``engines``: more than one make a farm, whose core is synthesised once and counted ``engines``
    times. Raises :class:`ecsm.backend.tool.FlowError` if Yosys fails; earlier results then
    stay.
    """
    s = sources_of(name)
    measured = s if engines == 1 else farm_sources(s, engines)
    several = f" --engines {engines}" if engines > 1 else ""
    where = origin(measured, f"ecsm synth {name} --target {target}{several}", "yosys")
    made = netlist(s, target, log)
    module = read_module(made.json)
    found, depth = cells(module), levels(module)
    if engines > 1:
        around = read_module(farm_netlist(s, engines, target, log).json)
        outside = cells(around)
        kinds = sorted({*found, *outside})
        found = {kind: engines * found.get(kind, 0) + outside.get(kind, 0) for kind in kinds}
        depth = max(depth, levels(around))
    result = Synth(
        preset=farm_name(name, engines),
        curve=s.preset.curve.name,
        target=target,
        cycles=s.cycles,
        area=area(target, found),
        levels=depth,
        cells=found,
        script=recipe(s, target),
        seconds=made.cost.seconds,
        peak_mb=made.cost.peak_mb,
        origin=where,
    )
    save(synth_path(farm_name(name, engines), target, root), result)
    return result
