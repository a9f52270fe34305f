# SPDX-License-Identifier: Apache-2.0
"""What makes the pieces of a campaign of test_campaign.py, in processes that load no more."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from ecsm.evidence.campaigns.pieces import keep

LOG = "made"


def make(kind: str, number: int, file: Path) -> None:
    """Make a piece, and note it; or fail, die or stay."""
    with (file.parent / LOG).open("a") as log:
        log.write(f"{file.stem}\n")
    if kind == "fail":
        raise ValueError(f"not {number}\nand more")
    if kind == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "stay":
        time.sleep(600)
    if kind != "nothing":
        keep(file, {"numbers": np.arange(number), "name": np.array(kind)})
