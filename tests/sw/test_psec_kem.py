# SPDX-License-Identifier: Apache-2.0
"""The program psec_kem: vectors of an independent model, round trips, and inputs that are bad."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from ecsm.curves import PrimeCurve
from ecsm.measure.psec_kem import build_program
from ecsm.schemes.encoding import Key, private_pem, public_pem, read_key
from tests.schemes.model import Model
from tests.sw.conftest import CURVES, Run, needed, prime_curve

DUMP = Path(__file__).with_name("dump.c")
WAYS = ((), ("--affine",))
OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")


@pytest.fixture(params=CURVES)
def c(request: pytest.FixtureRequest) -> PrimeCurve:
    return prime_curve(request.param)


def write_keys(c: PrimeCurve, d: int) -> Key:
    """Write key.pem and pub.pem, by the project's own encoder."""
    public = c.mul(d, c.generator)
    assert public is not None
    key = Key(c, d, public)
    Path("key.pem").write_bytes(private_pem(key))
    Path("pub.pem").write_bytes(public_pem(key))
    return key


def openssl(*words: str) -> str:
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("way", WAYS, ids=("projective", "affine"))
def test_vectors(psec_kem: Run, c: PrimeCurve, way: tuple[str, ...]) -> None:
    """Capsules and keys are the model's, from given random strings; the model's are opened."""
    rng, model = random.Random(c.name), Model(c)
    for d in (1, 2, c.n - 1, rng.randrange(1, c.n), rng.randrange(1, c.n)):
        key, r = write_keys(c, d), rng.randbytes(32)
        Path("r").write_bytes(r)
        x, y, c2, secret = model.encapsulate(key.public, r)
        psec_kem("encap", *way, "--to", "pub.pem", "--random", "r", "-o", "c", "--secret", "k")
        assert Path("c").read_bytes() == b"\x04" + x + y + c2
        assert Path("k").read_bytes() == secret
        psec_kem("decap", *way, "--key", "key.pem", "--secret", "opened", "c")
        assert Path("opened").read_bytes() == secret
        assert stat.S_IMODE(Path("opened").stat().st_mode) == 0o600


def test_round_trip_of_new_keys(psec_kem: Run, c: PrimeCurve) -> None:
    """Each way opens what the other one made; two capsules of one key differ."""
    made = set()
    for way, back in ((WAYS[0], WAYS[1]), (WAYS[1], WAYS[0])):
        Path("key.pem").unlink(missing_ok=True)
        psec_kem("keygen", "--curve", c.name, "-o", "key.pem", "--public", "pub.pem")
        assert stat.S_IMODE(Path("key.pem").stat().st_mode) == 0o600
        key, public = (read_key(Path(f).read_bytes()) for f in ("key.pem", "pub.pem"))
        assert key.d is not None
        assert key.public == public.public == c.mul(key.d, c.generator)
        for _ in range(2):
            psec_kem("encap", *way, "--to", "pub.pem", "-o", "c", "--secret", "k")
            psec_kem("decap", *back, "--key", "key.pem", "--secret", "opened", "c")
            assert Path("k").read_bytes() == Path("opened").read_bytes()
            made |= {Path("c").read_bytes(), Path("k").read_bytes()}
    assert len(made) == 8


@OPENSSL
def test_keys_of_openssl(psec_kem: Run, c: PrimeCurve) -> None:
    """It reads SEC 1 with parameters and PKCS #8, and openssl reads what it makes."""
    name = "prime256v1" if c.name == "secp256r1" else c.name
    openssl("ecparam", "-name", name, "-genkey", "-out", "sec1.pem")
    openssl("pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem", "-out", "pkcs8.pem")
    openssl("ec", "-in", "sec1.pem", "-pubout", "-out", "pub.pem")
    psec_kem("encap", "--to", "pub.pem", "-o", "c", "--secret", "k")
    for key in ("sec1.pem", "pkcs8.pem"):
        psec_kem("decap", "--key", key, "--secret", "opened", "c")
        assert Path("opened").read_bytes() == Path("k").read_bytes()
    psec_kem("keygen", "--curve", c.name, "-o", "ours.pem", "--public", "ours.pub")
    openssl("pkey", "-in", "ours.pem", "-check", "-noout")
    assert openssl("pkey", "-in", "ours.pem", "-pubout") == Path("ours.pub").read_text()


