# SPDX-License-Identifier: Apache-2.0
"""One job of an engine over GF(2^m) on symbols, beside the formulas.

The netlist runs from reset to ready, takes a request, runs the program, answers, and is ready
again. The request's ports are symbols in the cycle of the request and unknown in every other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from ecsm.cores.design import BinaryDesign
from ecsm.evidence.engine.formulas import Conditions, Formulas, Vector
from ecsm.evidence.engine.netlist import Core
from ecsm.evidence.engine.run import Outside, Run
from ecsm.evidence.engine.values import CHOICE, Cases, Space, Value
from ecsm.formulas.gf2m.ladder import Ladder
from ecsm.hdl.engines.module import TAG_BITS
from ecsm.presets.gf2m import Preset
from ecsm.status import Status

STATUS_BITS = 4
QUIET = ("rsp_status_o", "rsp_infinity_o", "rsp_x_o", "rsp_y_o", "rsp_cycles_o")
FLAGS = ("curve", "z1", "z2")
_NOT, _AND, _OR = (1, 0), (0, 0, 0, 1), (0, 1, 1, 1)


class Wrong(Exception):
    """The netlist is not the program; the message says where."""


class Request:
    """The symbols of a request, and the answer that is due."""

    def __init__(self, p: Preset, core: Core) -> None:
        c = Conditions()
        self.m = p.m
        self.key = [c.new(f"key {i}") for i in range(p.m + 1)]
        self.op = [c.new(f"op {i}") for i in range(len(core.ports["req_op_i"]))]
        self.infinity = c.new("infinity")
        above = p.coordinate_bits - p.m
        self.high = {s: [c.new(f"{s} {p.m + i}") for i in range(above)] for s in "xy"}
        self.tag = [c.new(f"tag {i}") for i in range(TAG_BITS)]
        self.flag = {name: c.new(name) for name in FLAGS}
        self.space = Space((1 << c.count + 1) - 2)
        bad = self._and(self._not(self.infinity), self._not(self.flag["curve"]))
        outside = self._and(self._not(self.infinity), self._any(self.high["x"] + self.high["y"]))
        self.errors = [
            (self._any(self.op), Status.UNSUPPORTED),
            (outside, Status.COORDINATE_OUT_OF_RANGE),
            (bad, Status.POINT_NOT_ON_CURVE),
        ]
        self.ok = self._not(self._any([condition for condition, _ in self.errors]))
        self.affine = self._all([self.ok, self._not(self.infinity), self._not(self.flag["z1"])])
        self.negate = self._and(self.affine, self.flag["z2"])

    def _not(self, a: Value) -> Value:
        return self.space.apply(_NOT, (a,))

    def _and(self, a: Value, b: Value) -> Value:
        return self.space.apply(_AND, (a, b))

    def _all(self, values: Sequence[Value]) -> Value:
        found: Value = 1
        for value in values:
            found = self._and(found, value)
        return found

    def _any(self, values: Sequence[Value]) -> Value:
        found: Value = 0
        for value in values:
            found = self.space.apply(_OR, (found, value))
        return found

    def condition(self, name: str, i: int) -> Value:
        """Return a condition of the formulas."""
        return (
            {"affine": self.affine, "negate": self.negate}[name] if name != "key" else self.key[i]
        )

    def scalar(self) -> list[Value]:
        """Return the scalar, the lowest bit first. Its differences from the top are the keys.

        The keys 0 to m - 1 are any bits, so the scalar is any one. Key m is its lowest bit.
        """
        total, found = 0, []
        for key in self.key[: self.m]:
            total ^= key
            found.append(total)
        return list(reversed(found))

    def ports(self, f: Formulas) -> Mapping[str, list[Value]]:
        """Return the values of the request's ports."""
        return {
            "req_valid_i": [1],
            "req_op_i": list(self.op),
            "req_x_i": [*f.x.bits, *self.high["x"]],
            "req_y_i": [*f.y.bits, *self.high["y"]],
            "req_scalar_i": self.scalar(),
            "req_infinity_i": [self.infinity],
            "req_tag_i": list(self.tag),
        }

    def answer(self, f: Formulas, cycles: int, width: int) -> Mapping[str, list[Value]]:
        """Return what the response's ports must have; ``width``: bits of the cycle counter."""
        while f.advance():
            pass
        if f.result is None:
            raise Wrong("the answer is there before the last step of the formulas")
        x, y = f.result
        code: list[Value] = [0] * STATUS_BITS
        for condition, value in reversed(self.errors):
            code = [
                self.space.apply(CHOICE, (bit, value >> i & 1, condition))
                for i, bit in enumerate(code)
            ]
        zeros: list[Value] = [0] * len(self.high["x"])
        return {
            "rsp_valid_o": [1],
            "rsp_status_o": code,
            "rsp_infinity_o": [self._and(self.ok, self._not(self.affine))],
            "rsp_x_o": [*x.bits, *zeros],
            "rsp_y_o": [*y.bits, *zeros],
            "rsp_tag_o": list(self.tag),
            "rsp_cycles_o": [cycles >> i & 1 for i in range(width)],
        }


