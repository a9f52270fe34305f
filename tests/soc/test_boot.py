# SPDX-License-Identifier: Apache-2.0
"""Secure boot: what is signed is started, whoever signed it; all else is refused in one line."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS
from Crypto.Util.asn1 import DerSequence

from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.device.base import NoDevice
from ecsm.resources import resource
from ecsm.soc.boot import ROOM, UNIT, body, boot, boot_program, compiled, signed
from ecsm.soc.libraries import BEARSSL
from ecsm.soc.run import run_app
from tests.docs import guide

KEY = 0x1234567890ABCDEF1234567890ABCDEF1234567890ABCDEF1234567890ABCDEF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
PAGE = guide.ROOT / "docs" / "integrate" / "boot.md"
HELLO = b"hello from RISC-V\n"
PROGRAM = b"\x13\x00\x00\x00" * 20  # is never started

READ_BACK = """\
#include "soc.h"
static void try(uint32_t address) {
    const uint32_t before = soc_read(address);
    soc_write(address, ~before);
    for (uint32_t at = 0xa000; at < 0xe000; at += 4) soc_read(at);  /* the cache forgets it */
    soc_puts(soc_read(address) == before ? "kept " : "changed ");
}
int main(void) { try(0x0); try(0x7ffc); try(0x10000); try(0xfff0); return 0; }
"""
CYCLES = """\
#include "soc.h"
int main(void) { soc_put_decimal(soc_cycles()); soc_puts("\\n"); return 0; }
"""


def point(key: int) -> tuple[int, int]:
    q = ECC.construct(curve="P-256", d=key).pointQ
    return int(q.x), int(q.y)


def der(r: int, s: int) -> bytes:
    """Return a signature in DER, by PyCryptodome."""
    return bytes(DerSequence([r, s]).encode())


def image(signature: bytes, octets: bytes = PROGRAM, version: int = 5) -> bytes:
    return body(octets, version) + bytes([len(signature)]) + signature


def numbers(key: int = KEY, octets: bytes = PROGRAM, version: int = 5) -> tuple[int, int]:
    """Return the two numbers of a right signature, made by PyCryptodome."""
    signer = DSS.new(ECC.construct(curve="P-256", d=key), "fips-186-3")
    raw = signer.sign(SHA256.new(body(octets, version)))
    return int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")


def said(octets: bytes, minimum: int = 5) -> str:
    """Boot an image that must be refused; return why."""
    done = boot(octets, point(KEY), minimum, cycles=5_000_000)
    lines = done.output.decode().splitlines()
    assert (done.status, lines[0], len(lines)) == (1, "boot: ready", 2)
    assert lines[1].startswith("boot: refused: ")
    return lines[1].removeprefix("boot: refused: ")


def test_a_signed_program_is_started() -> None:
    octets = signed(body(compiled("hello"), 5), KEY)
    done = boot(octets, point(KEY), 5)
    assert done.status == 0
    assert done.output.startswith(b"boot: ready\nboot: started\n" + HELLO)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_the_page_works_as_written(tmp_path: Path) -> None:
    """An image that openssl has signed, among others."""
    assert guide.unmarked(PAGE) == 0
    work = guide.copy_package(tmp_path)
    for name in ("boot", "firmware", "libecsm", "frame"):
        shutil.copytree(guide.ROOT / "sw" / name, work / "sw" / name)
    assert guide.follow(PAGE, work) >= 8


RIGHT = numbers()
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bit of the program": (
        lambda: (i := image(der(*RIGHT)))[:60] + bytes([i[60] ^ 4]) + i[61:], "a wrong signature"
    ),
    "a bit of the version": (
        lambda: (i := image(der(*RIGHT)))[:6] + bytes([i[6] ^ 4]) + i[7:], "a wrong signature"
    ),
    "another key": (lambda: image(der(*numbers(KEY + 1))), "a wrong signature"),
    "of another program": (lambda: image(der(*numbers(octets=b"1234"))), "a wrong signature"),
    "r = 0": (lambda: image(der(0, RIGHT[1])), "a wrong signature"),
    "s = 0": (lambda: image(der(RIGHT[0], 0)), "a wrong signature"),
    "r = n": (lambda: image(der(N, RIGHT[1])), "a wrong signature"),
    "s + n": (lambda: image(der(RIGHT[0], 1)), "a wrong signature"),
    "older": (lambda: image(der(*numbers(version=4)), version=4), "an old version"),
    "unsigned": (lambda: image(b""), "no signature"),
    "more behind it": (lambda: image(der(*RIGHT) + b"\0"), "no signature"),
    "negative": (lambda: image(b"\x30\x06\x02\x01\x80\x02\x01\x01"), "no signature"),
    "longer than it can be": (lambda: image(bytes(73)), "no signature"),
    "cut off": (lambda: image(der(*RIGHT))[:-1], "cut off"),
    "the program cut off": (lambda: image(der(*RIGHT))[:40], "cut off"),
    "the header cut off": (lambda: b"ECSB", "cut off"),
    "another header": (lambda: b"ECSA" + image(der(*RIGHT))[4:], "no image"),
    "not zero": (lambda: (i := image(der(*RIGHT)))[:15] + b"\1" + i[16:], "no image"),
    "no program": (lambda: b"ECSB" + bytes(3) + b"\5" + bytes(8), "too large"),
    "too large": (
        lambda: b"ECSB" + bytes(3) + b"\5" + (ROOM - 15).to_bytes(4, "big") + bytes(4), "too large"
    ),
    "far too large": (lambda: b"ECSB" + bytes(3) + b"\5" + b"\xff" * 4 + bytes(4), "too large"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_all_else_is_refused(name: str) -> None:
    made, why = REFUSED[name]
    assert said(made()) == why


def test_the_boot_program_cannot_be_changed(tmp_path: Path) -> None:
    """By a program that was started; not by another address of the same word, either."""
    file = tmp_path / "read_back.c"
    file.write_text(READ_BACK)
    done = boot(signed(body(compiled(str(file)), 5), KEY), point(KEY))
    assert done.output.endswith(b"kept kept kept changed ")
    plain = run_app(str(file), UNIT, "lc").output  # memory that can be written
    assert plain.split()[1:] == [b"changed"] * 3


def test_the_largest_program_is_started() -> None:
    octets = compiled("hello")
    most = octets + bytes(ROOM - 16 - len(octets))
    assert HELLO in boot(signed(body(most, 5), KEY), point(KEY)).output
    with pytest.raises(ValueError, match="are loaded"):
        body(most + b"\0", 5)


def test_cycles_of_the_word_engine_and_of_software(tmp_path: Path) -> None:
    """As docs/integrate/boot.md says, to a hundredth; the text names both, and the sizes."""
    try:
        BEARSSL.folder()
    except NoDevice as error:
        pytest.skip(str(error))
    file = tmp_path / "cycles.c"
    file.write_text(CYCLES)
    octets = signed(body(compiled(str(file)), 5), KEY)
    text = PAGE.read_text("utf-8")
    for software, row, size in (
        (False, "the word engine `word-p256` verifies", "has {} octets"),
        (True, "BearSSL on the CPU verifies", "and {} with BearSSL"),
    ):
        lines = boot(octets, point(KEY), software=software).output.split()
        stated = int(text.partition(f"| {row} | ")[2].partition(" ")[0].replace(",", ""))
        assert abs(int(lines[-1]) - stated) < stated / 100
        length = len(boot_program(point(KEY), 0, software=software))
        assert size.format(f"{round(length, -2):,}") in text


def test_a_signature_is_read_as_der_has_it(tmp_path: Path) -> None:
    """20,000 signatures, most of them damaged, against a library's strict reader."""
    program = tmp_path / "der"
    source = tmp_path / "der.c"
    source.write_text(
        '#include <stdio.h>\n#include "der.h"\n'
        "int main(void) {\n"
        "    uint8_t in[256], r[32], s[32]; int n;\n"
        "    while ((n = getchar()) != EOF) {\n"
        "        for (int i = 0; i < n; i++) in[i] = (uint8_t)getchar();\n"
        "        const bool ok = der_signature(in, (uint32_t)n, r, s);\n"
        "        putchar(ok);\n"
        "        if (ok) { fwrite(r, 1, 32, stdout); fwrite(s, 1, 32, stdout); }\n"
        "    }\n    return 0;\n}\n"
    )
    include = f"-I{resource('sw', 'boot')}"
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", include)
    subprocess.run(["cc", *flags, "-o", program, source], check=True)
    rng, cases = random.Random(1), []
    for _ in range(20_000):
        r, s = (rng.getrandbits(rng.choice((1, 8, 127, 128, 255, 256, 257))) for _ in "rs")
        octets = bytearray(der(r, s))
        for _ in range(rng.choice((0, 1, 1, 2))):
            at, what = rng.randrange(len(octets)), rng.choice(("flip", "del", "ins"))
            if what == "flip":
                octets[at] ^= 1 << rng.randrange(8)
            elif what == "del":
                del octets[at]
            else:
                octets.insert(at, rng.choice((0, 1, 2, 0x80, 0xFF)))
        cases.append(bytes(octets))
    given = b"".join(bytes([len(case)]) + case for case in cases)
    out = subprocess.run([program], input=given, capture_output=True, check=True).stdout
    at, taken = 0, 0
    for case in cases:
        want = _strict(case)
        assert bool(out[at]) == (want is not None), case.hex()
        at += 1
        if want:
            assert out[at : at + 64] == b"".join(n.to_bytes(32, "big") for n in want)
            at, taken = at + 64, taken + 1
    assert at == len(out)
    assert 4_000 < taken < 16_000


