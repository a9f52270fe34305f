# SPDX-License-Identifier: Apache-2.0
"""How a core's C++ is compiled: what runs once is not optimised, what is long not for minutes."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ecsm.device.sim import SimDevice
from ecsm.sim import compiling
from ecsm.sim.cache import DIGEST, content_key, entry


@pytest.mark.parametrize(
    ("name", "size", "how"),
    [
        ("Vcore_root.cpp", 1000, ["-O2"]),
        ("Vcore_root.cpp", compiling.LONG + 1, ["-O2", "-fno-tree-ter"]),
        ("Vcore_root__Slow.cpp", compiling.LONG + 1, ["-O0"]),
    ],
)
def test_a_long_file_is_compiled_another_way(
    name: str, size: int, how: list[str], tmp_path: Path
) -> None:
    source = tmp_path / name
    source.write_text("/" * size)
    (job,) = compiling.jobs([source], tmp_path, [])
    assert [o for o in job.command if o[:2] == "-O" or "tree" in o] == how


def test_comments_compile_nothing_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.sv"

    def key(text: str) -> str:
        file.write_text(text)
        return content_key((), [file])

    first = key("module a; // what it is\nendmodule\n")
    assert key("module a;\n  // another\n endmodule") == first
    assert key("module b; // what it is\nendmodule\n") != first
    pragma = key("module a; // verilator lint_off WIDTH\nendmodule\n")
    assert pragma != first
    assert key("module a; /* verilator no_inline_module */\nendmodule\n") not in (first, pragma)


def test_small_files_are_compiled_together(tmp_path: Path) -> None:
    sizes = {"Vcore_a.cpp": 10, "Vcore_b.cpp": 20, "Vcore_c__Slow.cpp": 10, "Vcore_d__Slow.cpp": 5,
             "Vcore_large.cpp": compiling.TOGETHER}  # fmt: skip
    for name, size in sizes.items():
        (tmp_path / name).write_text("/" * size)
    found = compiling.jobs([tmp_path / name for name in sizes], tmp_path, [])
    texts = [job.source.read_text() for job in found]
    together = [set(re.findall(r'"(Vcore_\w+\.cpp)"', text)) for text in texts if "#" in text]
    assert {frozenset(names) for names in together} == {
        frozenset({"Vcore_a.cpp", "Vcore_b.cpp"}),
        frozenset({"Vcore_c__Slow.cpp", "Vcore_d__Slow.cpp"}),
    }
    assert len(found) == 3
    assert len(compiling.jobs([tmp_path / name for name in sizes], tmp_path, [], True)) == 5


def test_a_folder_need_not_be_utf8(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    sources = [folder / name for name in ("Vcore_a.cpp", "Vcore_b.cpp")]
    for source in sources:
        source.touch()
    (job,) = compiling.jobs(sources, tmp_path, [])
    assert job.source.read_bytes().splitlines() == [
        b'#include "\xff/%s"' % os.fsencode(source.name) for source in sources
    ]


def test_a_folder_may_have_a_quote_and_a_line_in_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither Verilator nor g++ reads a path of such a folder."""
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / 'a "quote"\nand a line'))
    with SimDevice("toy5-serial") as device:
        assert device.kp(0, None) is None


def put(what: str, found: Path) -> None:
    """Let something stand where an entry is looked for."""
    inside = found / "made"
    if "in it" in what:
        found.mkdir()
        (found / DIGEST).write_text("x")
    place = inside if "in it" in what else found
    if what.startswith("fifo"):
        os.mkfifo(place)
    elif what.startswith("file"):
        place.write_text("x")
    elif what.startswith("link"):
        place.symlink_to("nowhere")
    else:
        place.mkdir()


@pytest.mark.timeout(60)  # nobody writes to the FIFO
@pytest.mark.parametrize("where", ["", " in it"])
@pytest.mark.parametrize("what", ["file", "fifo", "link", "folder"])
def test_what_stands_in_the_place_of_an_entry_is_made_anew(
    what: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    put(what + where, tmp_path / "entry")

    def make(work: Path, done: Path) -> None:
        (done / "made").write_text("right")

    assert (entry("entry", make) / "made").read_text() == "right"
    assert entry("entry", lambda work, done: pytest.fail("made twice")) == tmp_path / "entry"
