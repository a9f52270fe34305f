# SPDX-License-Identifier: Apache-2.0
"""The generated top of a system on chip: the hand-written part and one unit in both places."""

from __future__ import annotations

from pathlib import Path

from ecsm.device.extras import NotInstalled
from ecsm.hdl.buses import ADDRESS_BITS
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.templates import render

TOP = "soc"
PLACES = ("tc", "lc")
NONE = "ecsm_narrow_none"


def cpu_file() -> Path:
    """Return VexRiscv with its custom function unit, from its wheel; raises DeviceError."""
    try:
        import pythondata_cpu_vexriscv
    except ImportError:
        raise NotInstalled("pythondata_cpu_vexriscv") from None
    return Path(pythondata_cpu_vexriscv.data_file("VexRiscv_FullCfu.v"))


def soc_files(text: str) -> list[Path]:
    """Return the hand-written files that ``text`` needs, packages first; the CPU is not one."""
    return needed(text, [*rtl_files(), *sorted((RTL / "soc").glob("*.sv"))])


MEMORY = 64  # KiB, unless a program needs more


def soc_top(
    tc: str = NONE,
    lc: str = NONE,
    block: str = "",
    noise: bool = True,
    custom: bool = False,
    divisor: int = 434,
    memory: int = MEMORY,
    image: str = "",
    rom: int = 0,
) -> str:
    """Return the module ``soc``; ``tc`` and ``lc`` name the modules at the two narrow ports.

    ``block``: the module behind AXI4-Lite, ``custom``: behind the custom instruction instead;
    ``noise``: whether it takes samples of noise; ``divisor``: clock cycles of a bit on the UART;
    ``memory``: KiB of it; ``image``: the file of its initial content, for synthesis; ``rom``: KiB
    from address 0 on that cannot be written.
    """
    return render(
        "soc/soc.sv",
        tc=tc,
        lc=lc,
        block=block,
        bus="own" if custom else "axil",
        noise=noise,
        custom=custom,
        divisor=divisor,
        words=memory * 256,
        image=image,
        rom=rom * 256,
        address_bits=ADDRESS_BITS,
    )
