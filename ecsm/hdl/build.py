# SPDX-License-Identifier: Apache-2.0
"""What ``ecsm build`` can make of a preset: core, farm, schemes, each as it is or behind a bus."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.cores.design import AnyDesign
from ecsm.hdl.axil_emit import CORE_PORTS, emit_axil_core
from ecsm.hdl.axil_scheme_emit import PORTS as SCHEME_PORTS
from ecsm.hdl.axil_scheme_emit import emit_axil_schemes
from ecsm.hdl.axis_emit import PORTS as STREAM_PORTS
from ecsm.hdl.axis_emit import emit_axis
from ecsm.hdl.engines.module import computed
from ecsm.hdl.farm import check_engines, emit_modules
from ecsm.hdl.registers import Registers, core_registers, scheme_registers
from ecsm.hdl.scheme_emit import emit_schemes
from ecsm.schemes.program import program

ATTACHMENTS = {"axil": "AXI4-Lite registers", "stream": "AXI4-Stream packets"}
"""What ``--attach`` takes, and what it is."""

Ports = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True)
class Build:
    """A design and what is put around it; raises ValueError for what does not go together.

    ``engines``: more than one make a farm. ``schemes``: the scheme machine around the core,
    ``wide`` with the large hashes. ``attach``: one of :data:`ATTACHMENTS`, or the bare port.
    """

    design: AnyDesign
    engines: int = 1
    schemes: bool = False
    wide: bool = False
    attach: str | None = None

    def __post_init__(self) -> None:
        check_engines(self.engines)
        if self.wide and not self.schemes:
            raise ValueError("--wide is of --schemes")
        if self.schemes and self.engines > 1:
            raise ValueError("--schemes takes one engine")
        if self.attach not in (None, *ATTACHMENTS):
            raise ValueError(f"{self.attach}: attachments are {', '.join(ATTACHMENTS)}")
        if self.attach == "axil" and self.engines > 1:
            raise ValueError("--attach axil takes one engine; --attach stream takes a farm")
        if self.attach == "stream" and self.schemes:
            raise ValueError("--attach stream is of cores and farms, not of --schemes")

    @property
    def arguments(self) -> tuple[str, ...]:
        """What follows the preset's name on the command line."""
        return (
            *(("--engines", str(self.engines)) if self.engines > 1 else ()),
            *(("--schemes",) if self.schemes else ()),
            *(("--wide",) if self.wide else ()),
            *(("--attach", self.attach) if self.attach else ()),
        )

    @property
    def command(self) -> str:
        """The arguments of ``ecsm build``."""
        return " ".join((self.design.preset.name, *self.arguments))

    @property
    def name(self) -> str:
        """A name for a folder."""
        parts = (
            f"farm{self.engines}" if self.engines > 1 else "",
            "schemes" if self.schemes else "",
            "wide" if self.wide else "",
            self.attach or "",
        )
        return "-".join((self.design.preset.name, *filter(None, parts)))

    @property
    def bare(self) -> bool:
        """Whether it is a core or a farm with its own port."""
        return not self.schemes and self.attach is None

    def modules(self) -> dict[str, str]:
        """Return the generated modules' text by name, the top last.

        Raises ValueError for a core that has no schemes.
        """
        if self.attach == "stream":
            return emit_axis(self.design, self.engines)
        if self.attach:
            if self.schemes:
                return emit_axil_schemes(self.design, self.wide)
            return emit_axil_core(self.design)
        if self.schemes:
            return emit_schemes(self.design, self.wide)
        return emit_modules(self.design, self.engines)

    def registers(self) -> Registers | None:
        """Return the registers, if it has some."""
        if self.attach != "axil":
            return None
        p = self.design.preset
        return scheme_registers(p, program(p, self.wide)) if self.schemes else core_registers(p)

    def ports(self) -> Ports:
        """Return the ports of what is attached: direction, bits, name."""
        if self.attach == "stream":
            return STREAM_PORTS
        return SCHEME_PORTS if self.schemes else CORE_PORTS

    def about(self) -> str:
        """Return what it is, for texts."""
        p = self.design.preset
        what = "schemes" if self.schemes else computed(p)
        engines = f", {self.engines} engines" if self.engines > 1 else ""
        behind = f" behind {ATTACHMENTS[self.attach]}" if self.attach else ""
        return f"{what} on {p.curve.name}{engines}{behind}"
