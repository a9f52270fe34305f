# SPDX-License-Identifier: Apache-2.0
"""The tables of evidence are read from kept results, which are as they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.evidence.campaigns import subject, textbook
from ecsm.evidence.campaigns.fault import Faults, Share, is_wrong
from ecsm.evidence.campaigns.leak import CERTAIN, Leak, Word
from ecsm.evidence.campaigns.leak_report import text
from ecsm.evidence.campaigns.moments import threshold
from ecsm.evidence.proof import Proof, Proven
from ecsm.evidence.taint.record import Assumed, Taint
from ecsm.hdl.machines import machine
from ecsm.report import security
from ecsm.results.evidence import fault_path, leak_path, prove_path
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, Origin, load, write_json
from ecsm.results.sources import scheme_digest

ORIGIN = Origin("ecsm prove toy7-small", "0" * 24, None, False, {})


def kept() -> Leak:
    """Return a result of the package with templates."""
    found = load(Leak, leak_path("b163-small", "scalar", RESULTS))
    assert found is not None
    return found


@pytest.mark.parametrize("single", [True, False])
def test_a_result_is_read_as_it_was_written(single: bool, tmp_path: Path) -> None:
    record = kept() if single else replace(kept(), single=None)
    file = leak_path("b163-small", "scalar", tmp_path)
    write_json(file, asdict(record))
    assert load(Leak, file) == record
    write_json(file, asdict(record) | {"single": {"accuracy": 1.0}})
    with pytest.raises(DamagedResult, match="single"):
        load(Leak, file)


def test_the_table_has_what_one_trace_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "RESULTS", tmp_path)
    record = kept()
    assert record.single is not None
    write_json(leak_path("b163-small", "scalar", tmp_path), asdict(record))
    row = security.leak_table().splitlines()[2]
    assert f"{record.single.accuracy:.2%} ({record.single.low:.2%}" in row
    assert f"{record.traces:,}" in row
    old = replace(record, origin=replace(record.origin, rtl="0" * 24))
    write_json(leak_path("b163-small", "scalar", tmp_path), asdict(old))
    assert "`b163-small`, at an earlier commit" in security.leak_table()


def test_tables_of_word_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many scalars are known whole, and the parts of the program that tell; no core's words."""
    monkeypatch.setattr(security, "RESULTS", tmp_path)
    core = kept()
    assert core.single is not None
    write_json(leak_path(core.preset, core.vary, tmp_path), asdict(core))
    single = replace(core.single, digits=900, digits_right=800, scalars=64, scalars_right=7)
    words = [
        Word("load: begin", 104, 57, 51.5, 100),
        Word("affine", 458, 0, 4.0, 9, 3, CERTAIN, 9, 0),
    ]
    now = replace(core.origin, rtl=scheme_digest(machine("word-p256")), carried="")
    engine = replace(core, preset="word-p256", single=single, words=words, origin=now)
    write_json(leak_path("word-p256", "scalar", tmp_path), asdict(engine))
    of_core, of_engine = security.leak_table().splitlines()[2:]
    assert "scalars" not in of_core
    assert "| `word-p256` |" in of_engine
    assert f"{single.high:.2%}); all of 7 of 64 scalars" in of_engine
    assert security.leak_parts_table().splitlines()[2:] == [
        "| `word-p256` | scalar | load: begin | 104 | 57 | 51.5 | - | - | - | - |",
        "| `word-p256` | scalar | affine | 458 | 0 | 4.0 | 3 | certain | 9 | 0 |",
    ]
    assert security.leak_taint_table().splitlines()[2:] == []


def test_tables_of_cycles_that_hold_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "RESULTS", tmp_path)
    core = kept()
    masked = Assumed("mask", "scalar: k", "it is random", 9000)
    taint = Taint(886, 10, 5, 2, [masked, Assumed("order", "u", "so", None)])
    over, limit = replace(core.first, over=15), round(threshold(10000), 3)
    engine = replace(
        core, preset="word-p256", cycles=10000, words=[], threshold=limit, first=over, second=over,
        taint=taint,
    )  # fmt: skip
    write_json(leak_path("word-p256", "scalar", tmp_path), asdict(engine))
    (row,) = security.leak_taint_table().splitlines()[2:]
    traces = f"{core.traces:,}"
    assert row.endswith(f"| scalar | {traces} | 10,000 | 886 | 15 | 10 | 5 (0.050%) | 2 |")
    rows = [line.split("| scalar | ")[1] for line in security.leak_assumed_table().splitlines()[2:]]
    assert rows == ["mask | scalar: k | it is random | 9,000 |", "order | u | so | - |"]
    shown = text(engine)
    assert "is held in 886 of 10,000 cycles" in shown
    assert "10 hold it; 5, 0.050% of the trace, do not: 3 hold the result" in shown
    assert "is held" not in text(core)


def test_the_table_of_proofs_says_what_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "RESULTS", tmp_path)
    proofs = [
        Proof("cones", "no secret", "rtl", 7000, "", 5, 5, 0.5),
        Proof("clearing", "nothing stays", "rtl", 7000, "2 registers are not clear", 5, 0, 0.5),
    ]
    record = Proven("toy7-small", proofs, {"adder": "only prime fields have one"}, ORIGIN)
    write_json(prove_path("toy7-small", tmp_path), asdict(record))
    lines = security.proof_table().splitlines()[2:]
    assert [line.split("|")[4].strip() for line in lines] == [
        "proven", "2 registers are not clear", "only prime fields have one",
    ]  # fmt: skip
    assert load(Proven, prove_path("toy7-small", tmp_path)) == record


def faults(name: str, outcomes: Sequence[str], *hits: int) -> Faults:
    """Return the result of a campaign with so many faults of each outcome."""
    count = sum(hits)
    shares = [Share.of(n, h, count) for n, h in zip(outcomes, hits, strict=True)]
    wrong = sum(s.hits for s in shares if is_wrong(s.name))
    parts = [Share.of("part", wrong, count)]
    said = Share.of("wrong with status ok", wrong, count)
    return Faults(name, "flip", 900, 10, said, shares, parts, parts, ORIGIN)


def test_faults_of_signatures_have_a_table_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "RESULTS", tmp_path)
    for record in (
        faults("toy7-small", subject.OUTCOMES, 50, 1, 2, 3, 30, 10, 3, 1),
        faults("schemes-toy107-halving", textbook.KINDS, 40, 2, 7, 5, 4, 2, 31, 9),
    ):
        write_json(fault_path(record.preset, "flip", tmp_path), asdict(record))
    (core,) = security.fault_table().splitlines()[2:]
    (signature,) = security.signature_table().splitlines()[2:]
    cells = [[c.strip() for c in row.split("|")[1:-1]] for row in (core, signature)]
    assert cells[0] == [
        "`toy7-small`, at an earlier commit", "flip", "100", "50.00%", "44.00% (34.67% to 53.77%)",
        "30.00%", "10.00%", "2.00%", "4.00%",
    ]  # fmt: skip
    assert cells[1] == [
        "`schemes-toy107-halving`, at an earlier commit", "flip", "100", "42.00%", "7.00%",
        "40.00% (30.94% to 49.80%)", "31.00%", "5.00%", "2.00%", "4.00%",
    ]  # fmt: skip
