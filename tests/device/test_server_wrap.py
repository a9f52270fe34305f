# SPDX-License-Identifier: Apache-2.0
"""``ecsm serve --device-key``: keys of clients that survive the server."""

from __future__ import annotations

from pathlib import Path

import pytest

import ecsm
from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.schemes.options import DEVICE
from ecsm.status import AuthenticationFailed, Unsupported
from tests.device.serving import serving

PRESET = "word-full-b163"


def test_a_key_survives_the_server(tmp_path: Path) -> None:
    place, file, other = (tmp_path / name for name in ("socket", "device.key", "other.key"))
    file.write_bytes(bytes(range(1, 33)))
    other.write_bytes(bytes(32 * [7]))
    words = ("--preset", PRESET, "--device-key")
    with serving(place, *words, str(file)), ecsm.open(f"unix:{place}") as device:
        public = device.run("generate", slot=9).strings
        (kept,) = device.run("wrap", slot=9).strings
        with pytest.raises(Unsupported):
            device.run("wrap", other.read_bytes(), flags=DEVICE)
    with (
        serving(place, *words, str(other)),
        ecsm.open(f"unix:{place}") as device,
        pytest.raises(AuthenticationFailed),
    ):
        device.run("unwrap", kept)
    with serving(place, *words, str(file)), ecsm.open(f"unix:{place}") as device:
        device.run("unwrap", kept)
        assert device.run("public").strings == public


def test_what_is_no_device_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "device.key"
    words = ["serve", "--socket", str(tmp_path / "s"), "--device-key", str(file), "--preset"]
    for octets, said in (
        (bytes(range(31)), "32 random octets"), (bytes(range(33)), "too long"),
        (bytes(32), "32 random octets"), (b"", "32 random octets"),
    ):  # fmt: skip
        file.write_bytes(octets)
        assert main([*words, PRESET]) == USAGE
        assert said in capsys.readouterr().err
    file.write_bytes(bytes(range(1, 33)))
    for preset in ("word-p256", "p256-fast", "word-full-x25519"):
        assert main([*words, preset, "--unprotected"]) == USAGE
        assert f"{preset} wraps no keys" in capsys.readouterr().err
    file.unlink()
    assert main([*words, PRESET]) == USAGE
    assert "device key" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
