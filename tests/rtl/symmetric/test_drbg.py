# SPDX-License-Identifier: Apache-2.0
"""sym_drbg with its noise source: see drbg_cocotb.py for what is asserted."""

from __future__ import annotations

from tests.rtl.symmetric.system import simulate_system


def test_drbg() -> None:
    simulate_system("32x2", "drbg_cocotb", SHARE="1")
