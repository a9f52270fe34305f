# SPDX-License-Identifier: Apache-2.0
"""Write the self-checking testbench of schemes, and of what is behind a bus or AXI4-Stream."""

from __future__ import annotations

from collections.abc import Iterator

from ecsm.cores.design import AnyDesign
from ecsm.hdl.axis_emit import beats
from ecsm.hdl.build import STREAM, Build
from ecsm.hdl.buses import ADDRESS_BITS, Ports
from ecsm.hdl.engines.module import TAG_BITS, facts
from ecsm.hdl.registers import register_map
from ecsm.hdl.scheme_jobs import Job, jobs
from ecsm.hdl.testbench import call, cycles, status_name
from ecsm.hdl.vectors import Case, Oracle, edge_cases, random_cases, thinned
from ecsm.presets.word import WordPreset
from ecsm.templates import render

PATIENCE = 4_000_000
"""Cycles of a job: the longest of a word engine, its self-test before it, on the largest curve."""
LARGE = 40_000_000
LINE = 40
"""Octets of a string in a line."""
SOME = 12
"""Vectors of a core that is attached: its own testbench has all."""
JOBS_PER_ENGINE, NO_JOBS = 3, 4
"""Of a stream: jobs for each engine, at least, and packets that are no jobs."""


def block_testbench(build: Build, top: str) -> tuple[str, str]:
    """Return the name of the module and its text. The build is not bare."""
    name = f"tb_{top}"
    if build.schemes:
        return name, _schemes(build, top, name)
    assert build.core is not None
    make = _stream if build.attach == STREAM else _core
    return name, make(build, build.core, top, name)


def _signals(ports: Ports) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """Return the signals of a testbench, bits and name, and what each port is connected to."""
    names = [port.removesuffix("_i").removesuffix("_o").removesuffix("_ni") for _, _, port in ports]
    signals, connections = [], {}
    for (way, bits, port), name in zip(ports, names, strict=True):
        twice = names.count(name) > 1 and way.strip() == "input"
        own = "rst_n" if port == "rst_ni" else f"{name}_w" if twice else name
        signals.append((bits, own))
        connections[port] = own
    return signals, connections


def _core(build: Build, d: AnyDesign, top: str, name: str) -> str:
    p = d.preset
    signals, connections = _signals(build.ports())
    return render(
        "hdl/testbench_block.sv",
        **(facts(p) | {"module": top}),
        command=build.command,
        name=name,
        bus=build.bus,
        noise=0,
        at=_addresses(build),
        address_bits=ADDRESS_BITS,
        signals=signals,
        connections=connections,
        scalars=2 if p.double else 1,
        **cycles(d),
        calls=_calls(d, _some(d)),
    )


def _stream(build: Build, d: AnyDesign, top: str, name: str) -> str:
    p, chosen = d.preset, _some(d)
    chosen += random_cases(p, max(0, JOBS_PER_ENGINE * build.engines - len(chosen)))
    assert len(chosen) + NO_JOBS <= 1 << TAG_BITS
    job, answer = beats(p)
    signals, connections = _signals(build.ports())
    return render(
        "hdl/testbench_stream.sv",
        **(facts(p) | {"module": top}),
        command=build.command,
        name=name,
        bus=None,
        noise=0,
        signals=signals,
        connections=connections,
        scalars=2 if p.double else 1,
        job=job,
        answer=answer,
        cycles=d.least_cycles,
        alone=d.cycles_alone,
        together=max(1, min(build.engines, d.least_cycles // (job + 2))),
        calls=_calls(d, chosen),
    )


def _some(d: AnyDesign) -> list[Case]:
    """Return some of the cases of a core, the last one among them."""
    return thinned(edge_cases(d.preset), SOME)


def _calls(d: AnyDesign, cases: list[Case]) -> list[str]:
    """Return the lines that run cases of a core."""
    oracle = Oracle(d.preset, both=True)
    return [call(d, c, oracle.answer(c)) for c in cases]


def _addresses(build: Build) -> dict[str, str]:
    registers = build.registers()
    found = register_map(registers) if registers else {}
    return {name: f"{ADDRESS_BITS}'h{address:03x}" for name, address in found.items()}


def _schemes(build: Build, top: str, name: str) -> str:
    signals, connections = _signals(build.ports())
    slow = isinstance(build.preset, WordPreset) and build.preset.curve.n.bit_length() > 256
    return render(
        "hdl/testbench_schemes.sv",
        command=build.command,
        module=top,
        name=name,
        curve=build.preset.curve.name,
        bus=build.bus,
        noise=1,
        at=_addresses(build),
        address_bits=ADDRESS_BITS,
        signals=signals,
        connections=connections,
        limit=LARGE if slow else PATIENCE,
        calls=[line for job in jobs(build.machine) for line in _lines(job)],
    )


def _lines(job: Job) -> Iterator[str]:
    """Yield the lines that run a job."""
    for strings, part, end in ((job.strings, "give", "given"), (job.answer, "want", "wanted")):
        for octets in strings:
            for i in range(0, len(octets), LINE):
                yield f'    {part}("{octets[i : i + LINE].hex()}");'
            yield f"    {end}();"
    status = status_name(job.status)
    yield f"    check(\"{job.name}\", 6'd{job.operation}, 2'd{job.slot}, {status});"
