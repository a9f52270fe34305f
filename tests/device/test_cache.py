# SPDX-License-Identifier: Apache-2.0
"""How a core's C++ is compiled: what runs once is not optimised, what is long not for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.device import compiling


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
