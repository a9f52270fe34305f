# SPDX-License-Identifier: Apache-2.0
"""sym_hash against hashlib and CAVP: see hash_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from tests.rtl.symmetric.system import SYSTEMS, simulate_system


@pytest.mark.parametrize("system", SYSTEMS)
def test_hash(system: str) -> None:
    simulate_system(system, "hash_cocotb", SHARE="8")


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_message_of_cavp(system: str) -> None:
    simulate_system(system, "hash_cocotb", SHARE="1")
