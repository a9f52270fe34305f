# SPDX-License-Identifier: Apache-2.0
"""AES against CAVP, RFC 3686 and libcrypto: see aes_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from tests.rtl.symmetric.system import AES, simulate_aes


@pytest.mark.parametrize("unit", AES)
def test_aes(unit: str) -> None:
    simulate_aes(unit, "aes_cocotb", SHARE="20")


@pytest.mark.slow
@pytest.mark.parametrize("unit", AES)
def test_every_vector(unit: str) -> None:
    simulate_aes(unit, "aes_cocotb", SHARE="1")
