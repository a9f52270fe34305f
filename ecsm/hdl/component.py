# SPDX-License-Identifier: Apache-2.0
"""What is built as an IP-XACT component (IEEE 1685-2014): ports, buses, registers, files.

Definitions of buses are those of their owners: AMBA's of Arm, Wishbone's of OpenCores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ecsm import __version__
from ecsm.hdl.build import Build
from ecsm.hdl.buses import Ports
from ecsm.hdl.registers import memory_maps
from ecsm.templates import render

VENDOR, LIBRARY = "ecsm", "cores"

_PORT = re.compile(r"^\s+(input |output) (\S+) (?:\[(\d+):0\] )?(\w+),?$", re.MULTILINE)
_HEADER = re.compile(r"^module \w+ (?:#\((.*?)^\) )?\(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"^\s+parameter bit (\w+) = (\d+),?$", re.MULTILINE)
_BITS = {"logic": 1, "ecsm_pkg::op_e": 4, "ecsm_pkg::status_e": 4}

_TYPES = {".sv": "systemVerilogSource", ".h": "cSource"}


@dataclass(frozen=True)
class Interface:
    """A bus interface: how its ports begin, whose definition it follows, and its mode.

    ``names``: logical by physical, of what is not the physical name in capitals without the prefix
    and the direction.
    """

    prefix: str
    vendor: str
    library: str
    bus: str
    abstraction: str
    version: str
    mode: str
    names: tuple[tuple[str, str], ...]
    lower: bool = False

    def map(self, ports: Iterable[str]) -> list[tuple[str, str]]:
        """Return the logical and the physical name of each of its ports."""
        special, begin = dict(self.names), f"{self.prefix}_"
        found = []
        for port in ports:
            if port in special:
                found.append((special[port], port))
            elif port.startswith(begin):
                name = port.removeprefix(begin).rpartition("_")[0]
                found.append((name if self.lower else name.upper(), port))
        return found


_CLOCKED = (("clk_i", "ACLK"), ("rst_ni", "ARESETn"))
_AMBA = ("amba.com", "AMBA4")

INTERFACES = (
    Interface("axil", *_AMBA, "AXI4-Lite", "AXI4-Lite_rtl", "r0p0_0", "slave", _CLOCKED),
    Interface(
        "apb", *_AMBA, "APB4", "APB4_rtl", "r0p0_0", "slave",
        (("clk_i", "PCLK"), ("rst_ni", "PRESETn"), ("apb_psel_i", "PSELx")),
    ),
    Interface(
        "wb", "opencores.org", "interface", "wishbone", "wishbone.absDef", "b4", "slave",
        (("clk_i", "clk"), ("wb_dat_i", "dat_ms"), ("wb_dat_o", "dat_sm")), lower=True,
    ),
    Interface("s_axis", *_AMBA, "AXI4Stream", "AXI4Stream_rtl", "r0p0_1", "slave", _CLOCKED),
    Interface("m_axis", *_AMBA, "AXI4Stream", "AXI4Stream_rtl", "r0p0_1", "master", _CLOCKED),
)  # fmt: skip


def ports_of(module: str) -> Ports:
    """Return direction, bits and name of each port of a generated module."""
    header = _HEADER.search(module)
    assert header, "a generated module has its ports one a line"
    found = _PORT.findall(header[2])
    assert len(found) == header[2].count("\n"), "a port that is not understood"
    return tuple(
        (way, int(high) + 1 if high else _BITS[kind], name) for way, kind, high, name in found
    )


def parameters_of(module: str) -> list[tuple[str, str]]:
    """Return name and default of each parameter of a generated module, all of them bits."""
    header = _HEADER.search(module)
    return _PARAMETER.findall(header[1]) if header and header[1] else []


def component(build: Build, module: str, top: str, files: dict[str, list[str]]) -> str:
    """Return the component of a package.

    ``module``: the text of the top, whose name is ``top``. ``files``: paths in order, by the name
    of their set: ``rtl``, ``tb``, ``driver``; an empty set is left out.
    """
    ports, registers = ports_of(module), build.registers()
    names = [name for _, _, name in ports]
    interfaces = [
        {"of": i, "map": i.map(names)}
        for i in INTERFACES
        if any(name.startswith(f"{i.prefix}_") for name in names)
    ]
    return render(
        "hdl/component.xml",
        vendor=VENDOR,
        library=LIBRARY,
        version=__version__,
        command=build.command,
        top=top,
        about=f"{build.about()}, {build.made_of()}",
        interfaces=interfaces,
        block=registers.block if registers else "",
        memory_maps=memory_maps(registers) if registers else "",
        parameters=parameters_of(module),
        ports=[(way.strip().removesuffix("put"), bits, name) for way, bits, name in ports],
        sets=[(name, _typed(paths)) for name, paths in files.items() if paths],
    )


def _typed(paths: list[str]) -> list[tuple[str, str]]:
    return [(path, _TYPES[path[path.rindex(".") :]]) for path in paths]
