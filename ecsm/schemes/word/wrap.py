# SPDX-License-Identifier: Apache-2.0
"""Keys that survive power-off, on the word engine: they leave wrapped under a device key.

RFC 3394 has a value A, and the key in parts of eight octets. Here A stays in the first half of
AES's state, and parts come into the second half and go. Octets for AES are XORed to its state, or
replace it behind Aes.LOAD; those that come and those that go are counted in common. So a half that
stays is one that is read.
"""

from __future__ import annotations

from ecsm.schedule.sequential.words import (
    KEY_SLOTS,
    Aes,
    Capture,
    Command,
    Condition,
    Order,
    Port,
)
from ecsm.schemes.ecies import BLOCK
from ecsm.schemes.options import DEVICE
from ecsm.schemes.word.operations import RANGE
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.schemes.wrap import DEVICE_KEY, INTEGRITY, SEMIBLOCK, STEPS, semiblocks, wrapped_octets
from ecsm.status import Status

THERE = "whether there is a device key, or a key in a slot, is no secret"
RIGHT = "whether a wrapped key is right is the answer"
NUMBERS = 7  # of the buffer, which are 0 at first


class Wrapping:
    """What the operations are written with.

    ``whole``: A and the key's parts as one string, in two numbers; ``step``: that of RFC 3394.
    """

    def __init__(self, m: Weierstrass) -> None:
        self.m, self.a, self.t = m, m.a, m.text_unit
        self.whole, _, *others = range(m.buffer, m.buffer + NUMBERS)
        self.step, self.integrity, self.passed, *self.halves = others
        self.parts = semiblocks(m.octets)
        self.words = m.words_of(SEMIBLOCK)
        self.value = self.parts * self.words
        """The word of the whole that has A's last octets."""

    def is_zero(self, number: int) -> None:
        """Set the flag if a string of 32 octets, or a number, is 0."""
        self.m.copy_string(self.m.points.free[0], number, Capture.ZERO)

    def begin(self) -> None:
        """Let AES's key be the device key; answer NO_KEY if there is none."""
        self.is_zero(self.m.device)
        self.m.abort(Status.NO_KEY, public=THERE)
        self.t.aes(Aes.KEY)
        self.a.transfer(Order.OUT, self.m.device, DEVICE_KEY, Port.LENGTH, "device key")
        self.t.aes(Aes.EXPAND)
        self.t.aes(Aes.LOAD)

    def send(self, number: int, octets: int = SEMIBLOCK, first: int = 0) -> None:
        """Send octets to AES."""
        self.a.transfer(Order.OUT, number, octets, Port.MESSAGE, first=first)

    def read(self, number: int, octets: int = SEMIBLOCK, first: int = 0) -> None:
        """Read octets of AES."""
        self.a.transfer(Order.IN, number, octets, Port.INNER, first=first)

    def send_integrity(self) -> None:
        """Send the integrity value, made of octets that are 1."""
        a, m, number = self.a, self.m, self.integrity
        m.copy(number, m.ones)
        for bit in f"{INTEGRITY:b}"[1:]:
            a.move("sum", number, number, number, note="integrity value")
            if bit == "1":
                a.move("sum", number, number, m.ones)
        self.send(number)

    def send_part(self) -> None:
        """Let the second half of AES's state be the part at the index."""
        self.t.aes(Aes.LOAD)
        self.t.move(Order.OUT, SEMIBLOCK, Port.MESSAGE, self.whole)

    def read_part(self) -> None:
        """Let the part at the index be the second half of AES's state."""
        self.t.move(Order.IN, SEMIBLOCK, Port.INNER, self.whole)


def wrap(m: Weierstrass) -> None:
    """To the host the slot's private key, wrapped under the device key. Source: RFC 3394, 2.2.1.

    With the flag DEVICE: from the host the device key.
    """
    a, w, device = m.a, Wrapping(m), m.a.label()
    m.jump(device, Condition.OPTIONS, DEVICE)
    m.need_key()
    m.plain_key(m.d, m.parts())
    w.begin()
    m.copy(w.whole, m.d, "the key's parts")
    w.send_integrity()
    with m.counted(), a.repeat(STEPS, counter=1):
        a.index(w.value - w.words)
        with a.repeat(w.parts, counter=0):
            w.send_part()
            w.t.aes(Aes.ENCRYPT)
            a.move("sum", w.step, w.step, m.unit, note="step")
            w.send(w.step)
            w.read_part()
            w.read(w.whole, first=w.value)
            a.index(-w.words, add=True)
    m.same_slot()
    m.give(w.whole, wrapped_octets(m.octets), "wrapped key")
    m.end()
    a.place(device)
    _take_device_key(w)


def _take_device_key(w: Wrapping) -> None:
    """From the host the device key; UNSUPPORTED if there is one, or a key in any slot.

    The memory of keys is 0 where there is none. AES is what reads it whatever the slot is: nothing
    is encrypted.
    """
    m, a, number = w.m, w.a, w.halves[0]
    w.is_zero(m.device)
    m.abort(Status.UNSUPPORTED, negate=True, public=THERE)
    a.index(0)
    with a.repeat(-(-2 * KEY_SLOTS * a.stride // m.words_of(BLOCK)), counter=0):
        w.t.aes(Aes.LOAD)
        w.t.move(Order.OUT, BLOCK, Port.MESSAGE, m.key)
        w.read(number, BLOCK)
        w.is_zero(number)
        m.abort(Status.UNSUPPORTED, negate=True, public=THERE)
        a.index(m.words_of(BLOCK), add=True)
    m.take(number, DEVICE_KEY, "device key")
    w.is_zero(number)
    m.abort(Status.SCALAR_OUT_OF_RANGE, public=RANGE)
    m.copy_string(m.device, number)
    m.end()


def unwrap(m: Weierstrass) -> None:
    """From the host a wrapped private key into the slot. Source: RFC 3394, 2.2.2.

    AUTHENTICATION_FAILED if it is not one that the device key has wrapped.
    """
    a, w = m.a, Wrapping(m)
    more = SEMIBLOCK * w.parts - m.octets
    value, zeros = w.halves[:2]
    m.take(w.whole, wrapped_octets(m.octets), "wrapped key")
    w.begin()
    w.send(w.whole, BLOCK, w.value - w.words)
    with a.repeat(STEPS * w.parts, counter=0):
        a.move("sum", w.step, w.step, m.unit, note="the last step")
    with a.repeat(STEPS, counter=1):
        a.index(0)
        with a.repeat(w.parts, counter=0):
            w.send(w.step)
            w.send_part()
            w.t.aes(Aes.DECRYPT)
            w.read(w.passed)
            w.read_part()
            a.move("difference", w.step, w.step, m.unit, note="step")
            a.index(w.words, add=True)
    w.send_integrity()
    if more:
        w.read(zeros, more)
    w.read(w.passed, SEMIBLOCK - more)
    w.read(value)
    w.read(w.passed)
    w.read(w.whole, first=w.value)
    w.is_zero(value)
    m.abort(Status.AUTHENTICATION_FAILED, negate=True, public=RIGHT)
    if more:
        w.is_zero(zeros)
        m.abort(Status.SCALAR_OUT_OF_RANGE, negate=True, public=RANGE)
    m.copy(m.d, w.whole, "private key")
    m.in_order(m.d, m.fail(Status.SCALAR_OUT_OF_RANGE), RANGE)
    a.call(m.keep)
    m.command(Command.KEY, 1)
    m.end()
