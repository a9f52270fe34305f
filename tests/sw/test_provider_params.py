# SPDX-License-Identifier: Apache-2.0
"""Each parameter that the provider lists as settable has the effect that it has in software.

What can be set is asked of the provider: a parameter without a case here fails a test. Software is
libcrypto's default provider, in a process without ours.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.device.serving import Serving
from tests.sw.provider import VALGRIND, Openssl, compile_user
from tests.sw.provider_cases import (
    AREAS,
    COFACTOR,
    CURVE,
    DATA,
    EXCHANGE,
    KDF,
    KEY,
    NAMED,
    OWN,
    SIGNATURE,
)  # fmt: skip

SOURCE = Path(__file__).with_name("provider_params.c")
DIGEST = bytes(range(64)).hex()
NOT_LISTED = {"signature": {"kat"}, "key": {"seed"}}
PAIRS = (("web.pem", "peer.pub"), ("binary.pem", "binary2.pub"), ("other.pem", "peer384.pub"))


class Both:
    """The program with the provider and without it, in a folder with keys."""

    def __init__(self, openssl: Openssl, program: Path) -> None:
        self.openssl, self.program = openssl, program

    def one(self, ours: bool, *words: str, before: tuple[str, ...] = ()) -> str:
        """Run it; return what it prints, without the reason if it is refused."""
        done = subprocess.run(
            [*before, self.program, *words], cwd=self.openssl.folder, capture_output=True,
            text=True, env=self.openssl.environment(ours), timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3), done.stderr
        printed, refused, _ = done.stdout.partition("refused\n")
        assert bool(refused) == (done.returncode == 3)
        return printed + refused

    def same(self, *words: str) -> str:
        """Run it on both sides; return what both print."""
        ours, software = self.one(True, *words), self.one(False, *words)
        assert ours == software, words
        return ours


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, ecsm_so: Path) -> Path:
    return compile_user(SOURCE, tmp_path_factory.mktemp("params"))


@pytest.fixture
def both(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, program: Path, device_server: Serving,
    binary_server: Serving,
) -> Both:  # fmt: skip
    sockets = f"{device_server.socket}:{binary_server.socket}"
    return Both(Openssl(tmp_path, ecsm_so, sockets), program)


@pytest.mark.parametrize("area", AREAS)
def test_each_parameter_has_a_case(both: Both, area: str) -> None:
    """And software can set no other, but what has no effect here."""
    listed = both.one(True, "list", area).split()
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(AREAS[area])
    missing = set(both.one(False, "list", area).split()) - set(listed)
    assert missing <= NOT_LISTED.get(area, set())


# ------------------------------------------------------------------ agreement


@pytest.mark.parametrize("name", EXCHANGE)
def test_agreement(both: Both, name: str) -> None:
    """With a key in a file and in the device; its octets are those of software."""
    results = set()
    for key, peer in PAIRS:
        for case in EXCHANGE[name]:
            wanted = both.same("exchange", "array", key, peer, "0", *case)
            results.add(wanted)
            if key != "other.pem":
                named = "ecsm:" + key.removesuffix(".pem")
                assert both.one(True, "exchange", "array", named, peer, "0", *case) == wanted
    assert len(results) > len(PAIRS), "the parameter has no effect in any of its cases"


@pytest.mark.parametrize("how", ["init", "each", "calls"])
def test_ways_to_set_what_an_agreement_is_with(both: Both, how: str) -> None:
    for name, cases in EXCHANGE.items():
        for case in cases:
            words = ("exchange", how, "binary.pem", "binary2.pub", "0", *case)
            if name == "kdf-digest-props" and how != "init":
                # There is no call for it; of one by one, software takes no notice.
                assert how == "calls" or both.one(True, *words) == "refused\n"
            else:
                both.same(*words)


def test_an_agreement_as_another_implementation_computes_it(both: Both) -> None:
    """RFC 6979's key and twice its base point, X9.63 with SHA-256 and keying material."""
    for name, d in (("own", bytes.fromhex(OWN[0][8:])), ("two", (2).to_bytes(32, "big"))):
        der = bytes.fromhex("30310201010420") + d + bytes.fromhex("a00a06082a8648ce3d030107")
        both.openssl.file(f"{name}.der", der)
    case = ("exchange", "each", "own.der", "two.der", "0", *KDF, "hexkdf-ukm:0102030405060708")
    wanted = "4eb81ceb7cc80403de1260b17859bc39abf923dbdd9d8291bccb1f50211131ce"
    assert both.one(True, *case) == f"length 32\nsecret {wanted}\n"


