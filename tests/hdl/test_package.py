# SPDX-License-Identifier: Apache-2.0
"""The directory that ``ecsm build`` writes: complete, alone, always the same, replaced safely."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from ecsm.cores.store import binary_design, prime_design
from ecsm.hdl.build import Build
from ecsm.hdl.emit import emit
from ecsm.hdl.farm import emit_modules
from ecsm.hdl.package import MARKER, contents, package
from ecsm.hdl.package_texts import core_name
from ecsm.hdl.testbench import testbench_name as name_of_testbench
from ecsm.status import Status
from tests.fusesoc import run_fusesoc
from tests.old_verilator import VERSION, old_verilator

TOY = "toy7-fast"
FARM = 3  # engines
ROOT = Path(__file__).parents[2]
# A stranger's environment: nothing of this project, only where the tools are.
STRANGER = {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}


def make(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "OPT=-O0", *args], cwd=folder, env=STRANGER, capture_output=True, text=True,
        check=False, timeout=550,
    )  # fmt: skip


def moved_package(name: str, tmp_path: Path) -> Path:
    """Build a package and move it, so that nothing can depend on where it was made."""
    made = package(Build(binary_design(name)), tmp_path / "made here")
    return made.rename(tmp_path / "moved")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return moved_package(TOY, tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("farm") / "made here"
    return package(Build(binary_design(TOY), FARM), made).rename(made.with_name("moved"))


@pytest.fixture(scope="module")
def farm_run(farm: Path) -> subprocess.CompletedProcess[str]:
    return make(farm)


@pytest.fixture(scope="module")
def toy_run(toy: Path) -> subprocess.CompletedProcess[str]:
    return make(toy)


@pytest.mark.parametrize("engines", [1, 2])
def test_the_testbench_of_threads_waits_for_a_batch(engines: int, tmp_path: Path) -> None:
    done = make(package(Build(prime_design("toyp7-t"), engines), tmp_path / "core"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "how", [{}, {"engines": 2}, {"attach": "axil"}, {"attach": "stream"}], ids=str
)
def test_the_testbench_of_two_programs_knows_both(how: dict[str, Any], tmp_path: Path) -> None:
    """Jobs whose point is G have the cycles of kG."""
    folder = package(Build(prime_design("toyp8-b"), **how), tmp_path / "core")
    done = make(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    if not how:
        assert "157 where the point is G" in (folder / "README.md").read_text("utf-8")


def test_the_testbench_of_two_scalars_has_their_cases(tmp_path: Path) -> None:
    folder = package(Build(prime_design("toyp5-v")), tmp_path / "core")
    done = make(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^ok   aG \+ bP: ", done.stdout, re.M)) >= 15
    assert "a above b, 6 bits each" in (folder / "README.md").read_text("utf-8")


def test_the_testbench_passes_on_its_own(toy_run: subprocess.CompletedProcess[str]) -> None:
    assert toy_run.returncode == 0, toy_run.stdout + toy_run.stderr
    passed = re.search(r"^PASS (\d+) vectors$", toy_run.stdout, re.M)
    assert passed
    assert int(passed[1]) == len(re.findall(r"^ok   ", toy_run.stdout, re.M)) >= 30


def test_a_wrong_expectation_fails_the_testbench(
    toy: Path, toy_run: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    assert toy_run.returncode == 0
    copy = Path(shutil.copytree(toy, tmp_path / "copy"))
    bench = copy / "tb" / f"{name_of_testbench(binary_design(TOY), 1)}.sv"
    text = bench.read_text()
    right = re.search(r'check\("k = 2, P = G", .*?StatusOk, 8\'h(\w+)', text, re.S)
    assert right
    wrong = f"{int(right[1], 16) ^ 1:x}"
    bench.write_text(text[: right.start(1)] + wrong + text[right.end(1) :])
    done = make(copy)
    assert done.returncode != 0
    assert f"FAIL k = 2, P = G: x = {right[1]}" in done.stdout
    assert re.search(r"^FAIL 1 of \d+ vectors$", done.stdout, re.M)
    assert "PASS" not in done.stdout


@pytest.mark.slow
def test_a_core_with_a_fault_fails_the_testbench(
    toy: Path, toy_run: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    assert toy_run.returncode == 0
    copy = Path(shutil.copytree(toy, tmp_path / "copy"))
    engine = copy / "rtl" / "gf2m" / "engine" / "gf2m_engine.sv"
    text = engine.read_text()
    assert text.count("cycles + CycleW'(2)") == 1
    engine.write_text(text.replace("cycles + CycleW'(2)", "cycles"))
    done = make(copy)
    assert done.returncode != 0
    assert re.search(r"^FAIL (\d+) of \d+ vectors$", done.stdout, re.M)


def test_the_testbench_of_a_farm_passes_on_its_own(
    farm_run: subprocess.CompletedProcess[str],
) -> None:
    assert farm_run.returncode == 0, farm_run.stdout + farm_run.stderr
    passed = re.search(r"^PASS (\d+) answers$", farm_run.stdout, re.M)
    assert passed
    streams = re.findall(r"^ok   (\d+) jobs", farm_run.stdout, re.M)
    assert int(passed[1]) == sum(map(int, streams)) + 1 >= 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tb/{tb}", "StatusOk, 8'h2b, 8'h66", "StatusOk, 8'h2b, 8'h67"),
        ("rtl/attach/ecsm_farm.sv", "move = ~valid_q | rsp_ready_i", "move = 1'b1"),
        ("rtl/attach/ecsm_slot.sv", "full_q <= ~clear_i & (", "full_q <= ("),
    ],
    ids=["wrong-expectation", "answer-lost", "left-by-zeroize"],
)
def test_a_fault_fails_the_testbench_of_a_farm(
    farm: Path,
    farm_run: subprocess.CompletedProcess[str],
    tmp_path: Path,
    file: str,
    old: str,
    new: str,
) -> None:
    assert farm_run.returncode == 0
    copy = Path(shutil.copytree(farm, tmp_path / "copy"))
    changed = copy / file.format(tb=f"{name_of_testbench(binary_design(TOY), FARM)}.sv")
    text = changed.read_text()
    assert old in text
    changed.write_text(text.replace(old, new, 1))
    done = make(copy)
    assert done.returncode != 0
    assert re.search(r"^FAIL \d+ times in \d+ answers$", done.stdout, re.M)
    assert "PASS" not in done.stdout


@pytest.mark.slow
def test_the_testbench_of_a_standard_curve_passes(tmp_path: Path) -> None:
    done = make(moved_package("b163-small", tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^PASS \d+ vectors$", done.stdout, re.M)


@pytest.mark.parametrize("which", ["toy", "farm"])
def test_make_lint_is_clean(which: str, request: pytest.FixtureRequest) -> None:
    done = make(request.getfixturevalue(which), "lint")
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stderr


def test_one_engine_is_the_presets_module_and_nothing_of_a_farm(toy: Path) -> None:
    d = binary_design(TOY)
    assert emit_modules(d) == {d.preset.module: emit(d)}
    assert not list(toy.glob("rtl/attach/*"))
    assert json.loads((toy / "parameters.json").read_text())["engines"] == 1


def test_a_farm_adds_its_modules_to_the_files_of_one_engine(toy: Path, farm: Path) -> None:
    one, many = ((folder / "files.f").read_text().splitlines() for folder in (toy, farm))
    top = f"rtl/{binary_design(TOY).preset.module}_farm{FARM}.sv"
    attach = [f"rtl/attach/{name}.sv" for name in ("ecsm_farm", "ecsm_round_robin", "ecsm_slot")]
    assert [f for f in many if f not in one] == [*attach, top]
    assert many[-1] == top
    assert all((toy / f).read_bytes() == (farm / f).read_bytes() for f in one)
    facts = json.loads((farm / "parameters.json").read_text())
    assert (facts["engines"], f"rtl/{facts['module']}.sv") == (FARM, top)


def test_make_without_verilator_says_what_is_missing(toy: Path) -> None:
    done = make(toy, "-B", "VERILATOR=")
    assert done.returncode != 0
    assert "no verilator" in done.stdout


@pytest.mark.parametrize(("target", "oldest"), [("sim", "5.006"), ("lint", "5.048")])
def test_a_verilator_that_is_too_old_is_named(
    toy: Path, tmp_path: Path, target: str, oldest: str
) -> None:
    path = os.pathsep.join([str(old_verilator(tmp_path / "old")), os.environ["PATH"]])
    done = subprocess.run(
        ["make", "-B", target, "PYTHON=false"], cwd=toy, env={"PATH": path}, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    (said,) = done.stdout.splitlines()
    assert f"is Verilator {VERSION}, too old: {oldest} or later" in said


def test_an_old_verilator_on_the_path_is_not_run(toy: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(old_verilator(tmp_path / "old")), STRANGER["PATH"]])
    done = subprocess.run(
        ["make", "lint"], cwd=toy, env={"PATH": path}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "%" not in done.stdout + done.stderr


def test_what_is_compiled_runs_from_any_folder(toy: Path, tmp_path: Path) -> None:
    """BUILD names a folder elsewhere for a package in a place that is read-only."""
    testbench = tmp_path / f"V{name_of_testbench(binary_design(TOY), 1)}"
    testbench.write_text("#!/bin/sh\necho it runs\n")
    testbench.chmod(0o755)
    for build in (str(tmp_path), os.path.relpath(tmp_path, toy)):
        done = make(toy, f"BUILD={build}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "it runs"


def test_a_folder_with_a_blank_in_its_path_is_told(toy: Path, tmp_path: Path) -> None:
    """Verilator's own Makefile takes none, after its work; with another BUILD it never sees it."""
    package = shutil.copytree(toy, tmp_path / "a b" / "package")
    for words in ((), ("cocotb",), (f"BUILD={tmp_path / 'c d'}",)):
        done = make(package, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert "a blank in its path: make BUILD=/ANOTHER/FOLDER" in done.stderr
    for good in (("-n", f"BUILD={tmp_path}"), ("-n", "lint"), ("clean",)):
        assert make(package, *good).returncode == 0


def test_the_file_list_is_of_files_of_rtl(toy: Path) -> None:
    listed = (toy / "files.f").read_text().splitlines()
    assert set(listed) <= {f.relative_to(toy).as_posix() for f in toy.glob("rtl/**/*.sv")}
    assert listed[-1] == f"rtl/{binary_design(TOY).preset.module}.sv"


def test_no_file_names_this_machine() -> None:
    for name, text in contents(Build(binary_design(TOY))).items():
        for place in (str(ROOT), str(Path.home()), sys.prefix):
            assert place not in text, name


def test_every_file_says_its_licence(toy: Path) -> None:
    for name in (toy / MARKER).read_text().splitlines():
        if not name.endswith((".f", ".json", ".md", "LICENSE")):
            assert "SPDX-License-Identifier: Apache-2.0" in (toy / name).read_text(), name


def test_two_builds_are_equal() -> None:
    again = [sys.executable, "-c", f"""
from ecsm.hdl.build import Build
from ecsm.hdl.package import contents
from ecsm.cores.store import binary_design
import json
print(json.dumps(contents(Build(binary_design("{TOY}")))))
"""]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    done = subprocess.run(again, capture_output=True, text=True, check=True, env=env)
    assert json.loads(done.stdout) == contents(Build(binary_design(TOY)))


def test_the_expectations_do_not_depend_on_libcrypto(monkeypatch: pytest.MonkeyPatch) -> None:
    made = contents(Build(binary_design("b163-fast")))
    monkeypatch.setattr("ecsm.oracle.libcrypto.available", lambda: False)
    assert contents(Build(binary_design("b163-fast"))) == made


def test_the_parameters_are_those_of_the_preset(toy: Path) -> None:
    facts = json.loads((toy / "parameters.json").read_text())
    assert facts["cycles"] == binary_design(TOY).microcode.cycles
    assert facts["field"]["polynomial"] == "z^7 + z + 1"
    assert int(facts["curve"]["n"], 16) == binary_design(TOY).preset.curve.n
    package_text = (toy / "rtl" / "common" / "ecsm_pkg.sv").read_text()
    in_rtl = {k: int(v) for k, v in re.findall(r"(Status\w+)\s*= 4'd(\d+)", package_text)}
    assert facts["statuses"] == in_rtl
    assert len(in_rtl) == len(Status)


def ran(toy: Path, cwd: Path, *args: str) -> str:
    done = run_fusesoc(cwd, "--cores-root", str(toy), *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_fusesoc_lists_lints_and_sets_up_the_core(toy: Path, tmp_path: Path) -> None:
    name = core_name(binary_design(TOY).preset.module)
    assert name in ran(toy, tmp_path, "core", "list")
    assert "%Warning" not in ran(toy, tmp_path, "run", "--target=lint", name)
    ran(toy, tmp_path, "run", "--setup", "--target=sim", name)
    commands = next(tmp_path.glob("build/*/sim/*.vc")).read_text()
    assert f"--top-module {name_of_testbench(binary_design(TOY), 1)}" in commands
