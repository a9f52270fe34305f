# SPDX-License-Identifier: Apache-2.0
"""ECDH, ECMQV, ECIES, hybrid encryption and PSEC-KEM through the RTL, against a model."""

import hmac
import random

import pytest

from ecsm.curves import BinaryCurve
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import any_preset
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.ecies import INFO, MESSAGE, XOR_MESSAGE
from ecsm.schemes.options import COFACTOR
from ecsm.status import (
    AuthenticationFailed,
    CoordinateOutOfRange,
    CoreError,
    LowOrderPoint,
    NoKey,
    PointNotOnCurve,
    Unsupported,
)
from tests.rtl.symmetric.model import HmacDrbg, kdf
from tests.schemes import vectors
from tests.schemes.conftest import DRAWN, SEED, WHOLE, curve_name
from tests.schemes.model import Model, ctr, xor

AIMS = {"k256-glv": 12_000, "p256-fast": 19_000, "b283-fast": 1_450}
"""Cycles of an encapsulation, and of a decapsulation, at most."""


def keys(model: Model, count: int, seed: int = 1) -> list[int]:
    """Private keys."""
    rng = random.Random(seed)
    return [rng.randrange(1, model.curve.n) for _ in range(count)]


def load(device: SchemeDevice, model: Model, *ds: int) -> None:
    """Load keys into the first slots."""
    for slot, d in enumerate(ds):
        device.run("load", model.scalar(d), slot=slot)


def altered(octets: bytes, bit: int = 0) -> bytes:
    """Another string."""
    return (int.from_bytes(octets, "big") ^ 1 << bit).to_bytes(len(octets), "big")


def low_order(model: Model) -> tuple[bytes, bytes] | None:
    """The point of order 2 of a curve that has one: (0, sqrt(b)) over GF(2^m)."""
    curve = model.curve
    if not isinstance(curve, BinaryCurve):
        return None
    f = curve.field
    root = curve.b
    for _ in range(f.m - 1):
        root = f.mul(root, root)
    return model.strings((0, root))


def test_ecdh(fresh: SchemeDevice, model: Model) -> None:
    d, e = keys(model, 2)
    load(fresh, model, d)
    their = model.point(*model.public(e))
    plain = fresh.run("ecdh", *model.public(e))
    assert plain.strings == (model.secret(d, their),)
    cofactor = fresh.run("ecdh-cofactor", *model.public(e))
    assert cofactor.strings == (model.secret(d * model.curve.h, their),)
    load(fresh, model, model.curve.n - 1)
    assert fresh.run("ecdh", *model.public(e)).cycles == plain.cycles


def test_ecdh_refuses(fresh: SchemeDevice, model: Model) -> None:
    x, y = model.public(7)
    with pytest.raises(NoKey):
        fresh.run("ecdh", x, y)
    load(fresh, model, 5)
    with pytest.raises(CoordinateOutOfRange):
        fresh.run("ecdh", b"\xff" * len(x), y)
    with pytest.raises(PointNotOnCurve):
        fresh.run("ecdh-cofactor", x, altered(y))
    if (low := low_order(model)) is not None:
        none = (b"", bytes(32), b"", b"")
        more = {"ecies-decrypt": none, "ecies-xor-decrypt": none, "demo-decrypt": (x,)}
        for operation in ("ecdh", "ecdh-cofactor", *(more.keys() & set(fresh.operations))):
            with pytest.raises(LowOrderPoint):
                fresh.run(operation, *low, *more.get(operation, ()))
        cycles = set()
        for d in (5, 6):  # d times the point is the point, or infinity
            load(fresh, model, d)
            if "decapsulate" in fresh.operations:
                with pytest.raises(AuthenticationFailed):
                    fresh.run("decapsulate", *low, bytes(32))
            else:
                with pytest.raises(LowOrderPoint):
                    fresh.run("ecdh", *low)
            cycles.add(fresh.last_cycles)
        assert len(cycles) == 1
        both = model.curve.add(model.point(*low), model.point(x, y))
        with pytest.raises(LowOrderPoint):  # neither infinite nor of order n
            fresh.run("ecdh", *model.strings(both))


