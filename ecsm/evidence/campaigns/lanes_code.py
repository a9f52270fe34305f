# SPDX-License-Identifier: Apache-2.0
"""A circuit's LUTs as C++ of its own, for many cycles of a large circuit.

The simulator (lanes.cpp) calls a function for each group of LUTs with one table. Groups of a large
circuit are small, so most of its time goes into calls and into reading and writing nets. Here each
run of groups with the same sources is a function without a loop, whose nets are variables: only
those that something else takes are written.

    settle_0(n):  v0 = lut<T>(n[7], n[9], n[0]);  v1 = lut<T>(v0, ...);  n[812] = v1;  ...
    kParts:       {groups of it, settle_0}, ...

Reads of memories stay with the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ecsm.evidence.campaigns.circuit import READ, Circuit, Group

MOST = 400  # LUTs of a function: a compiler's time grows faster than they do


def taken(c: Circuit) -> set[int]:
    """Return the nets that something else than a LUT takes: registers, memories, ports, probes."""
    found = {*c.inputs_of_registers, *c.probes}
    for memory in c.memories:
        for write in memory.writes:
            found.update(*write)
    for nets in c.ports.values():
        found.update(nets)
    for group in c.groups:
        if group.table == READ:
            found.update(group.inputs[1:])
    return found


def code(c: Circuit) -> str:
    """Return the functions and their table ``kParts``, to be included by lanes.cpp."""
    parts = list(_parts(c))
    users: dict[int, set[int]] = {net: {-1} for net in taken(c)}
    for number, (groups, _) in enumerate(parts):
        for group in groups:
            for net in group.inputs:
                users.setdefault(net, set()).add(number)
    functions, table = [], []
    for number, (groups, out) in enumerate(parts):
        body = "\n".join(_body(groups, out, {n for n, by in users.items() if by - {number}}))
        functions.append(f"static void settle_{number}(V *n) {{\n{body}\n}}\n")
        table.append(f"    {{{len(groups)}, settle_{number}}},\n")
    return f"{''.join(functions)}static const Part kParts[] = {{\n{''.join(table)}}};\n"


def _parts(c: Circuit) -> Iterator[tuple[list[Group], int]]:
    """Yield runs of groups that one function computes, and the first net that it drives.

    They have the same sources: where these rest, none has anything to do.
    """
    out = 2 + c.inputs + len(c.registers)
    part, size, begin = list[Group](), 0, out
    for group in c.groups:
        alike = part and group.sources == part[0].sources and size + group.outputs <= MOST
        if group.table == READ or not alike:
            if part:
                yield part, begin
            part, size, begin = [], 0, out
        if group.table != READ:
            part.append(group)
            size += group.outputs
        out += group.outputs
    if part:
        yield part, begin


def _body(groups: Sequence[Group], out: int, wanted: set[int]) -> Iterator[str]:
    """Yield the statements of a function whose first LUT drives the net ``out``."""
    first = out
    for group in groups:
        for at in range(0, 3 * group.outputs, 3):
            nets = group.inputs[at : at + 3]
            a, b, c = (f"v{n - first}" if first <= n < out else _net(n) for n in nets)
            yield f"    const V v{out - first} = lut<{group.table}>({a}, {b}, {c});"
            if out in wanted:
                yield f"    n[{out}] = v{out - first};"
            out += 1


def _net(number: int) -> str:
    return ("none()", "~none()")[number] if number < 2 else f"n[{number}]"
