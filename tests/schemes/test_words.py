# SPDX-License-Identifier: Apache-2.0
"""Words of programs are the same in Python and SystemVerilog; programs fit; moves are right."""

import re
from enum import IntEnum

import pytest

from ecsm.cores.store import design, path
from ecsm.curves import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.hdl.files import RTL, bare
from ecsm.presets.gfp_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS, preset
from ecsm.schemes import words
from ecsm.schemes.assembler import Assembler, Place
from ecsm.schemes.machine import MEMORY, SLOT_WORDS, SLOTS, Machine, Order
from ecsm.schemes.masking import KEY, NUMBERS
from ecsm.schemes.program import OPERATIONS, has_schemes, program
from ecsm.schemes.words import From, If, Kind, Mode, Move, To, Unit

PACKAGE = bare((RTL / "scheme" / "scheme_pkg.sv").read_text())
ORDER = bare((RTL / "scalar" / "ecsm_order_pkg.sv").read_text())


def members(text: str, name: str) -> list[str]:
    """Return the names of an enumeration."""
    found = re.search(r"enum logic \[[^]]*\] { ([^}]*) } " + name, text)
    assert found is not None
    return [part.split("=")[0].strip() for part in found[1].split(",")]


@pytest.mark.parametrize(
    ("kind", "name"),
    [(Kind, "kind_e"), (From, "from_e"), (To, "to_e"), (Mode, "mode_e"), (Unit, "unit_e"),
     (If, "if_e")],
)  # fmt: skip
def test_enumerations(kind: type[IntEnum], name: str) -> None:
    prefix = kind.__name__
    want = [prefix + m.name.replace("_", " ").title().replace(" ", "") for m in kind]
    assert members(PACKAGE, name) == want
    assert [int(m) for m in kind] == list(range(len(kind)))


def test_operations_of_the_order_unit() -> None:
    want = [f"Order{m.name.title()}" for m in Order]
    assert members(ORDER, "order_op_e") == want


def test_widths() -> None:
    for name, bits in {
        "W": words.WORD, "AddressW": words.ADDRESS_BITS, "OctetsW": words.OCTETS_BITS,
        "ProgramW": words.PROGRAM_BITS, "FlagsW": words.FLAGS_BITS,
    }.items():  # fmt: skip
        assert f"localparam int unsigned {name} = {bits};" in PACKAGE
    fields = re.search(r"struct packed { ([^}]*) } move_t", PACKAGE)
    assert fields is not None
    names = re.findall(r"(\w+);", fields[1])
    assert names == [
        "from", "to", "mode", "key", "address", "target", "octets", "whole", "behind", "right",
        "skip", "flush", "last",
    ]  # fmt: skip
    fields = re.search(r"struct packed { ([^}]*) } decide_t", PACKAGE)
    assert fields is not None
    names = re.findall(r"(\w+);", fields[1])
    assert names == ["condition", "negate", "mask", "flags", "status", "next"]


@pytest.mark.parametrize("wide", [False, True])
def test_every_core_has_a_program(wide: bool) -> None:
    """Of every preset in constant time with a schedule: it fits, and every jump has its place."""
    count = 0
    every: dict[str, AnyPreset] = {**PRESETS, **PRIME_PRESETS}
    for name, p in every.items():
        if p.curve.name.startswith("toy") or p.variable_time or not path(name).exists():
            continue
        if not isinstance(p.curve, BinaryCurve | PrimeCurve) or name == "p384-fast-full":
            why = r"no scheme|is no Weierstrass curve|longer than a slot"
            with pytest.raises(ValueError, match=why):
                program(p, wide)
            continue
        made = program(design(name).preset, wide)
        assert len(made.operations) <= OPERATIONS < len(made.words)
        assert all(w.bits >> words.WORD_BITS == 0 for w in made.words)
        count += 1
    assert count > 20


@pytest.mark.parametrize("name", ["b163-small", "p521-fast", "b233-small-full", "p256-fast-full"])
def test_slots_are_apart(name: str) -> None:
    """Of P-384 six numbers were longer than a slot: a key's end was another key's beginning."""
    m = Machine(preset(name))
    numbers = NUMBERS if m.masked else KEY[:1]
    places = [m.key_element(i).address for i in numbers]
    used = [
        slot * SLOT_WORDS + first + i
        for slot in range(SLOTS) for first in places for i in range(m.words)
    ]  # fmt: skip
    assert len(set(used)) == len(used)
    assert max(used) < SLOTS * SLOT_WORDS <= m.element().address
    for i, first in zip(numbers, places, strict=True):
        assert m.pair_element(i).address == SLOT_WORDS ^ first  # as the machine adds it


def test_a_key_that_is_longer_than_a_slot_is_refused() -> None:
    p = preset("p384-fast-full")
    with pytest.raises(ValueError, match="p384-fast-full: a key in 6 numbers is longer than"):
        program(p)
    assert not has_schemes(p)
    with pytest.raises(ValueError, match="a slot of 32 words has no number 5"):
        Machine(p).key_element(5)


def shifted(move: Move, source: list[int]) -> list[int]:
    """Return the words that a move hands out, as rtl/scheme/scheme_channel.sv says."""
    out, before = [], 0
    reads = -(-move.octets // 8) + move.skip - move.flush
    for word in [*source[:reads], *([0] if move.flush else [])]:
        out.append(((before << 64 | word) >> move.right) & (1 << 64) - 1)
        before = word
    out = out[int(move.skip) :]
    if move.octets % 8:
        out[-1] &= -1 << 8 * (8 - move.octets % 8)
    return [w & (1 << 64) - 1 for w in out]


def split(value: int, bits: int) -> list[int]:
    """Return a number's words, the highest first."""
    return [value >> 64 * i & (1 << 64) - 1 for i in reversed(range(-(-bits // 64)))]


@pytest.mark.parametrize("name", ["toy9-four", "toy7-fast", "toyp8-a"])
def test_a_group_of_one_word_has_no_schemes(name: str) -> None:
    """Its machine would load no key and find every signature invalid."""
    d = design(name)
    assert not has_schemes(d.preset)
    with pytest.raises(ValueError, match="too small for schemes: they want more than 64 bits"):
        program(d.preset)


@pytest.mark.parametrize("bits", [8, 56, 64, 72, 163, 168, 192, 233, 240, 256, 283, 288, 521, 576])
def test_moves(bits: int) -> None:
    """A number becomes its string, and a string the number of its first bits, at any place."""
    value = (0x9E3779B97F4A7C15_F39CC0605CEDC834**5) % (1 << bits) | 1 << bits - 1
    octets = -(-bits // 8)
    count = -(-bits // 64)
    number, left = split(value, bits), split(value << 64 * count - bits, bits)

    def one(shape: str, to: str, before: int = 0, n: int = bits) -> Move:
        a = Assembler(MEMORY)
        a.move(Place(200, 0, "string"), To.HASH, shape, n, to, before)  # type: ignore[arg-type]
        (word,) = a.program()
        assert isinstance(word, Move)
        return word

    assert shifted(one("number", "number"), number) == number
    assert shifted(one("string", "number"), left) == number
    assert shifted(one("number", "string"), number) == left
    if bits % 8 == 0:
        for before in range(8):
            total = before + octets
            raw = (int.from_bytes(bytes(range(1, before + 1)), "big") << 8 * octets) | value
            line = split(raw << 64 * -(-total // 8) - 8 * total, 8 * total)
            assert shifted(one("string", "string", before), line) == left
