# SPDX-License-Identifier: Apache-2.0
"""Secure boot on a board, simulated by its pins: what openssl signed starts, else an LED blinks."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from Crypto.PublicKey import ECC

from ecsm.boards import make, netlist
from ecsm.boards.board import board
from ecsm.boards.designs import BOOT, IMAGE, BoardDesign, board_design
from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.device.transport import BAUD
from ecsm.progress import Progress
from ecsm.soc.boot import body, compiled
from tests.boards.simulation import Seen, SimulatedBoard
from tests.boards.simulation import netlist as in_cells
from tests.boards.simulation import rtl as rtl_sources

VERSION = 5
PATIENCE, STEP = 2500, 20_000
SLOW_MHZ = 12.5  # fewer cycles an octet of the serial port
APP = """\
#include "soc.h"
int main(void) { soc_puts("ok\\n"); return 0; }
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A private key, made by openssl."""
    made = tmp_path / "key.pem"
    kind = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    subprocess.run(["openssl", "genpkey", *kind, "-out", made], check=True, capture_output=True)
    return made


def signed(octets: bytes, key: Path) -> bytes:
    """Return an image whose signature openssl made."""
    command = ["openssl", "dgst", "-sha256", "-sign", str(key)]
    found = subprocess.run(command, input=octets, check=True, capture_output=True).stdout
    return octets + bytes([len(found)]) + found


def key_of(words: list[int]) -> str:
    return hashlib.sha256(netlist.image_text(words).encode()).hexdigest()[:16]


def until(b: SimulatedBoard, line: bytes) -> list[Seen]:
    """Run a board until its serial port has said a line."""
    seen: list[Seen] = []
    for _ in range(PATIENCE):
        seen.append(b.run(STEP))
        if line in b"".join(s.octets for s in seen):
            return seen
    raise AssertionError(b"".join(s.octets for s in seen))


def words_of(d: BoardDesign, key: Path) -> list[int]:
    """Return what the memory holds: the boot program with the public key."""
    public = ECC.import_key(key.read_text()).pointQ
    content = make.boot_content((int(public.x), int(public.y)), VERSION)
    with Progress() as log:
        return make.memory_words(content, d, log)


@pytest.mark.timeout(3000)
def test_a_signed_program_starts_and_another_one_makes_the_led_blink(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = board_design(BOOT, board("ulx3s-85f"))
    (tmp_path / IMAGE).write_text(netlist.image_text(words_of(d, key)))
    monkeypatch.chdir(tmp_path)
    octets = signed(body(compiled("hello"), VERSION), key)
    older = signed(body(b"\x13\x00\x00\x00", VERSION - 1), key)
    for sent, said, good in (
        (octets, b"boot: started\nhello from RISC-V\n", True),
        (octets[:20] + b"\xff" + octets[21:], b"boot: refused: a wrong signature\n", False),
        (older, b"boot: refused: an old version\n", False),
    ):
        with SimulatedBoard(d, rtl_sources(d), round(d.mhz * 1e6 / BAUD)) as b:
            until(b, b"boot: ready\n")
            b.send(sent)
            seen = until(b, said)
            assert not any(s.bad for s in seen[:-1])
            assert b.run(10 * STEP).bad is not good


@pytest.mark.timeout(6000)
def test_the_netlist_starts_a_signed_program(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In cells of the ECP5, with the boot program in the initial content of its block RAMs."""
    d = board_design(BOOT, board("ulx3s-85f"), SLOW_MHZ)
    words = words_of(d, key)
    monkeypatch.setattr(netlist, "placeholder", lambda _: words)
    monkeypatch.setattr(netlist, "folder_of", lambda _: f"boards/test-{key_of(words)}")
    (tmp_path / "app.c").write_text(APP)
    octets = signed(body(compiled(str(tmp_path / "app.c")), VERSION), key)
    with SimulatedBoard(d, in_cells(d), round(d.mhz * 1e6 / BAUD)) as b:
        until(b, b"boot: ready\n")
        b.send(octets)
        until(b, b"boot: started\nok\n")
        assert not b.run(STEP).bad


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("boot --board ulx3s-85f", "boot needs --public, the key that programs are verified with"),
        (
            "boot --board ulx3s-85f --public KEY --program hello",
            "boot takes its program",
        ),
        ("schemes-word-p256 --board ulx3s-85f --public KEY", "--public and --minimum are of boot"),
        ("word-p256 --board ulx3s-85f --minimum 3", "--public and --minimum are of boot"),
        ("boot --board icebreaker --public KEY", "icebreaker has no room for a system on chip"),
    ],
)
def test_what_does_not_go_together_is_refused(
    arguments: str, why: str, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bitstream", *arguments.replace("KEY", str(key)).split()]) == USAGE
    assert why in capsys.readouterr().err
