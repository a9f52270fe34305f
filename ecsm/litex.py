# SPDX-License-Identifier: Apache-2.0
"""A register block as a LiteX module: ``ecsm.litex.ECSM``. Wishbone, an event, a port of noise.

Needs LiteX and migen, which this package does not install: ``docs/integrate/litex.md`` does, and
builds a system with it. In a LiteX system::

    self.ecsm = ECSM(platform, "word-p256")
    self.bus.add_slave("ecsm", self.ecsm.bus, SoCRegion(size=ECSM.SIZE, cached=False))
    self.irq.add("ecsm")
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect import stream, wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import Cat, ClockSignal, Constant, Instance, ResetSignal, Signal

from ecsm.hdl.build import Build
from ecsm.hdl.buses import ADDRESS_BITS
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from ecsm.hdl.scheme_emit import SAMPLE_BITS


class ECSM(LiteXModule):  # type: ignore[misc]
    """A core, or schemes, or a word engine, behind Wishbone.

    ``platform``: gets the sources, of the package that is written to ``folder``, default
    ``build/ecsm/PRESET``. ``preset``: as ``ecsm list`` has it. ``schemes``: of a core, its schemes
    around it. ``unprotected``: take a machine that does not protect its keys from who measures or
    disturbs it. Raises ValueError for what cannot be built, or has another module of a name that
    another block has; PackageError for a folder that has something else.

    ``bus``: 32 bits, words; the region has ``SIZE`` octets and must not be cached. ``ev.block``:
    the block's interrupt line; which of its interrupts reach it is set in its own registers.
    ``zeroize``: input; high, it clears keys and data. ``noise``: of schemes, a stream of samples
    of a noise source, ``noise.data``; without one a protected word engine makes and takes no key.
    ``headers``: the folder of the C header.
    """

    SIZE = 1 << ADDRESS_BITS

    def __init__(
        self, platform: Any, preset: str, schemes: bool = False, folder: str | Path | None = None,
        unprotected: bool = False,
    ) -> None:  # fmt: skip
        build = Build(subject(preset), schemes=schemes, attach="wishbone")
        if unprotected not in (False, True):
            raise ValueError(f"unprotected is True or False, not {unprotected!r}")
        if unprotected and not build.schemes:
            raise ValueError("unprotected is of schemes, and this core has none around it")
        if not unprotected:
            build.check_protection("unprotected=True")
        written = package(build, Path(folder or Path("build", "ecsm", build.name))).resolve()
        self.headers = written / "registers"
        self.bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.zeroize = Signal()
        self.ev = EventManager()
        self.ev.block = EventSourceLevel(description="An interrupt that the block has enabled.")
        self.ev.finalize()
        ports = {
            "i_clk_i": ClockSignal("sys"),
            "i_rst_ni": ~ResetSignal("sys"),
            "i_zeroize_i": self.zeroize,
            "i_wb_cyc_i": self.bus.cyc,
            "i_wb_stb_i": self.bus.stb,
            "i_wb_we_i": self.bus.we,
            "i_wb_adr_i": Cat(Constant(0, 2), self.bus.adr[: ADDRESS_BITS - 2]),
            "i_wb_sel_i": self.bus.sel,
            "i_wb_dat_i": self.bus.dat_w,
            "o_wb_dat_o": self.bus.dat_r,
            "o_wb_ack_o": self.bus.ack,
            "o_wb_err_o": self.bus.err,
            "o_irq_o": self.ev.block.trigger,
        }
        if build.schemes:
            self.noise = stream.Endpoint([("data", SAMPLE_BITS)])
            ports |= {
                "i_noise_valid_i": self.noise.valid,
                "o_noise_ready_o": self.noise.ready,
                "i_noise_data_i": self.noise.data,
                "i_test_valid_i": Constant(0),
                "o_test_ready_o": Signal(),
                "i_test_data_i": Constant(0, SAMPLE_BITS),
            }
        files = [written / f for f in (written / "files.f").read_text(encoding="utf-8").split()]
        self.specials += Instance(files[-1].stem, **ports)
        for file in files:
            if not _there(platform, file):
                platform.add_source(str(file), language="systemverilog")


def _there(platform: Any, file: Path) -> bool:
    """Whether a module is a source already: packages of two blocks have most of them alike.

    Raises ValueError for another module of that name, as of an engine with another curve's tables;
    a file of that name without the module is another design's, and stays.
    """
    own, sources = file.read_bytes(), (Path(source[0]) for source in platform.sources)
    same = [s.read_bytes() for s in sources if s.name == file.name and s.is_file()]
    defines = re.compile(rb"\b(module|package)\s+" + file.stem.encode() + rb"\b")
    if any(text != own and defines.search(text) for text in same):
        raise ValueError(
            f"{file.stem} is in the system already, and is not the same:"
            " two blocks on one netlist are of one preset"
        )
    return own in same
