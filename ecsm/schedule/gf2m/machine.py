# SPDX-License-Identifier: Apache-2.0
"""Run microcode on numbers: what the RTL does, cycle by cycle, without the RTL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ecsm.curves import Point
from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.masked import recode_masked
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.graph import RESULT
from ecsm.schedule.gf2m.words import Gate, Sink, Word
from ecsm.schedule.program import Microcode, Result
from ecsm.schedule.types import Units


def _sums(
    gf: BinaryField, gates: list[Gate], sources: dict[str, Sequence[int | None]]
) -> dict[Sink, int]:
    """Return the sum that each sink receives through the open gates."""
    sums: dict[Sink, int] = {}
    for g in gates:
        kind, index = g.source
        v = index if kind == "const" else sources[kind][index]
        if v is None:
            raise ValueError(f"multiplier {index} has no result in this cycle")
        sums[g.sink] = sums.get(g.sink, 0) ^ gf.mul(g.map.c, gf.frob(v, g.map.k))
    return sums


@dataclass(frozen=True)
class Streams:
    """The bits that a job's words have, one for each shift of them, and a number in a register.

    Attributes:
        keys: the recoded bits of the scalar; of a masked ladder, xor the role that the step has.
        roles: of each step the role of the next one; empty without masks.
        random: registers that the request loads, and with what.
    """

    keys: Sequence[bool]
    roles: Sequence[bool] = ()
    random: tuple[tuple[int, int], ...] = ()


def masked(k: int, curve: BinaryCurve, register: int, roles: int, random: int) -> Streams:
    """Return the streams of a masked ladder: those of ``k``, with m + 3 bits of roles.

    The load takes the first bit of each, which is 0. The first step has the role 0; bit m + 2 of
    ``roles`` is the role of the second.
    """
    keys = recode_masked(k, curve)
    own = [False, *(bool(roles >> i & 1) for i in range(len(keys) - 2, -1, -1))]
    hidden = [key ^ role for key, role in zip(keys, own, strict=True)]
    return Streams([False, *hidden], [False, *own[1:], False], ((register, random),))


def run(
    code: Microcode[Word], gf: BinaryField, units: Units, streams: Streams, point: Point
) -> Result:
    """Execute kP; raises ValueError if a multiplier is started while it is busy."""
    regs = [*(point or (0, 0)), *([0] * (code.registers - 2))]
    for register, value in streams.random:
        regs[register] = value
    operands: dict[Sink, int] = {}  # registers, if the code has them
    flags: dict[str, bool] = {}
    keys = streams.keys
    roles = streams.roles or [False] * len(keys)
    pipes: list[dict[int, int]] = [{} for _ in range(units.count)]
    free = [0] * units.count
    bit = 0
    for cycle, word in enumerate(code.unrolled()):
        on_curve = flags.get("curve", False) or point is None
        affine = on_curve and point is not None and not flags.get("z1", True)
        after = min(bit + (word.shift or cycle == 0), len(keys) - 1)
        conditions = {
            "key": keys[bit],
            "next": keys[after],
            "role": roles[bit],
            "next role": roles[after],
            "affine": affine,
            "negate": affine and flags.get("z2", False),
        }
        outputs: list[int | None] = [None] * units.count
        sources: dict[str, Sequence[int | None]] = {"reg": regs, "mul": outputs}
        active = [g for g in word.gates if all(conditions[n] == v for n, v in g.guard)]
        for_operands = [g for g in active if g.sink[0] == "operand"]
        if not units.ahead:
            operands = _sums(gf, for_operands, sources)
        for u in sorted(word.start):
            if cycle < free[u]:
                raise ValueError(f"multiplier {u} is busy in cycle {cycle}")
            free[u] = cycle + units.interval
            a, b = operands.get(("operand", u, 0), 0), operands.get(("operand", u, 1), 0)
            pipes[u][cycle + units.latency - 1] = gf.mul(a, b)
        for u in range(units.count):
            outputs[u] = pipes[u].pop(cycle, None)
        if units.ahead:
            operands = _sums(gf, for_operands, sources)
        sums = _sums(gf, [g for g in active if g.sink[0] != "operand"], sources)
        for name in word.test:
            flags[name] = sums.get(("test", 0, 0), 0) == 0
        for r in word.write:
            regs[r] = sums.get(("write", r, 0), 0)
        if word.shift or cycle == 0:
            bit += 1
    on_curve = flags["curve"] or point is None
    answer = point is not None and on_curve and not flags["z1"]
    if answer and not flags.get(RESULT, True):
        raise ValueError("the answer is not on the curve")
    secret = [v for r, v in enumerate(regs) if not answer or r not in code.out]
    if any(secret):
        raise ValueError("registers other than the answer's are not cleared")
    if not answer:
        return Result(None, on_curve)
    x, y = code.out
    return Result((regs[x], regs[y]))
