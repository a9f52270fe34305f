# SPDX-License-Identifier: Apache-2.0
"""ECIES and EC-AES on the word engine: the strings, flags and statuses of the scheme machine.

See :mod:`ecsm.schemes.ecies`. The product comes first: what is to be sealed, or is, is taken into
the place of its numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from ecsm.schedule.sequential.words import Aes, Capture, Condition, Order, Port, Window
from ecsm.schemes.ecies import BLOCK, KEY, MESSAGE, SHORT_KEY, XOR_MESSAGE
from ecsm.schemes.options import CIPHER, CIPHERS, COFACTOR, KDF_HASH, MAC_HASH, hash_flags
from ecsm.schemes.word.encrypt import SECRET, ephemeral, take_point
from ecsm.schemes.word.hashing import Hash
from ecsm.schemes.word.psec import xor
from ecsm.schemes.word.text import CHUNK, SECOND, TOP, Texts
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import Status

TAG = "whether a tag is right is the answer"
CBC128, CBC256 = CIPHERS["aes128-cbc"], CIPHERS["aes256-cbc"]
STEP = 14  # numbers that are a little more than the words from the buffer's top to its lower part


def primitive(m: Weierstrass, parts: list[int]) -> None:
    """Let s be the product of SEC 1's primitive, plain, or with the flag COFACTOR.

    The plain one answers LOW_ORDER_POINT for a point outside the group of order n.
    Source: SEC 1, sections 3.3.1 and 3.3.2.
    """
    a, cofactor, done = m.a, m.a.label(), m.a.label()
    if m.curve.h > 1:
        m.jump(cofactor, Condition.OPTIONS, COFACTOR)
    m.require_group()
    m.kp(parts)
    if m.curve.h > 1:
        m.go(done)
        a.place(cofactor)
        m.cofactor_kp(parts)
        a.place(done)
    m.infinite(Status.LOW_ORDER_POINT, SECRET)


def _refuse_unknown(m: Weierstrass, xor_cipher: bool) -> None:
    """Answer UNSUPPORTED for a cipher or a hash that is none, or that the machine has not."""
    known = {mask: set(hash_flags(mask, tuple(m.hash))) for mask in (KDF_HASH, MAC_HASH)}
    if not xor_cipher:
        known[CIPHER] = set(CIPHERS.values())
    for mask, flags in known.items():
        step = mask & -mask
        if not {step, 2 * step} <= flags:
            for bit in {step, 2 * step} - flags:
                m.abort(Status.UNSUPPORTED, Condition.OPTIONS, bit)
            continue
        good = m.a.label()
        m.jump(good, Condition.OPTIONS, step, negate=True)
        m.abort(Status.UNSUPPORTED, Condition.OPTIONS, 2 * step)
        m.a.place(good)


def _point_before(m: Weierstrass, number: tuple[int, int]) -> None:
    """Let the point s be two numbers, which have been looked at."""
    m.copies(m.points.s[:2], number)
    m.a.call(m.use_point)


def _seal_secret(m: Weierstrass) -> None:
    """From the host Q; let s be the product of a random scalar and Q, and e, d that of G."""
    take_point(m, (m.e, m.d))
    ephemeral(m, m.K, (m.r, m.s))
    _point_before(m, (m.e, m.d))
    primitive(m, [m.K])
    m.copies((m.e, m.d), (m.r, m.s), "R")


def _open_secret(m: Weierstrass) -> None:
    """From the host R; let s be the product of the key and R."""
    m.need_key()
    m.point()
    m.a.call(m.use_point)
    primitive(m, m.parts())


def _key_of_derived(t: Texts, h: Hash, port: Port) -> None:
    """Send the key of the tag to the hash."""
    first = t.part_of_derived(KEY, h.digest)
    t.a.transfer(Order.OUT, t.derived, h.digest, port, "key", first)


def _key_of_stream(t: Texts, h: Hash, port: Port) -> None:
    """Send the key of the tag, which is behind as many octets as the message has, to the hash."""
    t.window(Window.TAIL, count=h.digest)
    t.top(CHUNK, SECOND)
    with t.a.repeat(XOR_MESSAGE // CHUNK + 1, counter=0):
        t.move(Order.OUT, CHUNK, port)
        t.down(CHUNK)


Key = Callable[[Texts, Hash, Port], None]


def _tag(t: Texts, key: Key, sealing: bool) -> None:
    """Let T be HMAC of the buffer and SharedInfo2. ``sealing``: the cipher's padding counts."""
    a, m = t.a, t.m

    def window() -> None:
        padded, done = a.label(), a.label()
        if not sealing:
            t.window()
            return
        m.jump(padded, Condition.OPTIONS, CIPHER)
        t.window()
        m.go(done)
        a.place(padded)
        t.window(Window.PAD)
        a.place(done)

    def each(h: Hash) -> None:
        hashing = m.hash[h.name]
        hashing.begin()
        key(t, h, Port.INNER)
        hashing.zeros(h.block - h.digest, Port.INNER)
        window()
        a.call(t.mac_text)
        m.copy_string(m.T, m.zero)
        hashing.read(m.T)
        hashing.begin()
        key(t, h, Port.OUTER)
        hashing.zeros(h.block - h.digest, Port.OUTER)
        hashing.send(m.T, h.digest)
        a.call(t.pad)
        hashing.read(m.T)

    t.by_hash(MAC_HASH, each)


