# SPDX-License-Identifier: Apache-2.0
"""X25519 on the word engine, through the RTL: RFC 7748, Wycheproof, libcrypto, corner points."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ecsm.curves import CURVE25519
from ecsm.device.schemes import SchemeDevice
from ecsm.oracle import rawkeys
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.word.program import word_program
from ecsm.status import LowOrderPoint, NoKey, Status, Unsupported
from tests import vectors
from tests.rtl.symmetric.model import HmacDrbg
from tests.schemes.conftest import SEED
from tests.schemes.word_units import Units

NAMES = ("word-prime-x25519", "word-prime-x25519-none")
BASE = (9).to_bytes(32, "little")
C = CURVE25519
AIM = 320_000  # cycles of an agreement that is not protected
# Source: RFC 7748, 5.2 (after one and after 1,000 iterations) and 6.1.
ITERATED = {
    1: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
    1000: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
}
ALICE = (
    "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
    "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
)
BOB = (
    "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
    "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
)
SHARED = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
OTHERS = ("word-dual-x25519", "word-full-x25519")  # of other netlists
DEVICES = [*NAMES, *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)]


@pytest.fixture(scope="module", params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[SchemeDevice]:
    with SchemeDevice(request.param) as made:
        yield made


def x25519(device: SchemeDevice, k: bytes, u: bytes) -> bytes:
    """The function of RFC 7748; zeros where the engine refuses the point."""
    device.run("load", k)
    try:
        (found,) = device.run("x25519", u).strings
    except LowOrderPoint:
        return bytes(32)
    return found


def test_the_functions_of_rfc_7748(device: SchemeDevice) -> None:
    for case in vectors.rfc7748_cases():
        assert x25519(device, case.k, case.u) == case.shared, case.name


def test_the_agreement_of_rfc_7748(device: SchemeDevice) -> None:
    for (private, public), (_, other) in ((ALICE, BOB), (BOB, ALICE)):
        device.run("load", bytes.fromhex(private))
        assert device.run("public").strings == (bytes.fromhex(public),)
        assert device.run("x25519", bytes.fromhex(other)).strings == (bytes.fromhex(SHARED),)


def iterated(device: SchemeDevice, times: int) -> str:
    """Source: RFC 7748, 5.2."""
    k = u = BASE
    for _ in range(times):
        k, u = x25519(device, k, u), k
    return k.hex()


def test_one_iteration(device: SchemeDevice) -> None:
    assert iterated(device, 1) == ITERATED[1]


@pytest.mark.slow
def test_a_thousand_iterations(device: SchemeDevice) -> None:
    assert iterated(device, 1000) == ITERATED[1000]


def test_some_of_wycheproof(device: SchemeDevice) -> None:
    """Points of the twist, of small order, not reduced: those with a comment, and some others."""
    cases = vectors.wycheproof_x25519()
    for case in [c for i, c in enumerate(cases) if i % 16 == 3 or not any(c.shared)]:
        assert x25519(device, case.k, case.u) == case.shared, case.name


@pytest.mark.slow
def test_all_of_wycheproof(device: SchemeDevice) -> None:
    for case in vectors.wycheproof_x25519():
        assert x25519(device, case.k, case.u) == case.shared, case.name


def test_random_keys_and_points(device: SchemeDevice) -> None:
    """Any 32 octets are a key, and any are a point."""
    rng, sides = random.Random(7), set()
    for slot in (0, 1, 2, 3):
        k, u = rng.randbytes(32), rng.randbytes(32)
        device.run("load", k, slot=slot)
        assert device.run("public", slot=slot).strings == (rawkeys.x25519(k, BASE),)
        assert device.run("x25519", u, slot=slot).strings == (rawkeys.x25519(k, u),)
        number = int.from_bytes(u, "little") % (1 << 255)
        sides.add(pow(C.square(number), (C.p - 1) // 2, C.p) == 1)
    assert sides == {True, False}


POINTS = {
    0, 1, C.p - 1, C.p, C.p + 1, (1 << 255) - 1, 1 << 255, (1 << 256) - 1, 2, 9, C.p - 2,
    325606250916557431795983626356110631294008115727848805560023387167927233504,  # of order 8
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
}  # fmt: skip
"""Source of those of order 8: D. Bernstein, Curve25519: https://cr.yp.to/ecdh.html."""


def test_corners_of_points(device: SchemeDevice) -> None:
    """Small orders, numbers that are not reduced, the bit that does not count, both sides."""
    k = bytes(range(32))
    low = 0
    for u in sorted(POINTS):
        string = u.to_bytes(32, "little")
        want = C.multiple(C.decode_scalar(int.from_bytes(k, "little")), (u, 0))
        assert want
        assert x25519(device, k, string) == C.encode(want), u
        low += want == (0, 0)
    assert low == 8


