# SPDX-License-Identifier: Apache-2.0
"""mbedTLS's own tests, on P-256 through the simulated block."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sw.mbedtls import Built

# The block makes its own nonce, and not the one that the test's random generator says.
GIVEN_NONCE = {"ECDSA primitive rfc 4754 p256"}


@pytest.mark.parametrize(
    ("name", "failing", "least", "jobs"),
    [
        ("ecdsa", GIVEN_NONCE, 98, 29),
        ("ecdh", set(), 19, 30),
        ("pk", set(), 68, 22),
        ("x509write", set(), 35, 4),
        ("psa_crypto", set(), 983, 222),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_suite_passes(
    name: str, failing: set[str], least: int, jobs: int, mbedtls_built: Built, tmp_path: Path
) -> None:
    """``least``: tests that ran; ``jobs``: those of the block, which did its part."""
    failed, ran, done = mbedtls_built.suite(name, tmp_path)
    assert failed == failing
    assert ran >= least
    assert done >= jobs