class Job:
    """One job of a netlist, on symbols."""

    def __init__(self, design: BinaryDesign, core: Core) -> None:
        self.design, self.core, p = design, core, design.preset
        self.request = Request(p, core)
        space = self.request.space
        ladder = Ladder(p.curve.a, p.curve.b, p.z_roots)
        self.formulas = Formulas(p.curve.field, ladder, space, self.request.condition, p.ahead)
        serial = p.multiplier.kind == "serial"
        if serial and p.ahead:
            raise Wrong("there is no model of a serial multiplier with registers of operands")
        latency = p.multiplier.latency(p.m) - 1 + int(p.ahead)
        self.cycle = -1
        self.run = Run(core, space, Outside(self._product, latency, not serial, self._test))
        self.formulas.roots = self.run.live
        place = {r.q: i for i, r in enumerate(core.registers)}
        registers = {
            r: core.engine(f"u_regfile.gen_reg[{r}].data_q")
            for r in range(design.microcode.registers)
        }
        # A register that nothing reads is not in the netlist.
        self._groups = {
            r: [place[q] for q in nets] for r, nets in registers.items() if set(nets) <= set(place)
        }
        self._register_of = {i: r for r, group in self._groups.items() for i in group}
        quiet = [n for port in QUIET for n in core.ports[port]]
        self._quiet = itemgetter(*self.run.numbers(quiet))
        self._scalar = [place[q] for q in core.engine("gen_none.u_scalar.bits_q")]

    def _product(self, unit: int, start: Value, a: Vector, b: Vector) -> Vector | None:
        if None in a or None in b:
            return None
        made = self.formulas.product(a, b)
        if made is None and start is not None:
            raise Wrong(
                f"cycle {self.cycle}: operands of multiplier {unit} are of no product of the"
                f" formulas (steps {self.formulas.used} to {self.formulas.step})"
            )
        return made

    def _test(self, value: Value, flags: Vector) -> Value:
        chosen = [name for name, bit in zip(FLAGS, flags, strict=True) if bit == 1]
        if flags.count(0) != len(flags) - 1 or not chosen:
            return None  # no flag takes it, or it is not known which
        (name,) = chosen
        while name not in self.formulas.tests and self.formulas.advance():
            pass
        if self.formulas.tests.get(name) != value:
            raise Wrong(f"cycle {self.cycle}: the formulas test another value for {name}")
        return self.request.flag[name]

    def _rename(self, taken: dict[int, Value]) -> None:
        """Give registers the names of what they take."""
        for r in {self._register_of[i] for i in taken if i in self._register_of}:
            group = self._groups[r]
            values = tuple(taken.get(i, self.run.values[self.run.q[i]]) for i in group)
            if any(isinstance(v, Cases) for v in values):
                named = self.formulas.named(values)
                taken.update(zip(group, named, strict=True))

    def _lowest_key(self, taken: dict[int, Value]) -> None:
        """Give the lowest bit of the scalar, which is the last key, its symbol."""
        self._rename(taken)
        lowest = self._scalar[0]
        if taken.get(lowest) != self.request.scalar()[0]:
            raise Wrong("cycle 0: the lowest bit of the scalar is not in its register")
        taken[lowest] = self.request.key[-1]

    # -- the cycles

    def _free_ports(self) -> None:
        for name, bits in self.core.ports.items():
            if name.startswith("req_") and name.endswith("_i"):
                self.run.drive(name, [None] * len(bits))

    def _expect(self, name: str, want: list[Value]) -> None:
        got = self.run.port(name)
        for i, (one, other) in enumerate(zip(got, want, strict=True)):
            if one != other:
                what = "not known" if one is None else "another function"
                raise Wrong(f"cycle {self.cycle}: bit {i} of {name} is {what}")

    def to_ready(self) -> Vector:
        """Reset, and wait until the engine is ready; return the state that it then keeps."""
        run = self.run
        self._free_ports()
        for port, value in (("rst_ni", 0), ("zeroize_i", 0), ("rsp_ready_i", None)):
            run.drive(port, [value])
        run.settle()
        run.clock()
        run.drive("rst_ni", [1])
        return self.wait()

    def wait(self) -> Vector:
        """Wait until the engine is ready, and return the state that it keeps then."""
        run = self.run
        run.drive("req_valid_i", [0])
        run.drive("rsp_ready_i", [None])
        for _ in range(1 + self.design.preset.clearing):
            run.settle()
            if run.port("req_ready_o") == (1,):
                break
            run.clock()
        else:
            raise Wrong("the engine is not ready after a reset, or after an answer")
        self._clear()
        before = run.state()
        if None in before:
            raise Wrong("a register is not known when the engine is ready")
        run.clock()
        run.settle()
        if run.state() != before:
            raise Wrong("a ready engine does not stay as it is without a request")
        return before

    def do(self) -> None:
        """Run the job; raises :class:`Wrong`."""
        run, request = self.run, self.request
        idle = self.to_ready()
        for name, bits in request.ports(self.formulas).items():
            run.drive(name, bits)
        last = self.design.microcode.cycles
        for self.cycle in range(last):
            run.settle()
            self._expect("rsp_valid_o", [0])
            self._expect("req_ready_o", [int(self.cycle == 0)])
            if any(bit != 0 for bit in self._quiet(run.values)):
                raise Wrong(f"cycle {self.cycle}: there is data at the ports before the answer is")
            run.clock(self._rename if self.cycle else self._lowest_key)
            if self.cycle == 0:
                self._free_ports()
        self.cycle = last
        run.drive("rsp_ready_i", [0])
        run.settle()
        width = len(run.port("rsp_cycles_o"))
        for name, bits in request.answer(self.formulas, last, width).items():
            self._expect(name, bits)
        self._clear(self.design.microcode.out)
        self._stays()
        run.drive("rsp_ready_i", [1])
        run.settle()
        run.clock()
        if self.wait() != idle:
            raise Wrong("the engine is ready again in another state than before the job")

    def _clear(self, but: tuple[int, ...] = ()) -> None:
        """Check that the registers of the file are clear, but for some."""
        for r, group in self._groups.items():
            if r not in but and any(self.run.values[self.run.q[i]] != 0 for i in group):
                raise Wrong(f"register {r} is not clear when the engine is ready, or answers")

    def _stays(self) -> None:
        """Check that the answer stays until it is taken."""
        before = self.run.state()
        self.run.clock()
        self.run.settle()
        if self.run.state() != before:
            raise Wrong("the answer does not stay until it is taken")
