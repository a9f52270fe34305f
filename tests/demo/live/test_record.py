# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a kP is what libcrypto, the curve's model and the schedule say it must be."""

from __future__ import annotations

from types import ModuleType

import pytest

from ecsm.cores.store import binary_design
from ecsm.curves.gf2m.field import BinaryField
from ecsm.demo.live.gf2m import Names
from ecsm.demo.live.record import LiveError, Record
from ecsm.demo.live.recorder import record
from ecsm.measure.vcd import VcdError, probe
from ecsm.status import ScalarOutOfRange

QUICK = ("toy7-fast", "toy5-serial", "b163-small")
MORE = ("b163-fast", "b163-pipelined", "cityu-ecsm", "khan-benaissa")
SCALARS = {"toy7-fast": 0x5B, "toy5-serial": 0x1A}


@pytest.fixture(
    scope="module", params=[*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in MORE)]
)
def run(request: pytest.FixtureRequest) -> Record:
    name: str = request.param
    return record(name, SCALARS.get(name))


def bits(r: Record) -> dict[int, int]:
    return {c.digit[0]: int(c.digit[1]) for c in r.happened.values() if c.digit is not None}


def test_the_result_is_the_oracles(run: Record, libcrypto: ModuleType) -> None:
    c = binary_design(run.preset).preset.curve
    assert run.result == c.mul(run.k, run.point)
    if not c.name.startswith("toy"):
        assert run.result == libcrypto.kp(c.name, run.k, run.point)


def test_the_answer_is_what_the_last_writes_say(run: Record) -> None:
    out = binary_design(run.preset).microcode.out
    last = {w.register: w.value for c in run.happened.values() for w in c.writes}
    assert run.result == tuple(last[r] for r in out)
    assert all(v == 0 for r, v in last.items() if r not in out)


def test_the_key_bits_are_the_scalars(run: Record) -> None:
    m = binary_design(run.preset).preset.m
    found = bits(run)
    assert sorted(found) == list(range(m))
    assert sum(v << i for i, v in found.items()) == run.k
    cycles = [t for t, c in run.happened.items() if c.digit is not None]
    indices = [c.digit[0] for c in run.happened.values() if c.digit is not None]
    assert cycles == sorted(cycles)
    assert indices[:m] == list(range(m - 1, -1, -1))


def test_products_are_products(run: Record) -> None:
    """What a product's register gets, where it gets it unchanged, is a times b in the field."""
    gf: BinaryField = binary_design(run.preset).preset.curve.field
    checked = 0
    for c in run.happened.values():
        for q in c.starts:
            for w in run.happened[q.done].writes if q.done in run.happened else []:
                if w.name == q.name:
                    assert w.value == gf.mul(*q.operands), q.name
                    checked += 1
    assert checked > 10


def test_the_ladders_variables_are_multiples_of_the_point(
    run: Record, libcrypto: ModuleType
) -> None:
    """After every turn the quotients are the x of jP and (j + 1)P, j being the bits so far."""
    design, curve = binary_design(run.preset), binary_design(run.preset).preset.curve
    gf: BinaryField = curve.field
    names = {o.atom: o.name for o in design.graph.body.ops}
    outputs = [names[a] for a in design.graph.body.outputs]
    turns = [p for p in run.parts if p.name.startswith("turn")]
    values: dict[str, list[int]] = {name: [] for name in outputs}
    for c in run.happened.values():
        for w in c.writes:
            name = w.name.partition(", pass")[0]
            if name in values and ", pass" not in w.name:
                values[name].append(w.value)
    roots = "T = A+B" in names.values()
    every = 1 if len(turns) < 20 else 23
    key = [run.k >> i & 1 for i in range(design.preset.m - 1, -1, -1)]
    for turn in range(0, len(turns), every):
        xs, ts, xd, cd = (values[name][turn] for name in outputs)
        zs, zd = (gf.mul(ts, ts), gf.mul(cd, cd)) if roots else (ts, cd)
        j = int("".join(map(str, key[: turn + 2])), 2)
        found = {_x(gf, xs, zs), _x(gf, xd, zd)}
        expected = set()
        for multiple in (j, j + 1):
            point = (
                curve.mul(multiple, run.point)
                if curve.name.startswith("toy")
                else libcrypto.kp(curve.name, multiple, run.point)
            )
            expected.add(None if point is None else point[0])
        assert found == expected, f"turn {turn + 1}"


