# SPDX-License-Identifier: Apache-2.0
"""The texts that go with a core: FuseSoC core file, README, parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from ecsm import __version__
from ecsm.cores.design import AnyDesign
from ecsm.curves import BinaryCurve, Curve, EdwardsCurve, XLine
from ecsm.hdl.build import Build
from ecsm.hdl.engines.module import CYCLE_BITS, TAG_BITS, computed
from ecsm.hdl.farm import LATENCY, build_command, top_name
from ecsm.hdl.package_makefile import VERILATOR_LIMITS, substitute
from ecsm.hdl.testbench import status_name, testbench_name
from ecsm.status import Status


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


def core_name(top: str) -> str:
    """Return the FuseSoC name of the core whose top has that name."""
    return f"ecsm:cores:{top}:{__version__}"


def core_file(
    build: Build, top: str, rtl: Sequence[str], testbench: str | None, documents: Iterable[str]
) -> str:
    """Return the FuseSoC core file (CAPI2).

    ``rtl``: files in order. ``testbench``: its file; without one there is no target ``sim``.
    ``documents``: of registers, of which C header, IP-XACT and SystemRDL are files of the core.
    """
    p = build.design.preset
    limits = "\n".join(f"        - '{o}'" for o in VERILATOR_LIMITS.split())
    values = {
        "PRESET": build.command,
        "NAME": core_name(top),
        "ABOUT": f"{build.about()}, {p.multipliers} multiplier{'s' * (p.multipliers > 1)}"
        f"{' each' * (build.engines > 1)}, {build.design.microcode.cycles} cycles a kP",
        "RTL": "\n".join(f"      - {name}" for name in rtl),
        "TESTBENCH": testbench or "",
        "TOP": top,
        "TB": Path(testbench or "").stem,
        "LIMITS": limits,
    }
    headers = [name for name in documents if name.endswith(".h")]
    data = [name for name in documents if name.endswith((".rdl", ".xml"))]
    values["REGISTERS"] = "\n".join(
        [*(f"      - {n}: {{is_include_file: true, file_type: user}}" for n in headers),
         *(f"      - {n}: {{file_type: user}}" for n in data)]
    )  # fmt: skip
    sets = "rtl, registers" if headers else "rtl"
    template = (
        _CORE
        + (_CORE_REGISTERS if headers else "")
        + (_CORE_TB if testbench else "")
        + _CORE_TARGETS
        + (_CORE_SIM if testbench else "")
        + _CORE_LINT
    )
    return substitute(template, {**values, "SETS": sets})


def readme(design: AnyDesign, engines: int = 1) -> str:
    """Return the directory's README."""
    p = design.preset
    flow = _FARM_FLOW.format(engines=engines, latency=LATENCY) if engines > 1 else _CORE_FLOW
    of_field = _of_field(p.curve)
    meanings = {
        Status.OK: "the result is valid",
        Status.COORDINATE_OUT_OF_RANGE: of_field["OUTSIDE"],
        Status.POINT_NOT_ON_CURVE: "the point does not satisfy the curve equation",
        Status.UNSUPPORTED: "`req_op_i` is not `OpKp`",
    }
    if p.odd_order:
        meanings[Status.LOW_ORDER_POINT] = "the point is on the curve, and its order is even"
    octets = p.coordinate_bits // 8
    values = {
        "PRESET": build_command(p, engines),
        "TOP": top_name(p, engines),
        "TB": testbench_name(design, engines),
        "FLOW": flow,
        "ENGINES": f"| engines | {engines} |\n" if engines > 1 else "",
        "OF": " of an engine" if engines > 1 else "",
        "CURVE": "/".join((p.curve.name, *p.curve.aliases)),
        "EQUATION": p.curve.equation,
        **of_field,
        **_of_form(p.curve),
        **({"INPUTS": _INPUTS_DOUBLE} if p.double else {}),
        "SCALAR": str(p.scalar_bits),
        "SCALARS": f"a above b, {p.scalar_bits // 2} bits each, any values; a = 0 for kP"
        if p.double
        else "k, any value",
        "RESULT": computed(p),
        "COORD": str(p.coordinate_bits),
        "OCTETS": f"{octets} octet{'s' * (octets > 1)}",
        "TAG": str(TAG_BITS),
        "CYCLE": str(CYCLE_BITS),
        "CYCLES": str(design.microcode.cycles),
        "REGISTERS": str(design.microcode.registers),
        "MULTIPLIERS": f"{p.multipliers} ({p.describe()})",
        "NAME": core_name(top_name(p, engines)),
        "CLEARING": str(p.clearing + (engines > 1)),
        "VERSION": __version__,
        "STATUSES": "\n".join(
            f"| {s.value} | `{status_name(s)}` | {text} |" for s, text in meanings.items()
        ),
    }
    return substitute(_README, values)


def _of_field(curve: Curve) -> dict[str, str]:
    """Return what the field says of numbers, of registers and of coordinates outside of it."""
    if not isinstance(curve, BinaryCurve):
        given = "y" if isinstance(curve, XLine) else "x or y"
        return {
            "FIELD": f"GF(p),\np = {curve.q:#x}",
            "ORDER": "bit i of a coordinate or of the scalar is worth",
            "OUTSIDE": f"{given} is p or more",
            "WIDE": "registers",
        }
    order = "bit i of a coordinate port is the coefficient of z^i, bit i of the scalar is worth"
    m, poly = curve.field.m, polynomial(curve.field.poly)
    return {
        "FIELD": f"GF(2^{m}),\nz^i the powers of a root of {poly}",
        "ORDER": order,
        "OUTSIDE": "x or y has a bit at or above z^m",
        "WIDE": f"registers of {m} bits",
    }


