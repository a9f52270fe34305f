# SPDX-License-Identifier: Apache-2.0
"""Every choice that ECIES leaves open, through the RTL, against a model."""

import hashlib
import hmac
import itertools
import random
from collections.abc import Iterator
from functools import partial

import pytest

from ecsm.cores.store import design
from ecsm.device.schemes import SchemeDevice
from ecsm.names import UnknownName
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.ecies import MESSAGE, XOR_MESSAGE
from ecsm.schemes.inputs import flags_of, inputs
from ecsm.schemes.lengths import refusal, strings
from ecsm.schemes.machine import NARROW, WIDE
from ecsm.schemes.options import (
    CIPHER,
    CIPHERS,
    KDF_HASH,
    MAC_HASH,
    encryption_flags,
    hashes_of,
    under,
)
from ecsm.status import AuthenticationFailed, Unsupported
from tests.rtl.symmetric.model import kdf
from tests.schemes.conftest import SEED, WHOLE
from tests.schemes.model import Model, seal

D = 0x1B5A3C7E9F024D68ACE13579BDF02468
CBC = ("aes128-cbc", "aes256-cbc")


def choices(hashes: tuple[str, ...]) -> Iterator[tuple[str, dict[str, object]]]:
    """Return every scheme with every combination of its options."""
    for cofactor, cipher, one, two in itertools.product(
        (False, True), ("xor", *CIPHERS), hashes, hashes
    ):
        given = {"kdf_hash": one, "mac_hash": two, "cofactor": cofactor}
        yield ("ecies-xor", given) if cipher == "xor" else ("ecies", {**given, "cipher": cipher})


def there_and_back(device: SchemeDevice, model: Model, hashes: tuple[str, ...], share: int) -> None:
    """Seal messages with a share of all combinations: the model does the same, the device opens."""
    d = D % model.curve.n
    device.run("load", model.scalar(d))
    rng = random.Random(4)
    for scheme, given in list(choices(hashes))[::share]:
        message, infos = rng.randbytes(rng.randrange(40)), (rng.randbytes(5), rng.randbytes(9))
        flags = encryption_flags(scheme, **given)  # type: ignore[arg-type]
        made = device.run(f"{scheme}-encrypt", *model.public(d), message, *infos, flags=flags)
        x, y, *sealed = made.strings
        z = model.primitive(d, model.point(x, y), bool(given["cofactor"]))
        want = {"cipher": "xor", **{k: v for k, v in given.items() if k != "cofactor"}}
        assert tuple(sealed) == model.ecies(z, message, infos, **want), (scheme, given)  # type: ignore[arg-type]
        opened = device.run(f"{scheme}-decrypt", x, y, *sealed, *infos, flags=flags)
        assert opened.strings == (message,), (scheme, given)


@pytest.mark.parametrize("share", [7, pytest.param(1, marks=pytest.mark.slow)])
@WHOLE
def test_combinations(fresh: SchemeDevice, model: Model, share: int) -> None:
    there_and_back(fresh, model, NARROW, share)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["p384-fast", "k409"])
def test_every_combination_of_a_wide_machine(name: str) -> None:
    with SchemeDevice(name, wide=True) as device:
        device.samples(SEED)
        device.run("seed-test")
        there_and_back(device, Model(design(name).preset.curve), WIDE, 1)
        for flags in (under(KDF_HASH, 1), under(MAC_HASH, 2)):  # SHA-1, SHA-224
            with pytest.raises(Unsupported):
                device.run("ecies-encrypt", *_public(device), b"m", b"", b"", flags=flags)


def _public(device: SchemeDevice) -> tuple[bytes, ...]:
    return device.run("public").strings


@pytest.mark.parametrize("cipher", CBC)
@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, MESSAGE - 1, MESSAGE])
@WHOLE
def test_padding(fresh: SchemeDevice, model: Model, cipher: str, length: int) -> None:
    """Of every kind of length; the cycles do not depend on what the message is."""
    d, flags = D % model.curve.n, encryption_flags("ecies", cipher=cipher)
    fresh.run("load", model.scalar(d))
    cycles = set()
    for message in (random.Random(length).randbytes(length), bytes(length), b"\x10" * length):
        given = (*model.public(d), message, b"", b"")
        made = fresh.run("ecies-encrypt", *given, flags=flags)
        x, y, sealed, tag = made.strings
        assert len(sealed) == length // 16 * 16 + 16
        z = model.primitive(d, model.point(x, y))
        assert (sealed, tag) == model.ecies(z, message, cipher=cipher)
        opened = fresh.run("ecies-decrypt", x, y, sealed, tag, b"", b"", flags=flags)
        assert opened.strings == (message,)
        cycles.add(opened.cycles)
    assert len(cycles) == 1


