# SPDX-License-Identifier: Apache-2.0
"""Keys of X25519 and Ed25519 on the command line, with openssl on the other side."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import cryptography_vectors
import pytest
from Crypto.PublicKey import ECC

from ecsm.cli.app import main
from ecsm.cli.common import FAILED, USAGE
from ecsm.curves import CURVE25519, EDWARDS25519
from ecsm.device.schemes import SchemeDevice
from ecsm.schemes.encoding import BadEncoding, OctetKey, private_pem, public_pem, read_key
from ecsm.schemes.lengths import ED25519_MESSAGE
from tests.cli.openssl import openssl

CURVES = ("ed25519", "x25519")
SEED = bytes(range(32))
VECTORS = Path(cryptography_vectors.__file__).parent / "asymmetric"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a message and a passphrase, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("message").write_bytes(b"pay the bearer ten pounds\n")
    Path("pass").write_bytes(b"open sesame\n")
    return tmp_path


def theirs(curve: str, name: str) -> None:
    """Let openssl make a key pair."""
    openssl("genpkey", "-algorithm", curve, "-out", f"{name}.pem")
    openssl("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")


@pytest.mark.parametrize("curve", CURVES)
def test_keys_that_openssl_reads(curve: str) -> None:
    """The public key is that of the private one for it, too; encrypted or not."""
    lock = ["--passphrase-file", "pass"]
    assert main(["keygen", "--curve", curve, "-o", "k.pem", "--public", "k.pub"]) == 0
    assert openssl("pkey", "-in", "k.pem", "-pubout") == Path("k.pub").read_text()
    assert main(["keygen", "--curve", curve, "-o", "l.pem", "--public", "l.pub", *lock]) == 0
    assert "ENCRYPTED" in Path("l.pem").read_text()
    plain = openssl("pkey", "-in", "l.pem", "-passin", "file:pass", "-pubout")
    assert plain == Path("l.pub").read_text()
    assert Path("k.pem").read_text() != Path("l.pem").read_text()


@pytest.mark.parametrize("curve", CURVES)
def test_the_curve_of_a_preset_is_that_of_its_keys(
    curve: str, capsys: pytest.CaptureFixture[str]
) -> None:
    preset = ["--preset", f"word-prime-{curve}"]
    assert main(["keygen", *preset, "-o", "k.pem"]) == 0
    assert f"{curve.upper()} Private-Key" in openssl("pkey", "-in", "k.pem", "-noout", "-text")
    capsys.readouterr()
    assert main(["keygen", *preset, "--curve", "P-256", "-o", "l.pem"]) == USAGE
    assert "the key of secp256r1" in capsys.readouterr().err
    assert main(["keygen", "--preset", "word-prime-sm2", "-o", "l.pem"]) == USAGE
    assert "SM2 has no name in key files" in capsys.readouterr().err


@pytest.mark.parametrize("curve", CURVES)
def test_keys_that_openssl_writes(curve: str) -> None:
    theirs(curve, "o")
    assert main(["pubkey", "--key", "o.pem", "-o", "p"]) == 0
    assert Path("p").read_text() == Path("o.pub").read_text()
    openssl("pkey", "-in", "o.pem", "-aes256", "-passout", "file:pass", "-out", "l.pem")
    openssl("pkey", "-in", "o.pem", "-outform", "DER", "-out", "o.der")
    for key in (["l.pem", "--passphrase-file", "pass"], ["o.der"]):
        assert main(["pubkey", "--key", *key, "-o", "q"]) == 0
        assert Path("q").read_text() == Path("o.pub").read_text()


def test_signatures_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    """The same octets as openssl's: there is no other signature of a message and a key."""
    theirs("ed25519", "o")
    raw = ("-rawin", "-in", "message")
    openssl("pkeyutl", "-sign", "-inkey", "o.pem", *raw, "-out", "theirs")
    assert main(["sign", "--key", "o.pem", "-o", "ours", "message"]) == 0
    assert Path("ours").read_bytes() == Path("theirs").read_bytes()
    verify = ("pkeyutl", "-verify", "-pubin", "-inkey", "o.pub", "-rawin", "-sigfile", "ours")
    assert "Successfully" in openssl(*verify, "-in", "message")
    words = ["verify", "--key", "o.pub", "--signature", "theirs"]
    assert main([*words, "message"]) == 0
    Path("other").write_bytes(b"pay the bearer ten pounds")
    Path("short").write_bytes(Path("theirs").read_bytes()[:-1])
    capsys.readouterr()
    assert main([*words, "other"]) == FAILED
    assert main(["verify", "--key", "o.pub", "--signature", "short", "message"]) == FAILED
    assert capsys.readouterr().out.count("invalid: ") == 2