def _strict(octets: bytes) -> tuple[int, int] | None:
    """Return two numbers of 256 bits at most, read by PyCryptodome."""
    try:
        read = DerSequence().decode(octets, strict=True, nr_elements=2, only_ints_expected=True)
        found = [int(read[i]) for i in range(2)]
    except (ValueError, IndexError):
        return None
    if any(not 0 <= n < 1 << 256 for n in found) or bytes(DerSequence(found).encode()) != octets:
        return None
    return found[0], found[1]


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, of in (("boot", "P-256"), ("other", "P-384")):
        key = ECC.generate(curve=of)
        Path(f"{name}.pem").write_text(key.export_key(format="PEM"))
        Path(f"{name}.pub").write_text(key.public_key().export_key(format="PEM"))
    Path("x.bin").write_bytes(PROGRAM)
    Path("large.bin").write_bytes(bytes(ROOM))
    Path("empty.bin").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("sign x.bin --version 5 --key other.pem -o i", "it is of secp384r1"),
        ("sign x.bin --version 5 --key boot.pub -o i", "key boot.pub"),
        ("sign x.bin --version 0 --key boot.pem -o i", "--version"),
        ("sign x.bin --version 4294967296 --key boot.pem -o i", "--version"),
        ("sign x.bin x.c --version 5 --key boot.pem -o i", "is compiled already"),
        ("sign large.bin --version 5 --key boot.pem -o i", "are loaded"),
        ("sign empty.bin --version 5 --key boot.pem -o i", "are loaded"),
        ("sign none.bin --version 5 --key boot.pem -o i", "none.bin"),
        ("sign nofile --version 5 --key boot.pem -o i", "ecsm soc sign --help shows all"),
        ("sign hello x.c --version 5 --key boot.pem -o i", "takes no sources beside it"),
        ("boot none --public boot.pub", "none"),
        ("boot x.bin --public other.pub", "it is of secp384r1"),
        ("boot x.bin --public boot.pub --minimum 0", "--minimum"),
    ],
)
def test_what_cannot_be_is_one_line(
    keys: Path, command: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["soc", *command.split()])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == 2
    err = capsys.readouterr().err.splitlines()
    assert what in err[-1]
    assert not (keys / "i").exists()


def test_the_key_of_the_boot_program_is_read_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file with the private key has the public one, too; nothing is said of losing it."""
    key, bad = tmp_path / "key.pem", tmp_path / "image"
    key.write_text(ECC.construct(curve="P-256", d=KEY).export_key(format="PEM"))
    bad.write_bytes(b"no image")
    before = key.read_bytes()
    assert main(["soc", "boot", str(bad), "--public", str(key)]) == 1
    assert capsys.readouterr().out == "boot: ready\nboot: refused: cut off\n"
    assert key.read_bytes() == before


def test_an_empty_image_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The boot program would wait for its first octet for ever."""
    key, empty = tmp_path / "boot.pub", tmp_path / "empty"
    key.write_text(ECC.construct(curve="P-256", d=KEY).public_key().export_key(format="PEM"))
    empty.touch()
    command = ["soc", "boot", str(empty), "--public", str(key), "--limit", "1"]
    assert main(command) == USAGE
    assert capsys.readouterr() == ("", f"ecsm: image {empty}: the file is empty\n")
