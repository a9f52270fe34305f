# SPDX-License-Identifier: Apache-2.0
"""Which cycles of a word engine's kP hold its secret; without assumptions, with wrong programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.subjects import traced_class
from ecsm.evidence.campaigns.word_traces import Multiples
from ecsm.evidence.taint.assumptions import FIXED, Becomes, assumptions, writers
from ecsm.evidence.taint.multiple import Analysis, Run, analysed, machine_of, program_of
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.schedule.sequential.words import Do, Move, Order
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.program import word_program

AGREE = 5600  # cycles of "ecdh" up to where the scalar has been blinded and cut into digits
POINT, TABLE = 11000, 2000  # .. and to the first sums of the table of the point
DIGITS = 28000  # .. and to the first digits
BOTH = 3  # of them hold both parts of the key
FILLED = 18000  # cycles of "ecdh" without masks to where the table is filled, and digits are used
PROGRAM = "u_scheme.u_core.u_control.gen_memory.words"
SCRATCH = 32  # words at the end of the memory


@lru_cache(maxsize=2)
def subject(name: str) -> Multiples:
    found = traced_class(name)(name, Progress())
    assert isinstance(found, Multiples)
    return found


def agreed(run: Run, cycles: int = AGREE) -> int:
    """Run to ``cycles`` behind the request for the product; return its cycle."""
    while len(run.session.begins) < 2:
        run.to(run.session.at + 256)
    run.to(run.session.begins[1] + cycles)
    return run.session.begins[1]


@lru_cache(maxsize=1)
def short() -> tuple[Analysis, int]:
    with Run(subject("word-p256"), "scalar") as run:
        begin = agreed(run)
        return run.found(), begin


def test_the_key_is_held_while_it_is_loaded_and_not_later() -> None:
    found, begin = short()
    assert found.holds[:begin].sum() > 100
    assert found.holds[begin:].sum() == BOTH
    assert ((found.items > 0) == found.holds).all()


def test_without_an_assumption_a_secret_is_held() -> None:
    found, begin = short()
    names = [one.name for one in found.assumed]
    held = {n: int(found.without(i)[begin:].sum()) for i, n in enumerate(names)}
    assert held.pop("result") == BOTH, "which is not there yet"
    assert set(held) == {"parts of the key", "blinded scalar"}
    assert min(held.values()) > 40 * BOTH


def changed(words: Mapping[int, Move]) -> Circuit:
    """Return the netlist with other words of the program."""
    circuit = subject("word-p256").circuit
    memories = []
    for m in circuit.memories:
        init = list(m.init)
        if m.name == PROGRAM:
            for at, word in words.items():
                init[at * m.width : (at + 1) * m.width] = [
                    word.word() >> i & 1 for i in range(m.width)
                ]
        memories.append(replace(m, init=init))
    return replace(circuit, memories=memories)


def wrong(name: str) -> Circuit:
    """Return the netlist with a program that has another operand somewhere."""
    it = subject("word-p256")
    m, program = machine_of(it), program_of(it)
    x, point = m.points.s[0], m.points.point[0]
    routine, d, a, b, wrong_a, wrong_b = {
        "parts are added up": ("", m.part[0], m.key, m.zero, m.key, m.other_key),
        "the key's mask is left out": ("new_parts", m.key, m.key, m.T, m.key, m.zero),
        "the key is its own mask": ("new_parts", m.key, m.key, m.T, m.key, m.key),
        "the scalar's mask is left out": ("scalar", m.points.k, m.T, m.n, m.zero, m.n),
        "x is not blinded": ("multiply", x, point, m.points.free[0], point, m.unit),
    }[name]  # fmt: skip
    found = {
        at: replace(word, a=wrong_a, b=wrong_b)
        for at, word in enumerate(program.built.program)
        if isinstance(word, Move) and program.routine(at) == routine
        and (word.d, word.a, word.b) == (d, a, b)
    }  # fmt: skip
    assert found
    return changed(found)


@pytest.mark.parametrize(
    "name",
    ["parts are added up", "the key's mask is left out", "the key is its own mask",
     "the scalar's mask is left out"],
)  # fmt: skip
def test_a_program_that_is_wrong_holds_the_scalar(name: str) -> None:
    with Run(subject("word-p256"), "scalar", wrong(name)) as run:
        begin = agreed(run)
        assert run.found().holds[begin:].sum() > 3 * BOTH


def test_a_program_that_is_wrong_holds_the_point() -> None:
    """The last cycles are of the table's first entries."""
    held = []
    for circuit in (None, wrong("x is not blinded")):
        with Run(subject("word-p256"), "point", circuit) as run:
            begin = agreed(run, POINT)
            held.append(run.found().holds[begin + POINT - TABLE :].mean())
    assert held[0] == 0
    assert held[1] > 0.6


