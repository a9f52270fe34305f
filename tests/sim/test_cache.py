# SPDX-License-Identifier: Apache-2.0
"""How a core's C++ is compiled: what runs once is not optimised, what is long not for minutes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecsm.sim import compiling
from ecsm.sim.cache import content_key


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
    together = [set(re.findall(r'/(Vcore_\w+\.cpp)"', text)) for text in texts if "#" in text]
    assert {frozenset(names) for names in together} == {
        frozenset({"Vcore_a.cpp", "Vcore_b.cpp"}),
        frozenset({"Vcore_c__Slow.cpp", "Vcore_d__Slow.cpp"}),
    }
    assert len(found) == 3
    assert len(compiling.jobs([tmp_path / name for name in sizes], tmp_path, [], True)) == 5
