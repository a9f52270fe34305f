# SPDX-License-Identifier: Apache-2.0
"""The operations of Ed25519 on the word engine: what each computes, step by step.

Strings are those of RFC 8032: keys of 32 octets, signatures of 64. With the flag PREHASHED a
signature is Ed25519ph's, without a context, and the message is its digest by SHA-512.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from ecsm.schedule.sequential.words import Command, Condition, Order, Port
from ecsm.schemes.options import PREHASHED
from ecsm.schemes.word import operations as common
from ecsm.schemes.word.ed25519 import BLOCK, DIGEST_512, DOMAIN, HASH, LENGTH, PREFIXES, Edwards
from ecsm.schemes.word.octets import STRING
from ecsm.schemes.word.operations import ANSWER, PAIR
from ecsm.status import Status

Text = Callable[[Edwards], None]


def load(m: Edwards) -> None:
    """From the host a private key into the slot: any string is one."""
    m.take(m.d, STRING, "private key")
    _load(m)
    m.end()


def _load(m: Edwards) -> None:
    """Put the private key d into the slot, and its public key, which e is then."""
    m.a.call(m.keep)
    m.public_point()
    m.keep_public()
    m.command(Command.KEY, 1)


def forget(m: Edwards) -> None:
    """Empty the slot."""
    m.copy(m.e, m.zero)
    m.keep_public()
    common.forget(m)


def generate(m: Edwards) -> None:
    """A random private key into the slot; to the host the public key.

    It is computed twice, and both must be one.
    """
    m.a.call(m.draw)
    m.stir()
    m.copy(m.more, m.drawn, "private key")
    m.copy(m.d, m.more)
    m.public_point()
    m.copy(m.V, m.e)
    m.copy(m.d, m.more)
    m.public_point()
    m.differ(m.V, m.e, m.fail(Status.FAULT_DETECTED), PAIR)
    m.copy(m.d, m.drawn)
    m.a.call(m.keep)
    m.copy(m.e, m.V)
    m.keep_public()
    m.command(Command.KEY, 1)
    m.give(m.e, STRING, "public key")
    m.end()


def public(m: Edwards) -> None:
    """To the host the public key of the slot's key."""
    m.need_key()
    m.public_key()
    m.give(m.e, STRING, "public key")
    m.end()


def sign(m: Edwards) -> None:
    """From the host the message; to the host the signature. Source: RFC 8032, 5.1.6."""
    a = m.a
    m.need_key()
    parts = m.parts()
    m.copy(m.d, parts[0], "private key")
    for part in parts[1:]:
        a.move("sum", m.d, m.d, part)
    kept, plain = a.label(), a.label()
    m.jump(plain, Condition.OPTIONS, PREHASHED, negate=True)
    m.take(m.text, DIGEST_512, "digest")
    m.go(kept)
    a.place(plain)
    a.call(m.read_message)
    a.place(kept)
    a.call(m.expand)
    _hash(m, m.V, [m.K])
    low, high = m.reduced(m.V)
    m.copy(m.K, low)
    m.copy(m.V, high)
    if m.preset.protected:
        m.copy(m.part[0], m.K)
        m.copy(m.part[1], m.V)
    else:
        a.move("sum", m.part[0], m.K, m.V)
        m.again(m.part[0])
    with m.counted():
        a.call(m.base)
        a.call(m.encode)
    m.copy(m.more, m.e, "R")
    m.public_key()
    _hash(m, m.part[0], [m.more, m.e])
    low, high = m.reduced(m.part[0], form=True)
    a.move("sum", m.e, low, high, note="k")
    if m.preset.protected:
        a.call(m.mask)
        a.move("sum", m.part[0], m.d, m.T, note="parts of the scalar")
        a.move("difference", m.part[1], m.zero, m.T)
        scalars = m.part
    else:
        scalars = [m.d]
    a.move("sum", m.K, m.K, m.V, note="r")
    for part in scalars:
        m.again(part)
        m.product(m.V, m.e, part, "k s, or a part of it")
        a.move("sum", m.K, m.K, m.V)
        m.between()
    m.modulo(m.d, m.K, "S")
    m.turned(m.part[0], m.d)
    m.turned(m.e, m.more)
    m.turned(m.part[0], m.e, to=8)
    m.same_slot()
    m.give(m.part[0], 2 * STRING, "R and S")
    m.end()


def _hash(m: Edwards, to: int, before: list[int]) -> None:
    """Let a number be the hash of strings of 32 octets and the message that is kept."""
    a, h, prefix = m.a, m.hash[HASH], STRING * len(before)
    plain, done = a.label(), a.label()
    m.jump(plain, Condition.OPTIONS, PREHASHED, negate=True)
    m.begin_hash(prehashed=True)
    for number in before:
        h.send(number, STRING)
    h.send(m.text, DIGEST_512)
    h.pad(len(DOMAIN) + prefix + DIGEST_512)
    m.go(done)
    a.place(plain)
    m.begin_hash(prehashed=False)
    for number in before:
        h.send(number, STRING)
    a.call(m.send_message[prefix])
    a.place(done)
    h.read(to)


