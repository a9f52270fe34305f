# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider: the openssl command with it, held to the same command without it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ecsm.device.frame import Decoder, Frame, Kind, Link, encode
from tests.device.serving import Serving, serving
from tests.sw.provider import B163, P256, P384, Openssl

# ------------------------------------------------------------------ signatures


@pytest.mark.parametrize("key", ["web.pem", "ecsm:web"])
def test_signatures_of_digests(openssl: Openssl, key: str) -> None:
    """Of any length, as the standard has it; the device's nonces are RFC 6979's: one signature."""
    for length in (32, 20, 28, 48, 64, 1, 31, 33):
        openssl.file("digest", bytes(range(5, 5 + length)))
        verify = ("pkeyutl", "-verify", "-pubin", "-inkey", "web.pub", "-in", "digest")
        made = [openssl("pkeyutl", "-sign", "-inkey", key, "-in", "digest") for _ in range(2)]
        assert made[0] == made[1]
        openssl.file("s", made[0])
        for ours in (True, False):
            assert b"Success" in openssl(*verify, "-sigfile", "s", ours=ours)
    soft = openssl("pkeyutl", "-sign", "-inkey", "web.pem", "-in", "digest", ours=False)
    openssl.file("s", soft)
    assert b"Success" in openssl(*verify, "-sigfile", "s")


def test_wrong_signatures(openssl: Openssl) -> None:
    openssl.file("digest", bytes(32))
    good = openssl("pkeyutl", "-sign", "-inkey", "web.pem", "-in", "digest", ours=False)
    verify = ("pkeyutl", "-verify", "-pubin", "-inkey", "web.pub", "-in", "digest", "-sigfile", "s")
    zero, huge = b"\x02\x01\x00", b"\x02\x21\x01" + bytes(32)
    one, negative = b"\x02\x01\x01", b"\x02\x01\x81"
    wrong = [b"", b"x", good[:-1], good + b"\0", good[:10] + bytes([good[10] ^ 1]) + good[11:]]
    for r in (zero, huge, negative):
        wrong += [b"\x30" + bytes([len(r + one)]) + r + one]
    wrong += [b"\x30\x81" + good[1:]]  # not the shortest length
    for signature in wrong:
        openssl.file("s", signature)
        assert openssl.run(*verify).returncode == 1
        assert openssl.run(*verify, ours=False).returncode == 1
    openssl.file("s", good)
    assert b"Success" in openssl(*verify)
    openssl.file("digest", b"\1" + bytes(31))
    assert openssl.run(*verify).returncode == 1


@pytest.mark.parametrize("digest", ["sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256"])
def test_signatures_of_messages(openssl: Openssl, digest: str) -> None:
    openssl.file("message", b"pay the bearer ten pounds\n" * 999)
    for ours in (True, False):
        openssl("dgst", f"-{digest}", "-sign", "web.pem", "-out", "s", "message", ours=ours)
        for back in (True, False):
            check = ("dgst", f"-{digest}", "-verify", "web.pub", "-signature", "s", "message")
            assert b"Verified OK" in openssl(*check, ours=back)


def test_certificates(openssl: Openssl) -> None:
    """Signed by the key in the device, with the right algorithm in them; verified by both."""
    made = ("req", "-x509", "-key", "ecsm:web", "-subj", "/CN=me", "-days", "2", "-out", "me.crt")
    for digest in ("-sha256", "-sha384"):
        openssl(*made, digest)
        text = openssl("x509", "-in", "me.crt", "-noout", "-text", ours=False)
        assert b"ecdsa-with-" + digest[1:].upper().encode() in text
        for ours in (True, False):
            assert b"OK" in openssl("verify", "-CAfile", "me.crt", "me.crt", ours=ours)


# ------------------------------------------------------------------ agreement and keys