def capsule(model: Model, cipher: str, padded: bytes, cut: int = 0) -> tuple[bytes, ...]:
    """Return what somebody sealed who knows the key, and pads as he likes; all tags are right."""
    k, size = 77, int(cipher[3:6]) // 8
    r = model.curve.mul(k, model.curve.generator)
    z = model.primitive(D % model.curve.n, r)
    key = kdf("sha256", z, size + 32, 1, b"")
    sealed = seal(cipher, key[:size], padded, pad=False)
    sealed = sealed[: len(sealed) - cut]
    return (*model.strings(r), sealed, hmac.digest(key[size:], sealed, "sha256"), b"", b"")


@pytest.mark.parametrize("cipher", CBC)
@WHOLE
def test_wrong_padding(fresh: SchemeDevice, model: Model, cipher: str) -> None:
    """A right tag and padding that is none: authentication failed, and nothing goes out."""
    fresh.run("load", model.scalar(D % model.curve.n))
    flags, block = encryption_flags("ecies", cipher=cipher), bytes(range(32, 48))
    for last in (bytes(16), bytes(15) + b"\x11", bytes(14) + b"\1\2", b"\xff" * 16, block):
        for before in (b"", block):
            with pytest.raises(AuthenticationFailed):
                fresh.run("ecies-decrypt", *capsule(model, cipher, before + last), flags=flags)
    for cut in (1, 8, 15, 16):
        strings = capsule(model, cipher, b"\x10" * 16, cut)
        with pytest.raises(AuthenticationFailed):
            fresh.run("ecies-decrypt", *strings, flags=flags)
    opened = fresh.run("ecies-decrypt", *capsule(model, cipher, block + b"\x10" * 16), flags=flags)
    assert opened.strings == (block,)


@WHOLE
def test_other_options_are_another_capsule(fresh: SchemeDevice, model: Model) -> None:
    """What was sealed with some options is not opened with others."""
    d = D % model.curve.n
    fresh.run("load", model.scalar(d))
    made = fresh.run("ecies-encrypt", *model.public(d), bytes(32), b"", b"").strings
    for given in ({"cipher": "aes128-cbc"}, {"kdf_hash": "sha1"}, {"kdf_hash": "sha224"}):
        flags = encryption_flags("ecies", **given)  # type: ignore[arg-type]
        with pytest.raises(AuthenticationFailed):
            fresh.run("ecies-decrypt", *made, b"", b"", flags=flags)
    for name in ("sha1", "sha224"):
        flags, octets = encryption_flags("ecies", mac_hash=name), hashlib.new(name).digest_size
        x, y, sealed, tag = made
        with pytest.raises(Unsupported):  # a tag of another length
            fresh.run("ecies-decrypt", *made, b"", b"", flags=flags)
        with pytest.raises(AuthenticationFailed):
            fresh.run("ecies-decrypt", x, y, sealed, tag[:octets], b"", b"", flags=flags)


@WHOLE
def test_values_that_are_none(fresh: SchemeDevice, model: Model) -> None:
    """The fourth cipher, and hashes that the machine has not, before anything happens."""
    d = D % model.curve.n
    fresh.run("load", model.scalar(d))
    x, y = model.public(d)
    own = WORD_PRESETS.get(fresh.machine.name)
    soon = own.depth if own else 20  # a word engine clears its memory before it answers
    for flags in range(1 << 8):
        for scheme in ("ecies", "ecies-xor"):
            bad = flags & ~flags_of(f"{scheme}-encrypt") or 3 in (flags >> 3 & 3, flags >> 5 & 3)
            if not bad and (scheme == "ecies-xor" or flags >> 1 & 3 != 3):
                continue
            seal, unseal = (
                fresh.program.number(f"{scheme}-{way}") for way in ("encrypt", "decrypt")
            )
            with pytest.raises(Unsupported):
                fresh.run_number(seal, x, y, b"m", b"", b"", flags=flags)
            assert fresh.last_cycles < soon
            with pytest.raises(Unsupported):
                fresh.run_number(unseal, x, y, b"m", bytes(32), b"", b"", flags=flags)
            assert fresh.last_cycles < soon


@WHOLE
def test_lengths_with_options(fresh: SchemeDevice, model: Model) -> None:
    """The longest message of every cipher is sealed and opened; one octet more is refused."""
    d = D % model.curve.n
    fresh.run("load", model.scalar(d))
    x, y = model.public(d)
    for scheme, cipher in (("ecies", "aes128-cbc"), ("ecies-xor", "aes256-ctr")):
        most = XOR_MESSAGE if scheme == "ecies-xor" else MESSAGE
        for name in NARROW:
            flags = encryption_flags(scheme, cipher=cipher, kdf_hash=name, mac_hash=name)
            message = random.Random(name).randbytes(most)
            made = fresh.run(f"{scheme}-encrypt", x, y, message, b"", b"", flags=flags).strings
            opened = fresh.run(f"{scheme}-decrypt", *made, b"", b"", flags=flags)
            assert opened.strings == (message,)
            with pytest.raises(Unsupported):
                fresh.run(f"{scheme}-encrypt", x, y, message + b"m", b"", b"", flags=flags)
            longer = (*made[:2], made[2] + b"m", made[3])
            with pytest.raises(Unsupported):
                fresh.run(f"{scheme}-decrypt", *longer, b"", b"", flags=flags)