def verify(m: Edwards) -> None:
    """From the host the public key, the signature and the message. No secret is in it.

    A message may have any length. The encoding of [S]B - [k]A must be the signature's R: without
    the cofactor. Source: RFC 8032, 5.1.7; 5.1.3 for what is no point.
    """
    a, pts, h, signature = m.a, m.points, m.hash[HASH], m.K
    invalid = m.fail(Status.SIGNATURE_INVALID)
    plain, hashed = a.label(), a.label()
    m.take(m.e, STRING, "public key")
    m.take(signature, 2 * STRING, "signature")
    m.jump(plain, Condition.OPTIONS, PREHASHED, negate=True)
    m.take(m.text, DIGEST_512, "digest")
    m.begin_hash(prehashed=True)
    _before(m)
    h.send(m.text, DIGEST_512)
    h.pad(len(DOMAIN) + PREFIXES[1] + DIGEST_512)
    m.go(hashed)
    a.place(plain)
    m.begin_hash(prehashed=False)
    _before(m)
    _stream(m)
    a.place(hashed)
    h.read(m.V)
    low, high = m.reduced(m.V)
    a.move("sum", m.V, low, high)
    m.modulo(pts.k, m.V, "k")
    m.turned(m.d, signature)
    pts.in_range(m.d, m.n, invalid)
    m.go(m.check)


def _check(m: Edwards) -> None:
    """Answer whether the encoding of [d]B - [k]A is R: A is the string e, R is in K."""
    a, pts, invalid = m.a, m.points, m.fail(Status.SIGNATURE_INVALID)
    _decode(m, invalid)
    pts.public_product()
    kept = pts.table[1]
    pts.entry_of_s(kept, "k times the point")
    pts.cut_comb(m.d, pts.cut)
    pts.comb_product([pts.cut], None, pts.look_comb_entry)
    for d, v in zip(pts.q, kept, strict=True):
        m.copy(d, v)
    a.call(pts.add_point)
    a.call(m.encode)
    m.turned(m.d, m.K, first=8)
    m.turned(m.d, m.d)
    m.differ(m.d, m.e, invalid)
    m.end()


def self_test(m: Edwards) -> None:
    """Compute a public key that is known, and check a signature; there is no input.

    The answer is FAULT_DETECTED or SIGNATURE_INVALID if they differ. k is a number that is at hand,
    R the public key. Keys and the random state stay. Source: :mod:`.known`.
    """
    m.known_key()
    m.copy(m.d, m.drawn)
    m.public_point()
    m.differ(m.known, m.e, m.fail(Status.FAULT_DETECTED), ANSWER)
    m.copy(m.e, m.known)
    m.turned(m.d, m.known)
    m.turned(m.K, m.d, to=8)
    m.copy(m.d, m.known_s)
    m.copy(m.points.k, m.square)
    m.a.place(m.check)
    _check(m)


def _before(m: Edwards) -> None:
    """Send R and the public key to the hash."""
    m.a.transfer(Order.OUT, m.K, STRING, Port.HASH, "R", first=8)
    m.hash[HASH].send(m.e, STRING)


def _stream(m: Edwards) -> None:
    """Send a message of any length, and what ends a hash of 64 octets and it.

    It comes in halves of blocks: first the second half of the one that is begun.
    """
    a, h, bits, text, tail = m.a, m.hash[HASH], m.s, m.text, m.tail
    half = BLOCK // 2
    block_bits, _ = m.of_block[BLOCK]
    again, room, end, first = (a.label() for _ in range(4))
    m.copy(bits, m.prefix_bits[PREFIXES[1]])
    a.place(again)
    a.transfer(Order.IN, text, half - LENGTH, Port.MESSAGE)
    m.jump(room, Condition.ENDED)
    a.transfer(Order.IN, tail, LENGTH, Port.MESSAGE)
    h.send(text, half - LENGTH)
    h.send(tail, LENGTH)
    m.jump(first, Condition.ENDED)
    a.transfer(Order.IN, text, half, Port.MESSAGE)
    h.send(text, half)
    a.move("sum", bits, bits, block_bits, note="bits so far")
    m.jump(again, Condition.ENDED, negate=True)
    # The last octets are in the half before: their count is that of the block.
    a.move("difference", bits, bits, block_bits)
    h.zeros(half - LENGTH)
    m.go(end)
    a.place(first)
    h.zeros(BLOCK - LENGTH)
    m.go(end)
    a.place(room)
    h.send(text, half - LENGTH)
    a.place(end)
    a.transfer(Order.IN, m.r, 1, Port.LENGTH)
    for _ in range(3):
        a.move("sum", m.r, m.r, m.r, note="bits of the last octets")
    a.move("sum", bits, bits, m.r)
    h.zeros(LENGTH - 8)
    h.send(bits, 8)


def _decode(m: Edwards, invalid: int) -> None:
    """Let s be the opposite of the point of the string e; answer if it is none."""
    a, pts = m.a, m.points
    x, y, z, t = pts.s
    sign, number = m.r, m.s
    done, nonzero = a.label(), a.label()
    m.turned(number, m.e)
    m.low_bits(y, number, 8 * STRING - 1)
    a.move("difference", sign, number, y, note="the sign of x")
    pts.in_range(y, pts.p, invalid)
    pts.root_of(invalid)
    # x = 0 has no other sign; the flag is of x.
    m.jump(nonzero, negate=True)
    m.differ(sign, m.zero, invalid)
    a.place(nonzero)
    m.top_bit(number, x)
    m.differ(number, sign, done)
    a.move("difference", x, m.zero, x, note="the opposite point")
    a.place(done)
    m.copy(z, pts.one)
    a.move("product", t, x, y)


def operations(hashes: Collection[str]) -> dict[str, Text]:
    """Return the operations by name; of hashes their digests."""
    found: dict[str, Text] = {
        "load": load,
        "forget": forget,
        **common.SEEDING,
        "generate": generate,
        "public": public,
        "sign-ed25519": sign,
        "verify-ed25519": verify,
        "self-test": self_test,
    }
    return found | {name: partial(common.digest, name=name) for name in hashes}
