# SPDX-License-Identifier: Apache-2.0
"""The directory of what is behind a bus: complete, alone, always the same; its registers' texts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import MARKER, contents, documents, package
from ecsm.hdl.registers import FOLDER, core_registers, register_map
from ecsm.report.sheet import sheet
from ecsm.sim.cache import verilator_env
from ecsm.status import Status

BUILDS = {
    "core": Build(design("b163-small"), attach="axil"),
    "double": Build(design("toyp5-v"), attach="axil"),
    "schemes": Build(design("b163-small"), schemes=True, attach="axil"),
    "word": Build(subject("word-p256"), attach="axil"),
    "wishbone": Build(design("toyp5-v"), attach="wishbone"),
    "apb": Build(subject("word-p256"), attach="apb"),
    "stream": Build(design("toy7-fast"), 3, attach="stream"),
}
REGISTERED = ("core", "double", "schemes", "word", "wishbone", "apb")
SPACE = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
ROW = re.compile(r'<tr id="(\w+)">(.*?)</tr>', re.S)  # of a register or a field in the HTML pages


@pytest.fixture(scope="module", params=BUILDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, moved: nothing may depend on where it was made."""
    made = tmp_path_factory.mktemp("attached") / "made here"
    return package(BUILDS[name], made).rename(made.with_name("moved"))


def top_of(build: Build) -> str:
    return list(build.modules())[-1]