@pytest.mark.parametrize("room", [1, 20, 31, 32, 33])
def test_a_secret_that_does_not_fit(both: Both, room: int) -> None:
    """The product is cut to its first octets, as in software; a derived secret is refused."""
    case = ("peer.pub", str(room))
    wanted = both.same("exchange", "each", "web.pem", *case)
    assert len(wanted.split()[-1]) == 2 * min(room, 32)
    assert both.one(True, "exchange", "each", "ecsm:web", *case) == wanted
    assert ("refused" in both.same("exchange", "each", "web.pem", *case, *KDF)) == (room < 32)


# ------------------------------------------------------------------ keys


def described(printed: str, *, numbers: bool = True) -> list[str]:
    """What is printed of a key; without ``numbers``, only what is not chosen at random."""
    if numbers:
        return printed.splitlines()
    printed = re.sub(r"(?s)-----BEGIN (PUBLIC|PRIVATE) KEY.*", "", printed)
    return [line for line in printed.splitlines() if not line.startswith("secret")]


def pem(printed: str, kind: str) -> bytes:
    found = re.search(f"(?s)-----BEGIN {kind} KEY-----.*?-----END {kind} KEY-----\n", printed)
    assert found is not None, printed
    return found[0].encode()


@pytest.mark.parametrize("name", CURVE)
@pytest.mark.parametrize("how", ["array", "each"])
def test_generation(both: Both, name: str, how: str) -> None:
    """A new key is described as one of software's, in memory and in a file."""
    results = set()
    for case in CURVE[name]:
        words = ("generate", how, "-", "-", *case)
        ours, software = both.one(True, *words), both.one(False, *words)
        results.add("refused" if "refused" in ours else str(described(ours, numbers=False)))
        if name == "point-format" and "refused" not in ours:
            # Software writes the curve's generator so, but not the key; here both are.
            software = re.sub("point-format .*", f"point-format {case[-1].split(':')[1]}", software)
        assert described(ours, numbers=False) == described(software, numbers=False), case
        if "refused" in ours:
            continue
        both.openssl.file("new.pem", pem(ours, "PRIVATE"))
        assert b"valid" in both.openssl("pkey", "-in", "new.pem", "-check", "-noout", ours=False)
        written = both.openssl("pkey", "-in", "new.pem", "-pubout", ours=False)
        assert pem(ours, "PUBLIC") == written
        if "encoding:explicit" in case:
            assert b"Prime:" in both.openssl("pkey", "-in", "new.pem", "-text", ours=False)
    assert len(results) > 1, "the parameter has no effect in any of its cases"


@pytest.mark.parametrize("how", ["array", "each"])
@pytest.mark.parametrize("where", ["ecsm-in-device:0", "ecsm-in-device:1"])
def test_a_new_key_agrees_as_its_cofactor_flag_says(both: Both, how: str, where: str) -> None:
    """Made in software's place or in the device, alone or with other parameters beside it."""
    for flag, case in enumerate(COFACTOR["use-cofactor-flag"]):
        words = ("generate", how, "-", "binary2.pub", *case, "encoding:explicit")
        ours, software = both.one(True, *words, where), both.one(False, *words)
        assert ("refused" in ours) == ("refused" in software) == (flag == 2)
        if flag == 2:
            continue
        assert f"use-cofactor-flag {flag}\n" in ours
        assert described(ours, numbers=False) == described(software, numbers=False)
        both.openssl.file("new.pub", pem(ours, "PUBLIC"))
        # The peer computes the same, in software and with the flag as a parameter of its own.
        peer = ("exchange", "array", "binary2.pem", "new.pub", "0", f"ecdh-cofactor-mode:{flag}")
        assert ours.endswith(both.one(False, *peer))
        assert ("PRIVATE" in ours) == (where[-1] == "0")


def test_a_key_is_in_a_device_or_refused(both: Both) -> None:
    """Where no device has the curve, a key that is to be in one is not made elsewhere."""
    words = ("generate", "array", "-", "peer384.pub", "group:P-384")
    assert both.one(True, *words, "ecsm-in-device:1") == "refused\n"
    assert "PRIVATE" in both.one(True, *words, "ecsm-in-device:0")
    assert both.one(True, *words, "ecsm-in-device:yes") == "refused\n"


