# SPDX-License-Identifier: Apache-2.0
"""Words of the word engine: Python and rtl/word/word_pkg.sv have the same fields and numbers."""

from __future__ import annotations

import re
from dataclasses import fields
from enum import IntEnum

import pytest

from ecsm.hdl.files import rtl_file
from ecsm.hdl.word_image import Load
from ecsm.schedule.sequential import words
from ecsm.schedule.sequential.machine import scratch
from ecsm.schedule.sequential.walk import FIELDS, Slot
from ecsm.schedule.sequential.words import (
    Aes,
    Capture,
    Command,
    Condition,
    Do,
    Mask,
    Move,
    Order,
    Port,
    Window,
    packed,
)

CORE = rtl_file("word_core").read_text(encoding="utf-8")
PACKAGE = re.sub(r"//[^\n]*", "", rtl_file("word_pkg").read_text(encoding="utf-8"))
NUMBERS = {name: int(value) for name, value in
           re.findall(r"localparam int unsigned (\w+) = (\d+);", PACKAGE)}  # fmt: skip


def struct(name: str) -> list[str]:
    """Return the fields of a struct, those of a struct in it instead of itself."""
    body = re.search(rf"struct packed \{{([^}}]*)\}} {name};", PACKAGE)
    assert body, name
    found: list[str] = []
    for kind, field in re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s+(\w+);", body[1]):
        found += struct(kind) if kind in ("mac_t", "walk_t") else [field]
    return found


def enumeration(name: str, prefix: str) -> dict[str, int]:
    """Return the members of an enumeration, by their names in Python."""
    (body,) = re.findall(rf"typedef enum logic \[[^\]]*\] \{{([^}}]*)\}} {name};", PACKAGE)
    members = re.findall(r"(\w+)\s*= \d'd(\d+)", body)
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", m.removeprefix(prefix)).upper(): int(n)
            for m, n in members}  # fmt: skip


def test_widths() -> None:
    names = {
        "OffsetW": "OFFSET_BITS",
        "ConstantW": "CONSTANT_BITS",
        "NumberW": "NUMBER_BITS",
        "WalkW": "WALK_BITS",
        "SlotAddressW": "SLOT_ADDRESS_BITS",
        "PcW": "PC_BITS",
        "DigitW": "DIGIT_BITS",
    }
    assert {n: NUMBERS[n] for n in names} == {n: getattr(words, py) for n, py in names.items()}
    assert 1 << NUMBERS["KeySlotW"] == words.KEY_SLOTS
    assert "Scratch = AddressW'(Depth - 2 ** OffsetW)" in CORE
    assert scratch(1024) == 1024 - (1 << words.OFFSET_BITS)


def test_slots_have_the_same_fields() -> None:
    assert struct("slot_t") == list(FIELDS) == [f.name for f in fields(Slot)]


def test_words_have_the_same_fields() -> None:
    order = ["drained", "mask", "capture", "walk", "d", "a", "b", "immediate"]
    assert struct("walk_t") == order
    assert struct("order_t") == ["op", "counter", "number", "target", "argument", "beyond"]
    one = {"drained": True, "mask": Mask.SIGN, "capture": Capture.SIGN, "walk": 1, "d": 1, "a": 1,
           "b": 1, "immediate": 1}  # fmt: skip
    places = {name: Move(**({"walk": 0, "d": 0} | {name: one[name]})).word() for name in order}  # type: ignore[arg-type]
    assert sorted(order, key=lambda name: -(places[name] & ~(1 << 35))) == order
    top = packed((0, 1), (Order.DONE, 4), (1, 1), (1, 7), (1, 11), (1, 11), (0, 1))
    assert Do(Order.DONE, 1, 1, 1, 1).word() == top


@pytest.mark.parametrize(
    ("python", "name", "prefix"),
    [
        (Mask, "mask_e", "Mask"),
        (Capture, "capture_e", "Capture"),
        (Order, "op_e", "Op"),
        (Condition, "condition_e", "If"),
        (Command, "command_e", "Command"),
        (Port, "port_e", "Port"),
        (Aes, "aes_e", "Aes"),
        (Window, "window_e", "Window"),
        (Load, "load_e", "Load"),
    ],
)
def test_enumerations(python: type[IntEnum], name: str, prefix: str) -> None:
    assert enumeration(name, prefix) == {m.name: m.value for m in python}


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="128 does not fit 7 bits"):
        Move(0, 128).word()
    with pytest.raises(ValueError, match="does not fit 5 bits"):
        Slot(offset_a=32).word()
