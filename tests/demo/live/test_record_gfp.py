# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a kP over GF(p) is what libcrypto, the field and the scalar say."""

from __future__ import annotations

from types import ModuleType

import pytest

from ecsm.cores.store import prime_design
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.demo.live.gfp import Trace
from ecsm.demo.live.record import Cycle, LiveError, Record
from ecsm.demo.live.recorder import record
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.status import ScalarOutOfRange

QUICK = ("toyp7-x", "toyp8-glv", "toyp5-s", "toyp6-m", "p256-fast")
MORE = (
    "toyp7-b", "toyp8-u", "toyp8-glv-b", "toyp8-f", "toyp7-d", "toyp8-a", "toyp8-k", "toyp7-c",
    "k256-glv", "x25519", "ed25519", "p384-fast", "p256-small", "bp256-small",
)  # fmt: skip


@pytest.fixture(
    scope="module", params=[*QUICK, *(pytest.param(n, marks=pytest.mark.full) for n in MORE)]
)
def run(request: pytest.FixtureRequest) -> Record:
    name: str = request.param
    curve = PRIME_PRESETS[name].curve
    return record(name, curve.n // 3 if curve.name.startswith("toy") else None)


def test_the_result_is_the_oracles(run: Record, libcrypto: ModuleType) -> None:
    p = PRIME_PRESETS[run.preset]
    assert run.result == p.multiple(run.k, run.point)
    if p.curve.name in ("secp256r1", "secp256k1", "secp384r1"):
        assert run.result == libcrypto.kp(p.curve.name, run.k, run.point)


def test_products_are_products_and_sums_are_sums(run: Record) -> None:
    """What a register gets at the end of an operation is what its operands say."""
    p = PRIME_PRESETS[run.preset].curve.p
    checked = 0
    for c in run.happened.values():
        for s in c.starts:
            for w in run.happened[s.done + 1].writes if s.done + 1 in run.happened else []:
                if w.name == s.name and s.unit == 0:
                    assert w.value == s.operands[0] * s.operands[1] % p, s.name
                    checked += 1
                elif w.name == s.name and s.unit == 1:
                    assert w.value == s.operands[0], s.name
                    checked += 1
    assert checked > 10


def test_the_digits_are_the_scalars(run: Record) -> None:
    p = PRIME_PRESETS[run.preset]
    found = {c.digit[0]: c.digit[1] for c in run.happened.values() if c.digit is not None}
    assert sorted(found) == list(range(run.digits.count))
    if run.digits.bits:
        assert isinstance(p.curve, XLine)
        scalar = p.curve.decode_scalar(run.k)
        assert sum(int(v) << i for i, v in found.items()) == scalar
    elif isinstance(p.curve, PrimeCurve) and not (p.endomorphism or p.upward):
        n, total = p.curve.n, sum(int(v) << p.window * i for i, v in found.items())
        assert (total - run.k) * (total + run.k) % n == 0


def test_parts_and_cycles_are_the_programs(run: Record) -> None:
    d = prime_design(run.preset)
    assert run.cycles == d.microcode.cycles
    ends = [0, *(p.last + 1 for p in run.parts[:-1])]
    assert [p.first for p in run.parts] == ends
    assert max(run.happened) < run.cycles
    assert sum(p.name.startswith("turn") for p in run.parts) == d.graph.trips
    (divide,) = [s for c in run.happened.values() for s in c.starts if s.unit == 2]
    assert divide.end == run.inversion.last


@pytest.mark.parametrize("name", ["toyp7-x", "p256-small", "k256-glv", "x25519", "ed25519"])
def test_a_scalar_that_no_port_carries_is_refused_before_the_work(name: str) -> None:
    told: list[str] = []
    for k in (-1, 1 << PRIME_PRESETS[name].scalar_bits):
        with pytest.raises(ScalarOutOfRange):
            record(name, k, told.append)
    assert not told


def test_a_trace_of_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another register, another product, another digit: nothing is passed over."""
    d = prime_design("toyp8-a")
    taken: list[list[dict[str, int]]] = []

    def keep(_: Trace, samples: list[dict[str, int]]) -> dict[int, Cycle]:
        taken.append(samples)
        return {}

    monkeypatch.setattr(Trace, "read", keep)
    with pytest.raises(LiveError, match="not the one on the port"):
        record("toyp8-a", 5)
    monkeypatch.undo()
    (samples,) = taken
    assert Trace(d, 5).read(samples)
    product = next(o for o in Trace(d, 5)._placed if o.op.kind.value == "mul")
    first = len(samples) - 1 - d.microcode.cycles
    cases = (
        (first + product.done, "u_engine.u_datapath.product", "product .* is wrong|write"),
        (first + 40, "u_engine.u_datapath.gen_bank[0].we", "differ in a write to bank 0"),
        (first + 40, "u_engine.u_datapath.store", "write to the table"),
        (first + d.microcode.lead + d.preset.units.prepare, "u_engine.index", "not the scalar's"),
    )
    for at, name, message in cases:
        changed = [dict(s) for s in samples]
        changed[at][name] ^= 1
        with pytest.raises(LiveError, match=message):
            Trace(d, 5).read(changed)
    with pytest.raises(LiveError, match="has not"):
        Trace(d, 5).read(samples[-20:])
