# SPDX-License-Identifier: Apache-2.0
"""Settings and fixtures of all tests."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import settings

from ecsm.oracle import libcrypto as oracle

# What a shared helper asserts is shown as a test's own would be.
pytest.register_assert_rewrite("tests.browser")

# Fixed seeds: a test that fails here fails everywhere. No deadline: machines differ.
settings.register_profile("ecsm", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ecsm")


@pytest.fixture(scope="session")
def libcrypto() -> ModuleType:
    """The module :mod:`ecsm.oracle.libcrypto`; skips where the system has no libcrypto 3."""
    if not oracle.available():
        pytest.skip(oracle.HINT)
    return oracle