@WHOLE
def test_ecmqv(fresh: SchemeDevice, model: Model) -> None:
    d1, d2, e1, e2 = keys(model, 4)
    load(fresh, model, d1, d2)
    theirs, passing = model.public(e1), model.public(e2)
    z = model.mqv(d1, d2, model.point(*theirs), model.point(*passing))
    assert fresh.run("ecmqv", *theirs, *passing).strings == (z,)
    load(fresh, model, e1, e2)
    assert fresh.run("ecmqv", *model.public(d1), *model.public(d2)).strings == (z,)
    # Points of which avf times one is the other, or its opposite.
    p = model.point(*passing)
    assert p is not None
    inverse = pow(model.avf(p[0]), -1, model.curve.n)
    for sign in (1, -1):
        special = model.public(e2 * inverse * sign % model.curve.n)
        if sign == 1:
            expected = model.mqv(e1, e2, model.point(*special), p)
            assert fresh.run("ecmqv", *special, *passing).strings == (expected,)
        else:
            with pytest.raises(LowOrderPoint):
                fresh.run("ecmqv", *special, *passing)


@pytest.mark.only(device=lambda preset: curve_name(preset) == "sect163k1")
def test_published_ecmqv(fresh: SchemeDevice, model: Model) -> None:
    """GEC 2's, on sect163k1: both parties' view."""
    v = vectors.GEC_2_ECMQV
    for (d1, d2), (e1, e2) in ((v.one, v.other), (v.other, v.one)):
        load(fresh, model, d1, d2)
        made = fresh.run("ecmqv", *model.public(e1), *model.public(e2)).strings
        assert made == (v.shared.to_bytes(model.octets, "big"),)


@WHOLE
def test_ecmqv_refuses(fresh: SchemeDevice, model: Model) -> None:
    theirs, passing = model.public(11), model.public(13)
    load(fresh, model, 5)
    with pytest.raises(NoKey):  # of the pair one is missing
        fresh.run("ecmqv", *theirs, *passing)
    load(fresh, model, 5, 6)
    for strings in ((theirs[0], altered(theirs[1]), *passing), (*theirs, passing[0], theirs[1])):
        with pytest.raises(PointNotOnCurve):
            fresh.run("ecmqv", *strings)
    for at in range(4):
        wrong = [*theirs, *passing]
        wrong[at] = b"\xff" * len(wrong[at])
        with pytest.raises(CoordinateOutOfRange):
            fresh.run("ecmqv", *wrong)


@pytest.mark.parametrize("flags", [0, COFACTOR])
@pytest.mark.parametrize("length", [0, 1, 16, 100, MESSAGE])
@WHOLE
def test_ecies(fresh: SchemeDevice, model: Model, length: int, flags: int) -> None:
    (d,) = keys(model, 1)
    load(fresh, model, d)
    rng = random.Random(length)
    message = rng.randbytes(length)
    for infos in ((b"", b""), (rng.randbytes(length % 21 + 1), rng.randbytes(length % 700 + 3))):
        given = (*model.public(d), message, *infos)
        x, y, sealed, tag = fresh.run("ecies-encrypt", *given, flags=flags).strings
        key = model.ecies_keys(d, model.point(x, y), 64, "sha256", infos[0], bool(flags))
        assert sealed == ctr(key[:32], bytes(16), message)
        assert tag == hmac.digest(key[32:], sealed + infos[1], "sha256")
        opened = fresh.run("ecies-decrypt", x, y, sealed, tag, *infos, flags=flags)
        assert opened.strings == (message,)
    cycles = set()
    for strings in altered_capsules(x, y, sealed, tag, infos, MESSAGE):
        with pytest.raises(AuthenticationFailed):
            fresh.run("ecies-decrypt", *strings, flags=flags)
        if strings[:3] == (x, y, sealed) and strings[4:] == infos:
            cycles.add(fresh.last_cycles)
    assert len(cycles) == 1


