# SPDX-License-Identifier: Apache-2.0
"""The table of what signs on P-256 has the figures that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ecsm.report.signers import SIGNERS, signer_table

KEPT = Path(__file__).resolve().parents[2] / "bench/results"


def kept(name: str) -> Any:
    return json.loads((KEPT / f"{name}.json").read_text("utf-8"))


def row(name: str, text: str) -> list[str]:
    (found,) = (line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def test_a_word_engine_has_its_area_behind_the_bus_and_its_time() -> None:
    (engine,) = (r for r in kept("word_schemes")["results"] if r["preset"] == "word-p256")
    sign, pnr = engine["cycles"]["sign"], kept("pnr/word-p256.LFE5U-25F-6")
    lut = kept("synth/word-p256-axil.ecp5")["area"]["lut"]
    found = row("word-p256", signer_table())
    assert found[:3] == ["protected", f"{sign:,}", f"{lut:,}"]
    assert found[5:8] == [
        "LFE5U-25F-6", f"{pnr['mhz']:.1f}", f"{sign / pnr['mhz'] / 1000:.2f}",
    ]  # fmt: skip


def test_a_core_has_the_area_of_its_machine_too() -> None:
    for name, unit in (("p256-small-full", "scheme-p256-full"), ("p256-fast", "scheme-p256")):
        parts = kept(f"synth/{name}.ecp5")["area"]["lut"], kept(f"units/{unit}.ecp5")["area"]["lut"]
        assert row(name, signer_table())[2] == f"{sum(parts):,}"


def test_only_what_masks_keys_protects_them() -> None:
    said = {name: row(name, signer_table())[0] for name in SIGNERS}
    assert [name for name, keys in said.items() if keys != "protected"] == ["p256-fast"]


def test_what_is_not_measured_is_a_dash(tmp_path: Path) -> None:
    for name in SIGNERS:
        assert row(name, signer_table(tmp_path))[1:] == ["-"] * 7 + [""]
