# SPDX-License-Identifier: Apache-2.0
"""Prove one division step (gfp_divsteps_step.sv) on limbs and on a matrix, for all numbers.

The controls are constants: neither, odd, odd and swap. The lowest bit of every limb and those above
LimbW are symbols of their own, 0 or 1, since the unit adds them bit by bit. It shows, for any limbs
of Width bits by complement:

- f becomes g if there is a swap, and stays else.
- With s f = f if odd, -f if there is a swap, 0 else, twice the new limb i of g is, modulo
  2^(Width + 1), g[i] + s f[i] without its lowest bit, and with that of limb i + 1 at 2^LimbW. So
  twice the new g is g + s f less the lowest bit of limb 0, which is 0 as odd is g's parity.
- The matrix, of entries up to 2^(Batch - 1) either way, becomes what ecsm.curves.gfp.divsteps says,
  modulo 2^(Batch + 2): no entry behind a step is above 2^Batch.

That no limb overflows Width bits in a batch is shown by bounds: behind a pass of carries a limb is
less than 2 2^LimbW either way, and a step makes at most half of two limbs and 2^LimbW of them. The
highest limb is the whole, which never grows, less the lower ones.

Not proven: the choice of controls, their sequence, and the passes of carries (gfp_divsteps.sv).
"""

from __future__ import annotations

from random import Random

from ecsm.evidence.gfp.cells import Bits, bits_of
from ecsm.evidence.gfp.integers import Impossible, Integers, Number, Polynomial
from ecsm.evidence.gfp.reducer import Wrong
from ecsm.evidence.gfp.words import Run, Words
from ecsm.presets.gfp import PrimePreset


def step_width(p: PrimePreset) -> int:
    """Return the bits of a limb of f and g, Width of gfp_divsteps.sv."""
    slack = ((p.batch + 1) // 3 + 2).bit_length()
    return max(p.residues.limb + slack + 1, p.residues.register + 2)


class Step:
    """The operands of a step, as symbols, or with ``some`` as numbers."""

    def __init__(self, p: PrimePreset, netlist: Words, some: Random | None) -> None:
        self.p, self.z, self.some = p, Integers(), some
        self.width, self.limb = step_width(p), p.residues.limb
        self.run = Run(netlist, self.z)
        count = p.residues.limbs
        self.f, self.g = ([self._limb() for _ in range(count)] for _ in range(2))
        top = 1 << p.batch - 1
        self.matrix = [self._symbol(top, -top) for _ in range(4)]

    def _symbol(self, hi: int, lo: int = 0) -> Number:
        if self.some is None:
            return self.z.symbol(hi, lo)
        return self.z.fixed(self.some.randint(lo, hi))

    def _limb(self) -> tuple[Number, Bits]:
        """Return a limb, by complement, and its bits."""
        z = self.z
        places = [0, 1, *range(self.limb, self.width)]
        parts = [self._symbol(1), self._symbol((1 << self.limb - 1) - 1)]
        parts += [self._symbol(1) for _ in places[2:]]
        total, bits = z.fixed(0), Bits()
        for at, part in zip(places, parts, strict=True):
            sign = -1 if at == self.width - 1 else 1
            total = z.sum(total, z.times(sign << at, part))
            bits += bits_of(z, part, self.limb - 1 if at == 1 else 1)
        return total, bits

    def check(self, odd: int, swap: int) -> None:
        """Compare a step; raises Wrong."""
        p, z, run = self.p, self.z, self.run
        matrix = [bit for v in self.matrix for bit in bits_of(z, v, p.batch + 2)]
        run.settle({
            "odd_i": [odd], "swap_i": [swap], "m_i": matrix,
            "f_i": [b for _, bits in self.f for b in bits],
            "g_i": [b for _, bits in self.g for b in bits],
        })  # fmt: skip
        if run.port("f_o") != [b for _, bits in (self.g if swap else self.f) for b in bits]:
            raise Wrong("f is another number")
        sign = -1 if swap else odd
        sums = [g.exact + sign * f.exact for (f, _), (g, _) in zip(self.f, self.g, strict=True)]
        lost = [self._parity(k, odd) for k in range(len(sums))]
        for k, want in enumerate(sums):
            got = self._signed("g_o", k, self.width)
            want = want - lost[k]
            if k + 1 < len(sums):
                want = want + (1 << self.limb) * lost[k + 1]
            if (2 * got - want).divided(self.width + 1)[1].terms:
                raise Wrong(f"limb {k} of g is another number")
        u, v, q, r = (x.exact for x in self.matrix)
        above = (2 * q, 2 * r) if swap else (2 * u, 2 * v)
        for k, entry in enumerate((*above, q + sign * u, r + sign * v)):
            got = self._signed("m_o", k, p.batch + 2)
            if (got - entry).divided(p.batch + 2)[1].terms:
                raise Wrong(f"entry {k} of the matrix is another number")

    def _parity(self, k: int, odd: int) -> Polynomial:
        """Return the lowest bit of limb k of g + f, or of g."""
        low = [self.run.unsigned(limbs[k][1][:1]) for limbs in (self.f, self.g)]
        assert low[0] is not None
        assert low[1] is not None
        if not odd:
            return low[1].exact
        both = self.z.product(low[0], low[1])
        return low[0].exact + low[1].exact - 2 * both.exact

    def _signed(self, port: str, k: int, width: int) -> Polynomial:
        """Return number k of a port, by complement; any that is the same modulo 2^width."""
        number = self.run.word(self.run.port(port)[width * k : width * (k + 1)])
        if number is None:
            raise Wrong(f"number {k} of {port} is not known")
        return number.exact


def overflows(p: PrimePreset) -> bool:
    """Return whether limbs of f and g may be too large for their bits, in a batch."""
    r, width = p.residues, step_width(p)
    one = 1 << r.limb
    f = g = 2 * one  # behind the carries
    for _ in range(p.batch):
        f, g = max(f, g), (f + g + one) // 2 + 1
    largest = max(f, g)
    lower = sum(largest << r.limb * k for k in range(r.limbs - 1))
    whole = max(r.p, p.max_value)
    top = (whole + lower >> r.limb * (r.limbs - 1)) + 1
    return max(largest, top) >= 1 << width - 1


def check_step(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is a division step, else what is wrong."""
    try:
        if overflows(p):
            raise Wrong("a limb of f or g may not fit")
        for odd, swap in ((0, 0), (1, 0), (1, 1)):
            Step(p, netlist, some).check(odd, swap)
    except (Wrong, Impossible) as error:
        return str(error)
    return ""
