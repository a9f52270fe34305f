# SPDX-License-Identifier: Apache-2.0
"""What several tests of the flow read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def module(netlist: Path) -> dict[str, Any]:
    """Return the one module of a JSON netlist."""
    (found,) = json.loads(netlist.read_text(encoding="utf-8"))["modules"].values()
    return dict(found)
