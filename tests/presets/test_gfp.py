# SPDX-License-Identifier: Apache-2.0
"""Prime presets that no core can be are refused where they are made or traced."""

from __future__ import annotations

import dataclasses

import pytest

from ecsm.cli import main
from ecsm.cores.store import prime_design
from ecsm.presets import PRESETS
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import PRIME_PRESETS

TOY = PRIME_PRESETS["toyp8-k"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"ranks": (8, 8)}, "ranks"),
        ({"kind": "Whole"}, "kind is one of whole, "),
        ({"kind": "folded", "ranks": (6,)}, "no rank 6"),
        ({"kind": "folded", "word": 0, "ranks": (8,)}, "word must be at least 1"),
        ({"adder_in": "bram"}, "one of dsp, lut"),
        ({"ranks": (1, 11)}, "ranks"),
        ({"kind": "column", "ranks": (1, 8)}, "ranks are some of 5"),
        ({"window": 1}, "window must be at least 2"),
        ({"digit": 0}, "digit"),
        ({"digit": 2}, "digits of 2 bits are too small"),
        ({"threads": 0}, "threads"),
        ({"patience": 0}, "patience"),
        ({"endomorphism": True, "complete": True}, "of its own"),
        ({"double": True}, "complete formulas and one thread"),
        ({"double": True, "complete": True, "threads": 3}, "complete formulas and one thread"),
    ],
)
def test_a_preset_that_cannot_be_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        dataclasses.replace(TOY, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("x25519", {"window": 4}, "window is 1"),
        ("x25519", {"complete": True}, "one program"),
        ("ed25519", {"endomorphism": True}, "one program"),
        ("ed25519", {"window": 1}, "window must be at least 2"),
    ],
)
def test_curves_of_other_forms_leave_no_choice(
    name: str, change: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        dataclasses.replace(PRIME_PRESETS[name], **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(("of", "kind"), [("p256-fast", "whole"), ("p256-small", "column")])
def test_a_prime_without_a_sparse_form_is_told_what_to_take(
    of: str, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = dataclasses.replace(PRIME_PRESETS[of], name="odd", curve_name="brainpoolP256r1")
    assert odd.kind == kind
    monkeypatch.setitem(PRIME_PRESETS, "odd", odd)
    for command in ("schedule", "solve"):
        assert main([command, "odd"]) == 1
        assert 'has no sparse form in words of 32 bits: use kind="montgomery"' in (
            capsys.readouterr().err
        )


def test_a_preset_of_an_unknown_curve_spoils_no_other_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(PRIME_PRESETS, "odd", PrimePreset("odd", "secp256r2", kind="folded"))
    binary = dataclasses.replace(PRESETS["b163-fast"], name="odd2", curve_name="sect163r9")
    monkeypatch.setitem(PRESETS, "odd2", binary)
    assert main(["list", "--all"]) == 0
    out, err = capsys.readouterr()
    rows = {line.split()[0]: line.split() for line in out.splitlines()}
    assert rows["odd"][1:] == ["secp256r2", "1", "-", "-"]
    assert rows["odd2"][1:3] == ["sect163r9", "3"]
    assert "p256-fast" in rows
    assert "ecsm: odd: there is no curve 'secp256r2'" in err
    assert main(["schedule", "odd"]) == 2
    assert "there is no curve 'secp256r2'" in capsys.readouterr().err
    assert main(["schedule", "toyp8-k"]) == 0


def test_a_preset_of_a_binary_curve_is_refused() -> None:
    with pytest.raises(ValueError, match="sect163r2 is not over a prime field"):
        dataclasses.replace(TOY, curve_name="sect163r2")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"threads": 2}, "more than 2"),
        ({"threads": 3}, "no multiple of 3 threads"),
        ({"batch": 60}, "does not fit"),
    ],
)
def test_units_that_cannot_run_are_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        dataclasses.replace(TOY, **change).graph()  # type: ignore[arg-type]


def test_one_unit_cuts_all_scalars_while_the_head_runs() -> None:
    """The program does not wait for the last thread's digits (docs/theory/prime-programs.md)."""
    d = prime_design("k256-throughput")
    t = d.preset.threads
    cutting, head = t * d.preset.decomposition.cutting, t * d.schedule.starts["body"]
    assert (cutting, head) == (708, 1638)
    assert d.preset.units.prepare * t == cutting


def test_a_curve_with_a_cofactor_is_refused() -> None:
    """Its points of small order end as infinity, which would spoil a shared inversion."""
    with pytest.raises(ValueError, match="toyp9b has a cofactor"):
        _ = PrimePreset("any", "toyp9b", 3, word=3).program