def test_files_that_are_long(capsys: pytest.CaptureFixture[str]) -> None:
    theirs("ed25519", "o")
    Path("long").write_bytes(bytes(ED25519_MESSAGE + 1))
    Path("fits").write_bytes(bytes(ED25519_MESSAGE))
    assert main(["sign", "--key", "o.pem", "-o", "s", "fits"]) == 0
    assert main(["verify", "--key", "o.pub", "--signature", "s", "fits"]) == 0
    assert main(["sign", "--key", "o.pem", "-o", "s", "long"]) == USAGE
    assert "--prehash is for longer ones" in capsys.readouterr().err
    assert main(["sign", "--key", "o.pem", "--prehash", "-o", "s", "long"]) == 0
    words = ["verify", "--key", "o.pub", "--signature", "s"]
    assert main([*words, "--prehash", "long"]) == 0
    assert main([*words, "long"]) == FAILED
    openssl("pkeyutl", "-sign", "-inkey", "o.pem", "-rawin", "-in", "long", "-out", "s")
    assert main([*words, "long"]) == 0


def test_a_file_without_an_end_is_refused_before_it_is_read() -> None:
    """It was read whole first, until there was no memory."""
    theirs("ed25519", "o")
    words = [sys.executable, "-m", "ecsm", "sign", "--key", "o.pem", "-o", "s", "/dev/zero"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    done = subprocess.run(
        words, capture_output=True, text=True, timeout=100, check=False, preexec_fn=limited
    )
    assert done.returncode == USAGE, done.stderr
    assert "--prehash is for longer ones" in done.stderr


@pytest.mark.parametrize(
    ("preset", "operation", "strings"),
    [("word-prime-x25519", "x25519", [(9).to_bytes(32, "little")]),
     ("word-prime-ed25519", "sign-ed25519", [bytes(64)])],
)  # fmt: skip
def test_cycles(
    preset: str, operation: str, strings: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of another key, and of another point or message."""
    assert main(["schemes", preset, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    with SchemeDevice(preset) as device:
        device.run("load", SEED)  # which waits for the noise source's first samples
        same = {"load": (SEED,), "public": (), operation: strings, "self-test": ()}
        for name, given in same.items():
            assert device.run(name, *given).cycles == found["cycles"][name], name
    assert found["cycles"].keys() >= {"tables", "generate"}


def test_an_agreement() -> None:
    theirs("x25519", "o")
    assert main(["keygen", "--curve", "X25519", "-o", "k.pem", "--public", "k.pub"]) == 0
    assert main(["ecdh", "--key", "k.pem", "--peer", "o.pub", "-o", "ours"]) == 0
    openssl("pkeyutl", "-derive", "-inkey", "o.pem", "-peerkey", "k.pub", "-out", "theirs")
    assert Path("ours").read_bytes() == Path("theirs").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sign", "--key", "x.pem", "message"], "sign nothing"),
        (["ecdh", "--key", "ed.pem", "--peer", "ed.pub"], "are for signatures"),
        (["ecdh", "--key", "x.pem", "--peer", "ed.pub"], "the key is of curve25519, the peer's of"),
        (["ecdh", "--key", "x.pem", "--peer", "x.pub", "--cofactor"], "no other cofactor"),
        (["sign", "--key", "ed.pem", "--digest", "sha512", "message"], "no --digest"),
        (["sign", "--key", "ed.pem", "--hedged", "message"], "no --hedged"),
        (["verify", "--key", "ed.pub", "--signature", "s", "--digest", "sha256"], "no --digest"),
        (["sign", "--key", "p.pem", "--prehash", "message"], "--prehash is of Ed25519"),
        (["sign", "--key", "ed.pem", "--preset", "word-p256", "message"], "is a core of secp256r1"),
        (["encrypt", "--to", "x.pub", "message"], "are not for encryption"),
    ],
)
def test_what_does_not_fit(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    theirs("ed25519", "ed")
    theirs("x25519", "x")
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "p.pem")
    Path("s").write_bytes(bytes(64))
    assert main(words) == USAGE
    found = capsys.readouterr()
    assert said in found.err
    assert len(found.err.splitlines()) == 1


# ------------------------------------------------------------------ files
@pytest.mark.parametrize(("name", "c"), [("Ed25519", EDWARDS25519), ("X25519", CURVE25519)])
def test_files_of_others(name: str, c: object) -> None:
    """Of cryptography's authors: PKCS #8, encrypted with "password", and public keys."""
    folder, low = VECTORS / name, name.lower()
    keys = [read_key((folder / f"{low}-pkcs8.{end}").read_bytes()) for end in ("pem", "der")]
    for end in ("pem", "der"):
        octets = (folder / f"{low}-pkcs8-enc.{end}").read_bytes()
        keys.append(read_key(octets, lambda: b"password"))
    publics = [read_key((folder / f"{low}-pub.{end}").read_bytes()) for end in ("pem", "der")]
    assert {key.curve for key in (*keys, *publics)} == {c}
    assert len({key.scalar for key in keys}) == len({key.point for key in publics}) == 1
    (public,) = publics[0].point
    want = ECC.import_key(public_pem(OctetKey(keys[0].curve, octets=public)))
    assert want.export_key(format="raw") == public
    assert read_key(private_pem(keys[0])).scalar == keys[0].scalar
    assert read_key(private_pem(keys[0], b"p"), lambda: b"p").scalar == keys[0].scalar
    assert read_key(public_pem(publics[0])) == publics[0]


def test_a_key_with_its_public_part() -> None:
    """RFC 8410, 10.3: PKCS #8 of version 2."""
    text = """-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
"""
    key = read_key(text.encode())
    assert main(["keygen", "--curve", "ed25519", "-o", "unused.pem"]) == 0
    Path("k.pem").write_bytes(private_pem(key))
    assert main(["pubkey", "--key", "k.pem", "-o", "k.pub"]) == 0
    assert read_key(Path("k.pub").read_bytes()).point == key.point


@pytest.mark.parametrize(("number", "name"), [("6e", "Curve25519"), ("70", "Ed25519")])
def test_a_public_part_that_is_another_keys(number: str, name: str) -> None:
    """RFC 5958: whoever reads such a file would verify with one key and sign with the other one."""
    head = bytes.fromhex(f"3051020101300506032b65{number}04220420") + SEED
    public = ECC.construct(curve=name, seed=SEED).public_key().export_key(format="raw")
    assert read_key(head + bytes.fromhex("812100") + public).point == (public,)
    for wrong in (bytes([public[0] ^ 1]) + public[1:], SEED, bytes(32)):
        with pytest.raises(BadEncoding, match="the public key is not the private key's"):
            read_key(head + bytes.fromhex("812100") + wrong)


def test_files_that_are_no_key_of_32_octets() -> None:
    good = private_pem(OctetKey(EDWARDS25519, private=SEED))
    assert read_key(good).scalar == SEED
    for private, said in ((SEED[1:], "31 octets, 32 are right"), (SEED + b"\0", "33 octets")):
        with pytest.raises(BadEncoding, match=said):
            read_key(private_pem(OctetKey(EDWARDS25519, private=private)))
        with pytest.raises(BadEncoding, match=said):
            read_key(public_pem(OctetKey(CURVE25519, octets=private)))
    spoiled = VECTORS / "Ed25519" / "ed25519-pub-non-zero-unused-bits.der"
    with pytest.raises(BadEncoding):
        read_key(spoiled.read_bytes())
    with pytest.raises(BadEncoding, match="a private key is wanted"):
        _ = read_key(public_pem(OctetKey(CURVE25519, octets=SEED))).scalar
    with pytest.raises(BadEncoding, match="has no public key"):
        _ = read_key(good).point
    # NULL as the algorithm's parameters: RFC 8410, 3: there are none.
    null = bytes.fromhex("3030020100300706032b65700500") + bytes.fromhex("04220420") + SEED
    with pytest.raises(BadEncoding, match="has parameters"):
        read_key(null)


def test_a_key_says_nothing_of_itself() -> None:
    key = OctetKey(EDWARDS25519, private=SEED)
    assert repr(key) == "OctetKey(edwards25519, private)"
    assert repr(key.public_part()) == "OctetKey(edwards25519, public)"
