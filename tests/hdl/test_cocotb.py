# SPDX-License-Identifier: Apache-2.0
"""The cocotb driver of packages: its example passes on each kind of port, and can fail."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.cocotb_texts import DRIVER, driver_files
from ecsm.hdl.machines import subject
from ecsm.hdl.package import PackageError, contents, package
from ecsm.hdl.package_texts import VERILATOR_LIMITS
from ecsm.status import Status
from tests.curves.test_own import FRP256
from tests.hdl.test_package import make
from tests.rtl.cocotb_run import run


def example(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str = "test_package") -> None:
    """Run the tests of a package, or of another module, with its driver."""
    monkeypatch.syspath_prepend(str(folder / "cocotb"))
    files = [folder / name for name in (folder / "files.f").read_text().split()]
    run(files[-1].stem, files, module, args=VERILATOR_LIMITS.split())


@pytest.mark.parametrize(
    ("preset", "how"),
    [("toy7-fast", {}), ("toyp7-t", {}), ("toyp5-v", {"engines": 3}),
     ("toyp5-v", {"attach": "axil"}), ("toyp8-a", {"attach": "wishbone"}),
     ("toy5-serial", {"attach": "apb"}), ("toy7-fast", {"attach": "stream"}),
     ("toyp5-v", {"attach": "stream", "engines": 3}), ("b163-small", {"schemes": True}),
     ("b163-small", {"schemes": True, "attach": "wishbone"}), ("word-p256", {}),
     ("word-prime", {"attach": "axil"})],
)  # fmt: skip
def test_the_example_passes(
    preset: str, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(subject(preset), **how)
    example(package(build, tmp_path / "core"), monkeypatch)


@pytest.mark.parametrize("attach", [None, "axil", "stream"])
def test_a_wrong_expectation_fails(
    attach: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(Build(design("toy7-fast"), attach=attach), tmp_path / "core")
    file = folder / "cocotb" / "test_package.py"
    text, right = file.read_text(), re.compile(r'"OK", \((0x\w+), ')
    found = right.search(text)
    assert found
    wrong = f"{int(found[1], 16) ^ 1:#x}"
    file.write_text(text[: found.start(1)] + wrong + text[found.end(1) :])
    with pytest.raises(AssertionError, match="1 of 1 failed"):
        example(folder, monkeypatch)


@pytest.mark.parametrize("attach", ["axil", "wishbone", "apb"])
def test_what_goes_wrong_is_said(
    attach: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(Build(design("toy5-serial"), attach=attach), tmp_path / "core")
    example(folder, monkeypatch, "tests.hdl.driver_cocotb")


@pytest.mark.parametrize(
    ("preset", "how"),
    [("toy7-fast", {}), ("toyp8-v", {}), ("toyp8-v", {"attach": "axil"}),
     ("toyp8-v", {"attach": "stream"}), ("word-p256", {}), ("word-p256", {"attach": "apb"})],
)  # fmt: skip
def test_what_is_no_job_is_refused(
    preset: str, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(Build(subject(preset), **how), tmp_path / "core")
    example(folder, monkeypatch, "tests.hdl.driver_jobs_cocotb")


def test_streams_of_other_packets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = package(Build(design("toy7-fast"), attach="stream"), tmp_path / "core")
    example(folder, monkeypatch, "tests.hdl.driver_stream_cocotb")


@pytest.mark.parametrize(
    ("preset", "how"),
    [("toy7-fast", {}), ("toy7-fast", {"attach": "stream"}), ("word-p256", {})],
)  # fmt: skip
def test_a_job_that_is_given_up_is_not_the_next_one(
    preset: str, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(Build(subject(preset), **how), tmp_path / "core")
    example(folder, monkeypatch, "tests.hdl.driver_given_up_cocotb")


def test_make_cocotb_runs_it(tmp_path: Path) -> None:
    """By the package's own Makefile; what it makes does not keep the package from a new one."""
    folder = package(Build(design("toy5-serial"), attach="apb"), tmp_path / "core")
    done = make(folder, "cocotb")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "TESTS=1 PASS=1 FAIL=0 SKIP=0" in done.stdout + done.stderr
    package(Build(design("toy5-serial"), attach="apb"), folder)


def test_make_cocotb_says_what_is_missing(tmp_path: Path) -> None:
    folder = package(Build(design("toy5-serial")), tmp_path / "core")
    done = make(folder, "cocotb", "PYTHON=false", "VERILATOR=true")
    assert done.returncode != 0
    assert 'no cocotb 2: "pip install cocotb", or make PYTHON=/path/to/python3' in done.stdout


def test_a_test_that_fails_ends_make_with_an_error(tmp_path: Path) -> None:
    folder = package(Build(design("toy5-serial")), tmp_path / "core")
    file = folder / "cocotb" / "test_package.py"
    file.write_text(file.read_text() + "\n\n@cocotb.test()\nasync def bad(dut):\n    assert 0\n")
    done = make(folder, "cocotb")
    assert done.returncode != 0
    assert "FAIL=1" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("preset", "how"), [("b163-small", {"attach": "axil"}), ("word-prime", {"attach": "apb"})]
)
def test_the_package_is_described(preset: str, how: dict[str, Any], tmp_path: Path) -> None:
    build = Build(subject(preset), **how)
    folder = package(build, tmp_path / "core")
    said = runpy.run_path(str(folder / "cocotb" / "ecsm_package.py"))
    (header,) = (folder / "registers").glob("*.h")
    offsets = re.findall(r"offsetof\(\w+, (\w+)\) == (0x\w+|0),", header.read_text())
    assert {name: int(at, 16) for name, at in offsets} == said["REGISTERS"] != {}
    numbers = dict(re.findall(r"#define ECSM_OPERATION_(\w+) (\d+)u", header.read_text()))
    named = {n.upper().replace("-", "_"): str(i) for n, i in said["OPERATIONS"].items()}
    assert named | {"LOAD_TABLES": "63"} == numbers | {"LOAD_TABLES": "63"} != {}
    assert said["STATUSES"] == {s.name: s.value for s in Status}
    assert (folder / "rtl" / f"{said['TOP']}.sv").is_file()


def test_caches_of_python_do_not_keep_a_package(tmp_path: Path) -> None:
    build = Build(design("toy5-serial"))
    folder = package(build, tmp_path / "core")
    for where in ("cocotb", f"cocotb/{DRIVER.name}"):
        (folder / where / "__pycache__").mkdir()
        (folder / where / "__pycache__" / "x.pyc").write_text("")
    package(build, folder)
    assert not list(folder.rglob("*.pyc"))
    (folder / "rtl" / "__pycache__").mkdir()
    (folder / "rtl" / "__pycache__" / "x.pyc").write_text("")
    with pytest.raises(PackageError, match="did not write"):
        package(build, folder)


def test_the_driver_needs_cocotb_alone() -> None:
    imports = {
        name
        for file in driver_files()
        for name in re.findall(r"^(?:from|import) (\w+)", file.read_text("utf-8"), re.M)
    }
    assert imports == {"__future__", "abc", "cocotb", "collections", "operator", "typing"}


def test_what_a_curve_is_called_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve file may be named as it likes: what is made of it stays Python."""
    monkeypatch.chdir(tmp_path)
    file = Path('a """ b.toml')
    file.write_text(FRP256)
    files = contents(Build(subject(f"word-prime:{file}")))
    for name, text in files.items():
        if name.startswith("cocotb/"):
            compile(text, name, "exec")
