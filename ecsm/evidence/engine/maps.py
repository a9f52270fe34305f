# SPDX-License-Identifier: Apache-2.0
"""Compare every linear map of an engine's operand network with the field's, as matrices.

A term of the network is a source, a map and a sink (:class:`~ecsm.hdl.engines.gf2m.Numbering`).
With one term enabled and symbols for its source, every bit of its sink must be the row of the map's
matrix, and all other sinks must be zero. What the enables are is free, so this holds in any cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ecsm.cores.design import BinaryDesign
from ecsm.evidence.engine.netlist import Core
from ecsm.evidence.engine.run import Outside, Run, Vector
from ecsm.evidence.engine.values import Space
from ecsm.evidence.gates import Net
from ecsm.hdl.engines.gf2m import numbering
from ecsm.schedule.gf2m.words import Sink, Source

_NOTHING = Outside(lambda *_: None, 1, False, lambda *_: None)


def check_maps(d: BinaryDesign, core: Core) -> str:
    """Return "" if every term is the map that the program means, else which one is not."""
    n, m = numbering(d), d.preset.m
    enables = core.engine("enable")
    if len(set(enables)) != len(n.terms):
        return "two terms of the network share an enable"
    run = Run(_cut(core, enables), Space(0), _NOTHING)
    symbols = [1 << 1 + i for i in range(m)]
    sources = [
        *(("reg", r) for r in range(n.registers)),
        *(("mul", u) for u in range(n.multipliers)),
    ]
    sinks = {sink for sink, _, _ in n.terms}
    for nets in (enables, *(_source(core, source) for source in sources)):
        for net in nets:
            run.set(run.number(net), 0)
    for (sink, map_, source), enable in zip(n.terms, enables, strict=True):
        value = symbols
        if source[0] == "const":
            value = [source[1] >> i & 1 for i in range(m)]
        _give(run, core, source, value)
        run.set(run.number(enable), 1)
        run.settle()
        want = _mapped(d.preset.matrix(map_), value)
        for other in sinks:
            if run.see(_sink(core, other)) != (want if other == sink else (0,) * m):
                return f"the term {sink} += {map_} of {source} is another map in sink {other}"
        run.set(run.number(enable), 0)
        _give(run, core, source, [0] * m)
    return ""


def _cut(core: Core, enables: Sequence[Net]) -> Core:
    """Return the netlist with enables, registers and products as inputs."""
    functions = [f for f in core.functions if f.output not in set(enables)]
    return replace(core, functions=functions, registers=[], boxes=[])


def _give(run: Run, core: Core, source: Source, value: Sequence[int]) -> None:
    if source[0] != "const":
        for net, bit in zip(_source(core, source), value, strict=True):
            run.set(run.number(net), bit)


def _source(core: Core, source: Source) -> Sequence[Net]:
    kind, index = source
    if kind == "mul":
        return core.boxes[index].p
    return core.engine(f"u_regfile.gen_reg[{index}].data_q")


def _sink(core: Core, sink: Sink) -> Sequence[Net]:
    kind, index, side = sink
    if kind == "operand":
        box = core.boxes[index]
        return (box.a, box.b)[side]
    return core.engine("tested" if kind == "test" else f"gen_write[{index}].form")


def _mapped(columns: Sequence[int], value: Sequence[int]) -> Vector:
    """Return a matrix times a vector of forms."""
    found = [0] * len(columns)
    for column, bit in zip(columns, value, strict=True):
        for i in range(len(found)):
            if column >> i & 1:
                found[i] ^= bit
    return tuple(found)