@pytest.mark.parametrize(
    "options",
    [(), ("kdf-type:X963KDF", "kdf-digest:SHA256", "kdf-outlen:70"), ("ecdh_cofactor_mode:1",)],
)
def test_secrets(openssl: Openssl, options: tuple[str, ...]) -> None:
    more = [word for option in options for word in ("-pkeyopt", option)]
    derive = ("pkeyutl", "-derive", *more)
    wanted = openssl(*derive, "-inkey", "web.pem", "-peerkey", "peer.pub", ours=False)
    for own, peer in (("web.pem", "peer.pub"), ("ecsm:web", "peer.pub"), ("peer.pem", "web.pub")):
        assert openssl(*derive, "-inkey", own, "-peerkey", peer) == wanted
    complaint = openssl.fails(*derive, "-inkey", "web.pem", "-peerkey", "peer384.pub")
    assert "different parameters" in complaint or "Error setting up peer key" in complaint


def test_new_keys(openssl: Openssl) -> None:
    """Their public keys are the device's, and openssl finds them right; no two are one."""
    words = ("genpkey", "-algorithm", "EC", "-pkeyopt", P256)
    made = {openssl(*words) for _ in range(3)}
    assert len(made) == 3
    for key in made:
        openssl.file("new.pem", key)
        assert b"valid" in openssl("pkey", "-in", "new.pem", "-check", "-noout", ours=False)
    assert b"valid" in openssl("pkey", "-in", "new.pem", "-check", "-noout")
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sec1.pem")
    assert b"valid" in openssl("pkey", "-in", "sec1.pem", "-check", "-noout", ours=False)


def test_keys_in_the_device_stay_there(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, device_server: Serving
) -> None:
    assert openssl("pkey", "-in", "ecsm:web", "-pubout") == Path(tmp_path / "web.pub").read_bytes()
    does_not = "the private key is in the device and does not come out"
    assert does_not in openssl.fails("pkey", "-in", "ecsm:web", "-out", "out.pem")
    assert b"PRIVATE" not in (tmp_path / "out.pem").read_bytes()
    words = ("genpkey", "-algorithm", "EC", "-pkeyopt", P256)
    assert does_not in openssl.fails(*words, "-pkeyopt", "ecsm-in-device:1")
    inside = Openssl(tmp_path, ecsm_so, str(device_server.socket), "generate = device\n")
    assert does_not in inside.fails(*words)
    assert b"PRIVATE" in inside(*words, "-pkeyopt", "ecsm-in-device:0")


@pytest.mark.parametrize(
    ("sockets", "settings", "complaint"),
    [
        ("a:b:c:d:e:f:g:h:i", "", "8 sockets at most"),
        ("x" * 120, "", "107 octets at most"),
        ("{socket}", "generate = devise\n", "generate is"),
    ],
)
def test_a_bad_configuration_is_no_way_to_software(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, device_server: Serving, sockets: str,
    settings: str, complaint: str,
) -> None:  # fmt: skip
    openssl("pkey", "-in", "web.pem", "-noout")  # all is well before
    bad = Openssl(tmp_path, ecsm_so, sockets.format(socket=device_server.socket), settings)
    bad.file("message", b"a message")
    words = ("dgst", "-sha256", "-sign", "web.pem", "-out", "bad.sig", "message")
    assert complaint in bad.fails(*words)
    assert complaint in bad.fails("genpkey", "-algorithm", "EC", "-pkeyopt", P256)


def test_a_server_that_does_not_say_what_it_is(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path
) -> None:
    """Each use of it in one process fails, the second as the first."""
    place = tmp_path / "mute"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        threading.Thread(target=_refuse_to_say, args=(listener,), daemon=True).start()
        mute = Openssl(tmp_path, ecsm_so, str(place))
        twice = (
            "import ctypes; crypto = ctypes.CDLL('libcrypto.so.3');"
            "make = crypto.EVP_PKEY_Q_keygen; make.restype = ctypes.c_void_p;"
            "print([make(None, None, b'EC', b'P-256') for _ in range(2)])"
        )
        done = subprocess.run(
            [sys.executable, "-c", twice], text=True, capture_output=True,
            env=mute.environment(), timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "[None, None]\n"), done.stderr
        listener.shutdown(socket.SHUT_RDWR)


