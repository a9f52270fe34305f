# SPDX-License-Identifier: Apache-2.0
"""How a core's C++ is compiled: what runs once is not optimised, what is long not for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.device import cache


@pytest.mark.parametrize(
    ("name", "size", "how"),
    [
        ("Vcore_root.cpp", 1000, ["-O2"]),
        ("Vcore_root.cpp", cache.LONG + 1, ["-O2", "-fno-tree-ter"]),
        ("Vcore_root__Slow.cpp", cache.LONG + 1, ["-O0"]),
    ],
)
def test_a_long_file_is_compiled_another_way(
    name: str, size: int, how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, called = tmp_path / name, list[str]()
    source.write_text("/" * size)
    monkeypatch.setattr(cache, "_run", lambda command, _: called.extend(command))
    cache._compile([source], tmp_path, [], lambda _: None)
    optimisation = [option for option in called if option[:2] == "-O" or "tree" in option]
    assert optimisation == how