def test_standard_streams(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_keys(prime_curve("secp256k1"), 77)

    def run(*words: str, given: bytes = b"") -> bytes:
        return subprocess.run(
            [program, *words], input=given, capture_output=True, check=True
        ).stdout

    capsule = run("encap", "--to", "-", "--secret", "k", given=Path("pub.pem").read_bytes())
    assert run("decap", "--key", "key.pem", given=capsule) == Path("k").read_bytes()


def altered(octets: bytes, at: int) -> bytes:
    return octets[:at] + bytes([octets[at] ^ 1]) + octets[at + 1 :]


def test_bad_capsules(psec_kem: Run, c: PrimeCurve) -> None:
    """Nothing is written, and what is wrong is said."""
    key = write_keys(c, 12345)
    x, y, c2, _ = Model(c).encapsulate(key.public, bytes(range(32)))
    good = b"\x04" + x + y + c2
    other = b"".join(Model(c).public(99))
    beyond = [b"\x04" + (c.p + v).to_bytes(32, "big") + y + c2 for v in (0, 5)]
    for capsule, complaint in (
        *((altered(good, at), "rejected") for at in (65, 80, 96)),
        (b"\x04" + other + c2, "rejected"),
        (b"\x04" + x + (c.p - int.from_bytes(y, "big")).to_bytes(32, "big") + c2, "rejected"),
        *((altered(good, at), "not on the curve") for at in (1, 32, 64)),
        *((bad, "not on the curve") for bad in beyond if len(bad) == 97),
        (b"\x04" + bytes(64) + c2, "not on the curve"),
        *((bad, "no capsule") for bad in (b"", good[:1], good[:-1], bytes([2]) + good[1:])),
        *((bytes([first]) + good[1:], "no capsule") for first in (0, 3, 6)),
        (good + b"\0", "too long"),
        (good * 1000, "too long"),
    ):
        Path("c").write_bytes(capsule)
        for way in WAYS:
            said = psec_kem("decap", *way, "--key", "key.pem", "--secret", "k", "c", code=1)
            assert said.startswith("psec_kem: c: ")
            assert complaint in said
            assert not Path("k").exists()
    Path("c").write_bytes(good)
    psec_kem("decap", "--key", "key.pem", "--secret", "k", "c")
    write_keys(c, 12346)
    assert "rejected" in psec_kem("decap", "--key", "key.pem", "--secret", "j", "c", code=1)


def test_bad_keys(psec_kem: Run, c: PrimeCurve) -> None:
    write_keys(c, 5)
    Path("r").write_bytes(bytes(32))
    private, public = Path("key.pem").read_bytes(), Path("pub.pem").read_bytes()
    Path("c").write_bytes(bytes([4]) + bytes(96))
    x, y = c.generator
    outside = public_pem(Key(c, None, (x, y ^ 1)))
    wrong = [
        (b"", "no"), (public[:60], "no"), (b"\0" * 300, "no"), (b"x" * 9000, "too long"),
        (public.replace(b"PUBLIC", b"SECRET"), "no"), (outside, ""),
    ]  # fmt: skip
    for octets, complaint in (*wrong, (private, "no public key")):
        Path("bad").write_bytes(octets)
        assert complaint in psec_kem("encap", "--to", "bad", "-o", "o", "--secret", "k", code=1)
    scalars = [private_pem(Key(c, d, c.generator)) for d in (0, c.n, c.n + 1, (1 << 256) - 1)]
    for octets, complaint in (*wrong, (public, "no private key"), *((s, "") for s in scalars)):
        Path("bad").write_bytes(octets)
        assert complaint in psec_kem("decap", "--key", "bad", "--secret", "k", "c", code=1)
    for file in ("o", "k"):
        assert not Path(file).exists()


@OPENSSL
def test_other_keys(psec_kem: Run) -> None:
    """Of another curve, encrypted, or of no curve at all."""
    openssl("ecparam", "-name", "secp384r1", "-genkey", "-out", "p384.pem")
    openssl("ecparam", "-name", "secp256k1", "-genkey", "-out", "k256.pem")
    openssl("pkcs8", "-topk8", "-in", "k256.pem", "-passout", "pass:x", "-out", "encrypted.pem")
    openssl("genpkey", "-algorithm", "ed25519", "-out", "ed.pem")
    Path("c").write_bytes(bytes([4]) + bytes(96))
    for key, complaint in {
        "p384.pem": "neither secp256r1 nor secp256k1", "ed.pem": "neither secp256r1",
        "encrypted.pem": "no private key",
    }.items():  # fmt: skip
        assert complaint in psec_kem("decap", "--key", key, "--secret", "k", "c", code=1)


@pytest.mark.parametrize(
    "words",
    [
        "", "sing", "keygen", "keygen --curve P-257", "keygen --curve", "keygen --key x",
        "keygen --curve secp256k1 more", "encap", "encap --to pub.pem", "encap --secret k",
        "encap --to pub.pem --secret k more", "encap --to none --secret k",
        "encap --to pub.pem --secret k --random short", "decap", "decap --key none c",
        "encap --to pub.pem --secret k --random long", "decap --key key.pem none",
        "decap --key key.pem --curve secp256k1 c", "decap --key key.pem c c", "decap --bad",
        "encap --to pub.pem --secret no/where -o o", "keygen --curve secp256k1 -o no/where",
        "bench 0", "bench -1", "bench 1x", "bench 100001", "bench 1 2", "encap --to . --secret k",
    ],
)  # fmt: skip
def test_bad_words(psec_kem: Run, words: str) -> None:
    write_keys(prime_curve("secp256k1"), 5)
    for name, length in (("short", 31), ("long", 33)):
        Path(name).write_bytes(bytes(length))
    assert psec_kem(*words.split(), code=1).startswith("psec_kem: ")
    assert not Path("k").exists()


def test_a_full_disk_is_an_error(psec_kem: Run) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    write_keys(prime_curve("secp256r1"), 5)
    for out, secret in (("/dev/full", "k"), ("o", "/dev/full")):
        psec_kem("encap", "--to", "pub.pem", "-o", out, "--secret", secret, code=1)


def test_a_secret_does_not_go_into_an_open_file(psec_kem: Run, c: PrimeCurve) -> None:
    """What somebody has opened, or may read, gets nothing."""
    write_keys(c, 5)
    old = Path("k")
    old.write_text("old")
    old.chmod(0o666)
    with old.open() as held:
        psec_kem("encap", "--to", "pub.pem", "-o", "c", "--secret", "k")
        psec_kem("decap", "--key", "key.pem", "--secret", "k", "c")
        assert held.read() == "old"
    assert stat.S_IMODE(old.stat().st_mode) == 0o600


def test_a_key_is_not_replaced(psec_kem: Run, c: PrimeCurve) -> None:
    write_keys(c, 5)
    before = Path("key.pem").read_bytes()
    said = psec_kem("keygen", "--curve", c.name, "-o", "key.pem", code=1)
    assert said == "psec_kem: key.pem: is there already, and may be a key: remove it first"
    assert Path("key.pem").read_bytes() == before


def test_secrets_are_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it ends, neither a private key nor what it opened is in the memory it can write to."""
    needed()
    if not Path("/proc/self/maps").exists():
        pytest.skip("needs Linux")
    monkeypatch.chdir(tmp_path)
    program = build_program(tmp_path)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "dump.so", DUMP], check=True)
    c = prime_curve("secp256k1")
    d = random.Random(1).randrange(1 << 255, c.n)
    key = write_keys(c, d)
    r = bytes(range(100, 132))
    x, y, c2, secret = Model(c).encapsulate(key.public, r)
    Path("c").write_bytes(b"\x04" + x + y + c2)
    Path("r").write_bytes(r)
    octets = d.to_bytes(32, "big")
    parts = [octets, octets[::-1], secret, r, Path("key.pem").read_bytes()[30:-30]]
    for words in (
        ["decap", "--key", "key.pem", "--secret", "k", "c"],
        ["encap", "--to", "pub.pem", "--secret", "k", "--random", "r", "-o", "o"],
    ):
        environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "dump.so"), "DUMP": "memory"}
        subprocess.run([program, *words], check=True, env=environment)
        memory = Path("memory").read_bytes()
        assert b"/psec_kem" in memory  # its own words are there
        for part in parts:
            for at in range(0, len(part) - 15, 8):
                assert part[at : at + 16] not in memory, (words[0], parts.index(part), at)
