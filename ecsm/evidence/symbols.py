# SPDX-License-Identifier: Apache-2.0
"""Runs of a core's netlist on values that are known, unknown, or named, cycle by cycle.

A value is 0, 1, :data:`UNKNOWN`, or a symbol: a number that stands for one bit, which is not known
but always the same. A function of symbols is a symbol, and the same function of the same symbols is
the same one. A function of an unknown value is unknown, unless the known ones decide it. So what a
run says holds for every value of what is unknown.

A run keeps the values of all nets, and computes again only what a change reaches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from ecsm.evidence.core import Core, Node, Product, Read, Write
from ecsm.evidence.gates import Function, Net, Table, cofactor, without_idle

UNKNOWN = 2
State = tuple[dict[Net, int], dict[str, list[list[int]]]]
"""The values of registers, and the words of memories."""


class Symbols:
    """The functions of symbols that there are, each once."""

    def __init__(self) -> None:
        self._next = count(3)
        self._made: dict[object, int] = {}
        self._negated: dict[int, int] = {}
        self._known: dict[tuple[Table, tuple[int, ...]], int] = {}

    def fresh(self) -> int:
        """Return a new symbol."""
        return next(self._next)

    def made(self, key: object) -> int:
        """Return the symbol of a key, the same one for the same key."""
        if key not in self._made:
            self._made[key] = self.fresh()
        return self._made[key]

    def apply(self, table: Table, values: tuple[int, ...]) -> int:
        """Return a function of values."""
        key = table, values
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._apply(table, values)
        return found

    def _apply(self, table: Table, values: tuple[int, ...]) -> int:
        left: list[int] = []
        for value in values:  # constants are put in, and what comes twice is put together
            k = len(left)
            if value < UNKNOWN:
                table = cofactor(table, k, value)
            elif value != UNKNOWN and value in left:
                j = left.index(value)
                table = _joined(table, j, k)
            else:
                left.append(value)
        table = without_idle(table, left)
        if not left:
            return table[0]
        if UNKNOWN in left:
            return UNKNOWN
        if len(left) == 1:
            return left[0] if table == (0, 1) else self._not(left[0])
        return self.made((table, tuple(left)))

    def _not(self, value: int) -> int:
        if value not in self._negated:
            other = self.fresh()
            self._negated[value], self._negated[other] = other, value
        return self._negated[value]


def _joined(table: Table, j: int, k: int) -> Table:
    """Return a table whose input ``k`` is input ``j``, one before it, and no input any more."""
    low = (1 << k) - 1
    rows = ((i & low, i >> k) for i in range(len(table) // 2))
    return tuple(table[below | (below >> j & 1) << k | above << k + 1] for below, above in rows)


class Run:
    """A run of a netlist. In the beginning every register, memory and port is unknown."""

    def __init__(self, core: Core, symbols: Symbols | None = None) -> None:
        self.core = core
        self.symbols = symbols or Symbols()
        self.memories = {
            name: [[UNKNOWN if bit == "x" else int(bit) for bit in word] for word in m.words]
            for name, m in core.memories.items()
        }
        self._values: dict[Net, int] = {"0": 0, "1": 1, "x": UNKNOWN}
        self._readers: dict[Net, list[int]] = {}
        self._reads: dict[str, list[int]] = {}
        for i, part in enumerate(core.parts):
            for n in part.inputs:
                self._readers.setdefault(n, []).append(i)
            if isinstance(part, Read):
                self._reads.setdefault(part.memory, []).append(i)
        self._waiting = bytearray(b"\1" * len(core.parts))
        self._drivers = {n: i for i, part in enumerate(core.parts) for n in part.outputs}
        self._assumed: set[Net] = set()

    def __getitem__(self, net: Net) -> int:
        """Return the value of a net."""
        return self._values.get(net, UNKNOWN)

    def port(self, name: str) -> list[int]:
        """Return the values of a port."""
        nets = self.core.outputs.get(name) or self.core.inputs[name]
        return [self[n] for n in nets]

    def put(self, nets: Sequence[Net], value: int) -> None:
        """Set nets to a value: registers, or ports."""
        for n in nets:
            self._set(n, value)

    def give(self, **ports: int) -> None:
        """Set all bits of ports to a value: 0, 1 or unknown."""
        for name, value in ports.items():
            self.put(self.core.inputs[name], value)

    def source(self, net: Net) -> tuple[Net, int]:
        """Return the first net that decides ``net`` alone in this cycle, and 1 if it is inverted.

        It is ``net`` itself if two unknown values decide it.
        """
        inverted = 0
        while isinstance(part := self._driver(net), Function):
            table, left = part.table, list[Net]()
            for n in part.inputs:
                if (value := self[n]) < UNKNOWN:
                    table = cofactor(table, len(left), value)
                else:
                    left.append(n)
            table = without_idle(table, left)
            if len(left) != 1 or left[0] == "x":
                break
            net, inverted = left[0], inverted ^ table[0]
        return net, inverted

    def _driver(self, net: Net) -> Node | None:
        return self.core.parts[self._drivers[net]] if net in self._drivers else None

    def assume(self, net: Net, value: int) -> None:
        """Let an unknown net have a value in this cycle, whatever drives it.

        Raises ValueError for what is open: it is not the same everywhere.
        """
        if net == "x":
            raise ValueError("an open value has no name")
        self._set(net, value)
        self._assumed.add(net)

    def _release(self) -> None:
        for net in self._assumed:
            if net in self._drivers:
                self._waiting[self._drivers[net]] = 1
            elif net not in self.core.registers:
                self._set(net, UNKNOWN)
        self._assumed.clear()

    def load(self, state: State) -> None:
        """Set registers and memories."""
        self._release()
        for n, value in state[0].items():
            self._set(n, value)
        for name, words in state[1].items():
            self.memories[name] = [list(w) for w in words]
            self._changed(name)

    def state(self) -> State:
        """Return the values of registers and memories."""
        registers = {n: self[n] for n in self.core.registers}
        return registers, {m: [list(w) for w in words] for m, words in self.memories.items()}

    def reset(self) -> None:
        """Set the registers that have a reset to their values in it."""
        for n, register in self.core.registers.items():
            if register.reset is not None:
                self._set(n, register.reset)

    def settle(self) -> None:
        """Compute what follows from ports and registers in this cycle."""
        waiting, parts, values, apply = (
            self._waiting, self.core.parts, self._values, self.symbols.apply,
        )  # fmt: skip
        i = waiting.find(1)
        while i >= 0:
            waiting[i] = 0
            part = parts[i]
            if isinstance(part, Function):
                known = tuple([values.get(n, UNKNOWN) for n in part.inputs])
                self._set(part.output, apply(part.table, known))
            elif isinstance(part, Read):
                self._read(part)
            else:
                self._multiply(part)
            i = waiting.find(1, i + 1)

    def clock(self) -> None:
        """Go to the next cycle; nothing is assumed of it."""
        new = [(q, self[register.d]) for q, register in self.core.registers.items()]
        for name, memory in self.core.memories.items():
            for write in memory.writes:
                self._write(name, write)
        self._release()
        for q, value in new:
            self._set(q, value)

    def step(self) -> None:
        """Compute this cycle and go to the next one."""
        self.settle()
        self.clock()

    def _set(self, net: Net, value: int) -> None:
        if self._values.get(net, UNKNOWN) != value:
            self._values[net] = value
            for i in self._readers.get(net, ()):
                self._waiting[i] = 1

    def _changed(self, memory: str) -> None:
        for i in self._reads.get(memory, ()):
            self._waiting[i] = 1

    def _places(self, memory: str, address: Sequence[Net]) -> tuple[list[int], bool]:
        """Return the words that an address may select, and whether it may select none."""
        values = [self[n] for n in address]
        size = len(self.memories[memory])
        if all(v < UNKNOWN for v in values):
            place = sum(v << i for i, v in enumerate(values))
            return ([place], False) if place < size else ([], True)
        known = [(i, v) for i, v in enumerate(values) if v < UNKNOWN]
        fits = [p for p in range(size) if all(p >> i & 1 == v for i, v in known)]
        return fits, size < 1 << len(address)

    def _read(self, part: Read) -> None:
        places, beyond = self._places(part.memory, part.inputs)
        words = self.memories[part.memory]
        for bit, net in enumerate(part.outputs):
            found = {words[p][bit] for p in places}
            self._set(net, found.pop() if len(found) == 1 and not beyond else UNKNOWN)

    def _write(self, name: str, write: Write) -> None:
        places, _ = self._places(name, write.address)
        words, sure = self.memories[name], len(places) == 1
        sure &= all(self[n] < UNKNOWN for n in write.address)
        for bit, (net, enable) in enumerate(zip(write.data, write.enable, strict=True)):
            if not (on := self[enable]):
                continue
            value = self[net]
            for p in places:
                if words[p][bit] != value:
                    words[p][bit] = value if sure and on == 1 else UNKNOWN
                    self._changed(name)

    def _multiply(self, part: Product) -> None:
        a, b = ([self[n] for n in nets] for nets in (part.a, part.b))
        if not any(a) or not any(b):
            found = [0] * len(part.outputs)
        elif UNKNOWN in a or UNKNOWN in b:
            found = [UNKNOWN] * len(part.outputs)
        elif max(a) < UNKNOWN and max(b) < UNKNOWN:
            product = _integer(a, part.signed) * _integer(b, part.signed)
            found = [product >> i & 1 for i in range(len(part.outputs))]
        else:
            made, key = self.symbols.made, (part.signed, tuple(a), tuple(b))
            found = [made((key, i)) for i in range(len(part.outputs))]
        for net, value in zip(part.outputs, found, strict=True):
            self._set(net, value)


def _integer(bits: Sequence[int], signed: bool) -> int:
    value = sum(bit << i for i, bit in enumerate(bits))
    return value - (bits[-1] << len(bits)) if signed else value


def unlike(names: Mapping[Net, str], nets: Sequence[Net], most: int = 4) -> str:
    """Return the names of nets, in words, a few of them."""
    found = sorted(names.get(n, str(n)) for n in nets)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
