# SPDX-License-Identifier: Apache-2.0
"""Write programs of the word engine: numbers in memory, walks, segments of formulas, jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from ecsm.schedule.sequential.binary import Polynomial, in_place, reduced, xor
from ecsm.schedule.sequential.built import Built, TooLong, back_to_back
from ecsm.schedule.sequential.flow import OPEN, nesting, steps
from ecsm.schedule.sequential.machine import scratch
from ecsm.schedule.sequential.modulus import Modulus, Ring
from ecsm.schedule.sequential.recorder import Linear, OutOfRange, Recorder, placed
from ecsm.schedule.sequential.walk import (
    GUARD,
    Constants,
    Walk,
    aside,
    digit,
    expand,
    gather,
    parity,
    patient,
    peak,
    peel,
    product,
    scale,
    shifted,
    spread,
    total,
    turn,
    widen,
)
from ecsm.schedule.sequential.words import (
    CONSTANT_BITS,
    DECOYS,
    DIGIT_BITS,
    KEY_SLOTS,
    PC_BITS,
    PLACE_BITS,
    PORT_BITS,
    SLOT_ADDRESS_BITS,
    WALK_BITS,
    Capture,
    Condition,
    Do,
    Mask,
    Move,
    Order,
    Table,
    Word,
)

MOST = 30  # words of a number, with one more
WIDER = 128  # bits of a wide number more than of another one
IN_PLACE = "square-in-place"  # the walk of a square whose result has the place of its operand
OPERATIONS = 32  # words that begin one each
ROOM = 7 << SLOT_ADDRESS_BITS - 3  # slots of products and squares, at most


class Assembler:
    """A program under construction. ``modulus``: of walks that do not name another one.

    ``others``: more moduli by name, of as many words. ``stride``: words from a number to the next,
    if there are to be more than numbers have; ``constants``: most words that walks multiply with;
    ``step``: words from a number of the table of constants to the next, if not the fewest;
    ``squares``: whether squares modulo ``modulus`` are a walk of their own, or products;
    ``words``: of the program, at most; ``fills``: see :meth:`scattered`.
    """

    def __init__(
        self, modulus: Ring, depth: int = 1024, others: Mapping[str, Modulus] | None = None,
        stride: int = 0, constants: int = 32, step: int = 0, squares: bool = True,
        words: int = 1 << PC_BITS, fills: bool = False,
    ) -> None:  # fmt: skip
        if modulus.words + 1 > MOST:
            raise ValueError(f"numbers of more than {MOST - 1} words are not supported")
        self.moduli: dict[str, Ring] = {"": modulus, **(others or {})}
        if any(m.words != modulus.words for m in self.moduli.values()):
            raise ValueError("the moduli are of different lengths")
        self.modulus, self.depth, self.stride = modulus, depth, max(stride, modulus.words)
        self.wide = modulus.words + WIDER // modulus.W
        """Words of a wide number, which takes two numbers' places."""
        self.constants = Constants(modulus.W, constants)
        self.squares, self.most = squares, words
        self._walks: dict[str, Walk] = {}
        self._words: list[Word] = []
        self._labels: dict[int, int] = {}
        self._routines: list[tuple[int, str]] = []
        self._behind = 0  # the routines
        self._counted: list[tuple[int, int]] = []  # words whose number is looked at
        self._values: dict[int, Sequence[int]] = {}  # words
        self._table: list[int] = []
        fewest = -(-modulus.bits // modulus.W)
        self.step = step or 1 << (fewest - 1).bit_length()
        self._next = -(-constants // self.stride)
        self._key, self._fills, self._skipped = 0, fills, list[int]()
        self.decoys = 0  # the first number of what Mask.PICK writes for nothing, if it has some
        self._ends: dict[str, int] = {}  # the first numbers behind a region

    # ---------------------------------------------------------------- numbers
    def number(self, value: int | None = None) -> int:
        """Take a number; with a value it is constant. Constants are taken first."""
        if value is not None:
            if "constants" in self._ends:
                raise ValueError("constants come before other numbers")
            self._values[self._next] = self.modulus.of(value)
        else:
            self._end("constants")
        taken = self._next
        if (taken + 1) * self.stride > scratch(self.depth):
            raise ValueError("the memory has no room for a number more")
        self._next += 1
        return taken

    def _end(self, region: str) -> None:
        self._ends.setdefault(region, self._next)

    def key(self, at: int = 0, more: int = 0) -> int:
        """Take two numbers of each key slot, which outlive a program; return the first one's name.

        The second one's is KEY_SLOTS more. They come behind the constants; ``at``: there, and all
        numbers before are constants. ``more``: so many numbers behind them live as long as they do.
        Raises ValueError if there are more constants.
        """
        if at:
            if self._next > at or at % (2 * KEY_SLOTS):
                raise ValueError(f"constants have no place before number {at}")
            self._next = at
        self._end("constants")
        self._next = self._key = -(-self._next // (2 * KEY_SLOTS)) * 2 * KEY_SLOTS
        self._next += 2 * KEY_SLOTS + more
        self._end("keys")
        return self._key

    def kept(self, count: int) -> list[int]:
        """Take numbers that outlive a program too, unless there is no entropy; behind the keys."""
        self._end("constants")
        self._end("keys")
        found = self.numbers(count)
        self._end("kept")
        return found

    def numbers(self, count: int, values: Sequence[int] = (), align: int = 1) -> list[int]:
        """Take some numbers, with values if they are constant; the first is a multiple of align."""
        while self._next % align:
            self._skipped.append(self._next)
            self._next += 1
        return [self.number(*values[i : i + 1]) for i in range(count)]

    def scattered(self, count: int) -> list[int]:
        """Take numbers that need not be neighbours: where it fills, those skipped before first."""
        found = self._skipped[:count] if self._fills else []
        self._skipped = self._skipped[len(found) :]
        return found + self.numbers(count - len(found))

    def wide_number(self, value: int | None = None) -> int:
        """Take a wide number; one with a value is constant."""
        return self.numbers(2)[0] if value is None else self.string(value, self.wide)

    def string(self, value: int, words: int) -> int:
        """Take as many numbers as so many constant words need: of a number from 0 on."""
        width, places = self.modulus.W, -(-words // self.stride)
        first, *rest = self.numbers(places, [0] * places)
        self._values[first] = [value >> width * i & (1 << width) - 1 for i in range(words)]
        for number in rest:
            del self._values[number]
        return first

    def constants_table(self, values: Sequence[int]) -> int:
        """Take 16 numbers of the table of constants; return what Mask.PICK calls the first one."""
        number = len(self._table) // self.step
        if len(values) != Table.SIXTEEN + 1 or number + len(values) > DECOYS:
            raise ValueError("a table has 16 numbers, and there are 4 tables at most")
        for value in values:
            words = self.modulus.of(value)
            if value < 0 or any(words[self.step :]):
                raise ValueError("a number of a table is not negative, and below a power of two")
            self._table += [*words, *[0] * self.step][: self.step]
        return number

    def own_square(self, mod: str) -> bool:
        """Return whether squares modulo the modulus of a name are a walk of their own.

        They are, unless all products and squares would leave little room to other walks.
        """
        if not mod:
            return self.squares
        slots = [
            len(product(m, Constants(m.W, 1 << CONSTANT_BITS), square).slots)
            for m in self.moduli.values()
            for square in (False, True)
        ]
        return sum(slots) < ROOM

    def integers(self, mod: str = "") -> Modulus:
        """Return the modulus of a name, which is a number."""
        found = self.moduli[mod]
        assert isinstance(found, Modulus)
        return found

    def constants_left(self) -> int:
        """Return how many constants walks can have, more than those of products."""
        for mod in self.moduli:
            self._walk(f"product mod {mod}" if mod else "product")
        return self.constants.most - len(self.constants.words)

    @property
    def room(self) -> int:
        """How many numbers can still be taken."""
        return scratch(self.depth) // self.stride - self._next

    # ---------------------------------------------------------------- walks
    def _walk(self, name: str) -> int:
        if name not in self._walks:
            if len(self._walks) == 1 << WALK_BITS:
                raise ValueError("the directory has no place for a walk more")
            base, _, which = name.partition(" mod ")
            m, c = self.moduli[which], self.constants
            n, wide = self.modulus.words, self.wide
            kind, _, by = base.partition(" ")
            make: Mapping[str, Callable[[], Walk]] = {
                "product": lambda: product(m, c),
                "square": lambda: product(m, c, square=True),
                IN_PLACE: lambda: in_place(self._polynomial, c, square=True),
                "sum": lambda: total(n),
                "difference": lambda: total(n, subtract=True),
                "aside": lambda: aside(n),
                "times": lambda: scale(n, c, int(by)),
                "shift": lambda: shifted(n, c, *map(int, by.split(" of "))),
                "string": lambda: total(int(by)),
                "peel": lambda: peel(c, int(by)),
                "turn": lambda: turn(c, int(by)),
                "digit": lambda: digit(n, c, DIGIT_BITS),
                "parity": lambda: parity(c),
                "spread": lambda: spread(n, c, *map(int, by.split())),
                "gather": lambda: gather(c, *map(int, by.split())),
                "expand": lambda: expand(wide - n, n),
                "widen": lambda: widen(n, wide),
                "wide-sum": lambda: total(wide),
                "xor": lambda: xor(int(by) if by else n),
                "wide-xor": lambda: xor(wide),
                "reduced": lambda: reduced(self._polynomial, c),
                "wide-digit": lambda: digit(wide, c, DIGIT_BITS),
            }
            made = self._walks[name] = replace(make[kind](), name=name)
            if any(s.to_scratch and s.to > MOST for s in made.slots):
                raise ValueError(f"the walk {name} has more words beside it than a number has")
        return list(self._walks).index(name)

    @cached_property
    def beside(self) -> int:
        """A number for a product that would be written over an operand."""
        return self.number()

    @cached_property
    def zero(self) -> int:
        """The number 0."""
        return next(number for number, words in self._values.items() if not any(words))

    @property
    def _overwrites(self) -> bool:
        """Whether a product's operands are read when its result is written."""
        return isinstance(self.modulus, Polynomial) and self.modulus.folds

    @property
    def _polynomial(self) -> Polynomial:
        assert isinstance(self.modulus, Polynomial)
        return self.modulus

    def move(
        self, walk: str, d: int, a: int, b: int | None = None, mask: Mask = Mask.NONE,
        capture: Capture = Capture.NONE, immediate: int = 0, drained: bool = False, note: str = "",
    ) -> None:  # fmt: skip
        """Append a walk; ``b`` is ``a`` if it is not given."""
        right = a if b is None else b
        if walk == "square" and not self.squares:
            walk = "product"
        if d in (a, right) and self._overwrites:
            if walk == "square":
                walk = IN_PLACE
            elif walk == "product":
                assert (mask, capture) == (Mask.NONE, Capture.NONE)
                self.move(walk, self.beside, a, right, note=note)
                walk, a, right = "sum", self.beside, self.zero
        self._words.append(
            Move(self._walk(walk), d, a, right, mask, capture, immediate, drained, note)
        )

    def copy(self, d: int, a: int, zero: int, note: str = "") -> None:
        """Append a copy."""
        self.move("sum", d, a, zero, note=note or "copy")

    def segment(
        self,
        formula: Callable[[Recorder], Sequence[Linear]],
        outputs: Sequence[int],
        places: Mapping[str, int],
        free: Sequence[int],
        most: int,
        mod: str = "",
    ) -> None:
        """Append a formula. ``places``: where its inputs are; ``free``: for what is between.

        ``most``: what no output exceeds, in multiples of p. Raises :class:`OutOfRange` if it may.
        """
        r = Recorder(self.integers(mod))
        results = [r.whole("result", v) for v in formula(r)]
        if any(r.bounds[atom] > most * r.modulus.p for atom in results):
            raise OutOfRange(f"a result may be more than {most} p")
        inputs = {atom: places[name] for name, atom in r.names.items()}
        wanted = dict(zip(results, outputs, strict=True))
        for step, to, operands in placed(r.steps, inputs, wanted, list(free)):
            own = mod and step.walk in ("product", "square")
            walk = f"{step.walk} mod {mod}" if own else step.walk
            self.move(walk, to, operands[0], operands[-1], note=step.name)

    # ---------------------------------------------------------------- orders
    def label(self) -> int:
        """Return a label that has no place yet."""
        self._labels[len(self._labels)] = -1
        return len(self._labels) - 1

    def place(self, label: int) -> None:
        """Let a label stand for the next word."""
        self._labels[label] = len(self._words)

    def here(self) -> int:
        """Return a label of the next word."""
        label = self.label()
        self.place(label)
        return label

    def order(self, order: Order, *, label: int = -1, counter: int = 0, number: int = 0,
              argument: int = 0, public: str = "", note: str = "",
              usual: bool = False) -> None:  # fmt: skip
        """Append an order."""
        self._words.append(Do(order, counter, number, max(label, 0), argument, public, note, usual))

    @contextmanager
    def counted(self, fault: int) -> Iterator[None]:
        """Go to ``fault`` unless what is appended inside took as many words as it must.

        What its routines execute counts, in loops too. Its branches go on, but for ``usual`` ones.
        """
        self.order(Order.BRANCH, label=self.label(), number=Condition.STEPS, note="count from here")
        self.place(len(self._labels) - 1)
        first = len(self._words)
        yield
        self._counted.append((first, len(self._words)))
        self.order(Order.BRANCH, label=fault, counter=1, number=Condition.STEPS, note="all words")

    def dispatch(self, *labels: int) -> None:
        """Append the first words: operation i goes to label i, and so on in turns."""
        for i in range(OPERATIONS):
            self.order(Order.JUMP, label=labels[i % len(labels)])

    def transfer(self, order: Order, number: int, octets: int, port: int = 0,
                 note: str = "", first: int = 0, part: bool = False,
                 indexed: bool = False) -> None:  # fmt: skip
        """Append an input or an output of octets; ``first``, ``part``, ``indexed``: see Do."""
        target = port | (first | part << PLACE_BITS | indexed << PLACE_BITS + 1) << PORT_BITS
        self._words.append(Do(order, number=number, target=target, argument=octets, note=note))

    @contextmanager
    def repeat(self, times: int, counter: int) -> Iterator[None]:
        """Repeat what is appended inside."""
        self.order(Order.SET, counter=counter, argument=times - 1)
        start = self.here()
        yield
        self.order(Order.LOOP, counter=counter, label=start)

    @contextmanager
    def routine(self, name: str = "", returns: bool = True) -> Iterator[int]:
        """Append a routine: what calls it jumps here and comes back.

        Without ``returns`` it ends with a jump of its own, or goes on with the next routine.
        """
        self._routines.append((len(self._words), name))
        yield self.here()
        if returns:
            self.order(Order.RETURN)
        self._behind = len(self._words)

    def routines(self) -> tuple[tuple[int, str], ...]:
        """Return the first word of each routine, with its name; what follows them is none."""
        return (*self._routines, (self._behind, ""))

    def index(self, words: int, add: bool = False) -> None:
        """Let the index of strings be so many words, or be that more; it may be less than 0."""
        self.order(Order.SET, counter=int(add), number=1, argument=words % self.depth)

    def call(self, label: int) -> None:
        """Call a routine; three may be open."""
        self.order(Order.CALL, label=label)

    # ---------------------------------------------------------------- the result
    def built(self) -> Built:
        """Return the program, labels resolved.

        Raises TooLong if it has no room, ValueError if something else is too large.
        """
        walks = tuple(patient(w, list(self._walks.values())) for w in self._walks.values())
        width = self.modulus.W
        if len(self._words) > self.most or sum(len(w.slots) for w in walks) >> SLOT_ADDRESS_BITS:
            raise TooLong("the program, or its walks, are too long")
        if any(peak(w, width) >> 2 * width + GUARD - 1 for w in walks):
            raise ValueError("the accumulator may overflow")
        program = [
            replace(w, target=self._labels[w.target])
            if isinstance(w, Do) and w.order in (Order.LOOP, Order.JUMP, Order.CALL, Order.BRANCH)
            else w
            for w in self._words
        ]
        for first, last in self._counted:
            count = steps(program, first, last) % (1 << PC_BITS)
            look = program[last]
            assert isinstance(look, Do)
            program[last] = replace(look, argument=count)
        if nesting(program, range(min(OPERATIONS, len(program)))) > OPEN:
            raise ValueError(f"more than {OPEN} routines are open at once")
        if not back_to_back(walks):
            program = [replace(w, drained=True) if isinstance(w, Move) else w for w in program]
        self._end("constants")
        values = [0] * (self._ends["constants"] * self.stride)
        values[: len(self.constants.words)] = self.constants.words
        for number, value in self._values.items():
            at = number * self.stride
            values[at : at + len(value)] = value
        random = self._ends.get("keys", self._ends["constants"])
        work = self._ends.get("kept", random)
        return Built(width, walks, tuple(program), tuple(values), self.depth, self.stride,
                     self._key, random * self.stride, work * self.stride,
                     tuple(self._table), self.step, self.decoys)  # fmt: skip
