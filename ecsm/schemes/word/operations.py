# SPDX-License-Identifier: Apache-2.0
"""The operations of the word engine: what each computes, step by step.

They take and give the strings of the scheme machine's operations of the same name, with the same
statuses (docs/guide/statuses.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from ecsm.schedule.sequential.words import Capture, Command, Condition, Order, Port
from ecsm.schemes.options import HEDGED
from ecsm.schemes.word.hashing import HASHES
from ecsm.schemes.word.machine import DRAWS, SEEDS, Machine
from ecsm.schemes.word.weierstrass import FAULT, Weierstrass
from ecsm.status import Status

AGAIN = "a nonce or a key that is drawn again says nothing of the one that is taken"
PAIR = "the two products of a key pair are one point, but for a fault"
SIGNATURE = "r and s are handed out"
RELATION = "s k is e + r d, but for a fault"
RANGE = "whether a key is in range is the answer"
ANSWER = "what is computed is known"


def load(m: Weierstrass) -> None:
    """From the host a private key into the slot."""
    m.take(m.d, m.octets, "private key")
    m.in_order(m.d, m.fail(Status.SCALAR_OUT_OF_RANGE), RANGE)
    m.a.call(m.keep)
    m.command(Command.KEY, 1)
    m.end()


def forget(m: Machine) -> None:
    """Empty the slot."""
    m.copy(m.key, m.zero)
    m.copy(m.other_key, m.zero)
    m.command(Command.KEY, 0)
    m.end()


def seed_test(m: Machine) -> None:
    """Seed the random generator for a test, from test samples."""
    m.abort(Status.UNSUPPORTED, Condition.SECRETS)
    m.command(Command.TEST, 1)
    m.copy(m.r, m.unit, "a test")
    m.go(m.seeding)


def seed(m: Machine) -> None:
    """Seed the random generator, from noise."""
    a = m.a
    m.command(Command.TEST, 0)
    a.place(m.seeding)
    m.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
    m.command(Command.SEED, 0)
    m.of_test(*(partial(a.transfer, Order.IN, m.text, n, Port.NOISE) for n in SEEDS))
    m.abort(Status.NO_ENTROPY, Condition.NO_ENTROPY)
    hashing = m.generator
    hashing.instantiate(lambda: m.of_test(*(partial(hashing.padded, (m.text, n)) for n in SEEDS)))
    m.copy_state(m.random_key, m.K)
    m.copy_state(m.random_value, m.V)
    m.copy(m.draws, m.unit)
    a.move("sum", m.draws, m.draws, immediate=DRAWS.bit_length() - 2, note=f"{DRAWS} draws")
    m.command(Command.SEED, 1)
    m.end()


def generate(m: Weierstrass) -> None:
    """A random private key into the slot; to the host the public key's x and y.

    Both products of the pairwise check must be one point. Source: FIPS 186-5, A.2.2.
    """
    again = m.a.here()
    m.a.call(m.draw)
    m.copy(m.d, m.r)
    m.in_order(m.d, again, AGAIN)
    m.stir()
    x, y, _ = m.points.s
    for check in range(2):
        m.base_point([m.d])
        if check:
            bad = m.fail(Status.FAULT_DETECTED)
            m.differ(x, m.e, bad, PAIR)
            m.differ(y, m.r, bad, PAIR)
        else:
            m.copy(m.e, x)
            m.copy(m.r, y)
    m.a.call(m.keep)
    m.command(Command.KEY, 1)
    m.give_point()


def public(m: Weierstrass) -> None:
    """To the host the public key of the slot's key: x and y."""
    m.need_key()
    m.base_point(m.parts())
    m.same_slot()
    m.give_point()


def agree(m: Weierstrass) -> None:
    """From the host a point Q; to the host the x of d Q. Source: SEC 1, 3.3.1.

    Where the curve has a cofactor, n Q must be infinity.
    """
    m.need_key()
    m.point()
    m.a.call(m.use_point)
    m.require_group()
    m.kp(m.parts())
    _give_secret(m)


def agree_cofactor(m: Weierstrass) -> None:
    """From the host a point Q; to the host the x of h d Q. Source: SEC 1, 3.3.2."""
    m.need_key()
    m.point()
    m.a.call(m.use_point)
    m.cofactor_kp(m.parts())
    _give_secret(m)


