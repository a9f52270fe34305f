# SPDX-License-Identifier: Apache-2.0
"""``ecsm schemes --word``: what is measured, what is kept, and that engines take what is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.cli.app import main
from ecsm.cli.common import USAGE
from ecsm.hdl.machines import machine
from ecsm.measure.schemes import SchemeCycles, Schemes, digest, measure
from ecsm.measure.word_schemes import (
    MEASURED,
    is_current,
    load_word_schemes,
    operations,
    word_schemes,
    word_schemes_path,
)
from ecsm.presets.word import WORD_PRESETS
from ecsm.results.record import write_json
from ecsm.results.sources import scheme_digest
from ecsm.schemes.word.program import unchecked, word_program

SOME = ("word-p256", "word-p256-none", "word-prime-x25519")
NOW = "now"


def of(name: str, rtl: str = NOW, cycles: int = 7) -> SchemeCycles:
    """Return cycles as they are kept of a preset."""
    p = WORD_PRESETS[name]
    return SchemeCycles(name, p.curve.name, rtl, dict.fromkeys(operations(p), cycles))


def keep(root: Path, *rows: SchemeCycles) -> None:
    write_json(word_schemes_path(root), asdict(Schemes("ecsm schemes --word", list(rows))))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The presets that are measured from now on; nothing is simulated."""
    found: list[str] = []

    def note(name: str, tell: Callable[[str], None]) -> SchemeCycles:
        tell(f"{name}: load")
        found.append(name)
        return of(name)

    monkeypatch.setattr("ecsm.measure.word_schemes.measure", note)
    monkeypatch.setattr("ecsm.measure.word_schemes.digest", lambda *_: NOW)
    return found


@pytest.mark.parametrize("name", MEASURED)
def test_engines_take_the_cycles_that_are_kept_as_current(name: str) -> None:
    """What is kept of an earlier commit is marked so, and says nothing of this one."""
    kept = load_word_schemes().get(name)
    if kept is not None and is_current(kept):
        assert measure(name, lambda _: None).cycles == kept.cycles


def test_what_is_kept_and_current_is_not_measured_again(
    measured: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for again, wanted in ((False, SOME[:2]), (False, ()), (True, SOME[:2])):
        measured.clear()
        assert word_schemes(SOME[1::-1], again, True, tmp_path) == 0
        assert tuple(measured) == wanted
        shown = json.loads(capsys.readouterr().out)
        assert shown == [asdict(of(name)) for name in SOME[:2]]
    assert load_word_schemes(tmp_path) == {name: of(name) for name in SOME[:2]}


def test_what_is_old_or_lacks_an_operation_is_measured(
    measured: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    less = of(SOME[1])
    del less.cycles["self-test"]
    other = of("word-dual", "0")
    keep(tmp_path, of(SOME[0], "0"), less, of(SOME[2]), other)
    assert word_schemes(SOME, False, False, tmp_path) == 0
    assert measured == [*SOME[:2]]
    assert load_word_schemes(tmp_path) == {n: of(n) for n in SOME} | {"word-dual": other}
    said = capsys.readouterr()
    assert "1 of 3, word-p256: load" in said.err
    assert "3 of 3, word-prime-x25519: kept" in said.err
    assert "word-p256 (secp256r1), cycles" in said.out
    assert "word-dual" not in said.out


def test_an_interrupted_run_goes_on_where_it_was(
    measured: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:

        def until(name: str, _: object) -> SchemeCycles:
            if name == MEASURED[2]:
                raise KeyboardInterrupt
            return of(name)

        m.setattr("ecsm.measure.word_schemes.measure", until)
        with pytest.raises(KeyboardInterrupt):
            word_schemes((), False, True, tmp_path)
    assert [*load_word_schemes(tmp_path)] == [*MEASURED[:2]]
    word_schemes((), False, True, tmp_path)
    assert measured == [*MEASURED[2:]]
    assert [*load_word_schemes(tmp_path)] == [*MEASURED]


def test_the_command_takes_presets_and_again(
    measured: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["schemes", "--word", SOME[0], "--results", str(tmp_path), "--json"]
    for more, count in (([], 1), ([], 1), (["--again"], 2)):
        assert main([*words, *more]) == 0
        assert measured == [SOME[0]] * count
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [("--word p256-fast", "there is no preset of --word 'p256-fast'"),
     ("--word word-p255", "did you mean word-p256"),
     ("--word --wide", "--word has no --wide"),
     ("--again", "--again is of --word"),
     ("word-p256 --again", "--again is of --word")],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_is_measured(
    words: str, said: str, measured: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schemes", *words.split(), "--results", str(tmp_path)]) == USAGE
    assert said in capsys.readouterr().err
    assert not measured
    assert not any(tmp_path.iterdir())


def test_cycles_are_not_current_if_the_loaded_program_is_another_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The netlist is the same whatever it is loaded with."""
    name = "word-prime-x25519"
    kept = of(name, digest(name))
    assert is_current(kept)
    assert kept.rtl == scheme_digest(machine(name))
    built = unchecked(WORD_PRESETS[name])
    assert built == word_program(WORD_PRESETS[name]).built
    other = replace(built, program=(*built.program[:-1], built.program[0]))
    assert other != built
    monkeypatch.setattr("ecsm.results.sources.unchecked", lambda _: other)
    assert not is_current(kept)
    assert kept.rtl != digest(name)
