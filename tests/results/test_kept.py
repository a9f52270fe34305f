# SPDX-License-Identifier: Apache-2.0
"""Results of a user are written to the user's folder, and read above those of the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecsm.cli.app import parser
from ecsm.cli.common import UsageError, results_of
from ecsm.results.kept import RESULTS, Layers, above, known, own_folder, read, written
from ecsm.results.record import load_pnr, load_synth, pnr_path, save, synth_path
from tests.results.files import a_pnr, a_synth, ecsm

PRESET = "b163-small"
KEEPING = (
    ("synth", "toy7-fast"), ("units",), ("pnr", "toy7-fast"), ("bench",), ("schemes",),
    ("compare",), ("energy",), ("psec",), ("soc", "bench"), ("soc", "place"),
)  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_what_the_user_has_not_is_read_from_the_package(tmp_path: Path) -> None:
    root, kept = above(tmp_path), load_pnr(PRESET)
    assert kept is not None
    assert load_pnr(PRESET, root) == kept
    assert load_pnr(PRESET, tmp_path) is None, "a plain folder stands alone"
    own = a_pnr(PRESET, mhz=61.0)
    save(pnr_path(PRESET, root), own)
    assert load_pnr(PRESET, root) == load_pnr(PRESET, tmp_path) == own
    assert load_pnr(PRESET) == kept


def test_the_package_is_not_written_to(tmp_path: Path) -> None:
    before = contents(RESULTS)
    save(synth_path(PRESET, "ecp5", above(tmp_path)), a_synth(PRESET))
    assert load_synth(PRESET, "ecp5", tmp_path) == a_synth(PRESET)
    assert contents(RESULTS) == before


def test_a_place_is_written_above_and_read_where_it_is(tmp_path: Path) -> None:
    where = Layers(tmp_path / "own", tmp_path / "beneath") / "file"
    assert (written(where), read(where)) == (tmp_path / "own/file", tmp_path / "beneath/file")
    written(where).parent.mkdir()
    written(where).touch()
    assert read(where) == tmp_path / "own/file"


@pytest.mark.parametrize("command", KEEPING, ids=" ".join)
def test_every_command_that_keeps_results_takes_their_folder(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own = above(tmp_path / "data" / "ecsm" / "results")
    assert results_of(parser().parse_args(command)) == own == known()
    given = parser().parse_args([*command, "--results", str(tmp_path / "here")])
    assert results_of(given) == above(tmp_path / "here")


def test_without_a_home_a_folder_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError("none")))
    assert own_folder() is None
    assert known() == RESULTS
    args = parser().parse_args(["bench", "toy7-fast"])
    assert results_of(args, kept=False) == RESULTS
    with pytest.raises(UsageError, match="--results has to name a folder"):
        results_of(args)


def test_synth_writes_to_the_users_folder(tmp_path: Path) -> None:
    before = contents(RESULTS)
    done = ecsm("synth", "toy7-fast", XDG_DATA_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    file = synth_path("toy7-fast", "ecp5", tmp_path / "ecsm" / "results")
    assert json.loads(file.read_text())["preset"] == "toy7-fast"
    assert contents(RESULTS) == before
