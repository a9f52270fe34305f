# SPDX-License-Identifier: Apache-2.0
"""The provider with a word engine whose tables are loaded: curves to 521 bits, longer hashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.serving import serving
from tests.sw.provider import Openssl


@pytest.mark.parametrize(
    ("preset", "name", "digest"),
    [
        ("word-prime", "P-384", "sha384"),
        ("word-prime-p521", "P-521", "sha512"),
        ("word-prime-bp512", "brainpoolP512r1", "sha512"),
        ("word-prime-p224", "P-224", "sha384"),
        ("word-dual-b233", "sect233r1", "sha256"),
    ],
)
def test_signatures_certificates_and_exchange(
    preset: str, name: str, digest: str, tmp_path: Path, ecsm_so: Path
) -> None:
    """A key in the device signs what openssl alone verifies, and agrees with openssl's key."""
    alone = Openssl(tmp_path, ecsm_so, "")
    for key in ("web", "peer"):
        alone("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{name}",
              "-out", f"{key}.pem", ours=False)  # fmt: skip
        alone("pkey", "-in", f"{key}.pem", "-pubout", "-out", f"{key}.pub", ours=False)
    alone.file("message", b"a message")
    place = tmp_path / "s"
    with serving(place, "--preset", preset, "--key", f"web={tmp_path / 'web.pem'}") as server:
        run = Openssl(tmp_path, ecsm_so, str(place))
        run("dgst", f"-{digest}", "-sign", "ecsm:web", "-out", "signature", "message")
        said = run("dgst", f"-{digest}", "-verify", "web.pub", "-signature", "signature", "message",
                   ours=False)  # fmt: skip
        assert said == b"Verified OK\n"
        run("req", "-x509", "-new", "-key", "ecsm:web", f"-{digest}", "-subj", "/CN=a",
            "-out", "web.crt")  # fmt: skip
        assert run("verify", "-CAfile", "web.crt", "web.crt", ours=False) == b"web.crt: OK\n"
        secret = run("pkeyutl", "-derive", "-inkey", "ecsm:web", "-peerkey", "peer.pub")
        other = run("pkeyutl", "-derive", "-inkey", "peer.pem", "-peerkey", "web.pub", ours=False)
        assert secret == other
        assert server.jobs() > 3
