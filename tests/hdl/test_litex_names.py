# SPDX-License-Identifier: Apache-2.0
"""Blocks of a LiteX system: what they share, and options that are none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("litex")

from ecsm.litex import ECSM, _there

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


@pytest.mark.parametrize("option", ["schemes", "unprotected"])
def test_an_option_is_true_or_false(tmp_path: Path, option: str) -> None:
    """A text, as of a file of settings, is neither: "no" took what does not protect its keys."""
    options: dict[str, Any] = {"schemes": True, "unprotected": True, option: "no"}
    with pytest.raises(ValueError, match=f"{option} is True or False, not 'no'"):
        ECSM(SimpleNamespace(sources=[]), "b163-small", folder=tmp_path / "core", **options)
    assert not (tmp_path / "core").exists()