@pytest.mark.parametrize("curve", ["prime256v1", "secp384r1", "sect163r2"])
def test_a_key_of_a_template(both: Both, curve: str) -> None:
    """Has its curve as it is written there, and what is set beside it."""
    written = ("-param_enc", "explicit", "-out", "t")
    both.openssl("ecparam", "-name", curve, *written, ours=False)
    for case in ((), ("encoding:named_curve",), ("encoding:both",), ("use-cofactor-flag:1",)):
        ours, software = (
            both.one(side, "generate", "array", "t", "-", *case) for side in (True, False)
        )
        assert described(ours, numbers=False) == described(software, numbers=False)
        both.same("parameters", "array", "t", "-", *case)
    made = both.openssl("ecparam", "-in", "t", "-genkey", "-noout")
    both.openssl.file("made.pem", made)
    assert b"Order:" in both.openssl("pkey", "-in", "made.pem", "-text", "-noout", ours=False)


def test_an_explicit_curve_is_written(both: Both) -> None:
    """By openssl genpkey, for the device's curves as for others; either side reads it."""
    for curve in ("P-256", "P-384", "B-163"):
        made = both.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}",
                            "-pkeyopt", "ec_param_enc:explicit", "-out", "new.pem")  # fmt: skip
        for ours in (True, False):
            made = both.openssl("pkey", "-in", "new.pem", "-text", "-check", ours=ours)
            assert b"Key is valid" in made
            assert b"Generator (uncompressed):" in made


@pytest.mark.parametrize("name", DATA)
def test_a_key_of_numbers(both: Both, name: str) -> None:
    results = set()
    for case in DATA[name]:
        ours, software = (
            both.one(True, "data", "array", "-", "-", *case),
            both.one(False, "data", "array", "-", "-", *case),
        )
        results.add(software)
        assert ours == software, case
    assert len(results) > 1, "the parameter has no effect in any of its cases"


@pytest.mark.parametrize("name", KEY)
def test_what_is_set_on_a_key(both: Both, name: str) -> None:
    """Of a file, and in the device: there its public key alone does not change."""
    results = set()
    for key, peer in PAIRS:
        results.add(both.same("key", "array", key, peer))
        for case in KEY[name]:
            how = "each" if key == "web.pem" else "array"
            results.add(wanted := both.same("key", how, key, peer, *case))
            if key == "other.pem":
                continue
            ours = both.one(True, "key", "array", "ecsm:" + key.removesuffix(".pem"), peer, *case)
            if name == "encoded-pub-key" or "refused" in wanted:
                assert ours == "refused\n"
            else:
                wanted = re.sub(r"(?s)-----BEGIN PRIVATE.*END PRIVATE KEY-----\n", "", wanted)
                assert ours == wanted
    assert len(results) > len(PAIRS), "the parameter has no effect in any of its cases"


# ------------------------------------------------------------------ signatures


def refused_or_signature(printed: str) -> str | None:
    return None if "refused" in printed else printed.split()[1]


@pytest.mark.parametrize("name", SIGNATURE)
@pytest.mark.parametrize("how", ["init", "array", "each"])
def test_signature_of_a_digest(both: Both, name: str, how: str) -> None:
    """What is signed, and not, is what software signs; each side verifies the other's."""
    signed = 0
    for key, _ in PAIRS:
        for case in SIGNATURE[name]:
            keys = [key] if key == "other.pem" else [key, "ecsm:" + key.removesuffix(".pem")]
            made = {side: both.one(side, "sign", how, key, DIGEST, *case) for side in (True, False)}
            lone = how == "each" and case[0].startswith("properties")
            if lone:  # software takes no notice of a query that comes before its digest
                assert made[True] == "refused\n"
                signed += 1
                continue
            assert ("refused" in made[True]) == ("refused" in made[False]), case
            for side, printed in made.items():
                if (signature := refused_or_signature(printed)) is None:
                    continue
                signed += 1
                words = (key, DIGEST, signature, *case)
                assert both.one(not side, "verify", how, *words) == "verified\n"
            for word in keys[1:]:
                assert both.one(True, "sign", how, word, DIGEST, *case) == made[True]
        assert both.same("verify", "array", key, DIGEST, "3006020101020101") == "refused\n"
    assert signed > 0