def _of_form(curve: Curve) -> dict[str, str]:
    """Return what the form of a curve says of encodings and inputs."""
    if isinstance(curve, XLine):
        return {"ENCODING": "RFC 7748, the first one in the lowest", "INPUTS": _INPUTS_X}
    if isinstance(curve, EdwardsCurve):
        return {"ENCODING": "RFC 8032, the first one in the lowest", "INPUTS": _INPUTS_EDWARDS}
    return {"ENCODING": "SEC 1, the first one in the highest", "INPUTS": _INPUTS}


_INPUTS = """\
k is not reduced and P may be any point of the curve, of whatever order: k = 0, k >= n, infinity,
x = 0 and results at infinity give the true answer."""

_INPUTS_X = """\
k and x are decoded as RFC 7748 has it, which ignores some of their bits: x may be any number, and
is of a point of the curve or of its twist. y must be 0. The answer's y is 0, and so is its x where
P is of low order."""

_INPUTS_EDWARDS = """\
k is not reduced and P may be any point of the curve, of whatever order: k = 0, k >= n and results
at the neutral element, which is the point (0, 1), give the true answer."""

_CORE_FLOW = """\
One request at a time: `req_ready_o` is low until the response was taken. The
response stays, unchanged, until a rising edge with `rsp_valid_o` and `rsp_ready_i` high; then the
result, like all other registers, is cleared."""

_FARM_FLOW = """\
`req_ready_o` is high while one of the {engines} engines is free. Responses come as they are
finished, not in the order of the requests: the tag says whose it is, and two requests in progress
may have the same. A response comes {latency} cycles later than its engine counts, and later if
others are before it. It stays, unchanged, until a rising edge with `rsp_valid_o` and `rsp_ready_i`
high. What was taken, requests by an engine or a response, is cleared."""

_CORE = """\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
# Generated by: ecsm build @PRESET@. Do not edit.

name: @NAME@
description: @ABOUT@

filesets:
  rtl:
    files:
@RTL@
    file_type: systemVerilogSource
"""

_CORE_REGISTERS = """\
  registers:
    files:
@REGISTERS@
"""

_CORE_TB = """\
  tb:
    files:
      - @TESTBENCH@
    file_type: systemVerilogSource
"""

_CORE_TARGETS = """\

targets:
  default:
    filesets: [@SETS@]
    toplevel: @TOP@
"""

_CORE_SIM = """\
  sim:
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
      verilator_options:
        - --timing
        - -O3
        - -Wno-fatal
@LIMITS@
    filesets: [rtl, tb]
    toplevel: @TB@
"""

_CORE_LINT = """\
  lint:
    flow: lint
    flow_options:
      tool: verilator
      verilator_options:
        - -Wall
@LIMITS@
    filesets: [rtl]
    toplevel: @TOP@
"""

_INPUTS_DOUBLE = """\
a and b are not reduced and P may be any point of the curve: a or b = 0 or n and above, P = infinity
(the answer is aG), P = G or -G, aG = bP or -bP and results at infinity give the true answer."""

_README = """\
# @TOP@

Elliptic-curve scalar multiplication @RESULT@ on @CURVE@, @EQUATION@ over @FIELD@.
Generated by `ecsm build @PRESET@` (ecsm @VERSION@); everything it needs is in this directory.

**Byte order**: @ORDER@
2^i, and unused high bits are zero. A coordinate port is the @OCTETS@ of @ENCODING@
bits.

    make         # compile the testbench with Verilator and run it
    make lint    # verilator --lint-only -Wall
    fusesoc --cores-root . run --target=sim @NAME@

| | |
| --- | --- |
@ENGINES@| cycles@OF@ from request to response | @CYCLES@, whatever scalar, point and status |
| field multipliers@OF@ | @MULTIPLIERS@ |
| @WIDE@@OF@ | @REGISTERS@ |

## Files

- `files.f`: the SystemVerilog files in compile order; the top is `@TOP@`.
- `rtl/`: the core. `tb/`: the self-checking testbench `@TB@`, its vectors inside.
- `parameters.json`: curve, field, port widths, cycles, statuses, for scripts.
- `@TOP@.core`: FuseSoC, targets `default`, `sim`, `lint`.

`ecsm build` replaces this directory as a whole. It refuses to if there are files that it did not
write, except in `build/`.

## Ports

| port | bits | |
| --- | --- | --- |
| `clk_i` | 1 | clock, rising edge |
| `rst_ni` | 1 | reset, asynchronous, low |
| `zeroize_i` | 1 | drop the request and clear everything; ready @CLEARING@ cycles later at most |
| `req_valid_i`, `req_ready_o` | 1 | handshake of the request |
| `req_op_i` | 4 | operation: 0 is @RESULT@ |
| `req_scalar_i` | @SCALAR@ | @SCALARS@ |
| `req_x_i`, `req_y_i` | @COORD@ | affine coordinates of P |
| `req_infinity_i` | 1 | P is infinity; the coordinates are ignored |
| `req_tag_i` | @TAG@ | returned with the response |
| `rsp_valid_o`, `rsp_ready_i` | 1 | handshake of the response |
| `rsp_status_o` | 4 | see below |
| `rsp_x_o`, `rsp_y_o` | @COORD@ | affine coordinates of @RESULT@; zero on error and for infinity |
| `rsp_infinity_o` | 1 | @RESULT@ is infinity |
| `rsp_tag_o` | @TAG@ | the request's tag |
| `rsp_cycles_o` | @CYCLE@ | cycles@OF@ from the accepted request to the valid response |

A request is accepted at a rising edge with `req_valid_i` and `req_ready_o` high; its ports are read
in that cycle only. @FLOW@

@INPUTS@

| status | name in `ecsm_pkg` | meaning |
| --- | --- | --- |
@STATUSES@

Apache-2.0, see `LICENSE`.
"""
