# SPDX-License-Identifier: Apache-2.0
"""Schemes on the command line: openssl reads what it writes, and the other way; bad files."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from ecsm.cli.scheme_device import default_preset
from ecsm.curves import curve as find
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.encoding import BadEncoding, read_key, read_signature, signature_der
from tests.cli.openssl import openssl

CORES = {"sect163r2": "b163-small", "prime256v1": "p256-fast"}
MESSAGE = b"pay the bearer ten pounds\n"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")


@pytest.fixture(params=CORES)
def curve(request: pytest.FixtureRequest) -> str:
    """A curve by openssl's name."""
    name: str = request.param
    return name


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a message, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("message").write_bytes(MESSAGE)
    return tmp_path


def ecsm(curve: str, *arguments: str, code: int = 0) -> None:
    assert main([arguments[0], "--preset", CORES[curve], *arguments[1:]]) == code


def keys(curve: str, name: str) -> None:
    """Let openssl make a key pair, SEC 1 with parameters before it."""
    openssl("ecparam", "-name", curve, "-genkey", "-out", f"{name}.pem")
    openssl("ec", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")


def test_ours_to_openssl(here: Path, curve: str) -> None:
    """It reads our keys, verifies our signatures, and refuses them for another message."""
    del here
    ecsm(curve, "keygen", "--curve", curve.replace("prime256v1", "P-256"),
         "-o", "k.pem", "--public", "k.pub")  # fmt: skip
    assert stat.S_IMODE(Path("k.pem").stat().st_mode) == 0o600
    openssl("pkey", "-in", "k.pem", "-check", "-noout")
    assert openssl("pkey", "-in", "k.pem", "-pubout") == Path("k.pub").read_text()
    for more in ((), ("--hedged",), ("--digest", "sha1")):
        ecsm(curve, "sign", "--key", "k.pem", "-o", "s", *more, "message")
        digest = "-sha1" if "sha1" in more else "-sha256"
        assert "OK" in openssl("dgst", digest, "-verify", "k.pub", "-signature", "s", "message")
    Path("other").write_bytes(MESSAGE + b"!")
    openssl("dgst", "-sha1", "-verify", "k.pub", "-signature", "s", "other", code=1)


def test_openssl_to_ours(here: Path, curve: str, capsys: pytest.CaptureFixture[str]) -> None:
    """We read its keys, SEC 1 and PKCS #8, verify its signatures, agree on its secrets."""
    del here
    keys(curve, "a")
    keys(curve, "b")
    openssl("pkcs8", "-topk8", "-nocrypt", "-in", "b.pem", "-out", "b8.pem")
    openssl("pkey", "-in", "b.pem", "-outform", "DER", "-out", "b.der")
    openssl("dgst", "-sha256", "-sign", "a.pem", "-out", "s", "message")
    ecsm(curve, "verify", "--key", "a.pub", "--signature", "s", "message")
    assert capsys.readouterr().out == "valid\n"
    ecsm(curve, "verify", "--key", "b.pub", "--signature", "s", "message", code=FAILED)
    octets = Path("s").read_bytes()
    for bad in (octets[:-1], octets + b"\0", b"", b"\x30\x80" + octets[2:]):
        Path("s").write_bytes(bad)
        ecsm(curve, "verify", "--key", "a.pub", "--signature", "s", "message", code=FAILED)
    openssl("pkeyutl", "-derive", "-inkey", "a.pem", "-peerkey", "b.pub", "-out", "z")
    for key in ("b.pem", "b8.pem", "b.der"):
        ecsm(curve, "ecdh", "--key", key, "--peer", "a.pub", "-o", "y")
        assert Path("y").read_bytes() == Path("z").read_bytes()


def test_both_ways_of_encryption(here: Path, curve: str) -> None:
    """ECIES, the stream, PSEC-KEM; what is altered or cut is refused and writes nothing."""
    del here
    keys(curve, "a")
    info = ("--shared-info1", "invoice", "--shared-info2", "of March")
    for scheme, more in (("ecies", ()), ("ecies", info), ("ecies-xor", info), ("ec-aes", ())):
        ecsm(curve, "encrypt", "--to", "a.pub", "--scheme", scheme, *more, "-o", "c", "message")
        ecsm(curve, "decrypt", "--key", "a.pem", "--scheme", scheme, *more, "-o", "m", "c")
        assert Path("m").read_bytes() == MESSAGE
        assert MESSAGE not in Path("c").read_bytes()
    ecsm(curve, "encrypt", "--to", "a.pub", *info, "-o", "c", "message")
    Path("m").unlink()
    ecsm(curve, "decrypt", "--key", "a.pem", *info[:2], "-o", "m", "c", code=FAILED)
    ecsm(curve, "encrypt", "--to", "a.pub", "--scheme", "ec-aes", *info, "message", code=USAGE)
    ecsm(curve, "encrypt", "--to", "a.pub", "-o", "c", "message")
    sealed = Path("c").read_bytes()
    for bad, code in ((sealed[:-1] + b"\xff", FAILED), (sealed[:-1], USAGE), (b"", USAGE)):
        Path("c").write_bytes(bad if bad != sealed else sealed[:-1] + b"\0")
        ecsm(curve, "decrypt", "--key", "a.pem", "-o", "m", "c", code=code)
        assert not Path("m").exists()
    ecsm(curve, "encap", "--to", "a.pub", "-o", "c", "--secret", "k1")
    ecsm(curve, "decap", "--key", "a.pem", "--secret", "k2", "c")
    assert Path("k1").read_bytes() == Path("k2").read_bytes()
    assert stat.S_IMODE(Path("k1").stat().st_mode) == 0o600
    capsule = Path("c").read_bytes()
    Path("c").write_bytes(capsule[:-1] + bytes([capsule[-1] ^ 1]))
    ecsm(curve, "decap", "--key", "a.pem", "--secret", "k3", "c", code=FAILED)
    assert not Path("k3").exists()


def test_choices_of_encryption(here: Path, curve: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is opened with itself, and not with what is chosen otherwise."""
    del here
    keys(curve, "a")
    for scheme, more in (
        ("ecies", ("--cipher", "aes128-cbc", "--kdf-hash", "sha1")),
        ("ecies", ("--cofactor", "--cipher", "aes256-cbc", "--mac-hash", "sha224")),
        ("ecies-xor", ("--kdf-hash", "sha1", "--mac-hash", "sha256")),
    ):
        given = ("--scheme", scheme, *more)
        ecsm(curve, "encrypt", "--to", "a.pub", *given, "-o", "c", "message")
        ecsm(curve, "decrypt", "--key", "a.pem", *given, "-o", "m", "c")
        assert Path("m").read_bytes() == MESSAGE
        Path("m").unlink()
        code = FAILED if more[-1] == "sha256" else USAGE  # a tag of another length
        ecsm(curve, "decrypt", "--key", "a.pem", "--scheme", scheme, "-o", "m", "c", code=code)
        assert not Path("m").exists()
    ecsm(curve, "encrypt", "--to", "a.pub", "--cofactor", "-o", "c", "message")
    alike = find(curve.replace("prime256v1", "P-256")).h == 1
    ecsm(curve, "decrypt", "--key", "a.pem", "-o", "m", "c", code=0 if alike else FAILED)
    capsys.readouterr()
    for none, said in (
        ("ec-aes --cipher aes128-cbc", "ec-aes has no other cipher"),
        ("demo --cofactor", "demo has no cofactor primitive"),
        ("ecies --kdf-hash sha1 --mac-hash sha512", "no device has both"),
        ("ec-aes --mac-hash sha256", "ec-aes has no --mac-hash: it has no tag"),
        ("ecies-xor --cipher aes256-ctr", "ecies-xor has no --cipher: its cipher is XOR"),
        ("demo --cipher aes256-ctr", "demo has no --cipher"),
        ("demo --kdf-hash sha256", "demo has no --kdf-hash"),
        ("demo --mac-hash sha256", "demo has no --mac-hash"),
    ):
        given = ("--scheme", *none.split())
        ecsm(curve, "encrypt", "--to", "a.pub", *given, "-o", "x", "message", code=USAGE)
        assert said in capsys.readouterr().err


def test_keys_that_are_none(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, which says nothing of what is in the file."""
    del here
    keys("sect163r2", "a")
    keys("prime256v1", "p")
    openssl("genpkey", "-algorithm", "ED448", "-out", "ed.pem")
    secret = Path("a.pem").read_text().splitlines()[4]
    Path("cut.pem").write_text(Path("a.pem").read_text().replace(secret, secret[:-8]))
    Path("empty.pem").write_bytes(b"")
    for name in ("cut.pem", "empty.pem", "ed.pem", "message", "a.pub", "none.pem"):
        assert main(["sign", "--key", name, "message"]) == USAGE
        said = capsys.readouterr()
        assert len(said.err.splitlines()) == 1
        assert not said.out
        assert secret[:12] not in said.err
    assert main(["ecdh", "--key", "a.pem", "--peer", "p.pub"]) == USAGE
    assert main(["sign", "--key", "a.pem", "--preset", "p256-fast", "message"]) == USAGE
    assert main(["sign", "--key", "a.pem", "--preset", "soc-163", "message"]) == USAGE


def test_the_core_that_fits() -> None:
    """A word engine if it has the operation, with that hash; else a core of kP."""
    for name, operation, wanted in (
        ("P-256", "verify-sha256", "word-p256"), ("P-256", "verify-sha384", "word-prime-p256"),
        ("P-256", "sign-sha256", "word-p256"), ("P-256", "ecies-encrypt", "p256-small"),
        ("secp256k1", "ecdh", "word-k256"), ("secp256k1", "encapsulate", "k256-small"),
        ("sect233r1", "verify-sha256", "word-dual-b233"), ("sect233r1", "ecmqv", "b233-small"),
        ("sect571k1", "sign-sha512", "word-dual-k571"), ("P-384", "public", "word-prime"),
        ("P-384", "encapsulate", "p384-fast"), ("SM2", "verify-sha512", "word-prime-sm2"),
    ):  # fmt: skip
        assert default_preset(find(name), operation) == wanted, (name, operation)


def test_signatures_have_one_encoding() -> None:
    r, s = b"\x80" + bytes(20), bytes(20) + b"\x01"
    der = signature_der(r, s)
    assert read_signature(der, 21) == (r, s)
    for bad in (
        der + b"\0",
        der[:-1],
        b"\x30\x81" + der[1:],
        der[:2] + b"\x02\x17\x00" + der[3:],
        signature_der(b"\x01" + bytes(21), s),
    ):
        with pytest.raises(BadEncoding):
            read_signature(bad, 21)


def test_a_fault_of_the_program_is_no_verdict(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python's own exit code would say that the signature is invalid."""
    del here
    keys("sect163r2", "k")

    def fails(*_: object) -> None:
        raise RuntimeError("by no reason")

    monkeypatch.setattr("ecsm.schemes.encoding.read_signature", fails)
    assert main(["verify", "--key", "k.pub", "--signature", "message", "message"]) == USAGE
    said = capsys.readouterr()
    assert not said.out
    assert said.err.endswith("RuntimeError: by no reason\n")


def test_a_key_is_not_shown(here: Path) -> None:
    del here
    keys("sect163r2", "a")
    key = read_key(Path("a.pem").read_bytes())
    assert key.d is not None
    assert str(key.d) not in repr(key)
    assert hex(key.d)[2:] not in repr(key)


def test_demonstration(capsys: pytest.CaptureFixture[str]) -> None:
    """A message comes back, and the page says what the scheme is not."""
    assert main(["demo", "ecies", "--preset", "b163-small", "--message", "hello"]) == 0
    shown = capsys.readouterr().out
    assert "equal  hello" in shown
    assert "not encryption" in shown
    assert main(["demo", "ecies", "--preset", "b163-small", "--message", "x" * 22]) == USAGE


@pytest.mark.parametrize("name", ["toy7-fast", "x25519"])
def test_cycles_of_a_core_without_schemes_are_refused_before_any_is_measured(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ecsm.measure.schemes.measure", lambda *_: pytest.fail("it was begun"))
    assert main(["schemes", "b163-small", name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ecsm: ")


@pytest.mark.parametrize("name", [n for n, p in WORD_PRESETS.items() if "sha512" not in p.hashes])
def test_a_word_engine_is_not_measured_with_hashes_that_it_has_not(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ecsm.measure.schemes.measure", lambda *_: pytest.fail("it was begun"))
    assert main(["schemes", "p384-fast", name, "--wide"]) == USAGE
    assert capsys.readouterr().err == f"ecsm: {name} has no SHA-384 and no SHA-512\n"


def test_a_masked_machine_does_all_commands(here: Path) -> None:
    """It takes no key without a seed, which each command gives it."""
    masked = ["--preset", "b163-compact-full"]
    public = ["-o", "key.pem", "--public", "pub.pem"]
    assert main(["keygen", "--curve", "sect163r2", *public, *masked]) == 0
    assert main(["pubkey", "--key", "key.pem", "-o", "again.pem", *masked]) == 0
    assert Path("again.pem").read_bytes() == Path("pub.pem").read_bytes()
    assert main(["sign", "--key", "key.pem", "-o", "signature", "message", *masked]) == 0
    check = ["verify", "--key", "pub.pem", "--signature", "signature", "message"]
    assert main([*check, *masked]) == main(check) == 0
    for scheme in ("ecies", "ec-aes"):
        how = ["--scheme", scheme, *masked]
        assert main(["encrypt", "--to", "pub.pem", "-o", "sealed", "message", *how]) == 0
        assert main(["decrypt", "--key", "key.pem", "-o", "opened", "sealed", *how]) == 0
        assert Path("opened").read_bytes() == MESSAGE
    for preset in (masked, ["--preset", "b163-small"]):
        agree = ["ecdh", "--key", "key.pem", "--peer", "pub.pem", "-o", preset[1]]
        assert main([*agree, *preset]) == 0
    assert Path(masked[1]).read_bytes() == Path("b163-small").read_bytes()
