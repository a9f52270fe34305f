# SPDX-License-Identifier: Apache-2.0
"""Traces of word engines: digits that are the scalar's, and a campaign on one without masks."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ecsm.evidence.campaigns.attacks import unmasked
from ecsm.evidence.campaigns.lanes import FEW, Lanes, lane_count
from ecsm.evidence.campaigns.leak import Leak, Plan, leak
from ecsm.evidence.campaigns.leak_report import text
from ecsm.evidence.campaigns.subjects import traced_class
from ecsm.evidence.campaigns.word_traces import Multiples, Signatures, WordTraces
from ecsm.progress import Progress

SUBJECTS = {"word-p256": 97, "word-p256-none": 65}
"""Digits that are seen, by name: 97 of a scalar with 128 bits more, where there are masks
(docs/security/word.md)."""


def subject(name: str) -> WordTraces:
    found = traced_class(name)(name, Progress())
    assert isinstance(found, WordTraces)
    return found


def test_names_of_word_engines() -> None:
    assert traced_class("word-p256") is Multiples
    assert traced_class("schemes-word-p256-none") is Signatures


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_digits_are_those_of_the_scalar(name: str) -> None:
    """Against the key, or the textbook's nonce: sums of digits are it, modulo the order.

    Masks are drawn evenly for each digit, and are 0 where nothing is protected.
    """
    it, masked = subject(name), not name.endswith("-none")
    n = it.machine.curve.n
    with Lanes(it.circuit, FEW) as lanes:
        inputs = it.inputs(random.Random(5), it.vary[-1], [False] * lanes.lanes)
        seen = list(it.digits(lanes, inputs))
    assert len(seen) == len(it.listing.digits) == SUBJECTS[name]
    for lane in range(lanes.lanes):
        scalar = 0
        for digit in seen:
            index, sign = (
                int(unmasked(v, b)[lane]) for v, b in ((digit.place, 3), (digit.sign, 1))
            )
            scalar = 16 * scalar + (2 * index + 1) * (1 - 2 * sign)
        assert (scalar - it.scalar(inputs.keys[lane], inputs.asked[lane])) % n == 0
    for masks, most in (([d.place >> 3 for d in seen], 8), ([d.sign >> 1 for d in seen], 2)):
        counts = np.bincount(np.concatenate(masks), minlength=most)
        assert counts.sum() == len(seen) * lanes.lanes
        even = counts.sum() / most
        assert (abs(counts - even) < 6 * even**0.5).all() if masked else counts[0] == counts.sum()


@pytest.mark.slow
def test_each_cycle_has_a_part() -> None:
    it = subject("schemes-word-p256")
    names = it.names
    assert len(names) == it.cycles == it.listing.last + 4
    assert names[0] == "load: begin"
    assert names[-4:] == ["answer"] * 4
    loads = [n.startswith("load: ") for n in names]
    assert loads == sorted(loads, reverse=True), "the key is loaded first"
    for cycle in it.turns[:-1]:
        assert names[cycle - 1] == "sign-sha256: base > look_comb", "which ends here"
    parts = ("new_parts", "mac_begin sha256", "base > double", "inverse")
    order = [f"sign-sha256: {p}" for p in parts]
    assert sorted(order, key=names.index) == order
    assert names.count("sign-sha256: base > add_entry") > it.cycles // 3


@pytest.mark.slow
def test_digits_of_a_comb_are_those_of_the_nonce() -> None:
    """Against the textbook's nonce: both products are of two parts, whose sum is it.

    In a column come the upper half's digits and the lower half's, each of both parts. Piece i of
    a half stands at bit 26 (half + 2 i); the first piece's sign is that of the digit.
    """
    it, columns, parts = subject("schemes-word-p256"), 26, 2
    n = it.machine.curve.n
    with Lanes(it.circuit, FEW) as lanes:
        inputs = it.inputs(random.Random(5), "nonce", [False] * lanes.lanes)
        seen = [
            (unmasked(d.place, 4).tolist(), unmasked(d.sign, 1).tolist())
            for d in it.digits(lanes, inputs)
        ]
    each = 2 * parts * columns
    assert len(seen) == 2 * each
    for lane in range(lanes.lanes):
        for product in (seen[:each], seen[each:]):
            total = 0
            for at, (place, sign) in enumerate(product):
                if at % (2 * parts) == 0:
                    total *= 2
                half = 1 - at % (2 * parts) // parts
                signs = [1, *(2 * (place[lane] >> 4 - i & 1) - 1 for i in range(1, 5))]
                entry = sum(s << columns * (half + 2 * i) for i, s in enumerate(signs))
                total += -entry if sign[lane] else entry
            assert (total - it.scalar(inputs.keys[lane], inputs.asked[lane])) % n == 0
    places = np.bincount(np.concatenate([p for p, _ in seen]), minlength=16)
    assert (abs(places - places.mean()) < 6 * places.mean() ** 0.5).all()
    assert it.digit_bits == 5
    spans = it.windows
    assert {b - a for a, b in spans} == {1400}
    assert all(b <= a for (_, b), (a, _) in pairwise(spans)), "no window is in another one"


@pytest.mark.slow
def test_traces_are_cut_behind_a_digit(here: Path) -> None:
    """The blocks are the first ones of whole traces; more digits than there are, are refused."""
    whole, it = subject("word-p256-none"), subject("word-p256-none")
    it.cut(1)
    assert it.windows == whole.windows[:1]
    assert it.cycles == it.windows[0][1]
    assert (it.names, it.turns) == (whole.names[: it.cycles], [whole.turns[0], it.cycles])
    with Lanes(it.circuit, FEW) as lanes:
        inputs = it.inputs(random.Random(1), "point", [False] * lanes.lanes)
        cut = np.concatenate([rows.copy() for _, rows in it.blocks(lanes, inputs)])
        assert len(cut) == it.cycles
        for first, rows in whole.blocks(lanes, inputs):
            end = min(first + len(rows), it.cycles)
            assert (cut[first:end] == rows[: end - first]).all()
            if end == it.cycles:
                break
    plan = Plan("word-p256-none", "scalar", 1, 0, 1, 1, len(whole.windows) + 1)
    with pytest.raises(ValueError, match="has 65 digits that are looked at"):
        leak(plan, "ecsm leak", None, 1, Progress())


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pieces have one batch."""
    monkeypatch.setattr(WordTraces, "chunk", lane_count())


def found(seed: int = 1) -> Leak:
    plan = Plan("word-p256-none", "scalar", 1, 1, 1, seed)
    return leak(plan, "ecsm leak", None, 1, Progress())[0]


@pytest.mark.slow
def test_an_engine_without_masks_leaks(here: Path, short: None) -> None:
    """In the product everywhere, and its control does not. A lost piece is made again."""
    result = found()
    assert result.traces == lane_count()
    assert result.first.over > result.cycles // 10
    assert (result.null_first.over, result.null_second.over) == (0, 0)
    parts = {w.name for w in result.words}
    assert {"ecdh: multiply > lookup", "ecdh: multiply > double", "load: begin"} <= parts
    single = result.single
    assert single is not None
    assert single.accuracy > 0.99
    assert single.scalars == lane_count()
    assert single.scalars_right > single.scalars // 2
    assert "scalars" in text(result)
    times = {f: f.stat().st_mtime_ns for f in here.rglob("*.npz")}
    (lost,) = (f for f in times if f.stem == "moments-0")
    before = lost.read_bytes()
    lost.unlink()
    assert found() == result
    assert lost.read_bytes() == before
    assert {f: f.stat().st_mtime_ns for f in times if f != lost} == {
        f: t for f, t in times.items() if f != lost
    }