def tool(*command: str, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, env={**verilator_env(), "HOME": str(cwd)},
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_directory_is_complete(folder: Path, name: str) -> None:
    build = BUILDS[name]
    files = {f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file()}
    assert files - {MARKER} == {*contents(build), *documents(build)}
    assert files - {MARKER} == set((folder / MARKER).read_text().splitlines())
    listed = (folder / "files.f").read_text().splitlines()
    assert set(listed) <= {f for f in files if re.fullmatch(r"rtl/.*\.sv", f)}
    assert listed[-1] == f"rtl/{top_of(build)}.sv"


def lints(build: Build, folder: Path, cwd: Path) -> None:
    fusesoc = str(Path(sysconfig.get_path("scripts")) / "fusesoc")
    core = f"ecsm:cores:{top_of(build)}"
    roots = ("--cores-root", str(folder))
    said = tool(fusesoc, *roots, "run", "--target=lint", core, cwd=cwd)
    assert "%Warning" not in said


def test_fusesoc_lints_it_alone(folder: Path, name: str, tmp_path: Path) -> None:
    lints(BUILDS[name], folder, tmp_path)


@pytest.mark.parametrize("preset", ["word-prime", "word-up5k", "word-dual", "word-full"])
def test_fusesoc_lints_an_engine_whose_tables_are_loaded(preset: str, tmp_path: Path) -> None:
    build = Build(subject(preset), attach="axil")
    lints(build, package(build, tmp_path / "core"), tmp_path)


def test_the_readme_has_every_port(folder: Path, name: str) -> None:
    readme = (folder / "README.md").read_text()
    top = (folder / f"rtl/{top_of(BUILDS[name])}.sv").read_text()
    ports = re.findall(r"^\s+(?:input|output) .*?(\w+),?$", top, re.M)
    assert len(ports) > 10
    assert all(f"| `{port}` |" in readme for port in ports)
    if BUILDS[name].schemes:
        assert ("without one there is no key" in readme) == (name in ("word", "apb"))


@pytest.mark.parametrize("name", REGISTERED)
def test_the_header_is_the_register_map(name: str, tmp_path: Path) -> None:
    """Compiled: offsets of all registers, masks of fields, numbers of statuses and operations."""
    build = BUILDS[name]
    folder = package(build, tmp_path / "core")
    registers = build.registers()
    assert registers
    block = registers.block
    checks = [
        f"static_assert(offsetof({block}_t, {register}) == {address});"
        for register, address in register_map(registers).items()
    ]
    checks += [f"static_assert(ECSM_STATUS_{s.name} == {s.value});" for s in Status]
    numbers = {"kp": 0}
    if build.schemes:
        numbers = {o: build.machine.program.number(o) for o in build.machine.program.operations}
    checks += [
        f"static_assert(ECSM_OPERATION_{o.upper().replace('-', '_')} == {i});"
        for o, i in numbers.items()
    ]
    checks.append(f"static_assert({block.upper()}__COMMAND__ZEROIZE_bm == 4);")
    assert len(checks) > 25
    text = f'#include <stddef.h>\n#include "{block}.h"\n' + "\n".join(checks)
    (tmp_path / "check.c").write_text(text + "\nint unused;\n")
    include = f"-I{folder / FOLDER}"
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", include, "check.c")
    wrong = text.replace("== 4);", "== 5);")
    tool("cc", *flags, cwd=tmp_path)
    (tmp_path / "check.c").write_text(wrong + "\nint unused;\n")
    with pytest.raises(AssertionError, match="static assertion"):
        tool("cc", *flags, cwd=tmp_path)


@pytest.mark.parametrize("name", REGISTERED)
def test_the_html_pages_have_every_register(name: str) -> None:
    registers = BUILDS[name].registers()
    assert registers
    made = documents(BUILDS[name])
    pages = b"".join(data for file, data in made.items() if "/html/" in file)
    assert f"{FOLDER}/html/index.html" in made
    assert all(f'"{register}"'.encode() in pages for register in register_map(registers))


@pytest.mark.parametrize("name", REGISTERED)
def test_every_register_and_field_is_named_and_described(name: str) -> None:
    """In IP-XACT and in the column of the HTML pages; a description is a sentence, not a word."""
    registers = BUILDS[name].registers()
    assert registers
    made = documents(BUILDS[name])
    xml = ElementTree.fromstring(contents(BUILDS[name])[f"{top_of(BUILDS[name])}.xml"].encode())
    pages = [data.decode() for file, data in made.items() if "/html/content/" in file]
    rows = {row for page in pages for row in ROW.findall(page)}
    seen = 0
    for kind in ("register", "field"):
        nodes = list(xml.iter(f"{{{SPACE['x']}}}{kind}"))
        for node in nodes:
            identifier, label, text = (
                node.findtext(f"x:{tag}", "", SPACE)
                for tag in ("name", "displayName", "description")
            )
            assert label, identifier
            assert len(text.split()) >= 3, (identifier, text)
            assert text.endswith("."), (identifier, text)
            assert any(i == identifier and f"<td>{label}</td>" in row for i, row in rows), (
                identifier
            )
        seen += len(nodes)
    assert seen > 50


def test_two_builds_are_equal(tmp_path: Path) -> None:
    """In another process, with another seed of hashes: every octet of every file."""
    build = BUILDS["schemes"]
    here = package(build, tmp_path / "here", sheet=sheet(build))
    command = [sys.executable, "-m", "ecsm", "build", *build.command.split(), "-o", "there"]
    root = Path(__file__).parents[2]
    env = {**verilator_env(), "PYTHONPATH": str(root), "PYTHONHASHSEED": "7"}
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    files = [f.relative_to(here) for f in here.rglob("*") if f.is_file()]
    assert len(files) > 60
    for file in files:
        assert (tmp_path / "there" / file).read_bytes() == (here / file).read_bytes(), file


def test_no_file_names_this_machine() -> None:
    root = Path(__file__).parents[2]
    for build in BUILDS.values():
        texts = {name: text.encode() for name, text in contents(build).items()} | documents(build)
        for name, data in texts.items():
            for place in (str(root), str(Path.home()), sys.prefix):
                assert place.encode() not in data, name


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"engines": 2, "attach": "axil"}, "takes one engine"),
        ({"engines": 2, "schemes": True}, "takes one engine"),
        ({"schemes": True, "attach": "stream"}, "not of --schemes"),
        ({"wide": True}, "is of --schemes"),
        ({"attach": "pci"}, "attachments are axil, wishbone, apb, stream"),
        ({"engines": 0}, "a farm has 1 to"),
    ],
)
def test_what_does_not_go_together_is_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Build(design("b163-small"), **asked)  # type: ignore[arg-type]


def test_registers_are_described_without_docstrings() -> None:
    """``python -OO`` leaves no docstring: a register's text must not be one."""
    code = (
        "from ecsm.cores.store import design\n"
        "from ecsm.hdl.registers import core_registers\n"
        "print(core_registers(design('b163-small').preset).preset, end='')"
    )
    words = [sys.executable, "-OO", "-c", code]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
    assert done.stdout == core_registers(BUILDS["core"].preset).preset
    assert "None" not in done.stdout