@pytest.mark.parametrize("flags", [0, COFACTOR])
@pytest.mark.parametrize("length", [0, 1, 8, 33, 67, XOR_MESSAGE])
@WHOLE
def test_ecies_xor(fresh: SchemeDevice, model: Model, length: int, flags: int) -> None:
    """The key's first octets are added to the message, the rest is the tag's."""
    (d,) = keys(model, 1)
    load(fresh, model, d)
    rng = random.Random(length)
    message = rng.randbytes(length)
    infos = (rng.randbytes(length % 40), rng.randbytes(length % 300))
    given = (*model.public(d), message, *infos)
    x, y, sealed, tag = fresh.run("ecies-xor-encrypt", *given, flags=flags).strings
    key = model.ecies_keys(d, model.point(x, y), length + 32, "sha256", infos[0], bool(flags))
    assert sealed == xor(message, key[:length])
    assert tag == hmac.digest(key[length:], sealed + infos[1], "sha256")
    opened = fresh.run("ecies-xor-decrypt", x, y, sealed, tag, *infos, flags=flags)
    assert opened.strings == (message,)
    for strings in altered_capsules(x, y, sealed, tag, infos, XOR_MESSAGE):
        with pytest.raises(AuthenticationFailed):
            fresh.run("ecies-xor-decrypt", *strings, flags=flags)


@WHOLE
def test_primitives(fresh: SchemeDevice, model: Model) -> None:
    """Plain and cofactor differ where there is a cofactor; each has its check of the point."""
    (d,) = keys(model, 1)
    load(fresh, model, d)
    public, given = model.public(d), {"ec-aes": (), "ecies": (b"", b""), "ecies-xor": (b"", b"")}
    for scheme, infos in given.items():
        made = fresh.run(f"{scheme}-encrypt", *public, b"between us", *infos).strings
        assert fresh.run(f"{scheme}-decrypt", *made, *infos).strings == (b"between us",)
        if model.curve.h == 1:
            opened = fresh.run(f"{scheme}-decrypt", *made, *infos, flags=COFACTOR)
            assert opened.strings == (b"between us",)
        elif infos:
            with pytest.raises(AuthenticationFailed):
                fresh.run(f"{scheme}-decrypt", *made, *infos, flags=COFACTOR)
        else:  # no tag
            opened = fresh.run(f"{scheme}-decrypt", *made, flags=COFACTOR)
            assert opened.strings != (b"between us",)
    if (low := low_order(model)) is None:
        return
    both = model.strings(model.curve.add(model.point(*low), model.point(*public)))
    for scheme, infos in given.items():
        tag = (bytes(32), *infos) if infos else ()
        for point in (low, both):  # of order 2; of order 2 n
            with pytest.raises(LowOrderPoint):
                fresh.run(f"{scheme}-encrypt", *point, b"m", *infos)
            with pytest.raises(LowOrderPoint):
                fresh.run(f"{scheme}-decrypt", *point, bytes(16), *(tag or (b"m",)))
        with pytest.raises(LowOrderPoint):
            fresh.run(f"{scheme}-encrypt", *low, b"m", *infos, flags=COFACTOR)
        with pytest.raises(LowOrderPoint):
            fresh.run(f"{scheme}-decrypt", *low, bytes(16), *(tag or (b"m",)), flags=COFACTOR)
        made = fresh.run(f"{scheme}-encrypt", *both, b"m", *infos, flags=COFACTOR).strings
        opened = fresh.run(f"{scheme}-decrypt", *made, *infos, flags=COFACTOR)
        assert opened.strings == (b"m",)  # h takes the small part away


def altered_capsules(
    x: bytes, y: bytes, sealed: bytes, tag: bytes, infos: tuple[bytes, bytes], most: int
) -> list[tuple[bytes, ...]]:
    """Return capsules that are not the one that was made: each of their parts is another."""
    wrong: list[tuple[bytes, ...]]
    wrong = [(x, y, sealed, altered(tag, bit), *infos) for bit in (0, 255)]
    if sealed:
        wrong += [(x, y, other, tag, *infos) for other in (altered(sealed), sealed[:-1])]
    if len(sealed) < most:
        wrong.append((x, y, sealed + b"a", tag, *infos))
    for i in range(2):
        other = altered(infos[i]) if infos[i] else b"\0"
        wrong.append((x, y, sealed, tag, *infos[:i], other, *infos[i + 1 :]))
    return wrong