KEYS = [bytes(32), bytes([255] * 32), bytes([7] + [0] * 31), bytes([0] * 31 + [128]), BASE]


def test_every_key_takes_the_same_cycles(device: SchemeDevice) -> None:
    cycles = dict[str, set[int]]()
    for k in (*KEYS, *(random.Random(i).randbytes(32) for i in range(3))):
        cycles.setdefault("load", set()).add(device.run("load", k).cycles)
        for operation, strings in (("public", ()), ("x25519", (BOB,))):
            given = [bytes.fromhex(string[1]) for string in strings]
            result = device.run(operation, *given)
            want = rawkeys.x25519(k, *(given or [BASE]))
            assert result.strings == (want,)
            cycles.setdefault(operation, set()).add(result.cycles)
    assert {op: len(found) for op, found in cycles.items()} == {"load": 1, "public": 1, "x25519": 1}


def test_both_sides_take_the_same_cycles(device: SchemeDevice) -> None:
    device.run("load", KEYS[4])
    curve, twist = ((u).to_bytes(32, "little") for u in (9, 2))
    assert device.run("x25519", curve).cycles == device.run("x25519", twist).cycles


def test_a_key_is_generated(device: SchemeDevice) -> None:
    """The first 32 octets of the generator's."""
    device.zeroize(reset=True)
    device.samples(SEED)
    device.run("seed-test")
    for drbg in [HmacDrbg("sha256", SEED)]:
        for slot in (0, 3):
            k = drbg.generate(32)
            (public,) = device.run("generate", slot=slot).strings
            assert public == rawkeys.x25519(k, BASE) == device.run("public", slot=slot).strings[0]
            u = rawkeys.x25519(KEYS[3], BASE)
            assert device.run("x25519", u, slot=slot).strings == (rawkeys.x25519(k, u),)


def test_what_is_refused(device: SchemeDevice) -> None:
    device.zeroize(reset=True)
    for operation, strings in (("public", ()), ("x25519", (BASE,))):
        with pytest.raises(NoKey):
            device.run(operation, *strings)
    device.run("load", KEYS[1])
    for operation in ("load", "x25519"):
        for wrong in (b"", bytes(31), bytes(33), bytes(64)):
            with pytest.raises(Unsupported):
                device.run(operation, wrong)
    with pytest.raises(Unsupported):
        device.run_number(device.program.number("x25519"), BASE, flags=1)
    numbers = {device.program.number(o) for o in device.operations}
    for number in set(range(63)) - numbers:
        with pytest.raises(Unsupported):
            device.run_number(number)
    assert device.run("x25519", BASE).strings == (rawkeys.x25519(KEYS[1], BASE),)
    device.run("forget")
    with pytest.raises(NoKey):
        device.run("public")


@pytest.mark.parametrize("name", NAMES)
def test_the_model_runs_the_same_words(name: str) -> None:
    program, units = word_program(WORD_PRESETS[name]), Units()
    engine = program.built.engine()
    u = bytes.fromhex(BOB[1])
    for operation, strings, want in (
        ("load", [bytes.fromhex(ALICE[0])], ()), ("public", [], (bytes.fromhex(ALICE[1]),)),
        ("x25519", [u], (bytes.fromhex(SHARED),)), ("x25519", [bytes(32)], ()),
    ):  # fmt: skip
        units.begin(*strings, flags=0)
        status = Status.LOW_ORDER_POINT if strings == [bytes(32)] else Status.OK
        assert engine.run(program.number(operation), units) == status, operation
        assert tuple(units.out) == want
        assert not any(engine.memory[engine.work :])


def test_parts_of_a_key_are_new_ones_after_each_use() -> None:
    """And their sum, an integer, is the decoded key."""
    program, units = word_program(WORD_PRESETS["word-prime-x25519"]), Units()
    engine = program.built.engine()
    k = bytes(range(32))
    seen = set[tuple[int, ...]]()

    def number(at: int) -> int:
        words = engine.memory[at * engine.stride :][:9]
        value = sum(w << 32 * i for i, w in enumerate(words))
        return value - (value >> 287 << 288)

    for operation, strings in (("load", [k]), ("public", []), ("x25519", [BASE])):
        units.begin(*strings, flags=0)
        assert engine.run(program.number(operation), units) == Status.OK
        parts = tuple(number(engine.key + 4 * i) for i in range(2))
        assert sum(parts) == C.decode_scalar(int.from_bytes(k, "little"))
        assert parts[0] > 1 << 256
        seen.add(parts)
    assert len(seen) == 3


def test_a_key_takes_the_cycles_that_are_aimed_at() -> None:
    with SchemeDevice(NAMES[1]) as device:
        device.run("load", KEYS[1])
        result = device.run("x25519", BASE)
    assert result.strings == (rawkeys.x25519(KEYS[1], BASE),)
    assert result.cycles <= AIM
