# SPDX-License-Identifier: Apache-2.0
"""Invariants of modules, proven by induction: for all inputs and all reachable states."""

from __future__ import annotations

from pathlib import Path

from ecsm.hdl.files import RTL
from tests.rtl.common.netlist import yosys

ATTACH = RTL / "attach"


def prove(
    proof: Path, parameter: str, modules: tuple[str, ...], folder: Path,
    changed: str = "", old: str = "", new: str = "",
) -> None:  # fmt: skip
    """Prove ``holds_o`` of a module where ``allowed_o`` is; raises FlowError if it fails.

    ``modules``: of rtl/attach, which it needs; in ``changed`` the text ``old`` is replaced first.
    """
    for name in modules:
        text = (ATTACH / f"{name}.sv").read_text("utf-8")
        if name == changed:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / f"{name}.sv").write_text(text, encoding="utf-8")
    files = " ".join([*(f"{name}.sv" for name in modules), str(proof)])
    yosys(
        folder,
        f"read_slang --top {proof.stem} -G {parameter} {files}",
        "proc",
        "flatten",
        "memory",
        "async2sync",
        "opt",
        "techmap",
        "opt -fast",
        # The invariant holds after the reset, and one step after wherever it holds.
        "sat -tempinduct -seq 1 -maxsteps 1 -set allowed_o 1 -prove holds_o 1 -verify",
    )
