# SPDX-License-Identifier: Apache-2.0
"""A wheel works where there is no checkout: it is installed into an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from ecsm.curves import curve
from tests.wheel.building import ROOT, copied, wheel_of

TOY = "toy7-fast"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel in a copy, which setuptools leaves its own files in."""
    return wheel_of(copied(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a virtual environment that sees the packages installed here.

    A .pth file leads to them. Python reads no .pth file in a folder that one names, so not the one
    that leads to the checkout.
    """
    folder = tmp_path_factory.mktemp("environment") / "venv"
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    for command in (
        [sys.executable, "-m", "venv", "--without-pip", str(folder)],
        [*pip, "install", "--no-deps", "--no-index", "--no-cache-dir", str(wheel)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


class Stranger:
    """A user who has the wheel, and nothing of this project."""

    def __init__(self, environment: Path, home: Path) -> None:
        self.programs, self.home = environment / "bin", home
        (self.package,) = environment.glob("lib/python*/site-packages/ecsm")
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1",
            "ECSM_CACHE": os.environ.get("ECSM_CACHE", str(Path.home() / ".cache" / "ecsm")),
        }  # fmt: skip

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the root folder."""
        return subprocess.run(
            [str(self.programs / program), *arguments], cwd="/", env=self.env,
            capture_output=True, text=True, check=False, timeout=550,
        )  # fmt: skip

    def ecsm(self, *arguments: str) -> str:
        """Run a command, which has to work; return what it prints."""
        done = self.run("ecsm", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert str(ROOT) not in done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def stranger(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    return Stranger(environment, tmp_path_factory.mktemp("home"))


def test_the_wheel_has_every_file_that_the_tool_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {"ecsm/share/LICENSE"}
    for part, prefix in (("ecsm", ""), ("rtl", "ecsm/share/"), ("sw", "ecsm/share/"),
                         ("bench/results", "ecsm/share/")):  # fmt: skip
        for file in (ROOT / part).rglob("*"):
            inside = file.relative_to(ROOT)
            if file.is_file() and not {"__pycache__", "build"}.intersection(inside.parts):
                wanted.add(prefix + inside.as_posix())
    assert sorted(wanted - names) == []
    assert len(wanted) > 700


def test_the_wheel_has_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    metadata = [name for name in names if not name.startswith("ecsm/")]
    assert all(name.startswith("ecsm-") for name in metadata)
    for name in names:
        if name.startswith("ecsm/share/"):
            assert (ROOT / name.removeprefix("ecsm/share/")).is_file(), name
            assert not name.endswith(".py"), name


def test_it_is_the_wheel_that_runs(stranger: Stranger) -> None:
    code = "import ecsm.resources as r; print(r.resource(), r.checkout())"
    assert stranger.run("python", "-c", code).stdout == f"{stranger.package}/share None\n"


def test_presets_are_listed(stranger: Stranger) -> None:
    found = stranger.ecsm("list")
    assert "b163-fast" in found
    assert found == subprocess.run(
        [sys.executable, "-m", "ecsm", "list"], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@pytest.mark.compiles
def test_a_point_is_multiplied(stranger: Stranger) -> None:
    x, y = curve("toy7a").mul(5, curve("toy7a").generator) or (0, 0)
    printed = stranger.ecsm("kp", "--preset", TOY, "--k", "5").splitlines()
    assert printed[:2] == [f"x = {x:#x}", f"y = {y:#x}"]


@pytest.mark.compiles
@pytest.mark.slow  # compiles a core with its schemes
def test_a_signature_is_made_and_verified(stranger: Stranger, tmp_path: Path) -> None:
    key, public, signature = (str(tmp_path / name) for name in ("key", "public", "signature"))
    of = ("--preset", "b163-small", str(ROOT / "LICENSE"))
    stranger.ecsm("keygen", "--curve", "sect163r2", "-o", key, "--public", public)
    stranger.ecsm("sign", "--key", key, "-o", signature, *of)
    assert "valid" in stranger.ecsm("verify", "--key", public, "--signature", signature, *of)


@pytest.mark.parametrize(
    "options", [("--attach", "axil"), ("--engines", "2"), ("--schemes", "--unprotected")]
)
def test_a_package_is_built(stranger: Stranger, tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = tmp_path / "core"
    stranger.ecsm("build", "b163-small", *options, "-o", str(folder))
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    for name in (folder / "files.f").read_text().split():
        assert (folder / name).is_file()


@pytest.mark.parametrize(
    ("command", "what"), [("docs", "the documents are"), ("solve", "schedules are kept")]
)
def test_what_needs_a_checkout_says_so(stranger: Stranger, command: str, what: str) -> None:
    done = stranger.run("ecsm", command, *([TOY] if command == "solve" else []))
    assert done.returncode == 2
    assert what in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_core_is_synthesised_into_the_users_folder(stranger: Stranger) -> None:
    before = {f: f.stat().st_mtime_ns for f in stranger.package.rglob("*")}
    assert TOY in stranger.ecsm("synth", TOY)
    kept = stranger.home / ".local/share/ecsm/results/synth" / f"{TOY}.ecp5.json"
    assert '"commit": null' in kept.read_text()
    assert {f: f.stat().st_mtime_ns for f in stranger.package.rglob("*")} == before


def test_the_clocks_of_the_package_are_known(stranger: Stranger) -> None:
    code = (
        "from ecsm.measure.compare import placed_mhz; from ecsm.results.kept import known;"
        "print(placed_mhz('b163-small', known()))"
    )
    done = stranger.run("python", "-c", code)
    assert float(done.stdout) > 0, done.stderr


@pytest.mark.compiles
@pytest.mark.slow
def test_a_program_runs_on_the_system_on_chip(stranger: Stranger) -> None:
    assert "hello" in stranger.ecsm("soc", "run", "hello").lower()


def test_a_bitstream_is_made(stranger: Stranger, tmp_path: Path) -> None:
    printed = stranger.ecsm("bitstream", "noise", "--board", "icebreaker", "-o", str(tmp_path))
    assert "bitstream made, not run on a board" in printed
    assert (tmp_path / "noise.bin").stat().st_size > 100_000
