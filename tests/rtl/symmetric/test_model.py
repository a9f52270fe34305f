# SPDX-License-Identifier: Apache-2.0
"""The models that the RTL is held to agree with published vectors and with libcrypto."""

from __future__ import annotations

import hashlib
import random

import pytest

from ecsm.curves import curve
from ecsm.oracle.libcrypto import HINT, available
from tests.rtl.symmetric import libcrypto
from tests.rtl.symmetric.model import HmacDrbg, kdf
from tests.rtl.symmetric.tops import ALGS
from tests.rtl.symmetric.vectors import drbg_cases, rfc6979_p256, x963
from tests.vectors import OPENSSL_HINT

needs_libcrypto = pytest.mark.skipif(not available(), reason=HINT)


@pytest.mark.parametrize("alg", ALGS)
def test_kdf_is_that_of_x963(alg: str) -> None:
    found = x963(alg)
    assert found
    for z, info, key in found:
        assert kdf(alg, z, len(key), 1, info) == key


@needs_libcrypto
@pytest.mark.parametrize("alg", ["sha1", "sha256", "sha512"])
def test_drbg_is_libcrypto_s(alg: str) -> None:
    rng = random.Random(1)
    for extra in (b"", rng.randbytes(32)):
        entropy, nonce = rng.randbytes(32), rng.randbytes(16)
        ours = HmacDrbg(alg, entropy + nonce + extra)
        theirs = libcrypto.HmacDrbg(alg, entropy, nonce, extra)
        for octets in (1, 32, 100):
            assert ours.generate(octets, extra) == theirs.generate(octets, extra)
        again = rng.randbytes(32)
        ours.update(again + extra)
        theirs.update(again, extra)
        assert ours.generate(64) == theirs.generate(64)


def test_drbg_gives_the_nonces_of_rfc6979() -> None:
    n = curve("P-256").n
    found = rfc6979_p256(n)
    assert {alg for alg, *_ in found} == set(ALGS)
    for alg, message, x, k in found:
        h = int.from_bytes(hashlib.new(alg, message).digest()[:32], "big") % n
        seed = x.to_bytes(32, "big") + h.to_bytes(32, "big")
        assert int.from_bytes(HmacDrbg(alg, seed).generate(32), "big") in (k, n - k)


def test_drbg_is_that_of_cavp() -> None:
    cases = drbg_cases()
    if cases is None:
        pytest.skip(OPENSSL_HINT)
    assert {case.alg for case in cases} == set(ALGS)
    assert {bool(fresh) for case in cases for _, fresh in case.generates} == {False, True}
    for case in cases:
        drbg = HmacDrbg(case.alg, case.entropy + case.nonce + case.extra)
        for extra, fresh in case.generates:
            if fresh:
                drbg.update(fresh + extra)
            got = drbg.generate(len(case.want), b"" if fresh else extra)
        assert got == case.want
