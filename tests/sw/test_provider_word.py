# SPDX-License-Identifier: Apache-2.0
"""The tests of the OpenSSL provider's signatures and agreements, with a word engine as the device.

They are those of ``test_provider.py``, which this module collects again with another server.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.serving import Serving, serving
from tests.sw.provider import Openssl
from tests.sw.test_provider import (
    test_certificates,
    test_new_keys,
    test_secrets,
    test_signatures_of_digests,
    test_signatures_of_messages,
    test_wrong_signatures,
)

pytestmark = pytest.mark.full

__all__ = [
    "test_certificates", "test_new_keys", "test_secrets", "test_signatures_of_digests",
    "test_signatures_of_messages", "test_wrong_signatures",
]  # fmt: skip


@pytest.fixture(scope="module")
def word_server(tmp_path_factory: pytest.TempPathFactory, ec_keys: Path) -> Iterator[Serving]:
    """A device server of word-p256 that has the key web.pem, by the name web."""
    place = tmp_path_factory.mktemp("word") / "socket"
    with serving(place, "--preset", "word-p256", "--key", f"web={ec_keys / 'web.pem'}") as made:
        yield made


@pytest.fixture
def openssl(own_keys: Path, ecsm_so: Path, word_server: Serving) -> Openssl:
    """The command with that server."""
    return Openssl(own_keys, ecsm_so, str(word_server.socket))
