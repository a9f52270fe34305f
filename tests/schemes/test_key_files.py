# SPDX-License-Identifier: Apache-2.0
"""Key files: openssl reads ours and we read its own, in every form; what is refused, and how."""

from __future__ import annotations

import base64
import shutil
import time
from pathlib import Path

import pytest
from Crypto.IO import PKCS8
from Crypto.Util.asn1 import DerBitString, DerObjectId, DerOctetString, DerSequence

from ecsm.curves import curve
from ecsm.curves.registry import CURVES
from ecsm.schemes.der import EC_KEY, OIDS
from ecsm.schemes.encoding import (
    MOST_OCTETS,
    BadEncoding,
    Key,
    private_pem,
    public_pem,
    read_key,
)
from tests.schemes.key_files import (
    PASSPHRASE,
    der_of,
    encrypted,
    in_openssl,
    key_of,
    openssl,
    pem_of,
    plain,
    version2,
)

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
NAMED = [c.name for c in CURVES if c.name in OIDS]
THERE = list(in_openssl(NAMED)) if shutil.which("openssl") else []
WHOLE = ("sect163r2", "sect233k1", "secp256r1")
"""Curves of a pentanomial, a trinomial and a prime: others are read in a few forms."""
FEW = ("sec1-explicit", "pkcs8-der", "spki-compressed", "spki-explicit", "sec1-no-public")


def sec1_of(d: int, size: int, *more: bytes, version: int = 1) -> bytes:
    return DerSequence([version, DerOctetString(d.to_bytes(size, "big")), *more]).encode()


def named(name: str) -> bytes:
    return DerObjectId(OIDS[name], explicit=0).encode()


def bits(octets: bytes) -> bytes:
    return DerBitString(octets, explicit=1).encode()


def refused(octets: bytes, match: str) -> None:
    with pytest.raises(BadEncoding, match=match) as found:
        read_key(octets, lambda: PASSPHRASE)
    assert len(str(found.value).splitlines()) == 1


def test_names_are_those_of_openssl() -> None:
    shared = in_openssl(list(OIDS))
    assert len(shared) > 40
    for name, theirs in shared.items():
        der = openssl("ecparam", "-name", theirs, "-outform", "DER")
        assert DerObjectId().decode(der).value == OIDS[name]


@pytest.mark.parametrize("name", THERE)
def test_every_form_of_openssl_is_read(name: str) -> None:
    forms = plain(name)
    assert len(forms) == 37
    for form in forms if name in WHOLE else [f for f in forms if f.name in FEW]:
        assert read_key(form.octets) == form.key, form.name


@pytest.mark.parametrize("name", THERE)
def test_openssl_reads_and_checks_ours(name: str, tmp_path: Path) -> None:
    """What it writes of our key is what we wrote."""
    key = key_of(name)
    mine, public = private_pem(key), public_pem(key)
    openssl("pkey", "-check", "-noout", given=mine)
    openssl("pkey", "-pubin", "-pubcheck", "-noout", given=public)
    assert openssl("pkey", given=mine) == mine
    assert openssl("pkey", "-pubout", given=mine) == public
    assert read_key(mine) == key
    assert read_key(public) == Key(key.curve, None, key.public)


@pytest.mark.parametrize("name", ["sect163r2", "secp256r1"])
def test_encrypted_by_openssl(name: str) -> None:
    """Every way in which it encrypts a key is read; a wrong passphrase is said to be wrong."""
    for form in encrypted(name):
        assert read_key(form.octets, lambda: PASSPHRASE) == form.key, form.name
        with pytest.raises(BadEncoding, match=r"passphrase is wrong|damaged"):
            read_key(form.octets, lambda: b"open barley")
        with pytest.raises(BadEncoding, match="no passphrase is taken"):
            read_key(form.octets)
        with pytest.raises(BadEncoding, match="the passphrase is empty"):
            read_key(form.octets, lambda: b"")