def test_choices_that_a_scheme_has_not() -> None:
    for scheme, given, said in (
        ("ec-aes", {"cipher": "aes128-cbc"}, "ec-aes has no other cipher"),
        ("ec-aes", {"mac_hash": "sha1"}, "ec-aes has no other cipher and no other hash"),
        ("demo", {"cofactor": True}, "demo has no cofactor"),
        ("ecies-xor", {"cipher": "aes256-cbc"}, "the cipher of ecies-xor is XOR"),
        ("ec-aes", {"kdf_hash": "sha384"}, "ec-aes has no other cipher and no other hash"),
        (
            "ecies",
            {"kdf_hash": "sha512", "mac_hash": "sha256"},
            "has both sha512 and sha256: a wide",
        ),
        (
            "ecies",
            {"kdf_hash": "sha1", "mac_hash": "sha384"},
            "has both sha1 and sha384: a wide one",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            encryption_flags(scheme, **given)


def test_a_hash_that_is_not_given_is_the_machines_longest() -> None:
    for given, same in (
        ({}, {"kdf_hash": "sha256", "mac_hash": "sha256"}),
        ({"kdf_hash": "sha512"}, {"kdf_hash": "sha512", "mac_hash": "sha512"}),
        ({"mac_hash": "sha512"}, {"kdf_hash": "sha512", "mac_hash": "sha512"}),
        ({"mac_hash": "sha384"}, {"kdf_hash": "sha512", "mac_hash": "sha384"}),
        ({"kdf_hash": "sha384"}, {"kdf_hash": "sha384", "mac_hash": "sha512"}),
        ({"mac_hash": "sha1"}, {"kdf_hash": "sha256", "mac_hash": "sha1"}),
    ):  # fmt: skip
        assert hashes_of(given.get("kdf_hash"), given.get("mac_hash")) == tuple(same.values())
        assert encryption_flags("ecies", **given) == encryption_flags("ecies", **same)  # type: ignore[arg-type]
    assert encryption_flags("ec-aes", kdf_hash="sha512") == 0


def test_a_choice_that_there_is_not_is_named() -> None:
    for given, said in (
        (("ecis",), "no scheme 'ecis': choose ecies, "),
        (("ecies", False, "aes"), "no cipher 'aes'"),
        (("ecies", False, "aes256-ctr", "md5"), "no hash 'md5'"),
        (("ecies", False, "aes256-ctr", None, "sha-1"), "no hash 'sha-1'"),
    ):  # fmt: skip
        with pytest.raises(UnknownName, match=said):
            encryption_flags(*given)


@WHOLE
def test_a_refusal_says_which_string_is_wrong(fresh: SchemeDevice, model: Model) -> None:
    """What is said without the machine is what the machine refuses: each string, longer by one."""
    d = D % model.curve.n
    x, y = model.public(d)
    for name in fresh.operations:
        fresh.zeroize()
        fresh.run("seed")
        fresh.run("load", model.scalar(d))
        fresh.run("load", model.scalar(d), slot=1)
        known = strings(name, 0, model.curve, 32)
        given = [model.scalar(1) if s.name in ("r", "s") else bytes(s.most) for s in known]
        if known and known[0].name == "x":
            given[:2] = [x, y]
        for i, s in enumerate(known):
            longer = [*given[:i], given[i] + b"0", *given[i + 1 :]]
            longer += [b""] * (inputs(name) - len(longer))
            with pytest.raises(Unsupported) as caught:
                fresh.run(name, *longer)
            said = f"{s.name} has {s.most + 1:,} octets, {s.most:,} are"
            assert said in str(caught.value), name
    lengths = [model.curve.octets] * 2 + [40, 20, 0, 0]
    refused = partial(refusal, "ecies-decrypt", curve=model.curve, operations=fresh.operations)
    assert refused(0, lengths) == "the tag has 20 octets, 32 are right"
    assert refused(encryption_flags("ecies", mac_hash="sha1"), lengths) == ""
    assert refused(encryption_flags("ecies", mac_hash="sha384"), lengths).startswith(
        "the device has no such hash, only sha1, sha224, sha256"
    )
    assert refused(CIPHER, lengths) == "the device has no such cipher"


def test_the_cofactor_is_no_other_options_bit() -> None:
    """2 and 4 would choose a cipher, and leave the primitive as it is."""
    for value in (2, 4, -1, "no", None):
        with pytest.raises(ValueError, match="cofactor is True or False"):
            encryption_flags("ecies", cofactor=value)  # type: ignore[arg-type]
    assert encryption_flags("ecies", cofactor=True) == 1
