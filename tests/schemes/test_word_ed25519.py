# SPDX-License-Identifier: Apache-2.0
"""Ed25519 on the word engine, through the RTL: its authors' vectors, RFC 8032, Wycheproof, corners.

Where a signature is of no file, pycryptodome made it, which has code of its own.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest
from Crypto.Hash import SHA512
from Crypto.Signature import eddsa

from ecsm.curves import EDWARDS25519, Point
from ecsm.device.schemes import SchemeDevice
from ecsm.oracle import rawkeys
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.lengths import ED25519_MESSAGE as MOST
from ecsm.schemes.options import PREHASHED
from ecsm.schemes.word.program import word_program
from ecsm.status import NoKey, SignatureInvalid, Status, Unsupported
from tests import vectors
from tests.rtl.symmetric.model import HmacDrbg
from tests.schemes.conftest import SEED
from tests.schemes.word_units import Units

NAMES = ("word-prime-ed25519", "word-prime-ed25519-none")
C = EDWARDS25519
KEYS = [bytes(32), bytes([255] * 32), bytes(range(32)), bytes([0] * 31 + [128])]
# Source: RFC 8032, 7.3.
PH = (
    "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41"
    "31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406",
)


@pytest.fixture(scope="module", params=NAMES)
def device(request: pytest.FixtureRequest) -> Iterator[SchemeDevice]:
    with SchemeDevice(request.param) as made:
        yield made


def public_of(k: bytes) -> bytes:
    return eddsa.import_private_key(k).public_key().export_key(format="raw")


def signed(k: bytes, message: bytes) -> bytes:
    return eddsa.new(eddsa.import_private_key(k), "rfc8032").sign(message)


def accepts(device: SchemeDevice, public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        device.run("verify-ed25519", public, signature, message)
    except SignatureInvalid:
        return False
    return True


def expected(case: vectors.EdCase) -> bool:
    """What libcrypto says where the file leaves it open."""
    if case.valid is None:
        return rawkeys.ed25519_verifies(case.public, case.signature, case.message)
    return case.valid


def both_ways(device: SchemeDevice, case: vectors.EdCase) -> None:
    device.run("load", case.private)
    assert device.run("public").strings == (case.public,)
    assert device.run("sign-ed25519", case.message).strings == (case.signature,), case.name
    assert accepts(device, case.public, case.signature, case.message), case.name
    wrong = bytearray(case.signature)
    at = len(case.message) % 64
    wrong[at] ^= 1 << at % 8
    assert not accepts(device, case.public, bytes(wrong), case.message), case.name


SOME = (0, 1, 2, 3, 47, 48, 63, 64, 79, 80, 111, 127, 128, 191, 192, 207, 208, 1023)


def test_the_vectors_of_its_authors(device: SchemeDevice) -> None:
    """At the lengths where a hash has a block more; RFC 8032's are the first and the last."""
    cases = vectors.ed25519_cases()
    for length in SOME if device.machine.name == NAMES[0] else SOME[::4]:
        assert len(cases[length].message) == length
        both_ways(device, cases[length])


@pytest.mark.slow
def test_all_vectors_of_its_authors(device: SchemeDevice) -> None:
    for case in vectors.ed25519_cases():
        both_ways(device, case)


def test_some_of_wycheproof(device: SchemeDevice) -> None:
    cases = vectors.wycheproof_ed25519()
    found = {True: 0, False: 0}
    for case in cases[device.machine.name == NAMES[0] :: 4]:
        if len(case.signature) != 64:
            with pytest.raises(Unsupported):
                device.run("verify-ed25519", case.public, case.signature, case.message)
            continue
        want = expected(case)
        assert accepts(device, case.public, case.signature, case.message) == want, case.name
        found[want] += 1
    assert min(found.values()) > 10


@pytest.mark.slow
def test_all_of_wycheproof(device: SchemeDevice) -> None:
    for case in vectors.wycheproof_ed25519():
        if len(case.signature) == 64:
            valid = accepts(device, case.public, case.signature, case.message)
            assert valid == expected(case), case.name