@pytest.mark.parametrize("name", ["sect163r2", "secp256r1"])
def test_encrypted_by_us(name: str, tmp_path: Path) -> None:
    key, secret = key_of(name), "pässwörd 'of' mine".encode()
    mine = private_pem(key, secret)
    (tmp_path / "pass").write_bytes(secret + b"\n")
    assert b"ENCRYPTED" in mine
    opened = openssl("pkey", "-check", "-passin", f"file:{tmp_path / 'pass'}", given=mine)
    assert private_pem(key) in opened
    assert read_key(mine, lambda: secret) == key


def test_passphrases_are_asked_for_only_if_needed() -> None:
    def ask() -> bytes:
        raise AssertionError("asked")

    key = key_of("secp256r1")
    assert read_key(private_pem(key), ask) == key


def test_encryption_that_is_not_taken_is_named() -> None:
    pem, word = private_pem(key_of("secp256r1")), f"pass:{PASSPHRASE.decode()}"
    topk8 = ("pkcs8", "-topk8", "-passout", word)
    for words in (("-v1", "PBE-SHA1-3DES"), ("-v2", "aria-256-cbc"), ("-v2", "camellia256")):
        refused(openssl(*topk8, *words, given=pem), "PBES2 with PBKDF2 or scrypt")
    refused(openssl("ec", "-aria256", "-passout", word, given=pem), "DEK-Info")


def with_work(der: bytes, changed: dict[int, int]) -> bytes:
    """Return an encrypted key with other numbers of work in its derivation."""
    scheme, octets = DerSequence().decode(der)[:]
    pbes2, both = DerSequence().decode(scheme)[:]
    derive, cipher = DerSequence().decode(both)[:]
    kind, numbers = DerSequence().decode(derive)[:]
    values = DerSequence().decode(numbers)
    for place, value in changed.items():
        values[place] = value
    derive = DerSequence([kind, values])
    scheme = DerSequence([pbes2, DerSequence([derive, cipher])])
    return DerSequence([scheme, octets]).encode()


def test_encryption_that_takes_too_much_work_is_refused_at_once() -> None:
    """Iterations of PBKDF2; N, r and p of scrypt, in time and in memory."""
    forms = {form.name: form for form in encrypted("secp256r1", fast=True)}
    pbkdf2, scrypt = forms["pbes2-sha256-der"], forms["pbes2-scrypt-der"]
    assert read_key(with_work(scrypt.octets, {1: 1024}), lambda: PASSPHRASE) == scrypt.key
    started = time.process_time()
    for count in (3_000_000, 1 << 64, 1 << 9000):
        refused(with_work(pbkdf2.octets, {1: count}), "would take too long")
    for numbers in ({1: 1 << 22}, {1: 1 << 16, 3: 300}, {2: 1 << 30}, {3: 1 << 40}, {1: 1 << 900}):
        refused(with_work(scrypt.octets, numbers), "would take too long")
    for form, place, value in ((pbkdf2, 1, 0), (pbkdf2, 1, -5), (scrypt, 1, 1000), (scrypt, 3, 0)):
        refused(with_work(form.octets, {place: value}), "damaged")
    assert time.process_time() - started < 1


def test_what_an_encrypted_key_has_inside_is_checked() -> None:
    """A key of another curve, a public key that is not its own, an RSA key."""
    key, other = key_of("secp256r1"), key_of("secp256r1", 7)
    assert key.d is not None
    assert other.public is not None
    twisted = sec1_of(key.d, 32, named("secp256k1"))
    foreign = sec1_of(key.d, 32, bits(key.curve.encode(other.public)))
    p256 = DerObjectId(OIDS["secp256r1"])
    for inner, kind, match in (
        (twisted, EC_KEY, "more than one curve"),
        (foreign, EC_KEY, "not the private key's"),
        (foreign, "1.2.840.113549.1.1.1", "id-ecPublicKey"),
    ):
        der = PKCS8.wrap(inner, kind, PASSPHRASE, None, {"iteration_count": 1000}, p256)
        refused(der, match)