def _x(gf: BinaryField, x: int, z: int) -> int | None:
    return None if z == 0 else gf.mul(x, gf.inv(z))


def test_parts_and_cycles_are_the_schedules(run: Record) -> None:
    s = binary_design(run.preset).schedule
    assert run.cycles == s.cycles
    assert [p.name for p in run.parts[:2]] == ["request", "load"]
    ends = [0, *(p.last + 1 for p in run.parts[:-1])]
    assert [p.first for p in run.parts] == ends
    assert run.part(0) == "request"
    assert run.part(s.cycles - 1) == "tail"
    starts = [q.name for q in run.happened[run.inversion.first].starts]
    assert any(name.startswith("β2 = ") for name in starts)
    assert max(run.happened) < s.cycles


def test_the_inverse_is_an_inverse(run: Record) -> None:
    """The chain's last product, squared, times what went into it, is 1."""
    gf: BinaryField = binary_design(run.preset).preset.curve.field
    products = [q for c in run.happened.values() for q in c.starts]
    g = next(q for q in products if q.name.startswith("g = "))
    last = [q for q in products if q.name.startswith("β")][-1]
    chain = max(products, key=lambda q: (q.name.startswith("β"), q.done))
    assert last.done == chain.done
    beta = gf.mul(*last.operands)
    assert gf.mul(gf.mul(beta, beta), gf.mul(*g.operands)) == 1


@pytest.mark.parametrize("k", [0, 1, 66, 67, 127])
def test_every_scalar_has_a_record(k: int) -> None:
    r = record("toy7-fast", k)
    assert r.result == binary_design(r.preset).preset.curve.mul(k, r.point)
    assert sum(v << i for i, v in bits(r).items()) == k


def test_a_scalar_that_is_too_long_is_refused() -> None:
    with pytest.raises(ScalarOutOfRange):
        record("toy7-fast", 128)


def test_a_trace_of_something_else_has_no_names() -> None:
    """One product less, one write more: neither is passed over."""
    d = binary_design("toy7-fast")
    idle = dict.fromkeys(Names(d).signals, 0)
    request = {**idle, "u_engine.u_front.accept": 1}
    with pytest.raises(LiveError, match="does less"):
        Names(d).read([request, idle, {**idle, "u_engine.rsp_valid_o": 1}])
    with pytest.raises(LiveError, match="multiplier 0 starts in cycle 1"):
        Names(d).read([request, {**idle, "u_engine.start_q": 1}])
    with pytest.raises(LiveError, match="cycle 1 writes register 6"):
        Names(d).read([request, {**idle, "u_engine.write_q": 1 << 6}, idle])


VCD = b"""$scope module TOP $end
 $var wire 1 ! clk_i $end
 $scope module core $end
  $var wire 1 ! clk_i $end
  $scope module u $end
   $var wire 4 " bus [3:0] $end
   $var wire 4 # copy $end
   $var wire 4 " same [3:0] $end
  $upscope $end
 $upscope $end
$upscope $end
$enddefinitions $end
#0
b1010 "
1!
#1
0!
#2
b11 "
1!
"""


def test_probe_follows_signals_by_name() -> None:
    lines = VCD.splitlines(keepends=True)
    found = [dict(v) for v in probe(lines, ["u.bus", "u.same", "clk_i"])]
    assert [v["u.bus"] for v in found] == [10, 10, 3]
    assert [v["u.same"] for v in found] == [10, 10, 3]
    assert [v["clk_i"] for v in found] == [1, 0, 1]
    with pytest.raises(VcdError, match=r"u\.none"):
        list(probe(lines, ["u.none"]))
    with pytest.raises(VcdError, match="definitions"):
        list(probe(lines[:4], []))
