# SPDX-License-Identifier: Apache-2.0
"""Which countermeasures protect a core, by the names of :mod:`ecsm.hdl.countermeasures`."""

from __future__ import annotations

_FRONT = ("CTRL.REDUNDANCY", "STATUS.REDUNDANCY", "RESULT.CHECK")
CHECKED = (*_FRONT, "DECODE.REDUNDANCY", "SCALAR.PARITY")
"""Of a ladder over GF(2^m) that looks for faults."""
MASKED_LADDER = (*CHECKED, "SCALAR.SHARES", "POINT.ROLES", "POINT.RANDOM")
"""Of one that is masked, too."""
MASKED_GFP = (
    *_FRONT, "WORD.PARITY", "STATE.REDUNDANCY", "RESULT.TWICE", "KEY.PARITY",
    "KEY.SHARES", "POINT.PLACES", "POINT.FACTOR",
)  # fmt: skip
"""Of a masked core over GF(p)."""