def test_curves_that_disagree_are_refused() -> None:
    """PKCS #8 names a curve twice, and PEM may have its parameters before the key."""
    key = key_of("secp256r1")
    assert key.d is not None
    for inside in ("secp256k1", "brainpoolP256r1"):
        der = PKCS8.wrap(
            sec1_of(key.d, 32, named(inside)), EC_KEY, key_params=DerObjectId(OIDS["secp256r1"])
        )
        refused(der, "more than one curve")
    same = sec1_of(key.d, 32, named("secp256r1"))
    der = PKCS8.wrap(same, EC_KEY, key_params=DerObjectId(OIDS["secp256r1"]))
    assert read_key(der).d == key.d
    for wrong in ("secp256k1", "sect163r2"):
        before = openssl("ecparam", "-name", wrong)
        for pem in (private_pem(key), public_pem(key), openssl("ec", given=private_pem(key))):
            refused(before + pem, "more than one curve")


def test_a_key_without_optional_fields() -> None:
    """RFC 5915: parameters and public key may be missing, where the curve is known otherwise."""
    bare = base64.b64decode("MCUCAQEEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB")
    d = int("01" * 32, 16)
    refused(bare, "does not say of which curve")
    refused(pem_of(bare, "EC PRIVATE KEY"), "does not say of which curve")
    wanted = Key(curve("secp256r1"), d, None)
    inside = PKCS8.wrap(bare, EC_KEY, key_params=DerObjectId(OIDS["secp256r1"]))
    assert read_key(inside) == wanted
    before = openssl("ecparam", "-name", "prime256v1")
    assert read_key(before + pem_of(bare, "EC PRIVATE KEY")) == wanted
    refused(PKCS8.wrap(bare, EC_KEY, key_params=None), "does not say of which curve")
    refused(PKCS8.wrap(bare, EC_KEY), "does not say of which curve")
    refused(PKCS8.wrap(bare, EC_KEY, key_params=DerObjectId("1.2.3")), "not one of here: 1.2.3")


