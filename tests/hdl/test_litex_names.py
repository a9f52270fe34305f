# SPDX-License-Identifier: Apache-2.0
"""Blocks of a LiteX system share modules that are the same, and no others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("litex")

from ecsm.litex import _there

ONE = "module ecsm_regs;\nendmodule\n"


def test_a_module_of_one_name_is_the_same_or_refused(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name / "ecsm_regs.sv" for name in ("a", "b", "c"))
    for file, text in ((one, ONE), (same, ONE), (other, ONE + "// another")):
        file.parent.mkdir()
        file.write_text(text)
    platform = SimpleNamespace(sources=[(str(one), "systemverilog", "work")])
    assert _there(platform, same)
    more = tmp_path / "ecsm_more.sv"
    more.write_text("module ecsm_more;\nendmodule\n")
    assert not _there(platform, more)
    with pytest.raises(ValueError, match="ecsm_regs is in the system already, and is not the same"):
        _there(platform, other)
