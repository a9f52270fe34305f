# SPDX-License-Identifier: Apache-2.0
"""The RTL as FuseSoC cores: kept as generated, shared by packages, and a generator on top."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ecsm import fusesoc
from ecsm.hdl.build import Build
from ecsm.hdl.files import RTL, rtl_files
from ecsm.hdl.library import folder_of, folders, kept, library
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from ecsm.hdl.package_texts import VERILATOR_LIMITS, core_name
from tests.fusesoc import run_fusesoc

ROOT = Path(__file__).parents[2]
CHIP = """\
CAPI=2:
name: me:test:chip
filesets:
  rtl:
    depend: [{depend}]
    files: [chip.sv]
    file_type: systemVerilogSource
{generate}
targets:
  lint:
    filesets: [rtl]
    {use}
    toplevel: chip
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall, -Wno-PINMISSING, {limits}]
"""
LIMITS = ", ".join(f"'{limit}'" for limit in VERILATOR_LIMITS.split())


def chip(folder: Path, modules: list[str], depend: str, generate: str = "", use: str = "") -> Path:
    """Write a design with so many modules, all of whose inputs but clock and reset are open."""
    folder.mkdir(exist_ok=True)
    instances = "".join(f"  {m} u_{i} (.clk_i, .rst_ni);\n" for i, m in enumerate(modules))
    (folder / "chip.sv").write_text(
        f"module chip (\n    input logic clk_i,\n    input logic rst_ni\n);\n{instances}endmodule\n"
    )
    text = CHIP.format(depend=depend, generate=generate, use=use, limits=LIMITS)
    (folder / "chip.core").write_text(text)
    return folder


def run(cwd: Path, *roots: Path) -> subprocess.CompletedProcess[str]:
    where = (f"--cores-root={root}" for root in roots)
    return run_fusesoc(cwd, *where, "run", "--target=lint", "me:test:chip")


def lints(cwd: Path, *roots: Path) -> str:
    done = run(cwd, *roots)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "%Warning" not in done.stdout + done.stderr
    return next(cwd.glob("build/*/lint/*.vc")).read_text()


def test_the_kept_core_files_are_as_generated() -> None:
    """``python -m ecsm.hdl.library`` writes them."""
    found = {f: f.read_text("utf-8") for p in ("*.core", "*.vlt") for f in RTL.rglob(p)}
    assert found == kept()


def test_folders_need_each_other_in_one_direction() -> None:
    done: set[str] = set()
    while more := [f for f, below in folders().items() if f not in done and done >= {*below}]:
        done.update(more)
    assert done == folders().keys() == {folder_of(f) for f in rtl_files()}


@pytest.mark.parametrize("preset", ["toy7-fast", "toyp5-v", "word-p256"])
def test_what_a_package_has_is_closed(preset: str) -> None:
    made = library(Build(subject(preset), attach="axil").modules())
    here = {name.removeprefix("rtl/").rpartition("/")[0] for name in made}
    assert all(below in here for folder in here for below in folders()[folder])


def test_packages_in_one_design_share_their_modules(tmp_path: Path) -> None:
    builds = [
        Build(subject("toy7-fast")), Build(subject("toy7-fast"), attach="apb"),
        Build(subject("toyp5-v"), attach="axil"), Build(subject("toy7-fast"), 2),
    ]  # fmt: skip
    folders = [package(build, tmp_path / f"ip{i}") for i, build in enumerate(builds)]
    tops = [list(build.modules())[-1] for build in builds]
    where = chip(tmp_path / "chip", tops, ", ".join(f"ecsm:cores:{top}" for top in tops))
    listed = lints(where, where, *folders).split()
    modules = [Path(name).name for name in listed if name.endswith(".sv")]
    assert sorted(set(modules)) == sorted(modules)
    assert {"ecsm_toy7_fast.sv", "ecsm_front.sv", "gf2m_mul.sv"} <= set(modules)


def test_modules_of_one_name_that_differ_are_not_taken_for_each_other(tmp_path: Path) -> None:
    """The operations of schemes with large hashes have other numbers."""
    preset = subject("b163-small-full")
    builds = [Build(preset, schemes=True, attach="axil"), Build(preset, schemes=True, wide=True)]
    folders = [package(build, tmp_path / f"ip{i}") for i, build in enumerate(builds)]
    name = "ecsm:cores:ecsm_b163_small_full_schemes"
    for depend in (f"{name}_axil", f"{name}_wide"):
        where = chip(tmp_path / depend.rpartition("_")[2], [], depend)
        setup = ("run", "--setup", "--target=lint", "me:test:chip")
        done = run_fusesoc(where, *(f"--cores-root={f}" for f in (where, *folders)), *setup)
        assert done.returncode == 0, done.stderr
        assert "Replacing ecsm:modules:ecsm_b163_small_full_schemes" not in done.stderr
    where = chip(tmp_path / "both", [], f"{name}_axil, {name}_wide")
    done = run(where, where, *folders)
    assert done.returncode != 0
    assert "Conflicting requirements" in done.stderr


@pytest.mark.parametrize(
    "pair",
    [
        (Build(subject("b163-small"), schemes=True, attach="apb"),
         Build(subject("b163-small"), schemes=True, wide=True, attach="apb")),
        (Build(subject("word-prime"), attach="axil"),
         Build(subject("word-prime-x25519"), attach="axil")),
    ],
)  # fmt: skip
def test_packages_whose_tops_have_one_name_have_names_of_their_own(
    pair: tuple[Build, Build],
) -> None:
    tops = [list(build.modules())[-1] for build in pair]
    assert tops[0] == tops[1]
    assert len({core_name(top, build) for top, build in zip(tops, pair, strict=True)}) == 2


def test_a_core_file_generates_what_it_asks_for(tmp_path: Path) -> None:
    """The checkout is the library: nothing is built before."""
    generate = """\
