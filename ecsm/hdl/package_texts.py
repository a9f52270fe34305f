# SPDX-License-Identifier: Apache-2.0
"""The texts that go with a core: FuseSoC core file, Makefile, README, parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ecsm import __version__
from ecsm.cores.design import AnyDesign
from ecsm.curves import BinaryCurve, Curve, EdwardsCurve, XLine
from ecsm.hdl.build import Build
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS, computed, facts
from ecsm.hdl.farm import LATENCY, build_command, top_name
from ecsm.hdl.library import module_core
from ecsm.hdl.testbench import status_name, testbench_name
from ecsm.presets.table import netlist_name
from ecsm.status import Status
from ecsm.templates import render

# What Verilator needs for the wide constants and long generate loops of the large fields.
VERILATOR_LIMITS = "--unroll-count 1024 --max-num-width 400000"
# To lint a word engine: the parameter of a table that is loaded has no value but zeros, many.
REPLICATION = ("--replication-limit", "400000")

# To simulate with an older one: warnings that it does not know, and one that it takes for an error.
OLDER = "-Wfuture-GENUNNAMED -Wfuture-WIDTHTRUNC -Wno-BLKANDNBLK"

OLDEST_VERILATOR, OLDEST_VERILATOR_REGISTERS, OLDEST_VERILATOR_LINT = "5.006", "5.030", "5.048"
"""The oldest that ran the testbench of a package, that of one with registers, and that had no
warning about its RTL. 5.006 stops at arrays in structures, which PeakRDL's registers have."""


def polynomial(poly: int) -> str:
    """Return a field polynomial as text: ``z^7 + z + 1``."""
    names = {0: "1", 1: "z"}
    bits = [i for i in range(poly.bit_length() - 1, -1, -1) if poly >> i & 1]
    return " + ".join(names.get(i, f"z^{i}") for i in bits)


def parameters(design: AnyDesign, engines: int = 1) -> str:
    """Return the facts of the core as JSON; numbers wider than 32 bits are hexadecimal text."""
    p, curve = design.preset, design.preset.curve
    data = {
        "generator": f"ecsm {__version__}",
        "preset": p.name,
        "module": top_name(p, engines),
        "computes": computed(p),
        "engines": engines,
        "curve": {
            "name": curve.name,
            "aliases": list(curve.aliases),
            "equation": curve.equation,
            **{name: hex(value) for name, value in curve.coefficients.items()},
            "generator": {"x": hex(curve.generator[0]), "y": hex(curve.generator[1])},
            "n": hex(curve.n),
            "h": curve.h,
        },
        "field": _field(curve),
        "port_bits": {
            "scalar": p.scalar_bits,
            "coordinate": p.coordinate_bits,
            "tag": TAG_BITS,
            "cycles": CYCLE_BITS,
            "operation": 4,
            "status": 4,
        },
        "multipliers": {
            "count": p.multipliers,
            "kind": p.multiplier_kind,
            "description": p.describe(),
            "latency": p.units.latency,
            "interval": p.units.interval,
        },
        "registers": design.microcode.registers,
        "cycles": design.microcode.cycles,
        **({"base_cycles": design.base_cycles} if design.base else {}),
        "cycles_bound": design.cycles_bound,
        "operations": {"OpKp": 0},
        "statuses": {status_name(s): s.value for s in Status},
    }
    return json.dumps(data, indent=2) + "\n"


def _field(curve: Curve) -> dict[str, object]:
    if not isinstance(curve, BinaryCurve):
        return {"bits": curve.q.bit_length(), "p": hex(curve.q)}
    poly = curve.field.poly
    return {"m": curve.field.m, "polynomial": polynomial(poly), "polynomial_bits": hex(poly)}


def core_name(top: str, build: Build | None = None) -> str:
    """Return the FuseSoC name of the core whose top has that name.

    ``build`` tells packages apart whose tops have one name: with large hashes and without, or with
    the tables of one curve and of another.
    """
    more = "_wide" if build and build.core and build.wide else ""
    if build and build.preset.name != netlist_name(build.preset):
        more = f"_{build.preset.curve.name.lower()}"
    return f"ecsm:cores:{top}{more}:{__version__}"


