# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a word engine's public key is what the curve and the memory's words say."""

from __future__ import annotations

from types import ModuleType

import pytest

from ecsm.demo.live import word
from ecsm.demo.live.record import LiveError, Record
from ecsm.demo.live.recorder import record
from ecsm.presets.word import WORD_PRESETS
from ecsm.status import ScalarOutOfRange

NAMES = ("word-p256-none", pytest.param("word-dual-b163-none", marks=pytest.mark.full),
         pytest.param("word-prime-none", marks=pytest.mark.full))  # fmt: skip

PRODUCTS = ("X·Z²", "Y·Z³", "X·2Y²", "R(V-X)")


@pytest.fixture(scope="module", params=NAMES)
def run(request: pytest.FixtureRequest) -> Record:
    name: str = request.param
    return record(name)


def test_the_result_is_the_oracles(run: Record, libcrypto: ModuleType) -> None:
    assert run.result == libcrypto.kp(run.curve, run.k, run.point)


def test_products_are_products(run: Record) -> None:
    """A product modulo p is a b / R: its numbers are signed, of n words of W bits."""
    curve = WORD_PRESETS[run.preset].curve
    checked = 0
    if not hasattr(curve, "p"):
        pytest.skip("numbers of a binary curve are polynomials")
    back = pow(1 << run.bits, -1, curve.p)

    def signed(v: int) -> int:
        return v - (v >> run.bits - 1 << run.bits)

    for c in run.happened.values():
        for s in c.starts:
            for w in run.happened[s.done].writes if s.name in PRODUCTS else []:
                if w.name == s.name:
                    a, b = map(signed, s.operands)
                    assert (signed(w.value) - a * b * back) % curve.p == 0
                    checked += 1
    assert checked > 10


def test_the_last_numbers_are_the_answer(run: Record) -> None:
    """Both coordinates stand in the memory when the answer goes out."""
    last = {w.register: w.value for c in run.happened.values() for w in c.writes}
    assert run.result is not None
    assert set(run.result) <= set(last.values())


def test_parts_and_digits(run: Record) -> None:
    ends = [0, *(p.last + 1 for p in run.parts[:-1])]
    assert [p.first for p in run.parts] == ends
    assert run.parts[-1].last == run.cycles
    found = [c.digit[0] for c in run.happened.values() if c.digit is not None]
    assert found == list(range(run.digits.count - 1, -1, -1))


@pytest.mark.parametrize("k", [0, WORD_PRESETS["word-p256-none"].curve.n, 1 << 300])
def test_a_scalar_that_is_no_key_is_refused(k: int) -> None:
    with pytest.raises(ScalarOutOfRange):
        record("word-p256-none", k)


def test_a_trace_of_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = word.modelled

    def other(*given: object) -> object:
        walks, strings = real(*given)  # type: ignore[arg-type]
        address, value = walks[3].writes[0]
        walks[3].writes[0] = (address, value ^ 1)
        return walks, strings

    monkeypatch.setattr(word, "modelled", other)
    with pytest.raises(LiveError, match="other words than the model"):
        record("word-p256-none")
