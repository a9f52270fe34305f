# SPDX-License-Identifier: Apache-2.0
"""Whole schemes in words of other widths than the presets have."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from tests.schemes.model import Model

OF = WORD_PRESETS["word-p256"]
D, PEER = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468, 9


def test_no_other_widths() -> None:
    for width in (0, 8, 33, 128):
        with pytest.raises(ValueError, match="words of 16, 32, 64 bits"):
            replace(OF, name="other", W=width)


@pytest.mark.full
@pytest.mark.parametrize(
    ("more", "most"),
    [({"W": 16, "depth": 2048, "constants": 64}, 1_400_000), ({"W": 64}, 300_000)],
    ids=("16", "64"),
)
def test_schemes_in_other_words(
    more: dict[str, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys, ECDH, hashes, signatures and the self-test are those of words of 32 bits."""
    p = replace(OF, name=f"word-p256-{more['W']}", **more)  # type: ignore[arg-type]
    monkeypatch.setitem(WORD_PRESETS, p.name, p)
    digest = hashlib.sha256(b"wide").digest()
    with SchemeDevice(p.name, self_test=True) as device:
        model = Model(device.curve)
        device.run("load", model.scalar(D))
        assert device.run("public").strings == model.public(D)
        assert device.run("ecdh", *model.public(PEER)).strings == model.public(PEER * D)[:1]
        for length in (0, 1, 55, 56, 63, 64, 119, 120, 1000):
            message = bytes(i & 0xFF for i in range(length))
            assert device.run("sha256", message).strings == (hashlib.sha256(message).digest(),)
        signed = device.run("sign-sha256", digest)
        assert signed.strings == model.sign(D, digest, "sha256")
        assert signed.cycles < most
        device.run("verify-sha256", *model.public(D), digest, *signed.strings)
        device.run("self-test")