@pytest.mark.parametrize("digest", ["SHA256", "SHA512", "SHA3-256", "-", "SHAKE128", "none"])
def test_signature_of_a_message(both: Both, digest: str) -> None:
    """Twice in one context, which begins again with the digest that it had."""
    for key in ("web.pem", "binary.pem", "other.pem"):
        made = {side: both.one(side, "message", "init", key, digest, "a message", "-")
                for side in (True, False)}  # fmt: skip
        assert ("refused" in made[True]) == ("refused" in made[False]) == (digest == "none")
        for side, printed in made.items():
            for signature in printed.split()[1::2]:
                verified = both.one(
                    not side, "message", "init", key, digest, "a message", signature
                )
                assert verified == "verified\n" * 2


@pytest.mark.parametrize(
    ("how", "case"),
    [
        ("array", "digest:SHA256"), ("array", "digest:SHA3-256"), ("array", "digest:SHA512"),
        ("array", "digest:SHA2-256"), ("array", "digest-size:20"), ("init", "digest:SHA512"),
        ("init", "digest-size:20"), ("init", "properties:provider=nobody"),
    ],
)  # fmt: skip
def test_the_digest_of_a_message_stays(both: Both, how: str, case: str) -> None:
    """Once the message has begun, another one is refused; before, the named one counts."""
    words = ("message", how, "web.pem", "SHA256", "a message")
    made = {side: both.one(side, *words, "-", case) for side in (True, False)}
    if "refused" in made[False]:
        assert made[True] == "refused\n"
    for side, printed in made.items():
        for signature in printed.split()[1::2]:
            check = ("message", "array", "web.pem", "SHA256", "a message", signature)
            assert both.one(not side, *check) == "verified\n" * 2


def test_what_is_not_listed_is_refused(both: Both) -> None:
    """It would have no effect: a nonce of a kind, a check, a key of a seed, a search."""
    for words in (
        ("sign", "array", "web.pem", DIGEST, "nonce-type=1"),
        ("sign", "array", "web.pem", DIGEST, "kat=1"),
        ("exchange", "init", "web.pem", "peer.pub", "0", "key-check=1"),
        ("generate", "array", "-", "-", *NAMED, "dhkem-ikm=0123456789"),
        ("generate", "each", "-", "-", "ecsm-in-devise=1", *NAMED),
        ("key", "array", "web.pem", "-", "priv=1"),
        ("key", "array", "web.pem", "-", "seed=1"),
        ("find", "-", "ecsm:web", "nobody"),
    ):
        assert both.one(True, *words) == "refused\n", words


def test_a_key_of_the_device_has_no_format(both: Both) -> None:
    both.openssl.file("digest", bytes(32))
    words = ("pkeyutl", "-sign", "-inkey", "ecsm:web", "-in", "digest")
    both.openssl(*words)
    for form in ("PEM", "DER"):
        assert "the parameter cannot be set here" in both.openssl.fails(*words, "-keyform", form)


def test_a_public_key_is_found_by_its_name(both: Both, tmp_path: Path) -> None:
    wanted = (tmp_path / "web.pub").read_bytes()
    assert both.openssl("pkey", "-pubin", "-in", "ecsm:web") == wanted


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_nothing_leaks_from_parameters(both: Both) -> None:
    """Whether they are honoured or refused."""
    for words in (
        ("exchange", "each", "ecsm:binary", "binary2.pub", "0", *EXCHANGE["kdf-ukm"][0]),
        ("exchange", "calls", "web.pem", "peer.pub", "0", *EXCHANGE["kdf-ukm"][1]),
        ("exchange", "array", "web.pem", "peer.pub", "20"),
        ("exchange", "array", "web.pem", "peer.pub", "0", "key-check=1"),
        (
            "generate",
            "each",
            "-",
            "binary2.pub",
            *COFACTOR["use-cofactor-flag"][1],
            "encoding:explicit",
        ),
        ("generate", "each", "-", "-", *NAMED, "encoding:explicit", "ecsm-in-device:1"),
        ("generate", "array", "-", "-", "group:P-384", "ecsm-in-device:1"),
        ("generate", "array", "web.pem", "-", "encoding:explicit"),
        ("parameters", "each", "-", "-", *NAMED, "encoding:both"),
        ("key", "each", "ecsm:web", "peer.pub", "encoding:explicit", "include-public:0"),
        ("key", "array", "ecsm:web", "-", *KEY["encoded-pub-key"][0]),
        ("data", "array", "-", "-", *DATA["encoding"][0]),
        ("message", "array", "ecsm:web", "SHA512", "a message", "-"),
        ("message", "array", "web.pem", "SHA256", "a message", "-", "digest:SHA3-256"),
        ("find", "-", "ecsm:web", "nobody"),
    ):
        both.one(True, *words, before=VALGRIND)
