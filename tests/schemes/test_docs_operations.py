# SPDX-License-Identifier: Apache-2.0
"""The table of operations in docs/guide/operations.md has the machine's strings and flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.gfp_table import AnyPreset
from ecsm.schemes.assembler import Place
from ecsm.schemes.inputs import flags_of, inputs, uses_key
from ecsm.schemes.machine import DIGESTS, NARROW, WIDE, Machine
from ecsm.schemes.options import MAC_HASH, hash_flags
from ecsm.schemes.program import program, texts
from ecsm.schemes.words import From, Move, To, Word
from ecsm.status import CoreError, NoKey, Unsupported

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "operations.md").read_text(encoding="utf-8")
TABLE = PAGE.split("| operation | key | strings in |")[1].split("\n\n")[0]
NARROW_PRESET, WIDE_PRESET = "b163-small", "p384-fast"
SHORT_ORDERS = (("k233", False), ("k409", True))  # with fewer octets than the field: n is not c
MESSAGE = b"twelve pounds"


@dataclass(frozen=True)
class Row:
    """What the page says of an operation: strings as name and octets."""

    key: str
    takes: tuple[tuple[str, str], ...]
    gives: tuple[tuple[str, str], ...]
    flags: int


def strings(cell: str) -> tuple[tuple[str, str], ...]:
    """Read "Qx c, info1 to 2,048": names and octets."""
    parts = re.split(r", ", cell) if cell else []
    return tuple((part.split(" ", 1)[0], part.split(" ", 1)[1].replace(",", "")) for part in parts)


def mask(cell: str) -> int:
    """Read "0, 3 to 6"."""
    found = 0
    for first, last in re.findall(r"(\d)(?: to (\d))?", cell):
        found |= sum(1 << bit for bit in range(int(first), int(last or first) + 1))
    return found


def stated(hashes: tuple[str, ...]) -> dict[str, Row]:
    """Return the rows by operation, HASH once for each hash."""
    found = {}
    for line in TABLE.splitlines()[2:]:
        names, key, takes, gives, flags = (cell.strip() for cell in line.strip("|").split("|"))
        row = Row(key, strings(takes), strings(gives), mask(flags))
        for name in re.findall(r"`([\w-]+)`", names):
            for digest in hashes if "HASH" in name else ("",):
                found[name.replace("HASH", digest)] = row
    return found


def test_every_operation_has_its_row() -> None:
    rows = stated(NARROW)
    assert set(rows) == set(program(design(NARROW_PRESET).preset).operations)
    for operation, row in rows.items():
        assert len(row.takes) == inputs(operation), operation
        assert row.flags == flags_of(operation), operation
        assert row.key.startswith("uses") == uses_key(operation), operation
    wide = program(design(WIDE_PRESET).preset, wide=True).operations
    assert set(stated(WIDE)) - {"encapsulate", "decapsulate"} == set(wide)


# ------------------------------------------------------------------ on a device
@dataclass(frozen=True)
class Sizes:
    """Octets of a machine's strings; ``digest``, ``tag``: of the operation's hash, of the tag."""

    scalar: int
    coordinate: int
    digest: int = 0
    tag: int = 0

    def octets(self, text: str) -> int | None:
        """Return the octets of a string, None for any number up to a limit."""
        named = {"n": self.scalar, "c": self.coordinate, "h": self.digest, "t": self.tag}
        if text == "any" or text.startswith("to "):
            return None
        return named[text] if text in named else int(text)


def most(text: str) -> int | None:
    """Return the limit of "to 2048"."""
    return int(text.removeprefix("to ")) if text.startswith("to ") else None


def digest_of(operation: str) -> int:
    return DIGESTS.get(operation.rpartition("-")[2], 0)


@pytest.fixture(scope="module")
def machine() -> Iterator[tuple[SchemeDevice, Sizes]]:
    with SchemeDevice(NARROW_PRESET) as made:
        m = Machine(design(NARROW_PRESET).preset)
        yield made, Sizes(m.order_octets, m.coordinate_octets, tag=m.tag)


def fresh(device: SchemeDevice) -> dict[str, bytes]:
    """Make two keys, Q in slot 0 and E in slot 1; return strings that every operation takes."""
    device.zeroize(reset=True)
    device.samples(bytes(range(48)))
    device.run("seed-test")
    known = {"info1": b"one", "info2": b"two", "r": bytes(31) + b"\1"}
    for slot, point in enumerate("QE"):
        x, y = device.run("generate", slot=slot).strings
        known |= {f"{point}x": x, f"{point}y": y}
    return known


def before(operation: str) -> str | None:
    """Return the operation whose strings this one takes back."""
    other = {"verify": "sign", "decrypt": "encrypt", "decapsulate": "encapsulate"}
    found = next((verb for verb in other if verb in operation), None)
    return None if found is None else operation.replace(found, other[found])


def prepare(device: SchemeDevice, operation: str, size: Sizes) -> dict[str, bytes]:
    """Make all strings that an operation takes, by name."""
    known, rows = fresh(device), stated(NARROW)
    known |= {"message": MESSAGE, "d": bytes(size.scalar - 1) + b"\5"}
    earlier = before(operation)
    needed = [*rows[operation].takes, *(rows[earlier].takes if earlier else ())]
    for name, text in needed:
        count = size.octets(text)
        if name in ("digest", "message") and count is not None:
            known[name] = bytes(count)
    if earlier:
        made = device.run(earlier, *(known[name] for name, _ in rows[earlier].takes)).strings
        known |= {name: octets for (name, _), octets in zip(rows[earlier].gives, made, strict=True)}
    if operation.startswith("seed"):
        device.zeroize(reset=True)
        device.samples(bytes(range(48)))
    return known


@pytest.mark.parametrize("operation", stated(NARROW))
def test_strings_of(operation: str, machine: tuple[SchemeDevice, Sizes]) -> None:
    """It takes and gives strings of the stated octets, and refuses one octet more or fewer."""
    device, plain = machine
    size = Sizes(plain.scalar, plain.coordinate, digest_of(operation), plain.tag)
    row = stated(NARROW)[operation]
    known = prepare(device, operation, size)
    given = tuple(known[name] for name, _ in row.takes)
    made = device.run(operation, *given).strings
    wanted = [size.octets(text) for _, text in row.gives]
    assert [len(s) for s in made] == [len(MESSAGE) if n is None else n for n in wanted]
    for i, (_, text) in enumerate(row.takes):
        for count, right in lengths(text, size).items():
            altered = (*given[:i], bytes(count), *given[i + 1 :])
            assert takes(device, operation, *altered) == right, (text, count)


def lengths(text: str, size: Sizes) -> dict[int, bool]:
    """Return lengths to try, and whether the page says that they are right."""
    exact, limit = size.octets(text), most(text)
    if limit is not None:
        return {0: True, limit: True, limit + 1: False}
    return {0: True} if exact is None else {exact - 1: False, exact: True, exact + 1: False}


def takes(device: SchemeDevice, operation: str, *given: bytes) -> bool:
    """Say whether the lengths are right, whatever the operation then says of what is in them."""
    try:
        device.run(operation, *given)
    except Unsupported:
        return False
    except CoreError:
        return True
    return True


def test_the_key_of_a_slot_is_used_where_it_is_stated(machine: tuple[SchemeDevice, Sizes]) -> None:
    device, _ = machine
    device.zeroize(reset=True)
    for operation, row in stated(NARROW).items():
        if row.key.startswith("uses"):
            with pytest.raises(NoKey):
                device.run(operation, *(b"" for _ in row.takes))


# ------------------------------------------------------------------ of other machines
class Recorder(Machine):
    """Keeps which strings a program moves from the host and to it; None: of any length."""

    def __init__(self, preset: AnyPreset, wide: bool) -> None:
        super().__init__(preset, wide)
        self.taken: list[int | None] = []
        self.given: list[int | None] = []

    def move(
        self,
        source: From | Place,
        sink: To | Place,
        shape: str,
        bits: int,
        *more: object,
        **named: object,
    ) -> None:
        """Keep the octets of a string."""
        kept = self._kept(source, sink)
        if kept is not None:
            kept.append(-(-bits // 8))
        super().move(source, sink, shape, bits, *more, **named)  # type: ignore[arg-type]

    def emit(self, word: Word) -> None:
        """Keep that a string may have any length."""
        if isinstance(word, Move) and word.whole:
            kept = self._kept(word.source, word.sink)
            if kept is not None:
                kept.append(None)
        super().emit(word)

    def _kept(self, source: object, sink: object) -> list[int | None] | None:
        return self.taken if source is From.HOST else self.given if sink is To.HOST else None


@pytest.mark.parametrize(("preset", "wide"), SHORT_ORDERS)
def test_strings_of_other_machines(preset: str, wide: bool) -> None:
    """Octets in their order, of ECIES of each the first; a tag's are all that it may have."""
    p, hashes = design(preset).preset, WIDE if wide else NARROW
    tags = {DIGESTS[name] for name in hash_flags(MAC_HASH, hashes).values()}
    for operation, row in stated(hashes).items():
        if operation not in texts(wide):
            continue
        m = Recorder(p, wide)
        texts(wide)[operation](m)
        size = Sizes(m.order_octets, m.coordinate_octets, digest_of(operation))
        for cells, moved in ((row.takes, m.taken), (row.gives, m.given)):
            has_tag = any(text == "t" for _, text in cells)
            wanted = ["t" if text == "t" else size.octets(text) for _, text in cells]
            found = ["t" if has_tag and octets in tags else octets for octets in moved]
            if operation == "encapsulate" and cells is row.takes:
                wanted.append(32)  # r, with the flag GIVEN
            if operation.startswith("ecies-"):  # a part of the program for each hash and cipher
                found, wanted = list(dict.fromkeys(found)), list(dict.fromkeys(wanted))
            assert found == wanted, operation
            if has_tag:
                assert {octets for octets in moved if octets in tags} == tags
