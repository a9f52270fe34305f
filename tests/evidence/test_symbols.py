# SPDX-License-Identifier: Apache-2.0
"""Values that are known, unknown or named: against all values that they stand for."""

from __future__ import annotations

import random
from itertools import product

import pytest

from ecsm.evidence.core import Core, Memory, Product, Read, Register, Write
from ecsm.evidence.gates import Function
from ecsm.evidence.symbols import UNKNOWN, Run, Symbols, unlike


def test_a_function_is_right_for_every_value_of_what_is_not_known() -> None:
    """A known result is that of all values; equal symbols are equal functions of the symbols."""
    rng = random.Random(1)
    symbols = Symbols()
    names = symbols.fresh(), symbols.fresh()
    meaning: dict[int, tuple[int, ...]] = {names[0]: (0, 1, 0, 1), names[1]: (0, 0, 1, 1)}
    seen = {0: 0, 1: 0, UNKNOWN: 0}
    for _ in range(3000):
        inputs = rng.choice((1, 2, 3, 4))
        table = tuple(rng.getrandbits(1) for _ in range(1 << inputs))
        values = tuple(rng.choice((0, 1, UNKNOWN, *names)) for _ in range(inputs))
        found = symbols.apply(table, values)
        open_places = [k for k, v in enumerate(values) if v == UNKNOWN]
        results = set()
        for fill in product((0, 1), repeat=len(open_places)):
            row = []
            for a, b in product((0, 1), repeat=2):
                known = {names[0]: b, names[1]: a, 0: 0, 1: 1}
                bits = [known.get(v, 0) for v in values]
                for k, bit in zip(open_places, fill, strict=True):
                    bits[k] = bit
                row.append(table[sum(bit << k for k, bit in enumerate(bits))])
            results.add(tuple(row))
        if found in seen:
            seen[found] += 1
        if found in (0, 1):
            assert results == {(found,) * 4}
        elif found != UNKNOWN:
            assert len(results) == 1
            assert meaning.setdefault(found, *results) in results
    assert min(seen.values()) > 300
    assert symbols.apply((1, 0), (symbols.apply((1, 0), (names[0],)),)) == names[0]


def memory(address: int = 2) -> Core:
    """Return a memory of four words of two bits, written and read at ports."""
    a, w = tuple(range(10, 10 + address)), tuple(range(20, 20 + address))
    return Core(
        {"read_i": a, "write_i": w, "data_i": (30, 31), "enable_i": (40,)},
        {"data_o": (50, 51)},
        (Read("m", (50, 51), a),),
        {},
        {"m": Memory(("00",) * 4, (Write(w, (30, 31), (40, 40)),))},
    )


@pytest.mark.parametrize(
    ("where", "enable", "words"),
    [
        ((1, 0), 1, ["00", "11", "00", "00"]),
        ((1, 0), 0, ["00", "00", "00", "00"]),
        ((1, 0), UNKNOWN, ["00", "xx", "00", "00"]),
        ((1, UNKNOWN), 1, ["00", "xx", "00", "xx"]),
        ((UNKNOWN, UNKNOWN), 1, ["xx"] * 4),
    ],
)
def test_a_write_to_a_memory(where: tuple[int, int], enable: int, words: list[str]) -> None:
    run = Run(memory())
    run.give(data_i=1, enable_i=enable)
    for n, value in zip(run.core.inputs["write_i"], where, strict=True):
        run.put([n], value)
    run.step()
    got = ["".join("x" if b == UNKNOWN else str(b) for b in w) for w in run.memories["m"]]
    assert got == words
    run.give(enable_i=0)
    for place, word in enumerate(words):
        for i, n in enumerate(run.core.inputs["read_i"]):
            run.put([n], place >> i & 1)
        run.settle()
        assert run.port("data_o") == [UNKNOWN if b == "x" else int(b) for b in word]
    run.give(read_i=UNKNOWN)
    run.settle()
    assert run.port("data_o") == ([0, 0] if words == ["00"] * 4 else [UNKNOWN] * 2)