@pytest.mark.only(device=lambda preset: curve_name(preset) == "secp256r1")
@WHOLE
def test_published_ecies(fresh: SchemeDevice, model: Model) -> None:
    """IEEE 1609.2's capsules, XOR and SharedInfo1; its tags are the first half of ours."""
    for v in vectors.IEEE_1609_2:
        fresh.run("load", model.scalar(v.d))
        r = model.strings(model.curve.mul(v.k, model.curve.generator))
        key = model.ecies_keys(v.d, model.point(*r), 48, "sha256", v.info)
        tag = hmac.digest(key[16:], v.sealed, "sha256")
        assert tag[:16] == v.tag
        opened = fresh.run("ecies-xor-decrypt", *r, v.sealed, tag, v.info, b"").strings
        assert opened == (v.message,)


@pytest.mark.parametrize("flags", [0, COFACTOR])
@WHOLE
def test_hybrid(fresh: SchemeDevice, model: Model, flags: int) -> None:
    """EC-AES: messages of any length, streamed."""
    (d,) = keys(model, 1)
    load(fresh, model, d)
    for length in (0, 5, 16, 10_000):
        message = random.Random(length).randbytes(length)
        made = fresh.run("ec-aes-encrypt", *model.public(d), message, flags=flags).strings
        x, y, iv, sealed = made
        key = kdf("sha256", model.primitive(d, model.point(x, y), bool(flags)), 32, 1)
        assert sealed == ctr(key, iv, message)
        assert fresh.run("ec-aes-decrypt", *made, flags=flags).strings == (message,)


@WHOLE
def test_hybrid_of_round_lengths(fresh: SchemeDevice, model: Model) -> None:
    """No length is taken for that of an empty string, whose end comes out alone."""
    (d,) = keys(model, 1)
    load(fresh, model, d)
    made = fresh.run("ec-aes-encrypt", *model.public(d), bytes(4096)).strings
    assert [len(s) for s in made] == [model.octets, model.octets, 16, 4096]
    key, iv = kdf("sha256", model.primitive(d, model.point(*made[:2]), False), 32, 1), bytes(16)
    sealed = ctr(key, iv, bytes(8192))
    assert fresh.run("ec-aes-decrypt", *made[:2], iv, sealed).strings == (bytes(8192),)


@WHOLE
def test_demonstration(fresh: SchemeDevice, model: Model) -> None:
    """The simplified ECIES."""
    (d,) = keys(model, 1)
    load(fresh, model, d)
    message = random.Random(3).randbytes(model.octets)
    x, y, sealed = fresh.run("demo-encrypt", *model.public(d), message).strings
    assert sealed == xor(message, model.secret(d, model.point(x, y)))
    assert fresh.run("demo-decrypt", x, y, sealed).strings == (message,)


@WHOLE
@DRAWN
def test_psec(fresh: SchemeDevice, model: Model) -> None:
    """Both ways, of given and of random strings, within the cycles that are aimed at."""
    name, (d,) = fresh.machine.name, keys(model, 1)
    most = AIMS.get(name, 1 << (23 if name in WORD_PRESETS else 20))
    load(fresh, model, d)
    r = random.Random(5).randbytes(32)
    sealed = fresh.run("encapsulate", *model.public(d), r, flags=1)
    expected = model.encapsulate(model.point(*model.public(d)), r)
    assert sealed.strings == expected
    opened = fresh.run("decapsulate", *expected[:3])
    assert opened.strings == expected[3:]
    assert max(sealed.cycles, opened.cycles) <= AIMS.get(
        name, 1 << 23 if name in WORD_PRESETS else 1 << 20
    )
    drawn = fresh.run("encapsulate", *model.public(d))
    assert drawn.cycles <= most
    x, y, c2, key = drawn.strings
    assert (x, y, c2, key) == model.encapsulate(
        model.point(*model.public(d)), model.draw(HmacDrbg("sha256", SEED), 32)
    )
    assert fresh.run("decapsulate", x, y, c2).strings == (key,) != expected[3:]
    for bit in (0, 100, 255):
        with pytest.raises(AuthenticationFailed):
            fresh.run("decapsulate", x, y, altered(c2, bit))
    other = model.public(99)
    with pytest.raises(AuthenticationFailed):
        fresh.run("decapsulate", *other, c2)
    cycles = {fresh.run("encapsulate", *model.public(k), r, flags=1).cycles for k in (1, 2, 77)}
    assert cycles == {sealed.cycles}