def _give_secret(m: Weierstrass) -> None:
    """Hand out the x of the last product."""
    m.infinite(Status.LOW_ORDER_POINT, FAULT)
    m.same_slot()
    m.give(m.points.s[0], m.points.octets, "x")
    m.end()


def digest(m: Machine, name: str) -> None:
    """From the host a message of any length; to the host its digest.

    Source: FIPS 180-4, 5.1 and 6.
    """
    a, count, octets, hashing = m.a, m.e, m.r, m.hash[name]
    h, (block_bits, most_tail) = hashing.h, m.of_block[hashing.h.block]
    last, room = a.label(), a.label()
    hashing.begin()
    again = a.here()
    a.transfer(Order.IN, m.text, h.head, Port.MESSAGE)
    a.transfer(Order.IN, m.tail, h.length, Port.MESSAGE)
    m.jump(last, Condition.ENDED)
    hashing.send(m.text, h.head)
    hashing.send(m.tail, h.length)
    a.move("sum", count, count, block_bits, note="bits so far")
    m.go(again)
    a.place(last)
    a.transfer(Order.IN, octets, 1, Port.LENGTH)
    m.copy(m.s, octets)
    for _ in range(3):
        a.move("sum", m.s, m.s, m.s, note="bits of the last ones")
    a.move("sum", count, count, m.s)
    a.move("difference", m.d, most_tail, octets, capture=Capture.SIGN, note="is there room")
    hashing.send(m.text, h.head)
    m.jump(room, negate=True)
    hashing.send(m.tail, h.length)
    hashing.zeros(h.head)
    a.place(room)
    hashing.zeros(h.length - 8)
    hashing.send(count, 8)
    hashing.read(m.r)
    m.give(m.r, h.digest)
    m.end()


