# SPDX-License-Identifier: Apache-2.0
"""Tables of the cycles of schemes: what is kept, what is not, and what is of older RTL."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.measure.schemes import SchemeCycles, Schemes, schemes_path
from ecsm.measure.word_schemes import MEASURED, OF_FULL, operations, word_schemes_path
from ecsm.presets.word import WORD_PRESETS
from ecsm.report.cycles import (
    OTHERS,
    scheme_table,
    self_test_table,
    word_curve_table,
    word_cycle_table,
    word_full_table,
)
from ecsm.report.docs import DocsError, fill
from ecsm.results.record import write_json

OLD = "of an earlier commit"


@pytest.fixture(autouse=True)
def _digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every engine is as what is kept with the digest "now"."""
    for module in ("measure.word_schemes", "report.cycles"):
        monkeypatch.setattr(f"ecsm.{module}.digest", lambda *_: "now")


def of(name: str, first: int = 1000, rtl: str = "now") -> SchemeCycles:
    """Return cycles of all operations, one more from each to the next."""
    p = WORD_PRESETS[name]
    shown = {o: first + i for i, o in enumerate((*operations(p), *OTHERS))}
    return SchemeCycles(name, p.curve.name, rtl, shown)


def keep(root: Path, *rows: SchemeCycles) -> None:
    write_json(word_schemes_path(root), asdict(Schemes("x", list(rows))))


def cells(table: str) -> list[list[str]]:
    """Return the cells of a table, its head among them."""
    lines = [line for line in table.splitlines() if not line.startswith("| ---")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_operations_stand_beside_those_without_protection(tmp_path: Path) -> None:
    keep(tmp_path, of("word-p256"), of("word-p256-none", 500))
    assert cells(word_cycle_table("word-p256", tmp_path)) == [
        ["operation", "`word-p256`", "`word-p256-none`"],
        ["load", "1,000", "500"], ["public", "1,001", "501"], ["ecdh", "1,002", "502"],
        ["sign-sha256", "1,003", "503"], ["verify-sha256", "1,004", "504"],
    ]  # fmt: skip
    keep(tmp_path, of("word-p256"), of("word-p256-none", 500, "0"))
    assert cells(word_cycle_table("word-p256", tmp_path))[-1] == ["state", "", OLD]


def test_operations_that_are_not_kept_are_missing(tmp_path: Path) -> None:
    """A file of an earlier tool has no loads and no tables."""
    less = replace(of("word-p256"), cycles={"public": 77})
    keep(tmp_path, less)
    rows = cells(word_cycle_table("word-p256", tmp_path))
    assert rows[1:3] == [["load", "-", "-"], ["public", "77", "-"]]
    assert rows[-1] == ["state", "", "not measured"]
    assert cells(self_test_table(tmp_path))[1] == ["`word-p256`", "-", "-", "not measured"]
    assert "| load |" not in scheme_table(root=tmp_path)


def test_other_forms_of_a_curve_say_so(tmp_path: Path) -> None:
    keep(tmp_path, of("word-prime-x25519"), of("word-prime-x25519-none"))
    assert [row[0] for row in cells(word_cycle_table("word-prime-x25519", tmp_path))] == [
        "operation", "load of X25519", "public of X25519", "x25519 of X25519",
    ]  # fmt: skip


def test_an_ice40_has_milliseconds_and_the_loading_of_its_tables(tmp_path: Path) -> None:
    keep(tmp_path, of("word-up5k", 240_000))
    head, first, *_, last = cells(word_cycle_table("word-up5k", tmp_path))
    assert head == ["operation", "`word-up5k`, cycles", "ms", "`word-up5k-none`, cycles", "ms"]
    assert first == ["tables", "240,000", "10.0", "-", "-"]
    assert last == ["state", "", "", "not measured", ""]


@pytest.mark.parametrize(("netlist", "count"), [("prime", 10), ("dual", 26), ("full", 5)])
def test_every_curve_of_a_netlist_has_a_row(netlist: str, count: int, tmp_path: Path) -> None:
    name = f"word-{netlist}"
    kinds = {n: WORD_PRESETS[n] for n in MEASURED}
    names = [n for n, p in kinds.items() if p.netlist == name and p.weierstrass]
    keep(tmp_path, *(of(n) for n in names))
    head, *rows = cells(word_curve_table(name, tmp_path))
    assert head == ["tables of", "tables", "public", "ecdh", "sign-sha256", "verify-sha256"]
    assert rows == [[f"`{n}`", "1,000", "1,002", "1,003", "1,004", "1,005"] for n in names]
    assert len(rows) == count
    keep(tmp_path, *(of(n, rtl="now" if n == name else "0") for n in names[:-1]))
    head, *rows = cells(word_curve_table(name, tmp_path))
    assert head[-1] == "state"
    assert [row[-1] for row in rows] == ["", *[OLD] * (count - 2), "not measured"]
    assert rows[-1][1:-1] == ["-"] * 5


def test_what_only_word_full_has(tmp_path: Path) -> None:
    keep(tmp_path, *(of(name) for name in OF_FULL))
    head, *rows = cells(word_full_table(tmp_path))
    assert head[-2:] == ["encapsulate", "decapsulate"]
    assert [row[0] for row in rows] == ["P-256", "B-163", "B-233"]
    assert all(row[1:] == [f"{1007 + i:,}" for i in range(len(OTHERS))] for row in rows)
    keep(tmp_path, of("word-full-p256", rtl="0"))
    assert [row[-1] for row in cells(word_full_table(tmp_path))] == [
        "state", OLD, "not measured", "not measured",
    ]  # fmt: skip


def test_self_tests_have_milliseconds(tmp_path: Path) -> None:
    keep(tmp_path, of("word-p256", 1_199_995), of("word-prime-x25519", 10, "0"))
    rows = cells(self_test_table(tmp_path))
    assert rows[1] == ["`word-p256`", "1,200,000", "10.0", ""]
    assert rows[3] == ["`word-prime-x25519`", "14", "0.0", OLD]
    assert [row[-1] for row in rows[2::2]] == ["not measured", "not measured"]


def test_the_word_engine_is_beside_the_scheme_machines(tmp_path: Path) -> None:
    """Its cycles are those that are kept of word engines, whatever an older file has of it."""
    old = SchemeCycles("word-p256", "secp256r1", "now", {"sign": 1})
    core = SchemeCycles("p256-fast", "secp256r1", "0", {"sign": 2})
    more = SchemeCycles("p256-verify", "secp256r1", "now", {"sign": 3})
    assert scheme_table(root=tmp_path) == "Not measured."
    write_json(schemes_path(tmp_path), asdict(Schemes("x", [core, old, more])))
    assert cells(scheme_table("more", tmp_path))[0] == ["operation", "`p256-verify`"]
    assert cells(scheme_table(root=tmp_path))[0] == ["operation", "`p256-fast`"]
    keep(tmp_path, of("word-p256"))
    rows = cells(scheme_table(root=tmp_path))
    assert rows[0] == ["operation", "`p256-fast`", "`word-p256`"]
    assert [row[1:] for row in rows if row[0] == "sign"] == [
        ["2 (704,126 (OTBN))", "1,003 (704,126 (OTBN))"]
    ]
    assert rows[-1] == ["state", OLD, ""]


@pytest.mark.parametrize("name", ["word-cycles:nothing", "word-curves:p256-fast", "word-cycles"])
def test_a_table_of_what_is_no_word_engine_is_refused(name: str) -> None:
    with pytest.raises(DocsError, match=re.escape(name)):
        fill(f"<!-- ecsm:table {name} --><!-- /ecsm -->")