def _refuse_to_say(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            client = listener.accept()[0]
            decoder = Decoder()
            while octets := client.recv(4096):
                for asked in decoder.feed(octets):
                    assert isinstance(asked, Frame)
                    client.sendall(encode(Frame(Kind.ANSWER, Link.BAD_REQUEST, asked.tag)))
            client.close()


def test_names_that_are_none(openssl: Openssl) -> None:
    openssl.file("digest", bytes(32))
    for name, complaint in (
        ("nobody", "the device has no key of this name"), ("", "a name has 1 to 64"),
        ("x" * 65, "a name has 1 to 64"),
    ):  # fmt: skip
        said = openssl.fails("pkeyutl", "-sign", "-inkey", f"ecsm:{name}", "-in", "digest")
        assert complaint in said


# ------------------------------------------------------------------ other curves


def test_other_curves_and_kinds_of_keys(openssl: Openssl) -> None:
    """Are the default provider's, though EC keys of all curves are managed here."""
    openssl.file("digest", bytes(range(32)))
    openssl("pkeyutl", "-sign", "-inkey", "other.pem", "-in", "digest", "-out", "s")
    verify = ("pkeyutl", "-verify", "-pubin", "-inkey", "other.pub", "-in", "digest")
    for ours in (True, False):
        assert b"Success" in openssl(*verify, "-sigfile", "s", ours=ours)
    derive = ("pkeyutl", "-derive", "-inkey", "other.pem", "-peerkey", "peer384.pub")
    assert openssl(*derive) == openssl(*derive, ours=False)
    for words in (("-algorithm", "EC", "-pkeyopt", P384), ("-algorithm", "ed25519"),
                  ("-algorithm", "EC", "-pkeyopt", P384, "-pkeyopt", "ec_param_enc:explicit"),
                  ("-algorithm", "RSA")):  # fmt: skip
        openssl.file("new.pem", openssl("genpkey", *words))
        openssl("pkey", "-in", "new.pem", "-check", "-noout", ours=False)
        openssl("pkey", "-in", "new.pem", "-check", "-noout")
    explicit = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", P256, "-pkeyopt",
                       "ec_param_enc:explicit", ours=False)  # fmt: skip
    openssl.file("explicit.pem", explicit)
    openssl.file("s", openssl("pkeyutl", "-sign", "-inkey", "explicit.pem", "-in", "digest"))
    openssl("pkey", "-in", "explicit.pem", "-pubout", "-out", "explicit.pub", ours=False)
    check = ("pkeyutl", "-verify", "-pubin", "-inkey", "explicit.pub", "-in", "digest")
    assert b"Success" in openssl(*check, "-sigfile", "s", ours=False)


def test_two_devices_and_a_binary_curve(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, device_server: Serving
) -> None:
    """Each curve on its own device; a group order of 163 bits cuts digests; a cofactor of two."""
    place = tmp_path / "s"
    with serving(place, "--preset", "b163-small") as second:
        both = Openssl(tmp_path, ecsm_so, f"{device_server.socket}:{place}")
        for length in (32, 20, 64, 21, 1):
            both.file("digest", bytes(range(200, 200 + length)) if length < 56 else b"\xfe" * 64)
            for key in ("binary", "web"):
                both("pkeyutl", "-sign", "-inkey", f"{key}.pem", "-in", "digest", "-out", "s1")
                check = ("pkeyutl", "-verify", "-pubin", "-inkey", f"{key}.pub", "-in", "digest")
                for ours in (True, False):
                    assert b"Success" in both(*check, "-sigfile", "s1", ours=ours)
        for mode in ("0", "1"):
            derive = ("pkeyutl", "-derive", "-inkey", "binary.pem", "-peerkey", "binary2.pub",
                      "-pkeyopt", f"ecdh_cofactor_mode:{mode}")  # fmt: skip
            assert both(*derive) == both(*derive, ours=False)
        both.file("new.pem", both("genpkey", "-algorithm", "EC", "-pkeyopt", B163))
        assert b"valid" in both("pkey", "-in", "new.pem", "-check", "-noout", ours=False)
        assert second.jobs() >= 3 * 5 + 3 * 2 + 2
