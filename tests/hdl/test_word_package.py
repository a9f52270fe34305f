# SPDX-License-Identifier: Apache-2.0
"""Packages of a word engine that takes its tables from a host: one RTL, tables of each curve."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.hdl.package import package
from ecsm.hdl.word_image import image
from ecsm.presets.word import WORD_PRESETS
from ecsm.resources import resource
from ecsm.schemes.word.program import word_program


def made(folder: Path, preset: str, attach: str | None) -> dict[str, bytes]:
    """Return the files of a package by path."""
    target = folder / preset
    package(Build(subject(preset), attach=attach), target)
    return {str(f.relative_to(target)): f.read_bytes() for f in target.rglob("*") if f.is_file()}


@pytest.mark.parametrize("names", [("word-prime", "word-prime-p521"),
                                   ("word-dual", "word-dual-k571")])  # fmt: skip
@pytest.mark.parametrize("attach", [None, "axil"])
def test_packages_of_two_curves(attach: str | None, names: tuple[str, str], tmp_path: Path) -> None:
    one, other = (made(tmp_path, name, attach) for name in names)
    rtl = {name for name in one if name.startswith(("rtl/", "registers/"))}
    assert {name: one[name] for name in rtl} == {name: other[name] for name in rtl}
    for files, name in zip((one, other), names, strict=True):
        assert files["tables/ecsm_tables.bin"] == image(word_program(WORD_PRESETS[name]).built)
        assert b"ecsm_load_tables" in files["README.md"]


def test_the_header_has_the_same_octets(tmp_path: Path) -> None:
    """Compiled, as C has it."""
    files = made(tmp_path, "word-prime-p224", "axil")
    source = tmp_path / "dump.c"
    source.write_text(
        '#include "ecsm_tables.h"\n#include <stdio.h>\n'
        "int main(void)\n{\n    fwrite(ecsm_tables.octets, 1, ecsm_tables.length, stdout);\n"
        "    return ecsm_tables.scalar_octets != 28 || ecsm_tables.coordinate_octets != 28;\n}\n"
    )
    folders = (resource("sw", "libecsm") / "include", tmp_path / "word-prime-p224/tables")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", *(f"-I{f}" for f in folders)]
    subprocess.run(["cc", *flags, "-o", tmp_path / "dump", source], check=True)
    done = subprocess.run([tmp_path / "dump"], capture_output=True, check=True)
    assert done.stdout == files["tables/ecsm_tables.bin"]


def test_a_package_without_tables_has_none(tmp_path: Path) -> None:
    assert not any(name.startswith("tables/") for name in made(tmp_path, "word-p256", None))
