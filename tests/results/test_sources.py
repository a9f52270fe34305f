# SPDX-License-Identifier: Apache-2.0
"""The digest of a design changes with what is synthesised and with nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.hdl.files import RTL, bare, needed, rtl_files
from ecsm.results import sources as module
from ecsm.results.sources import origin, sources

TOY = "toy7-fast"


@pytest.fixture
def rtl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of rtl/ that the module takes for the real one."""
    shutil.copytree(RTL, tmp_path / "rtl")
    files = [tmp_path / "rtl" / f.relative_to(RTL) for f in rtl_files()]
    monkeypatch.setattr(module, "rtl_files", lambda: files)
    return tmp_path / "rtl"


def digest() -> str:
    return sources(design(TOY)).digest


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_another_place_of_the_files_changes_nothing(
    rtl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest()
    monkeypatch.setattr(module, "rtl_files", rtl_files)
    assert digest() == before


def test_comments_and_layout_change_nothing(rtl: Path) -> None:
    before = digest()
    append(rtl / "gf2m" / "engine" / "gf2m_engine.sv", "\n\n  // a remark\n/* two\nlines */\n")
    assert digest() == before


def test_a_changed_module_changes_it(rtl: Path) -> None:
    before = digest()
    file = rtl / "common" / "ecsm_regfile.sv"
    file.write_text(file.read_text().replace("we_i[i]", "!we_i[i]"))
    assert digest() != before


def test_a_module_that_the_design_does_not_use_changes_nothing(
    rtl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unused = rtl / "gfp" / "field" / "gfp_unused.sv"
    unused.write_text("module gfp_unused; endmodule\n")
    monkeypatch.setattr(module, "rtl_files", lambda: [unused, *sorted(rtl.rglob("*.sv"))])
    with_unused = digest()
    unused.write_text("module gfp_unused; logic x; endmodule\n")
    assert digest() == with_unused


def test_another_preset_has_another_digest() -> None:
    assert sources(design("toy7-two")).digest != digest()


def test_needed_follows_modules_and_packages(tmp_path: Path) -> None:
    texts = {
        "p": "package p; endpackage", "a": "module a; import p::x; b u_b (); endmodule",
        "b": "module b; endmodule", "c": "module c; a u_a (); endmodule",
    }  # fmt: skip
    files = []
    for name, text in texts.items():
        files.append(tmp_path / f"{name}.sv")
        files[-1].write_text(text + "\n")
    names = [f.stem for f in needed("module top; a u_a (); /* c */ endmodule", files)]
    assert names == ["p", "a", "b"]


def test_bare_keeps_code() -> None:
    assert bare("a /* x\n */ b // c\n\n d") == "a b d"


def test_origin_names_commit_tools_and_digest() -> None:
    s = sources(design(TOY))
    o = origin(s, "ecsm synth x", "yosys")
    assert o.rtl == s.digest
    assert o.command == "ecsm synth x"
    assert set(o.tools) == {"ecsm", "yosys"}
    assert o.commit is None or len(o.commit) == 12
