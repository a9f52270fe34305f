# SPDX-License-Identifier: Apache-2.0
"""READMEs of schemes, and of what is behind a bus or AXI4-Stream."""

from __future__ import annotations

from ecsm.hdl.axis_emit import beats
from ecsm.hdl.build import Build
from ecsm.hdl.buses import BUSES
from ecsm.hdl.package_texts import core_name
from ecsm.hdl.registers import FOLDER
from ecsm.presets.table import protects_keys
from ecsm.presets.word import WordPreset
from ecsm.templates import render

_MEANINGS = {
    "clk_i": "clock, rising edge",
    "rst_ni": "reset, asynchronous, low",
    "zeroize_i": "drops every job and clears everything, keys included",
    "irq_o": "high while an enabled interrupt is pending",
    "noise_": "samples of a noise source; tie low without one",
    "test_": "samples for the random generator's test mode; tie low",
    **{f"{bus.prefix}_": f"{bus.text}, 32 bits of data" for bus in BUSES.values()},
    "s_axis_": "AXI4-Stream, jobs",
    "m_axis_": "AXI4-Stream, answers",
}


def scheme_readme(build: Build, top: str) -> str:
    """Return what a directory with the schemes' RTL says of itself."""
    p = build.preset
    return render(
        "hdl/schemes.md",
        top=top,
        curve=p.curve.name,
        preset=p.name,
        word=isinstance(p, WordPreset),
        loaded=isinstance(p, WordPreset) and bool(p.netlist),
        netlist=p.netlist if isinstance(p, WordPreset) else "",
        ice40=isinstance(p, WordPreset) and p.ice40,
        command=build.command,
        name=core_name(top, build),
    )


def attached_readme(build: Build, top: str) -> str:
    """Return what a directory with something behind a bus says of itself."""
    about, registers = build.about(), build.registers()
    job, answer = beats(build.preset)
    return render(
        "hdl/attached.md",
        top=top,
        about=about[0].upper() + about[1:],
        command=build.command,
        name=core_name(top, build),
        folder=FOLDER,
        loaded=isinstance(build.preset, WordPreset) and bool(build.preset.netlist),
        block=registers.block if registers else "",
        refusal=build.bus.refusal if build.bus else "",
        way="over the bus, and accesses that are refused"
        if build.bus
        else "in packets, and packets that are no jobs",
        job=job,
        answer=answer,
        ports=[
            (way.strip(), bits, name, _meaning(build, name)) for way, bits, name in build.ports()
        ],
    )


def _meaning(build: Build, port: str) -> str:
    p = build.preset
    if port.startswith("noise_") and protects_keys(p):
        return "a noise source, 4 bits of entropy a sample or more; without one there is no key"
    return next(text for start, text in _MEANINGS.items() if port.startswith(start))