generate:
  point:
    generator: ecsm
    parameters: {preset: toy7-fast, attach: wishbone}
  farm:
    generator: ecsm
    parameters: {preset: toyp5-v, engines: 2}
"""
    tops = ["ecsm_toy7_fast_wishbone", "ecsm_toyp5_v_farm2"]
    use = "generate: [point, farm]"
    where = chip(tmp_path / "chip", tops, "ecsm:tools:generator", generate, use)
    listed = lints(where, where, ROOT / "rtl", ROOT / "ecsm")
    assert all(f"{top}.sv" in listed for top in tops)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository of git")
@pytest.mark.parametrize("by", ["path", "URL"])
def test_the_repository_is_a_library(by: str, tmp_path: Path) -> None:
    """As it is committed. FuseSoC uses a path where it is, and clones what a URL names."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", ROOT.as_uri(), str(clone)], check=True)
    generate = "generate:\n  a:\n    generator: ecsm\n    parameters: {preset: toy7-fast}\n"
    depend, use = "ecsm:tools:generator", "generate: [a]"
    where = chip(tmp_path / "chip", ["ecsm_toy7_fast"], depend, generate, use)
    done = run(where, where)
    assert done.returncode != 0  # without the library
    assert "it depends on missing packages" in done.stderr
    address = clone.as_uri() if by == "URL" else str(clone)
    done = run_fusesoc(where, "library", "add", "ecsm", address)
    assert done.returncode == 0, done.stderr
    assert (where / "fusesoc_libraries" / "ecsm").is_dir() == (by == "URL")
    assert "ecsm_toy7_fast.sv" in lints(where, where)


def test_a_generator_that_is_asked_for_nothing_that_is_there_says_so(tmp_path: Path) -> None:
    generate = "generate:\n  a:\n    generator: ecsm\n    parameters: {preset: nothing}\n"
    where = chip(tmp_path / "chip", [], "ecsm:tools:generator", generate, "generate: [a]")
    done = run(where, where, ROOT / "rtl", ROOT / "ecsm")
    assert done.returncode != 0
    assert "ecsm: there is no preset 'nothing'" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "the parameter preset is missing"),
        ({"preset": 5}, "preset: 5 is no str"),
        ({"preset": "toy7-fast", "engines": True}, "engines: True is no int"),
        ({"preset": "toy7-fast", "engines": 0}, "engines"),
        ({"preset": "toy7-fast", "attach": "pci"}, "pci: attachments are"),
        ({"preset": "toy7-fast", "engine": 2}, "engine: parameters are"),
        ({"preset": "x25519", "schemes": True}, "curve25519 is no Weierstrass curve"),
        ({"preset": "toy7-fast", "wide": True}, "--wide is of --schemes"),
        ({"preset": "b163-small", "schemes": True}, "b163-small does not protect keys"),
        ({"preset": "toy7-fast", "unprotected": True}, "unprotected is of schemes: true"),
        ({"preset": "word-p256-none"}, "unprotected: true takes it as it is"),
    ],
)
def test_wrong_parameters_are_one_line(
    parameters: dict[str, object], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "input.yml"
    file.write_text(json.dumps({"parameters": parameters, "vlnv": "me:test:chip-a:0"}))
    assert fusesoc.main([str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [file]


def test_an_unprotected_machine_is_asked_for() -> None:
    build = fusesoc.build_of({"preset": "b163-small", "schemes": True, "unprotected": True})
    assert build.schemes


def test_a_folder_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "input.yml"
    file.write_text("parameters: {preset: toy7-fast}\nvlnv: a:b:c:0")
    monkeypatch.chdir("/proc/self/fd")
    assert fusesoc.main([str(file)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("ecsm: /proc/")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        b"parameters: {preset: toy7-fast}\nvlnv: a:b:c d:0",
        b'parameters: {preset: toy7-fast}\nvlnv: "a:b:c:0\\nx: y"',
        b"", b"a", b"[1, 2]", b"parameters: {preset", b"\xff", b"parameters: {preset: toy7-fast}",
        b"parameters: {preset: toy7-fast}\nvlnv: ''", b"parameters: {preset: toy7-fast}\nvlnv: a:b",
        b"parameters: {preset: toy7-fast}\nvlnv: ':::'",
        b"parameters: [preset]\nvlnv: a:b:c:0", b"parameters: {preset: toy7-fast}\nvlnv: 5",
    ],
)  # fmt: skip
def test_a_file_that_is_of_no_generator_is_one_line(
    text: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("input.yml").write_bytes(text)
    assert fusesoc.main(["input.yml"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("ecsm: input.yml")
    assert [f.name for f in tmp_path.iterdir()] == ["input.yml"]


def test_a_python_without_what_it_needs_is_told(tmp_path: Path) -> None:
    """As one that FuseSoC finds first on the path, and that ecsm is not installed for."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "ecsm" / "fusesoc.py"), "input.yml"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "has no yaml: pip install ecsm pyyaml" in done.stderr
    assert done.stderr.count("\n") == 1
