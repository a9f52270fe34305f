# SPDX-License-Identifier: Apache-2.0
"""What every netlist of evidence begins with: a generated module, the files it needs, Yosys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ecsm.backend.synth import TEXT, flow_dir, synthesise_module
from ecsm.hdl.files import needed, rtl_files
from ecsm.progress import Progress


def synthesised(
    name: str, top: str, text: str, commands: Sequence[str], log: str, tell: Progress,
    files: Iterable[Path] | None = None, options: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Return the module ``top`` of ``text`` as Yosys JSON, after ``commands``.

    ``log``: a name in the flow's folder of the preset ``name``. ``files``: those below the text, by
    default the RTL that it needs. ``options``: of Yosys's reader. Raises
    :class:`ecsm.backend.tool.FlowError`.
    """
    files = list(needed(text, rtl_files()) if files is None else files)
    names = " ".join([*(f.name for f in files), TEXT])
    read = f"read_slang --top {top} {options}{names}"
    file = flow_dir(name) / f"{log}.log"
    module, _ = synthesise_module(name, top, [read, *commands], files, file, tell, text)
    return module