def test_the_signature_of_a_digest(device: SchemeDevice) -> None:
    private, public, signature = (bytes.fromhex(text) for text in PH)
    device.run("load", private)
    digest = hashlib.sha512(b"abc").digest()
    assert device.run("public").strings == (public,)
    assert device.run("sign-ed25519", digest, flags=PREHASHED).strings == (signature,)
    device.run("verify-ed25519", public, signature, digest, flags=PREHASHED)
    for given, flags in ((digest, 0), (hashlib.sha512(b"abd").digest(), PREHASHED)):
        with pytest.raises(SignatureInvalid):
            device.run("verify-ed25519", public, signature, given, flags=flags)
    for wrong in (b"", digest[1:], digest + b"\0"):
        with pytest.raises(Unsupported):
            device.run("sign-ed25519", wrong, flags=PREHASHED)
        with pytest.raises(Unsupported):
            device.run("verify-ed25519", public, signature, wrong, flags=PREHASHED)
    rng = random.Random(3)
    for key in KEYS[:2]:
        message = rng.randbytes(300)
        device.run("load", key)
        want = eddsa.new(eddsa.import_private_key(key), "rfc8032").sign(SHA512.new(message))
        digest = hashlib.sha512(message).digest()
        assert device.run("sign-ed25519", digest, flags=PREHASHED).strings == (want,)
        device.run("verify-ed25519", public_of(key), want, digest, flags=PREHASHED)


def test_messages_that_are_long(device: SchemeDevice) -> None:
    """A signature of one that is too long for the memory is refused; a verification is not."""
    rng, key = random.Random(5), KEYS[2]
    device.run("load", key, slot=2)
    for length in (MOST - 129, MOST - 128, MOST - 1, MOST):
        message = rng.randbytes(length)
        assert device.run("sign-ed25519", message, slot=2).strings == (signed(key, message),)
    for length in (MOST + 1, MOST + 2, 5000):
        with pytest.raises(Unsupported):
            device.run("sign-ed25519", rng.randbytes(length), slot=2)
    for length in (MOST + 1, 10_000, 70_001):
        message = rng.randbytes(length)
        signature = signed(key, message)
        assert accepts(device, public_of(key), signature, message)
        assert not accepts(device, public_of(key), signature, message[:-1])


def encoded(point: Point) -> bytes:
    return C.encode(point)