@pytest.mark.only(device=lambda name: getattr(any_preset(name), "threads", 1) > 1)
@WHOLE
def test_products_overlap(fresh: SchemeDevice, model: Model) -> None:
    """Two products that do not wait for each other are one batch of a core with threads."""
    load(fresh, model, 3)
    one, hashed = fresh.run("ecdh", *model.public(5)).cycles, bytes([7]) * 32
    signed = fresh.run("sign-sha256", hashed).strings
    cycles = {
        "encapsulate": fresh.run("encapsulate", *model.public(5)).cycles,
        "generate": fresh.run("generate", slot=1).cycles,
        "verify": fresh.run("verify-sha256", *model.public(3), hashed, *signed).cycles,
    }
    assert all(count < 1.2 * one for count in cycles.values()), (one, cycles)


@WHOLE
def test_psec_refuses(fresh: SchemeDevice, model: Model) -> None:
    x, y = model.public(5)
    with pytest.raises(NoKey):
        fresh.run("decapsulate", x, y, bytes(32))
    with pytest.raises(PointNotOnCurve):
        fresh.run("encapsulate", x, altered(y))
    fresh.zeroize()  # no longer in test mode
    fresh.run("seed")
    with pytest.raises(Unsupported):
        fresh.run("encapsulate", x, y, bytes(32), flags=1)


@WHOLE
def test_strings_of_wrong_length(fresh: SchemeDevice, model: Model) -> None:
    """Too short, too long, empty: one answer, and the next operation works."""
    x, y = model.public(5)
    load(fresh, model, 3)
    for operation, good in {
        "load": (model.scalar(9),),
        "ecdh": (x, y),
        "decapsulate": (x, y, bytes(32)),
        "verify-sha256": (x, y, bytes(32), model.scalar(1), model.scalar(1)),
    }.items():
        for at, string in enumerate(good):
            for bad in (b"", string[:-1], string + b"\0", string + bytes(8), string[:8]):
                strings = [*good[:at], bad, *good[at + 1 :]]
                with pytest.raises(Unsupported):
                    fresh.run(operation, *strings)
    for operation, most in {"ecies-encrypt": MESSAGE, "ecies-xor-encrypt": XOR_MESSAGE}.items():
        with pytest.raises(Unsupported):
            fresh.run(operation, x, y, bytes(most + 1), b"", b"")
        with pytest.raises(Unsupported):
            fresh.run(operation, x, y, bytes(9), bytes(INFO + 1), b"")
        assert len(fresh.run(operation, x, y, bytes(9), bytes(INFO), b"").strings) == 4
    assert fresh.run("ecdh", x, y).strings == (model.secret(3, model.point(x, y)),)


@WHOLE
def test_no_error_hands_anything_out(fresh: SchemeDevice, model: Model) -> None:
    """Random strings in place of every input: an error or an answer, and never both."""
    rng, (x, y) = random.Random(9), model.public(5)
    load(fresh, model, 3, 4)
    shapes = {
        "ecdh": (x, y),
        "decapsulate": (x, y, bytes(32)),
        "ecies-decrypt": (x, y, bytes(40), bytes(32), bytes(8), bytes(8)),
        "ecies-xor-decrypt": (x, y, bytes(40), bytes(32), bytes(8), bytes(8)),
        "ecmqv": (x, y, x, y),
        "verify-sha1": (x, y, bytes(20), model.scalar(1), model.scalar(1)),
    }
    for operation, good in shapes.items():
        for at, string in enumerate(good):
            strings = [*good[:at], rng.randbytes(len(string)), *good[at + 1 :]]
            try:
                fresh.run(operation, *strings)
            except CoreError:
                continue
            assert operation == "ecdh"
            assert model.curve.contains(model.point(strings[0], strings[1]))
