# SPDX-License-Identifier: Apache-2.0
"""HMAC, KDF and HMAC_DRBG against hashlib, hmac and published vectors: see mac_cocotb.py."""

from __future__ import annotations

import pytest

from tests.rtl.symmetric.system import SYSTEMS, simulate_system


@pytest.mark.parametrize("system", ["32x2", "64x1"])
def test_units_over_one_hash(system: str) -> None:
    simulate_system(system, "mac_cocotb", SHARE="10")


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_vector(system: str) -> None:
    simulate_system(system, "mac_cocotb", SHARE="1")
