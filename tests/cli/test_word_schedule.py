# SPDX-License-Identifier: Apache-2.0
"""``ecsm schedule`` of a word engine: figures, listing, picture."""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm.cli import main
from ecsm.cores.store import design
from ecsm.hdl.word_listing import COLOURS, drawn, kind
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.word.program import word_program

P = WORD_PRESETS["word-p256"]


def test_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", "word-p256", "--json"]) == 0
    found, built = json.loads(capsys.readouterr().out), word_program(P).built
    assert (found["words"], found["slots"]) == (len(built.program), len(built.slots))
    assert sum(v for k, v in found.items() if k.startswith("slots of ")) == len(built.slots)


def test_a_listing_has_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    """With its bits, the names of the formula's values, and where operations begin."""
    assert main(["schedule", "word-p256", "--listing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    words = [m for line in lines if (m := re.match(r" *(\d+) ([0-9a-f]{9})  ", line))]
    program = word_program(P).built.program
    assert [(int(m[1]), int(m[2], 16)) for m in words] == [
        (i, w.word()) for i, w in enumerate(program)
    ]
    names = {line.removesuffix(":") for line in lines if line.endswith(":")}
    assert {"add", "inverse", "sign-sha256", "generate", "ecdh"} <= names
    assert any("X1X2" in line for line in lines)


@pytest.mark.parametrize("name", ["b163-fast", "b163-small", "toy107-halving", "toyp8-a"])
def test_the_listing_of_a_core_has_every_word(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What each word of the program does, and how often: their sum is the cycles."""
    assert main(["schedule", name, "--listing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    code = design(name).microcode
    assert [int(line.split()[0]) for line in lines] == list(range(len(code.words)))
    for line, word in zip(lines, code.words, strict=True):
        assert all(note in line for note in word.notes)
    times = [prod(map(int, re.findall(r" x(\d+)(?= |$)", line[:18]))) for line in lines]
    assert sum(times) == code.cycles - code.lead


def test_an_unknown_preset_has_no_listing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", "word-p265", "--listing"]) == 2
    assert "there is no preset 'word-p265'" in capsys.readouterr().err


def test_a_listing_beside_other_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture that is asked for with it is drawn, and JSON is refused: nothing is left out."""
    file = tmp_path / "walk.svg"
    assert main(["schedule", "word-p256", "--listing", "--svg", str(file)]) == 0
    assert "X1X2" in capsys.readouterr().out
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    assert main(["schedule", "word-p256", "--listing", "--json"]) == 2
    said = capsys.readouterr()
    assert (said.out, "no --json" in said.err) == ("", True)


def test_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cell for each slot, a mark for each word that is written."""
    file = tmp_path / "walk.svg"
    assert main(["schedule", "word-p256", "--svg", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    w = word_program(P).built.walks[0]
    fills = [e.get("fill") for e in ElementTree.parse(file).iter() if e.tag.endswith("rect")]
    legend = len({kind(s) for s in w.slots})
    assert sum(f in COLOURS.values() for f in fills) == len(w.slots) + legend
    assert fills.count("#000000") == sum(s.write for s in w.slots)


def test_every_kind_of_slot_is_drawn() -> None:
    walks = word_program(P).built.walks
    assert {kind(s) for w in walks for s in w.slots} == set(COLOURS)
    for w in walks:
        assert ElementTree.fromstring(drawn(w, "a < b & c")).tag.endswith("svg")