def _hashed(m: Weierstrass, name: str) -> None:
    """From the host a digest into e, as many bits as the order has. Source: SEC 1, 4.1.3, 5."""
    bits = 8 * HASHES[name].digest
    m.take(m.e, bits // 8, "digest")
    if bits > m.order_bits:
        m.shift(m.e, m.e, bits - m.order_bits, bits, "the first bits")


def sign(m: Weierstrass, name: str) -> None:
    """From the host the digest; to the host r, s. With the flag HEDGED the nonce is hedged.

    Source: SEC 1, 4.1.3; RFC 6979, 3.2 and 3.6.
    """
    a, pts, nonces = m.a, m.points, m.hash[name]
    m.need_key()
    _hashed(m, name)
    m.modulo(m.e, m.e, "digest")
    parts = m.parts()
    m.plain_key(m.d, parts)
    plain, begin, again = (a.label() for _ in range(3))
    m.jump(plain, Condition.OPTIONS, HEDGED, negate=True)
    a.call(m.draw)
    a.place(plain)
    a.call(m.nonce_seed[name])
    m.go(begin)
    a.place(again)
    a.call(nonces.refresh)
    a.place(begin)
    nonces.generate(m.nonce)
    m.in_order(m.nonce, again, AGAIN)
    m.base_point([m.nonce])
    m.modulo(m.r, pts.s[0], "r")
    m.jump(again, public=SIGNATURE)
    # With a random b: s = (b e + b r d) / (b k).
    m.random_factor()
    m.enter(m.s, m.nonce, "k")
    m.product(m.s, m.s, m.T, "b k")
    a.call(m.inverse)
    inverse = pts.q[2]
    m.copy(inverse, pts.free[0], "1/(b k)")
    a.call(m.share)
    m.product(m.d, m.d, inverse, "(e + r d) / k")
    m.modulo(m.s, m.d, "s")
    m.jump(again, public=SIGNATURE)
    if m.preset.protected:
        _look_again(m)
    m.same_slot()
    m.give(m.r, m.octets, "r")
    m.give(m.s, m.octets, "s")
    m.end()


def _look_again(m: Weierstrass) -> None:
    """Answer FAULT_DETECTED unless r is that of the nonce, and s k e + r d: both computed again.

    s k is last: r and s leave soon behind it, from one copy of the memory.
    """
    a, t, fault = m.a, m.points.free[0], m.fail(Status.FAULT_DETECTED)
    m.copy(m.apart, m.e, "e")
    m.again_base(fault)
    m.copy(m.e, m.apart, "e")
    m.random_factor()
    m.one_copy()
    a.call(m.share)
    m.enter(t, m.nonce, "k")
    m.product(t, t, m.T, "b k")
    m.product(t, m.s, t, "b k s")
    a.move("difference", t, t, m.d)
    a.call(m.canonical)
    m.jump(fault, negate=True, public=RELATION)


def verify(m: Weierstrass, name: str) -> None:
    """From the host the public key's x and y, the digest, r and s. No secret is in it.

    Source: SEC 1, 4.1.4.
    """
    invalid = m.fail(Status.SIGNATURE_INVALID)
    m.point()
    _hashed(m, name)
    for number, name in ((m.r, "r"), (m.s, "s")):
        m.take(number, m.octets, name)
        m.in_order(number, invalid)
    m.a.call(m.use_point)
    m.go(m.check_signature)


def self_test(m: Weierstrass) -> None:
    """Compute what is known and compare it; FAULT_DETECTED or SIGNATURE_INVALID if it differs.

    The nonces of all hashes: the first one's of a key of 1 and a digest of 1, each other one's of
    a key of 1 and the nonce before. Of the last one, k: both products of points; r, which is
    known; s of the key 1 and of a digest that makes s a number that is known; the check of that
    signature. There is no input. Keys and the random state stay. Source of r: :mod:`.known`.
    """
    a, pts, r, s, fault = m.a, m.points, m.known_r, m.square, m.fail(Status.FAULT_DETECTED)
    m.copy(m.d, m.unit, "private key")
    m.copy(m.e, m.unit, "digest")
    for i, (name, nonces) in enumerate(m.hash.items()):
        if i:
            m.copy(m.e, m.nonce)
        a.call(m.nonce_seed[name])
        nonces.generate(m.nonce)
        m.modulo(m.nonce, m.nonce, "nonce")
    m.base_point([m.nonce])
    m.copies((m.K, m.V), pts.s[:2])
    m.copies(pts.s[:2], pts.base)
    m.kp([m.nonce])
    m.differ(pts.s[0], m.K, fault, ANSWER)
    m.differ(pts.s[1], m.V, fault, ANSWER)
    m.differ(m.remainder(m.K, "r"), r, fault, ANSWER)
    m.enter(m.s, m.nonce, "k")
    m.product(m.e, m.s, s, "k s")
    a.move("difference", m.e, m.e, r, note="the digest")
    m.modulo(m.e, m.e, "digest")
    a.call(m.inverse)
    a.move("sum", m.d, m.e, r, note="e + r d")
    m.product(m.d, m.d, pts.free[0], "(e + r d) / k")
    m.differ(m.remainder(m.d, "s"), s, fault, ANSWER)
    m.copies(pts.s[:2], pts.base)
    m.copies((m.r, m.s), (r, s))
    m.go(m.check_signature)


Text = Callable[[Weierstrass], None]

SEEDING: dict[str, Callable[[Machine], None]] = {
    "seed": seed,
    "seed-test": seed_test,
}
"""Of every machine, by name."""
OPERATIONS: dict[str, Text] = {
    "load": load,
    "forget": forget,
    **SEEDING,
    "generate": generate,
    "public": public,
    "ecdh": agree,
    "ecdh-cofactor": agree,
    "self-test": self_test,
}
"""By name; those of hashes follow. Where a curve has no cofactor, both agreements are one."""


def operations(hashes: Collection[str]) -> dict[str, Text]:
    """Return the operations of an engine with these hashes, by name."""
    found = dict(OPERATIONS)
    for name in hashes:
        found[name] = partial(digest, name=name)
        found[f"sign-{name}"] = partial(sign, name=name)
        found[f"verify-{name}"] = partial(verify, name=name)
    return found


def operations_with_cofactor(hashes: Collection[str]) -> dict[str, Text]:
    """Return them for curves whose cofactor is not 1."""
    return operations(hashes) | {"ecdh-cofactor": agree_cofactor}
