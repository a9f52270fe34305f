# SPDX-License-Identifier: Apache-2.0
"""Where ``ecsm build`` writes: old packages are replaced, what is somebody else's is kept."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ecsm.cores.store import binary_design
from ecsm.hdl.build import Build
from ecsm.hdl.package import MARKER, PackageError, contents, package
from tests.hdl.test_package import TOY


def test_an_old_package_is_replaced(tmp_path: Path) -> None:
    folder = package(Build(binary_design("toy7-small")), tmp_path / "core")
    (folder / "build").mkdir()
    (folder / "build" / "product").touch()
    package(Build(binary_design(TOY)), folder, force=True)
    module = binary_design(TOY).preset.module
    assert (folder / "rtl" / f"{module}.sv").is_file()
    assert not (folder / "rtl" / "ecsm_toy7_small.sv").exists()
    assert [f.name for f in tmp_path.iterdir()] == ["core"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    assert (package(Build(binary_design(TOY)), tmp_path / "core") / "Makefile").is_file()


def test_a_name_as_long_as_a_file_system_takes(tmp_path: Path) -> None:
    folder = tmp_path / ("n" * 255)
    for _ in range(2):  # a new package, and an old one that is replaced
        assert (package(Build(binary_design(TOY)), folder) / "Makefile").is_file()


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all my work")
    with pytest.raises(PackageError, match="was not made by ecsm build"):
        package(Build(binary_design(TOY)), tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_package_of_another_build_is_replaced_only_by_force(tmp_path: Path) -> None:
    folder = package(Build(binary_design(TOY)), tmp_path / "core")
    before = {f: f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    others = Build(binary_design("toy5-serial")), Build(binary_design(TOY), attach="apb")
    for other in others:
        with pytest.raises(PackageError, match=f"is the package of ecsm build {TOY}: --force"):
            package(other, folder)
    assert {f: f.read_bytes() for f in folder.rglob("*") if f.is_file()} == before
    package(others[0], folder, force=True)
    assert (folder / "ecsm_toy5_serial.core").is_file()
    assert not (folder / f"ecsm_{TOY.replace('-', '_')}.core").exists()


def test_a_foreign_file_in_an_old_package_is_kept(tmp_path: Path) -> None:
    folder = package(Build(binary_design(TOY)), tmp_path / "core")
    (folder / "rtl" / "mine.sv").touch()
    with pytest.raises(PackageError, match=r"did not write: rtl/mine\.sv"):
        package(Build(binary_design(TOY)), folder)
    assert (folder / "rtl" / "mine.sv").exists()


@pytest.mark.parametrize("existing", ["nothing", "an empty folder", "a package"])
def test_a_file_that_came_while_a_package_was_made_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: str
) -> None:
    """It may be a key, made by another command in the minute that a large core takes."""
    folder = tmp_path / "core"
    if existing == "an empty folder":
        folder.mkdir()
    if existing == "a package":
        package(Build(binary_design("toy7-small")), folder)
    before = sorted(folder.rglob("*"))

    def slow(build: Build) -> dict[str, str]:
        folder.mkdir(exist_ok=True)
        (folder / "key.pem").write_text("mine")
        return contents(build)

    monkeypatch.setattr("ecsm.hdl.package.contents", slow)
    with pytest.raises(PackageError, match=r"core (is not empty and was not|has files that)"):
        package(Build(binary_design(TOY)), folder, force=True)
    assert (folder / "key.pem").read_text() == "mine"
    assert sorted({*folder.rglob("*")} - {folder / "key.pem"}) == before
    assert [f.name for f in tmp_path.iterdir()] == ["core"]


def test_a_link_to_a_folder_in_an_old_package_is_kept(tmp_path: Path) -> None:
    folder = package(Build(binary_design(TOY)), tmp_path / "core")
    (folder / "keys").symlink_to(tmp_path)
    with pytest.raises(PackageError, match=r"did not write: keys"):
        package(Build(binary_design(TOY)), folder)
    assert (folder / "keys").is_symlink()


def test_a_file_and_the_current_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PackageError, match="is not a directory"):
        package(Build(binary_design(TOY)), tmp_path / "file")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(PackageError, match="current directory"):
        package(Build(binary_design(TOY)), Path())


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="link"):
        package(Build(binary_design(TOY)), link)
    assert link.is_symlink()
    done = subprocess.run(
        [sys.executable, "-m", "ecsm", "build", TOY, "-o", str(link)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ecsm: {link}: {os.strerror(errno.ELOOP)}\n"


def test_a_list_of_files_that_is_none_is_no_reason_to_replace_them(tmp_path: Path) -> None:
    folder = package(Build(binary_design(TOY)), tmp_path / "core")
    (folder / MARKER).write_bytes(b"\xff\xfe\0")
    with pytest.raises(PackageError, match="has files that ecsm build did not write"):
        package(Build(binary_design(TOY)), folder)
    assert (folder / "Makefile").is_file()


@pytest.mark.parametrize(
    ("existing", "moved", "done"),
    [(False, "new", False), (True, "new", False), (True, "core", False), (True, "core", True)],
)
def test_an_interrupted_build_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool, moved: str, done: bool
) -> None:
    """``done``: whether the interrupt comes when what is ``moved`` has been moved."""
    folder = tmp_path / "core"
    if existing:
        package(Build(binary_design("toy7-small")), folder)
    real, before = Path.rename, sorted(tmp_path.rglob("*"))

    def interrupted(self: Path, target: Path) -> Path:
        if self.name == moved and not done:
            raise KeyboardInterrupt
        found = real(self, target)
        if self.name == moved:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        package(Build(binary_design(TOY)), folder, force=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_of_two_builds_at_once_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, real = tmp_path / "core", Path.rename

    def late(self: Path, target: Path) -> Path:
        real(package(Build(binary_design("toy7-small")), tmp_path / "first"), folder)
        return real(self, target)

    monkeypatch.setattr(Path, "rename", lambda self, to: (late if to == folder else real)(self, to))
    with pytest.raises(PackageError, match=rf"{folder}: another program has written there"):
        package(Build(binary_design(TOY)), folder)
    assert [f.name for f in tmp_path.iterdir()] == ["core"]


@pytest.mark.parametrize(
    "options", [{"engines": 2.0}, {"schemes": "no"}, {"wide": "no"}, {"self_test": 2}]
)
def test_options_that_are_none_are_refused(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"2.0 engines|{name} is True or False, not "):
        Build(binary_design("toy7-fast"), **options)
