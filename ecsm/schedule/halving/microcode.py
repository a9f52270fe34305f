# SPDX-License-Identifier: Apache-2.0
"""Microcode of the engine for halving, and what it does, run on numbers without the RTL."""

from __future__ import annotations

from ecsm.curves import Point
from ecsm.curves.gf2m.halving import BITS, ODD, Digit, Halves
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.graph import Segment
from ecsm.schedule.halving.program import WINDOW, words
from ecsm.schedule.halving.types import BANKS, DIGIT, HIGH, NAMES, PLAIN, SLOTS, R
from ecsm.schedule.halving.words import Word
from ecsm.schedule.program import Microcode, Result, compress
from ecsm.schedule.types import CAPTURE, Schedule

READ = 1  # the words' memory


def assemble(curve: BinaryCurve, h: Halves, tail: Segment, schedule: Schedule) -> Microcode[Word]:
    """Return the microcode of a solved tail."""
    code = compress(words(curve, h, tail, schedule.tail), WINDOW)
    return Microcode(*code, len(PLAIN), schedule.places(tail.outputs), CAPTURE + READ)


def slots(chosen: dict[int, int], accumulator: int) -> list[int]:
    """Return the register of each memory that a word chooses."""
    first = len(PLAIN)
    picked = [chosen.get(first + i, 0) for i in range(len(BANKS))]
    return [
        first + SLOTS * i + (max(0, accumulator) if slot == DIGIT else slot)
        for i, slot in enumerate(picked)
    ]


def run(code: Microcode[Word], curve: BinaryCurve, h: Halves, k: int, point: Point) -> Result:
    """Execute kP; raises ValueError if a register other than the answer's is not cleared."""
    gf = curve.field
    out = code.out
    regs = [0] * len(NAMES)
    regs[R["CX"]], regs[R["CL"]] = point or (0, 0)
    products = [0, 0]
    flags: dict[str, bool] = {}
    digits = h.digits(k)
    waiting: list[Digit | None] = [None, None, None]  # caught next, read, written
    position = 0
    for word in code.unrolled():
        u = products[0] ^ regs[0]
        root = gf.sqrt(u)
        trace = gf.trace(u)
        catch, read, write = waiting
        reads, writes = (ODD.index(d.odd) if d and d.odd else -1 for d in (read, write))
        valid = point is not None and flags.get("curve", False) and flags.get("trace", False)
        conditions = {
            "": True,
            "rl": 0 <= reads < HIGH,
            "rh": reads >= HIGH,
            "neg": read is not None and read.negative,
            "w": writes >= 0,
            "wl": 0 <= writes < HIGH,
            "wh": writes >= HIGH,
            **{f"c{p}": catch is not None and catch.shift == BITS - 1 - p for p in range(BITS)},
            "t0": not trace,
            "affine": valid and not flags.get("z1", True),
        }
        values = {
            "root": [root],
            "half": [root ^ gf.half_trace(root)],
            "mul": products,
            "reg": [*regs[: len(PLAIN)], *(regs[r] for r in slots(word.read_slot, reads))],
        }
        sums: dict[int, int] = {}
        for g in word.gates:
            if conditions[g.condition]:
                kind, index = g.source
                v = index if kind == "const" else values[kind][index]
                sums[g.sink] = sums.get(g.sink, 0) ^ gf.mul(g.map.c, gf.frob(v, g.map.k))
        for name in word.test:
            flags[name] = trace == gf.trace(curve.a) if name == "trace" else not sums.get(-1, 0)
        nexts = [gf.mul(regs[0], regs[1]), gf.mul(regs[2], regs[3])]
        targets = [*range(len(PLAIN)), *slots(word.write_slot, writes)]
        for r in {r for r, condition in word.write if conditions[condition]}:
            regs[targets[r]] = sums.get(r, 0)
        products = nexts
        if "latch" in word.scalar:
            waiting[2] = waiting[1]
        if "shift" in word.scalar:
            waiting[1] = waiting[0]
            waiting[0] = digits[position] if position < len(digits) else Digit.of(-8)
            position += 1
    good = point is None or (flags["curve"] and flags["trace"])
    if any(v for r, v in enumerate(regs) if r not in out or not good or point is None):
        raise ValueError("registers other than the answer's are not cleared")
    affine = good and point is not None and not flags["z1"]
    return Result(
        (regs[out[0]], regs[out[1]]) if affine else None,
        point is None or flags["curve"],
        point is None or flags["trace"],
    )
