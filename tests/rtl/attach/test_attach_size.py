# SPDX-License-Identifier: Apache-2.0
"""What the attachments add to a core is what docs/integrate/ports.md states."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.hdl.axis_emit import emit_axis
from ecsm.hdl.block_emit import emit_block
from ecsm.hdl.buses import BUSES
from ecsm.hdl.engines.module import facts
from ecsm.hdl.files import needed, rtl_files
from ecsm.templates import render
from tests.rtl.common.netlist import yosys

PAGE = Path(__file__).parents[3] / "docs" / "integrate" / "ports.md"
ROW = re.compile(r"^\| `--attach (\w+)` of `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \|", re.M)


@pytest.mark.parametrize("attach", [*BUSES, "stream"])
def test_luts_and_flip_flops(attach: str, tmp_path: Path) -> None:
    """The core is left out: a module with its ports and nothing inside."""
    stated = {found[1]: found for found in ROW.finditer(PAGE.read_text("utf-8"))}[attach]
    d = design(stated[2])
    modules = emit_axis(d) if attach == "stream" else emit_block(d, BUSES[attach])
    ports = render("hdl/parts/core_ports.sv", **facts(d.preset))
    core = d.preset.module
    modules[core] = f"(* blackbox *) module {core} (\n{ports});\nendmodule\n"
    text, top = "\n".join(modules.values()), list(modules)[-1]
    source, report = tmp_path / "top.sv", tmp_path / "stat.json"
    source.write_text(text, encoding="utf-8")
    files = " ".join(map(str, (*needed(text, rtl_files()), source)))
    yosys(
        tmp_path,
        f"read_slang --top {top} {files}",
        f"synth_ecp5 -top {top}",
        "check -assert",
        f"tee -q -o {report} stat -json",
    )
    cells = json.loads(report.read_text())["modules"][f"\\{top}"]["num_cells_by_type"]
    assert cells[core] == 1
    found = cells["LUT4"], cells["TRELLIS_FF"]
    assert found == (int(stated[3].replace(",", "")), int(stated[4].replace(",", "")))
    assert not [cell for cell in cells if "LATCH" in cell]
