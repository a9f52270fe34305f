# SPDX-License-Identifier: Apache-2.0
"""What ``ecsm build`` can make of a preset: core, farm, schemes, each as it is or behind a bus."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.cores.design import AnyDesign
from ecsm.hdl.axis_emit import PORTS as STREAM_PORTS
from ecsm.hdl.axis_emit import emit_axis
from ecsm.hdl.block_emit import emit_block
from ecsm.hdl.block_scheme_emit import block_scheme_ports, emit_block_schemes
from ecsm.hdl.buses import BUSES, Bus, Ports
from ecsm.hdl.engines.module import computed
from ecsm.hdl.farm import check_engines, emit_modules
from ecsm.hdl.machines import Machine, Subject, machine_of, preset_of
from ecsm.hdl.registers import Registers, core_registers, scheme_registers
from ecsm.hdl.scheme_emit import PORTS as SCHEME_PORTS
from ecsm.presets.table import EveryPreset, protects_keys
from ecsm.presets.word import WordPreset
from ecsm.schemes.program import without_protection, without_schemes

STREAM = "stream"
ATTACHMENTS = {
    **{bus.name: f"{bus.text} registers" for bus in BUSES.values()},
    STREAM: "AXI4-Stream packets",
}
"""What ``--attach`` takes, and what it is."""


@dataclass(frozen=True)
class Build:
    """A design and what is put around it; raises ValueError for what does not go together.

    ``engines``: more than one make a farm. ``schemes``: the scheme machine around the core,
    ``wide`` with the large hashes; a word engine always has its schemes. ``attach``: one of
    :data:`ATTACHMENTS`, or the bare port. ``self_test``: a word engine tests itself after reset.
    """

    design: Subject
    engines: int = 1
    schemes: bool = False
    wide: bool = False
    attach: str | None = None
    self_test: bool = True

    def __post_init__(self) -> None:
        check_engines(self.engines)
        for option in ("schemes", "wide", "self_test"):
            if (value := getattr(self, option)) not in (False, True):
                raise ValueError(f"{option} is True or False, not {value!r}")
        if isinstance(self.design, WordPreset):
            object.__setattr__(self, "schemes", True)
        if self.wide and not self.schemes:
            raise ValueError("--wide is of --schemes")
        if self.schemes and self.engines > 1:
            if isinstance(self.design, WordPreset):
                raise ValueError(f"--engines: {self.design.name} is one engine; farms are of cores")
            raise ValueError("--schemes takes one engine")
        alone = self.schemes or (self.engines == 1 and self.bare)
        if (d := self.core) and d.preset.random_bits and not alone:
            more = "" if without_schemes(d.preset, self.wide) else ", or with --schemes"
            raise ValueError(
                f"{d.preset.name} takes random words by a port of its own, which farms and"
                f" attachments of a core do not have: ecsm build it by itself{more}"
            )
        if self.attach not in (None, *ATTACHMENTS):
            raise ValueError(f"{self.attach}: attachments are {', '.join(ATTACHMENTS)}")
        if self.bus and self.engines > 1:
            raise ValueError(
                f"--attach {self.attach} takes one engine; a farm takes --attach stream"
            )
        if self.attach == STREAM and self.schemes:
            raise ValueError("--attach stream is of cores and farms, not of --schemes")

    def check_protection(self, option: str) -> None:
        """Raise ValueError for schemes that do not protect keys; ``option`` would take them."""
        if self.schemes and (why := without_protection(self.preset, self.wide, option)) is not None:
            raise ValueError(why)

    @property
    def bus(self) -> Bus | None:
        """The bus that its registers are behind, if it has some."""
        return BUSES.get(self.attach or "")

    @property
    def arguments(self) -> tuple[str, ...]:
        """What follows the preset's name on the command line."""
        return (
            *(("--engines", str(self.engines)) if self.engines > 1 else ()),
            *(("--schemes",) if self.schemes else ()),
            *(("--wide",) if self.wide else ()),
            *(("--attach", self.attach) if self.attach else ()),
            *(("--unprotected",) if self.schemes and not protects_keys(self.preset) else ()),
        )

    @property
    def preset(self) -> EveryPreset:
        """The preset of the design."""
        return preset_of(self.design)

    @property
    def core(self) -> AnyDesign | None:
        """The core, if it has one: a word engine has none."""
        return None if isinstance(self.design, WordPreset) else self.design

    @property
    def command(self) -> str:
        """The arguments of ``ecsm build``."""
        return " ".join((self.preset.name, *self.arguments))

    @property
    def name(self) -> str:
        """A name for a folder."""
        parts = (
            f"farm{self.engines}" if self.engines > 1 else "",
            "schemes" if self.schemes else "",
            "wide" if self.wide else "",
            self.attach or "",
        )
        return "-".join((self.preset.name, *filter(None, parts)))

    @property
    def bare(self) -> bool:
        """Whether it is a core or a farm with its own port."""
        return not self.schemes and self.attach is None

    @property
    def machine(self) -> Machine:
        """Its machine of schemes; ValueError for a core that has none."""
        return machine_of(self.design, self.wide)

    def modules(self) -> dict[str, str]:
        """Return the generated modules' text by name, the top last.

        Raises ValueError for a core that has no schemes.
        """
        if self.schemes or isinstance(self.design, WordPreset):
            m = self.machine
            if self.bus:
                return emit_block_schemes(m, self.bus, self.wide, self.self_test)
            return dict(m.emit(self.self_test))
        if self.attach == STREAM:
            return emit_axis(self.design, self.engines)
        if self.bus:
            return emit_block(self.design, self.bus)
        return emit_modules(self.design, self.engines)

    def registers(self) -> Registers | None:
        """Return the registers, if it has some."""
        if self.bus is None:
            return None
        if self.schemes:
            return scheme_registers(self.preset, self.machine.program)
        return core_registers(self.preset)

    def ports(self) -> Ports:
        """Return the ports of what is attached, or of schemes: direction, bits, name."""
        assert not self.bare, "a core's ports are in its template"
        if self.bus:
            return block_scheme_ports(self.bus) if self.schemes else self.bus.core_ports
        return SCHEME_PORTS if self.schemes else STREAM_PORTS

    def about(self) -> str:
        """Return what it is, for texts."""
        p = self.preset
        what = "schemes" if self.schemes or isinstance(p, WordPreset) else computed(p)
        engines = f", {self.engines} engines" if self.engines > 1 else ""
        behind = f" behind {ATTACHMENTS[self.attach]}" if self.attach else ""
        return f"{what} on {p.curve.name}{engines}{behind}"

    def made_of(self) -> str:
        """Return what its engines are and how long they take, for texts."""
        if isinstance(self.design, WordPreset):
            return self.design.describe()
        count, each = self.design.preset.multipliers, " each" * (self.engines > 1)
        cycles = self.design.microcode.cycles
        return f"{count} multiplier{'s' * (count > 1)}{each}, {cycles} cycles a kP"
