# SPDX-License-Identifier: Apache-2.0
"""Plays inputs to a core, cycle by cycle, and writes down all that it answers: see port.py."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cocotb

from tests.evidence.port import INPUTS
from tests.rtl.common.clocked import Clocked


@cocotb.test()
async def record(dut: Any) -> None:
    """Play each run after the other; each begins with a reset."""
    core = Clocked(dut, INPUTS, ("answer",))
    runs = json.loads(Path(os.environ["PORT_INPUTS"]).read_text())
    found = [[(await core.cycle(**cycle))["answer"] for cycle in one] for one in runs]
    Path(os.environ["PORT_ANSWERS"]).write_text(json.dumps(found))