def hashed(r: bytes, a: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % C.n


def torsion() -> list[Point]:
    """The eight points whose order divides eight."""
    x = 0
    while True:
        x += 1
        if (point := C.lift_x(x)) and C.mul(4 * C.n, point) != C.neutral:
            generator = C.mul(C.n, point)
            return [C.mul(i, generator) for i in range(8)]


def test_points_of_small_order_and_with_a_part_of_it(device: SchemeDevice) -> None:
    """[S]B - [k]A must be R itself: without the cofactor, as OpenSSL has it."""
    rng, base = random.Random(9), C.generator
    results = {True: 0, False: 0}
    for i, part in enumerate(torsion()):
        assert part
        for private in (0, 5 + i):
            point = C.add(C.mul(private, base) if private else C.neutral, part)
            a, r = encoded(point), rng.randrange(C.n)
            big = encoded(C.mul(r, base))
            for message in (bytes([i, j]) for j in range(3)):
                k = hashed(big, a, message)
                s = (r + k * private) % C.n
                signature = big + s.to_bytes(32, "little")
                want = C.mul(k, part) == C.neutral
                assert accepts(device, a, signature, message) == want
                results[want] += 1
    assert min(results.values()) >= 6
    # R of small order too: S = 0, A and R neutral.
    neutral = encoded(C.neutral)
    assert accepts(device, neutral, neutral + bytes(32), b"anything")


def test_encodings_that_are_refused(device: SchemeDevice) -> None:
    """Of A and of R: not reduced, no point, a sign of x = 0; S that is not reduced."""
    one = (1).to_bytes(32, "little")
    neutral, message = encoded(C.neutral), b"anything"
    assert neutral == one
    good = neutral + bytes(32)
    assert accepts(device, neutral, good, message)
    none = next(y for y in range(2, 99) if C._root(y * y - 1, 1 + C.d * y * y) is None)
    wrong = [(C.p + 1).to_bytes(32, "little"), (1 | 1 << 255).to_bytes(32, "little"),
             (C.p - 1 | 1 << 255).to_bytes(32, "little"), none.to_bytes(32, "little"),
             (C.p).to_bytes(32, "little"), bytes([255] * 32)]  # fmt: skip
    for octets in wrong:
        assert not accepts(device, octets, good, message), octets.hex()
        assert not accepts(device, neutral, octets + bytes(32), message), octets.hex()
    for s in (C.n, 2 * C.n, 8 * C.n, (1 << 256) - 1, 1 << 255, C.n - 1, 1):
        assert not accepts(device, neutral, neutral + s.to_bytes(32, "little"), message), s
    key = KEYS[2]
    signature = signed(key, message)
    more = int.from_bytes(signature[32:], "little") + C.n
    assert accepts(device, public_of(key), signature, message)
    assert not accepts(
        device, public_of(key), signature[:32] + more.to_bytes(32, "little"), message
    )


def test_every_key_takes_the_same_cycles(device: SchemeDevice) -> None:
    """And so does every message of one length."""
    cycles, rng = dict[str, set[int]](), random.Random(1)
    for k in (*KEYS, *(rng.randbytes(32) for _ in range(4))):
        cycles.setdefault("load", set()).add(device.run("load", k).cycles)
        message = rng.randbytes(100)
        for operation, strings in (("public", ()), ("sign-ed25519", (message,))):
            result = device.run(operation, *strings)
            want = signed(k, message) if strings else public_of(k)
            assert result.strings == (want,)
            cycles.setdefault(operation, set()).add(result.cycles)
    assert [len(found) for found in cycles.values()] == [1, 1, 1]


def test_a_key_is_generated(device: SchemeDevice) -> None:
    """The first 32 octets of the generator's."""
    device.zeroize(reset=True)
    device.samples(SEED)
    device.run("seed-test")
    drbg = HmacDrbg("sha256", SEED)
    for slot in (1, 2):
        k = drbg.generate(32)
        assert device.run("generate", slot=slot).strings == (public_of(k),)
        assert device.run("public", slot=slot).strings == (public_of(k),)
        message = b"made inside"
        assert device.run("sign-ed25519", message, slot=slot).strings == (signed(k, message),)


def test_what_is_refused(device: SchemeDevice) -> None:
    device.zeroize(reset=True)
    for operation, strings in (("public", ()), ("sign-ed25519", (b"",))):
        with pytest.raises(NoKey):
            device.run(operation, *strings)
    device.run("load", KEYS[1])
    for wrong in (b"", bytes(31), bytes(33)):
        with pytest.raises(Unsupported):
            device.run("load", wrong)
        with pytest.raises(Unsupported):
            device.run("verify-ed25519", wrong, bytes(64), b"")
    for wrong in (b"", bytes(63), bytes(65)):
        with pytest.raises(Unsupported):
            device.run("verify-ed25519", public_of(KEYS[1]), wrong, b"")
    for operation in ("sign-ed25519", "verify-ed25519"):
        with pytest.raises(Unsupported):
            device.run_number(device.program.number(operation), b"", b"", b"", flags=2)
    numbers = {device.program.number(o) for o in device.operations}
    assert len(numbers) == len(device.operations)
    for number in set(range(63)) - numbers:
        with pytest.raises(Unsupported):
            device.run_number(number)
    assert device.run("sign-ed25519", b"x").strings == (signed(KEYS[1], b"x"),)
    device.run("forget")
    with pytest.raises(NoKey):
        device.run("sign-ed25519", b"x")


def test_digests(device: SchemeDevice) -> None:
    for name in ("sha256", "sha384", "sha512"):
        message = random.Random(3).randbytes(333)
        assert device.run(name, message).strings == (hashlib.new(name, message).digest(),)


@pytest.mark.parametrize("name", NAMES)
def test_the_model_runs_the_same_words(name: str) -> None:
    program, units = word_program(WORD_PRESETS[name]), Units()
    engine, k = program.built.engine(), KEYS[2]
    signature = signed(k, b"abc")
    for operation, strings, flags, want in (
        ("load", [k], 0, ()), ("public", [], 0, (public_of(k),)),
        ("sign-ed25519", [b"abc"], 0, (signature,)),
        ("verify-ed25519", [public_of(k), signature, b"abc"], 0, ()),
    ):  # fmt: skip
        units.begin(*strings, flags=flags)
        assert engine.run(program.number(operation), units) == Status.OK, operation
        assert tuple(units.out) == want
        assert not any(engine.memory[engine.work :])


def test_parts_of_a_key_are_new_ones_after_each_use() -> None:
    """And their sum, an integer, is the private key; a key that is forgotten leaves nothing."""
    program, units = word_program(WORD_PRESETS[NAMES[0]]), Units()
    engine, seen = program.built.engine(), set[tuple[int, ...]]()

    def number(at: int, words: int) -> int:
        first = at * engine.stride
        value = sum(w << 32 * i for i, w in enumerate(engine.memory[first : first + words]))
        return value - (value >> 32 * words - 1 << 32 * words)

    for operation, strings in (("load", [KEYS[2]]), ("sign-ed25519", [b"1"]), ("forget", [])):
        units.begin(*strings, flags=0)
        assert engine.run(program.number(operation), units) == Status.OK
        if operation != "forget":
            parts = tuple(number(engine.key + 4 * i, 9) for i in range(2))
            assert sum(parts) == int.from_bytes(KEYS[2], "big")
            seen.add(parts)
    assert len(seen) == 2
    assert number(engine.key, 17) == number(engine.key + 4, 17) == 0