def test_a_word_beyond_a_memory_is_unknown() -> None:
    run = Run(memory(address=3))
    run.give(read_i=1)
    run.settle()
    assert run.port("data_o") == [UNKNOWN, UNKNOWN]


@pytest.mark.parametrize("signed", [False, True])
def test_products(signed: bool) -> None:
    core = Core(
        {"a": (1, 2, 3), "b": (4, 5, 6)},
        {"p": (7, 8, 9, 10, 11, 12)},
        (Product((7, 8, 9, 10, 11, 12), (1, 2, 3), (4, 5, 6), signed),),
        {},
    )
    run = Run(core)
    for a, b in product(range(8), repeat=2):
        for i in range(3):
            run.put([1 + i], a >> i & 1)
            run.put([4 + i], b >> i & 1)
        run.settle()
        want = (a - 8 * (a > 3)) * (b - 8 * (b > 3)) if signed else a * b
        assert run.port("p") == [want >> i & 1 for i in range(6)]
    run.give(a=UNKNOWN, b=0)
    run.settle()
    assert run.port("p") == [0] * 6
    run.give(b=1)
    run.settle()
    assert run.port("p") == [UNKNOWN] * 6


def test_a_register_takes_what_it_has_a_cycle_later() -> None:
    core = Core({"d": (1,)}, {"q": (2,)}, (Function(3, (1,), (1, 0)),), {2: Register(3, 1)})
    run = Run(core)
    assert run.port("q") == [UNKNOWN]
    run.reset()
    assert run.port("q") == [1]
    run.give(d=1)
    run.step()
    assert run.port("q") == [0]
    run.give(d=UNKNOWN)
    run.step()
    assert run.port("q") == [UNKNOWN]


def test_names_in_words() -> None:
    assert unlike({1: "a", 2: "b"}, [2, 1]) == "a, b"
    assert unlike({}, range(9)) == "0, 1, 2, 3 and 5 more"


def gate() -> Core:
    """Return a register that keeps what it has or takes a sum, and one that takes it inverted."""
    return Core(
        {"load_i": (1,), "a_i": (2,), "b_i": (3,)}, {},
        (
            Function(10, (2, 3), (0, 1, 1, 0)),
            Function(11, (10, 21, 1), (0, 0, 1, 1, 0, 1, 0, 1)),
            Function(12, (10,), (1, 0)),
        ),
        {21: Register(11, None), 22: Register(12, None)},
    )  # fmt: skip


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("load", [0, 1])
def test_what_is_assumed_holds_for_all_that_depends_on_it(value: int, load: int) -> None:
    """And for this cycle alone."""
    run = Run(gate())
    run.give(load_i=load)
    run.settle()
    assert run.source(11) == ((10, 0) if load else (21, 0))
    assert run.source(12) == (10, 1)
    run.assume(run.source(11)[0], value)
    run.step()
    assert (run[21], run[22]) == (value, 1 - value if load else UNKNOWN)
    run.settle()
    assert (run[10], run[12]) == (UNKNOWN, UNKNOWN)


def test_a_port_is_assumed_for_a_cycle() -> None:
    run = Run(gate())
    run.give(b_i=1)
    run.settle()
    assert run.source(12) == (2, 0)
    run.assume(2, 1)
    run.step()
    assert run[22] == 1
    run.settle()
    assert (run[2], run[12]) == (UNKNOWN, UNKNOWN)


def test_what_is_open_is_not_assumed() -> None:
    """It may be another value at each place."""
    core = Core({}, {}, (Function(10, ("x",), (1, 0)),), {21: Register(10, None)})
    run = Run(core)
    run.settle()
    assert run.source(10) == (10, 0)
    with pytest.raises(ValueError, match="open"):
        run.assume("x", 1)