def _by_cipher(t: Texts, short: Callable[[], None], long: Callable[[], None],
               ctr: Callable[[], None]) -> None:  # fmt: skip
    """Do what belongs to the cipher: AES-128 in CBC, AES-256 in CBC, in CTR."""
    m, a = t.m, t.a
    to_short, to_long, done = a.label(), a.label(), a.label()
    m.jump(to_short, Condition.OPTIONS, CBC128)
    m.jump(to_long, Condition.OPTIONS, CBC256)
    ctr()
    m.go(done)
    a.place(to_short)
    short()
    m.go(done)
    a.place(to_long)
    long()
    a.place(done)


def _keys(t: Texts) -> None:
    """Derive keys; that of the tag has its place, whatever the cipher's length; begin AES."""
    a, derived = t.a, t.derived
    a.call(t.derive)

    def short() -> None:
        t.key(SHORT_KEY)
        for octet in (KEY, SHORT_KEY):  # a shorter key has the tag's behind it
            t.load(derived, t.part_of_derived(octet, BLOCK))
            t.read(derived, t.part_of_derived(octet + BLOCK, BLOCK))

    _by_cipher(t, short, lambda: t.key(KEY), lambda: t.key(KEY))
    t.m.copy(t.count, t.m.zero, "the counter")


def _xor_buffer(t: Texts) -> None:
    """Let the buffer be the sum of it and of its lower part."""
    second = t.buffer - STEP
    first = STEP * t.a.stride - (TOP - SECOND)
    t.window(opened=False)
    t.top(BLOCK)
    with t.a.repeat(XOR_MESSAGE // BLOCK, counter=0):
        t.aes(Aes.LOAD)
        t.move(Order.OUT, BLOCK, Port.MESSAGE, second, first)
        t.move(Order.OUT, BLOCK, Port.MESSAGE)
        t.move(Order.IN, BLOCK, Port.INNER)
        t.down(BLOCK)


def _give_text(t: Texts, kind: Window = Window.TEXT) -> None:
    """Hand out the buffer's window."""
    done = t.a.label()
    t.window(kind, count=1)
    t.top(CHUNK)  # the window is there when this has been done
    t.m.jump(done, Condition.DONE)
    t.send(Port.HOST)
    t.a.place(done)


def _give_sealed(t: Texts, xor_cipher: bool) -> None:
    """Hand out R, what is sealed, the tag; end."""
    m, a = t.m, t.a
    for number in (m.e, m.d):
        m.give(number, m.points.octets, "R")
    if xor_cipher:
        _give_text(t)
    else:
        padded, done = a.label(), a.label()
        m.jump(padded, Condition.OPTIONS, CIPHER)
        _give_text(t)
        m.go(done)
        a.place(padded)
        _give_text(t, Window.PAD)
        a.place(done)
    t.by_hash(MAC_HASH, lambda h: m.give(m.T, h.digest, "tag"))
    m.end()


def encrypt(m: Weierstrass) -> None:
    """From the host a public key, a message, SharedInfo1 and SharedInfo2, which may be empty.

    To the host R's x and y, what is sealed, its tag. Source: SEC 1, section 5.1.3.
    """
    t = m.text_unit
    _refuse_unknown(m, xor_cipher=False)
    _seal_secret(m)
    t.take(MESSAGE)
    t.take_info()
    _keys(t)
    _by_cipher(t, t.cbc_encrypt, t.cbc_encrypt, t.ctr)
    m.a.call(t.sealing_tag)
    _give_sealed(t, xor_cipher=False)


def encrypt_xor(m: Weierstrass) -> None:
    """The same with XOR as the cipher."""
    t = m.text_unit
    _refuse_unknown(m, xor_cipher=True)
    _seal_secret(m)
    t.take(XOR_MESSAGE)
    t.take_info()
    m.a.call(t.keystream)
    m.a.call(t.xor_buffer)
    m.a.call(t.stream_tag)
    _give_sealed(t, xor_cipher=True)


def _take_tag(t: Texts) -> None:
    """Take a tag from the host."""
    m = t.m
    m.copy_string(t.tag, m.zero)
    t.by_hash(MAC_HASH, lambda h: m.take(t.tag, h.digest, "tag"))


def _compare_tag(t: Texts) -> None:
    """Answer AUTHENTICATION_FAILED unless the tag is T."""
    m = t.m
    xor(m, m.T, m.T, t.tag, Capture.ZERO)
    m.abort(Status.AUTHENTICATION_FAILED, negate=True, public=TAG)


def decrypt(m: Weierstrass) -> None:
    """From the host R's x and y, what is sealed, its tag, SharedInfo1 and SharedInfo2.

    To the host the message. Padding is looked at when the tag is right.
    Source: SEC 1, section 5.1.4.
    """
    a, t = m.a, m.text_unit
    _refuse_unknown(m, xor_cipher=False)
    _open_secret(m)
    t.take(MESSAGE, t.one_block_more)
    _take_tag(t)
    t.take_info()
    _keys(t)
    a.call(t.opening_tag)
    _compare_tag(t)
    padded = a.label()
    m.jump(padded, Condition.OPTIONS, CIPHER)
    t.ctr()
    _give_text(t)
    m.end()
    a.place(padded)
    t.cbc_decrypt()
    m.abort(Status.AUTHENTICATION_FAILED, Condition.PADDING)
    _give_text(t, Window.UNPAD)
    m.end()


def decrypt_xor(m: Weierstrass) -> None:
    """The same with XOR as the cipher."""
    a, t = m.a, m.text_unit
    _refuse_unknown(m, xor_cipher=True)
    _open_secret(m)
    t.take(XOR_MESSAGE)
    _take_tag(t)
    t.take_info()
    a.call(t.keystream)
    a.call(t.stream_tag)
    _compare_tag(t)
    a.call(t.xor_buffer)
    _give_text(t)
    m.end()


# -------------------------------------------------------------------- EC-AES
def _stream_key(t: Texts) -> None:
    """Let AES's key be X9.63's of Z by SHA-256, without SharedInfo."""
    m, h = t.m, t.m.generator
    h.begin()
    h.send(m.points.s[0], m.points.octets)
    h.send(m.unit, 4)
    t.a.call(t.pad)
    t.a.transfer(Order.IN, t.derived, KEY, Port.HASH, "key", t.part_of_derived(0, KEY))
    t.key(KEY)


def _stream(t: Texts) -> None:
    """From the host to the host what is encrypted or decrypted in counter mode; end."""
    a, m = t.a, t.m
    t.begins()
    t.window()
    again = a.here()
    a.transfer(Order.IN, t.chunk, BLOCK, Port.MESSAGE)
    t.count_block()
    a.transfer(Order.OUT, t.chunk, BLOCK, Port.MESSAGE)
    t.read(t.chunk)
    a.transfer(Order.OUT, t.chunk, BLOCK, Port.HOST, part=True)
    m.jump(again, Condition.OVER, negate=True)
    t.window(count=1)
    m.end()


def stream_encrypt(m: Weierstrass) -> None:
    """From the host a public key, then a message of any length; to the host R, an IV, the stream.

    No tag: what is altered is not seen.
    """
    a, t = m.a, m.text_unit
    take_point(m, (m.e, m.d))
    again = a.here()
    a.call(m.draw)
    m.copy(m.nonce, m.r)
    m.in_order(m.nonce, again, SECRET)
    a.call(m.draw)
    m.copy_string(m.V, m.drawn)
    m.stir()
    m.base_point([m.nonce])
    m.copies((m.r, m.s), m.points.s[:2], "R")
    _point_before(m, (m.e, m.d))
    primitive(m, [m.nonce])
    m.give(m.r, m.points.octets, "R")
    m.give(m.s, m.points.octets)
    iv = m.words_of(KEY - BLOCK)
    a.transfer(Order.OUT, m.V, BLOCK, Port.HOST, "IV", iv)
    t.load(m.V, iv)
    t.read(t.count)
    _stream_key(t)
    _stream(t)


def stream_decrypt(m: Weierstrass) -> None:
    """From the host R, the IV, the stream; to the host the message."""
    m.need_key()
    m.point()
    m.take(m.V, BLOCK, "IV")
    m.a.call(m.use_point)
    primitive(m, m.parts())
    m.copy(m.nonce, m.V, "IV")
    _stream_key(m.text_unit)
    _stream(m.text_unit)


def text_routines(t: Texts) -> None:
    """Append what is called."""
    a = t.a
    t.routines()
    with a.routine("xor_buffer") as t.xor_buffer:
        _xor_buffer(t)
    with a.routine("sealing_tag") as t.sealing_tag:
        _tag(t, _key_of_derived, sealing=True)
    with a.routine("opening_tag") as t.opening_tag:
        _tag(t, _key_of_derived, sealing=False)
    with a.routine("stream_tag") as t.stream_tag:
        _tag(t, _key_of_stream, sealing=False)