def core_file(
    build: Build, top: str, module: str, testbench: str | None, documents: Iterable[str]
) -> str:
    """Return the FuseSoC core file (CAPI2). ``module``: the text of the top.

    ``testbench``: its file; without one there is no target ``sim``.
    ``documents``: of registers, of which C header and SystemRDL are files of the core.
    """
    names = list(documents)
    return render(
        "hdl/fusesoc.core",
        command=build.command,
        name=core_name(top, build),
        about=f"{build.about()}, {build.made_of()}",
        module=module_core(top, module),
        testbench=testbench,
        top=top,
        bench=Path(testbench or "").stem,
        limits=[*VERILATOR_LIMITS.split(), *OLDER.split()],
        lint_limits=[*VERILATOR_LIMITS.split(), *(() if build.core else REPLICATION)],
        headers=[name for name in names if name.endswith(".h")],
        data=[name for name in names if name.endswith(".rdl")],
    )


def makefile(build: Build, top: str, testbench: str) -> str:
    """Return the directory's Makefile."""
    return render(
        "hdl/Makefile",
        command=build.command,
        top=top,
        testbench=testbench,
        limits=VERILATOR_LIMITS,
        older=OLDER,
        oldest=OLDEST_VERILATOR_REGISTERS if build.bus else OLDEST_VERILATOR,
        oldest_lint=OLDEST_VERILATOR_LINT,
    )


def port_facts(design: AnyDesign, engines: int = 1) -> dict[str, object]:
    """Return what the ports of a core or farm are described by: hdl/parts/ports.md."""
    p, curve = design.preset, design.preset.curve
    meanings = {
        Status.OK: "the result is valid",
        Status.COORDINATE_OUT_OF_RANGE: _outside(curve),
        Status.POINT_NOT_ON_CURVE: "the point does not satisfy the curve equation",
        Status.UNSUPPORTED: "`req_op_i` is not `OpKp`",
    }
    if p.odd_order:
        meanings[Status.LOW_ORDER_POINT] = "the point is on the curve, and its order is even"
    if p.protected:
        meanings[Status.FAULT_DETECTED] = "the core found a fault of its own; the result is zero"
    return {
        **facts(p),
        "engines": engines,
        "of": " of an engine" * (engines > 1),
        "latency": LATENCY,
        "form": _form(curve),
        "double": p.double,
        "threads": getattr(p, "threads", 1),
        "patience": getattr(p, "patience", 0),
        "clearing": p.clearing + (engines > 1),
        "statuses": [(s.value, status_name(s), text) for s, text in meanings.items()],
    }


def readme(design: AnyDesign, engines: int = 1) -> str:
    """Return the directory's README."""
    p, curve = design.preset, design.preset.curve
    return render(
        "hdl/readme.md",
        **port_facts(design, engines),
        command=build_command(p, engines),
        top=top_name(p, engines),
        bench=testbench_name(design, engines),
        curves="/".join((curve.name, *curve.aliases)),
        equation=curve.equation,
        **_named_field(curve),
        octets=p.coordinate_bits // 8,
        cycles=design.microcode.cycles,
        base_cycles=design.base_cycles,
        registers=design.microcode.registers,
        multipliers=f"{p.multipliers} ({p.describe()})",
        name=core_name(top_name(p, engines)),
        version=__version__,
    )


def _named_field(curve: Curve) -> dict[str, object]:
    """Return what names a field: ``m`` and a polynomial, or, where ``m`` is 0, the prime."""
    if not isinstance(curve, BinaryCurve):
        return {"m": 0, "p": hex(curve.q)}
    return {"m": curve.field.m, "polynomial": polynomial(curve.field.poly)}


def _outside(curve: Curve) -> str:
    """Return what a coordinate is that is out of range."""
    if isinstance(curve, BinaryCurve):
        return "x or y has a bit at or above z^m"
    return f"{'y' if isinstance(curve, XLine) else 'x or y'} is p or more"


def _form(curve: Curve) -> str:
    """Return the form of a curve, which encodings and inputs depend on."""
    if isinstance(curve, XLine):
        return "x"
    return "Edwards" if isinstance(curve, EdwardsCurve) else "Weierstrass"
