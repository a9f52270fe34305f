# SPDX-License-Identifier: Apache-2.0
"""Wheel and source distribution can be handed on: what they say is whole, and names no machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import ecsm
from tests.wheel.building import BESIDE, ROOT, copied, sdist_of, wheel_of

NAME = f"ecsm-{ecsm.__version__}"
MACHINE = re.compile(rb"(?<![\w./~-])/(?:home|root|work|Users|mnt|media)/\w")
URL = re.compile(rb"\w+://[\w.-]+")


@dataclass(frozen=True)
class Release:
    """The files of a release, the tree that they are made of, and one for others' use."""

    source: Path
    wheel: Path
    sdist: Path
    unpacked: Path

    def metadata(self) -> dict[str, bytes]:
        """Return the metadata of both files."""
        with zipfile.ZipFile(self.wheel) as wheel, tarfile.open(self.sdist) as sdist:
            inside = sdist.extractfile(f"{NAME}/PKG-INFO")
            assert inside is not None
            return {
                "wheel": wheel.read(f"{NAME}.dist-info/METADATA"), "sdist": inside.read(),
            }  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Build both, and unpack the source distribution elsewhere."""
    source, out = copied(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("dist")
    sdist, wheel = sdist_of(source, out), wheel_of(source, out)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with tarfile.open(sdist) as archive:
        archive.extractall(elsewhere, filter="data")
    return Release(source, wheel, sdist, elsewhere / NAME)


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.skipif(find_spec("twine") is None, reason="no twine")
def test_twine_has_nothing_to_say(release: Release) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "--no-color", "check", "--strict",
         str(release.wheel), str(release.sdist)],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2
    assert "warning" not in done.stdout.lower()


def test_the_metadata_is_valid_and_whole(release: Release) -> None:
    for data in release.metadata().values():
        found = Metadata.from_email(data, validate=True)
        assert (found.name, str(found.version)) == ("ecsm", ecsm.__version__)
        assert (found.license_expression, found.license_files) == ("Apache-2.0", ["LICENSE"])
        assert found.summary
        assert found.classifiers
        assert found.description_content_type == "text/markdown"
        assert found.description == (ROOT / "README.md").read_text(encoding="utf-8")


def test_both_files_say_the_same(release: Release) -> None:
    assert len(set(release.metadata().values())) == 1


def test_the_licence_is_in_both(release: Release) -> None:
    licence = (ROOT / "LICENSE").read_bytes()
    assert contents(release.wheel)[f"{NAME}.dist-info/licenses/LICENSE"] == licence
    assert (release.unpacked / "LICENSE").read_bytes() == licence


def test_the_metadata_names_no_machine_and_no_host(release: Release) -> None:
    for data in release.metadata().values():
        assert MACHINE.findall(data) == []
        assert URL.findall(data) == []


def test_no_file_names_the_folder_it_was_built_in(release: Release) -> None:
    files = contents(release.wheel) | {
        f.relative_to(release.unpacked).as_posix(): f.read_bytes()
        for f in release.unpacked.rglob("*")
        if f.is_file()
    }
    assert len(files) > 700
    bad = {name for name, data in files.items() for at in (ROOT, release.source)
           if re.search(re.escape(str(at).encode()) + rb"\b", data)}  # fmt: skip
    assert bad == set()


def test_the_source_distribution_has_what_a_reader_wants(release: Release) -> None:
    for name in BESIDE:
        assert (release.unpacked / name).read_bytes() == (ROOT / name).read_bytes()
    assert not (release.unpacked / "tests").exists()


def test_the_source_distribution_builds_the_same_wheel(release: Release, tmp_path: Path) -> None:
    first, second = contents(release.wheel), contents(wheel_of(release.unpacked, tmp_path))
    assert sorted(first) == sorted(second)
    assert [name for name, data in first.items() if second[name] != data] == []