def test_a_branch_on_the_secret_is_in_every_cycle() -> None:
    """If conditions were not public, the range of the key would be in the control from then on."""
    others = [f.registers for f in FIXED if f.name != "conditions"]
    with Run(subject("word-p256"), "scalar", fixed=others) as run:
        run.to(1024)
        assert run.found().holds[256:].mean() > 0.9


def test_entries_whose_order_is_unknown_may_be_any_words() -> None:
    """Addresses of entries would reach the key's parts, from the first digit on."""
    others = [f.registers for f in FIXED if f.name != "order of entries"]
    with Run(subject("word-p256"), "scalar", fixed=others) as run:
        begin = agreed(run, DIGITS)
        assert run.found().holds[begin + AGREE :].sum() > 1000


def test_the_writer_is_the_word_whose_number_is_written() -> None:
    """Each write of a walk or an input goes to its number, the scratch number, or to a decoy."""
    it = subject("word-p256")
    built, seen = program_of(it).built, set()
    circuit = it.circuit
    (memory,) = (m for m in circuit.memories if m.name.endswith("u_memory.copy_a"))
    (port,) = memory.writes
    with Run(it, "scalar") as run:
        begin = agreed(run, 0)
        for first in (0, 1100, 2200, begin, begin + 4100, begin + 5000):
            run.to(first)
            for _ in range(400):
                run.flow.run(0)
                address = sum((v & 1) << i for i, v in enumerate(_bits(run, port.address)))
                enabled = any(_bits(run, port.enable))
                run.to(run.session.at + 1)
                writer = run.flow.writer()
                if not enabled:
                    continue
                word = built.program[writer]
                own = word.d if isinstance(word, Move) else word.number
                low = own * built.stride
                near = low <= address < low + 2 * built.stride
                assert near or address >= built.depth - SCRATCH, (run.session.at, writer, address)
                assert isinstance(word, Move) or word.order == Order.IN
                seen.add(writer)
    assert len(seen) > 15
    assert {isinstance(built.program[w], Do) for w in seen} == {True, False}


def _bits(run: Run, nets: Sequence[int]) -> list[int]:
    bits: list[int] = run.flow.planes(nets)[:, 0].tolist()
    return bits


NAMES = {"word-p256": 3, "word-k256": 3, "word-p256-none": 0}
"""Random numbers that are assumed, of both kinds of secrets, by preset."""


@pytest.mark.parametrize(("name", "masks"), NAMES.items(), ids=NAMES)
def test_assumptions_are_of_words_that_are_there(name: str, masks: int) -> None:
    """Each is of some words; a mask is drawn for each that needs one."""
    preset = WORD_PRESETS[name]
    machine, program = PrimeMachine(preset), word_program(preset)
    kinds = []
    for vary in Multiples.vary:
        assumed = assumptions(machine, vary, Multiples.operation)
        assert len({one.name for one in assumed}) == len(assumed)
        assert assumed[-1].name == "result"
        for one in assumed:
            for change in one.changes:
                assert writers(program, change)
                kinds.append(change.becomes)
    assert sum(kind in (Becomes.MASK, Becomes.MASK_SECOND) for kind in kinds) == masks
    if masks:
        change = assumptions(machine, "scalar", Multiples.operation)[0].changes[0]
        with pytest.raises(ValueError, match="no word of mask writes the number"):
            writers(program, replace(change, number=machine.key))


@pytest.fixture(scope="module", params=["scalar", "point"])
def whole(request: pytest.FixtureRequest) -> tuple[Analysis, list[str]]:
    it = subject("word-p256")
    return analysed(it, request.param, Progress()), it.names


def test_a_whole_product_holds_no_secret(whole: tuple[Analysis, list[str]]) -> None:
    """But for the beginning; and in its end without the assumption that its result is public."""
    found, names = whole
    before = {"scalar", "mask", "fill"}  # the point is held up to the table's first entries
    parts = [n.split(" > ") for n in names]
    product = np.array(
        [p[0] == "ecdh: multiply" and len(p) > 1 and before.isdisjoint(p) for p in parts]
    )
    ends = np.array([n.startswith("ecdh: finish") for n in names])
    assert not found.holds[product].any()
    assert not found.holds[ends].any()
    *others, result = (found.without(i) for i in range(len(found.assumed)))
    assert (found.result == result).all()
    assert result[ends].sum() > 500
    assert not result[product].any()
    assert max(one[product].sum() for one in others) > 0.95 * product.sum()


def test_an_engine_without_masks_holds_the_scalar() -> None:
    it = subject("word-p256-none")
    with Run(it, "scalar") as run:
        begin = agreed(run, FILLED + 5000)
        found = run.found()
        assert [one.name for one in found.assumed] == ["result"]
        assert found.holds[begin + FILLED :].mean() > 0.99
        assert not found.holds[begin + FILLED // 2 : begin + FILLED - 5000].any(), "public so far"