@pytest.mark.parametrize("name", ["sect163r2", "secp256r1"])
def test_numbers_that_are_out_of_range(name: str) -> None:
    c = curve(name)
    size = c.octets + 1
    for d in (0, c.n, c.n + 1, (1 << 8 * size) - 1):
        refused(sec1_of(d, size, named(name)), "not in 1 .. n - 1")
    for d in (1, c.n - 1):
        for width in ((d.bit_length() + 7) // 8, size, size + 9):
            assert read_key(sec1_of(d, width, named(name))).d == d
    for version in (0, 2, -1, 1 << 90):
        refused(sec1_of(1, size, named(name), version=version), "version 1")


@pytest.mark.parametrize("name", ["sect163r2", "sect233k1", "secp256r1"])
def test_public_keys_that_are_none(name: str) -> None:
    """Not the private key's, off the curve, infinity, of another order, odd bits, cut."""
    key, other = key_of(name), key_of(name, 7)
    assert key.d is not None
    assert key.public is not None
    assert other.public is not None
    c, d, good = key.curve, key.d, key.curve.encode(key.public)
    hybrid = bytes([6 + c.sign(key.public)]) + good[1:]
    squeezed = c.encode(key.public, compressed=True)
    for octets in (good, hybrid, squeezed):
        assert read_key(sec1_of(d, c.octets, named(name), bits(octets))) == key
    for octets, match in (
        (c.encode(other.public), "not the private key's"),
        (bytes([squeezed[0] ^ 1]) + squeezed[1:], "not the private key's"),
        (good[:-1] + bytes([good[-1] ^ 1]), "not on"),
        (bytes([hybrid[0] ^ 1]) + hybrid[1:], "hybrid"),
        (b"\0", "infinity"),
        (b"", "first octet"),
        (good[:-1], "length is"),
        (good + b"\0", "length is"),
        (b"\4" + b"\xff" * (2 * c.octets), "outside the field"),
    ):
        refused(sec1_of(d, c.octets, named(name), bits(octets)), match)
        kind = DerSequence([DerObjectId(EC_KEY), DerObjectId(OIDS[name])])
        if "private" not in match:
            refused(DerSequence([kind, DerBitString(octets)]).encode(), match)
    low = c.lift_x(0) if c.h > 1 else None
    if low is not None:  # of order two
        kind = DerSequence([DerObjectId(EC_KEY), DerObjectId(OIDS[name])])
        refused(DerSequence([kind, DerBitString(c.encode(low))]).encode(), "order is not")
    odd = bytearray(public_der := der_of(public_pem(key)))
    odd[public_der.index(good) - 1] = 4
    refused(bytes(odd), "no key in PEM or DER")
    for wrong in (c.encode(other.public), good[:-1], b"\0"):
        refused(version2(key, wrong), "public key|infinity")


def test_versions_of_pkcs8() -> None:
    """Version 2 may have a public key, version 1 may not; attributes go unread; order counts."""
    key = key_of("secp256r1")
    assert key.public is not None
    version, kind, inner = DerSequence().decode(der_of(private_pem(key)))[:]
    public = DerBitString(key.curve.encode(key.public), implicit=1).encode()
    attributes = b"\xa0\x04\x30\x02\x05\x00"
    for rest in ([attributes], [public], [attributes, public], []):
        made = DerSequence([1, kind, inner, *rest]).encode()
        assert read_key(made) == key
    assert read_key(DerSequence([0, kind, inner, attributes]).encode()) == key
    for first, rest in (
        (0, [public]),
        (2, []),
        (version - 1, []),
        (1, [public, attributes]),
        (1, [public, public]),
        (0, [attributes, attributes]),
        (0, [b"\x05\x00"]),
    ):
        refused(DerSequence([first, kind, inner, *rest]).encode(), "version 1 or 2")


@pytest.mark.parametrize("name", ["sect163r2", "sect233k1", "secp256r1"])
def test_explicit_parameters_must_be_a_named_curve(name: str) -> None:
    """Every field counts: field, a, b, generator, order, cofactor."""
    key = key_of(name)
    c = key.curve
    theirs = der_of(openssl("ec", "-pubin", "-param_enc", "explicit", given=public_pem(key)))
    kind, point = DerSequence().decode(theirs)[:]
    oid, whole = DerSequence().decode(kind)[:]
    parts = DerSequence().decode(whole)[:]
    other = c.mul(2, c.generator)

    def made(parts: list[object]) -> bytes:
        sequence = DerSequence(parts)  # type: ignore[arg-type]
        return DerSequence([DerSequence([oid, sequence]), point]).encode()

    wanted = Key(c, None, key.public)
    assert read_key(made(parts)) == wanted
    assert read_key(made(parts[:5])) == wanted
    sign = c.sign(c.generator)
    for base in (
        c.encode(c.generator),
        c.encode(c.generator, compressed=True),
        bytes([6 + sign]) + c.encode(c.generator)[1:],
    ):
        assert read_key(made([*parts[:3], DerOctetString(base), *parts[4:]])) == wanted
    a, b, *seed = DerSequence().decode(parts[2])[:]
    assert read_key(made([*parts[:2], DerSequence([a, b]), *parts[3:]])) == wanted
    for i, wrong in (
        (2, DerSequence([b, a, *seed])),
        (2, DerSequence([a, a])),
        (3, DerOctetString(c.encode(other))),
        (3, DerOctetString(c.encode(c.neg(c.generator)))),
        (3, DerOctetString(b"\0")),
        (4, c.n + 2),
        (4, -c.n),
        (5, c.h + 1),
        (5, 0),
    ):
        refused(made([*parts[:i], wrong, *parts[i + 1 :]]), "no curve with a name here")
    for i, wrong in ((0, 0), (0, 4), (0, DerSequence([]))):
        refused(made([*parts[:i], wrong, *parts[i + 1 :]]), "explicit parameters|no key")
    refused(made([*parts, 7]), "explicit parameters")


def test_fields_that_are_odd() -> None:
    """A huge degree, a normal basis, terms that are not numbers."""
    key = key_of("sect233k1")
    theirs = der_of(openssl("ec", "-pubin", "-param_enc", "explicit", given=public_pem(key)))
    kind, point = DerSequence().decode(theirs)[:]
    oid, whole = DerSequence().decode(kind)[:]
    parts = DerSequence().decode(whole)[:]
    binary, form = DerSequence().decode(parts[1])[:]
    degree, basis, term = DerSequence().decode(form)[:]
    normal = DerObjectId("1.2.840.10045.1.2.3.1")
    for changed in (
        [1 << 60, basis, term],
        [degree, basis, 1 << 4000],
        [degree, basis, DerSequence([1, 2, 3])],
        [degree, normal, b"\x05\x00"],
        [-degree, basis, term],
        [degree],
    ):
        field = DerSequence([binary, DerSequence(changed)])
        spec = DerSequence([parts[0], field, *parts[2:]])
        refused(DerSequence([DerSequence([oid, spec]), point]).encode(), "field|no key|no curve")


def test_pem_as_people_have_it() -> None:
    key = key_of("secp256r1")
    pem = private_pem(key)
    for text in (
        pem.replace(b"\n", b"\r\n"),
        pem.rstrip(),
        b"Bag Attributes\n    friendlyName: \xe9t\xc3\xa9\n" + pem + b"\nmore\n",
        pem.replace(b"\n", b"  \n"),
        b"\xef\xbb\xbf" + pem,
        b"-----BEGIN PRIVATE KEY-----\n" + base64.b64encode(der_of(pem)) + b"\n"
        b"-----END PRIVATE KEY-----",
        openssl("ec", "-text", given=pem),
    ):
        assert read_key(text) == key


def test_pem_that_is_refused() -> None:
    key = key_of("secp256r1")
    pem, public = private_pem(key), public_pem(key)
    crt = openssl("req", "-x509", "-key", "/dev/stdin", "-subj", "/CN=a", given=pem)
    rsa = openssl("genrsa", "-traditional", "1024")
    for text, match in (
        (pem + pem, "has 2 keys"),
        (b"\xef\xbb\xbf" * 2 + pem, "BEGIN and END"),
        (pem + public, "has 2 keys"),
        (pem + crt, "a block CERTIFICATE is not taken"),
        (crt + crt, "a block CERTIFICATE is not taken"),
        (rsa, "a block RSA PRIVATE KEY is not taken"),
        (openssl("ecparam", "-name", "prime256v1"), "has no keys"),
        (openssl("genpkey", "-algorithm", "ED448"), "id-ecPublicKey"),
        (pem_of(der_of(rsa), "EC PRIVATE KEY"), "no ECPrivateKey|no key"),
        (pem.replace(b"END", b"BEGIN"), "BEGIN and END"),
        (pem.replace(b"END PRIVATE", b"END PUBLIC"), "BEGIN and END"),
        (pem[: pem.index(b"-----END")], "no end"),
        (pem.replace(b"M", b"*"), "not base64"),
        (pem.replace(b"\nM", b"\n\xc3\xa9M"), "not base64"),
        (pem.replace(b"PRIVATE", b"PUBLIC"), "no key in PEM or DER"),
        (pem_of(der_of(pem), "EC PRIVATE KEY"), "version 1"),
        (pem_of(b"", "PRIVATE KEY"), "no key in PEM or DER"),
        (pem_of(der_of(pem) + b"\0", "PRIVATE KEY"), "no key in PEM or DER"),
        (pem_of(der_of(pem), "ENCRYPTED PRIVATE KEY"), "no key in PEM or DER"),
        (pem.replace(b"-\nM", b"-\nProc-Type: 4,MIC-ONLY\n\nM"), "Proc-Type"),
        (b"x" * (MOST_OCTETS + 1), "longer than a key"),
    ):
        refused(text, match)


def test_a_file_is_any_buffer() -> None:
    """And no text, of which nothing is said that is of keys."""
    key = key_of("secp256r1")
    pem = private_pem(key)
    for octets in (pem, der_of(pem)):
        for buffer in (bytearray(octets), memoryview(octets)):
            assert read_key(buffer) == key  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        read_key(pem.decode())  # type: ignore[arg-type]
