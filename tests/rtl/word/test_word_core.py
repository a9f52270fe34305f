# SPDX-License-Identifier: Apache-2.0
"""word_core with programs of its own: products against Python's integers, kP against libcrypto.

What words mean is checked here, by Python's integers; word_cocotb.py compares words.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.word_emit import word_module
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.modulus import Modulus, Ring
from ecsm.schedule.sequential.multiply import multiplication
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Capture, Mask, Order, Port, Table
from ecsm.status import Status
from tests.rtl.cocotb_run import run
from tests.schedule.sequential.moduli import SHIPPED, edges, prime

MODULI = {
    "P-224": prime("P-224").p, "P-256": prime("P-256").p, "its order": prime("P-256").n,
    "P-384": prime("P-384").p, "P-521": prime("P-521").p, "its order of 521 bits": prime("P-521").n,
    "secp256k1": prime("secp256k1").p, "25519": (1 << 255) - 19,
    "brainpool": prime("brainpoolP256r1").p, "a small one": 101, "all ones": (1 << 127) - 1,
}  # fmt: skip
MORE = {name: m for name, m in SHIPPED.items() if m not in map(Modulus, MODULI.values())}
"""Those of the presets that are not among them; the field of 25519 as folds."""
WALKS = ("product", "square", "sum", "difference", "times 3")
CONSTANTS = 96  # words that walks multiply with, at most: those of word-prime
Job = dict[str, Any]


# Ends the simulation if, with an answer, something is left of the job: a word of the memory that is
# not as it was at first, a word that was read and is no constant, a register of the datapath.
WATCH = """
module word_watch #(
  parameter int unsigned W, Depth, Fixed, parameter bit [Fixed-1:0][W-1:0] Values
) (
  input logic clk_i, input logic answers_i, input logic [W-1:0] memory_i[Depth],
  input logic [W-1:0] a_i, input logic [W-1:0] b_i, input logic left_i
);
  function automatic logic constant(logic [W-1:0] word);
    constant = word == '0;
    for (int unsigned i = 0; i < Fixed; i++) if (word == Values[i]) constant = 1;
  endfunction
  always_ff @(posedge clk_i) if (answers_i) begin
    for (int unsigned i = 0; i < Depth; i++) begin
      if (memory_i[i] != (i < Fixed ? Values[i] : '0)) $fatal(1, "word %0d", i);
    end
    if (!constant(a_i) || !constant(b_i)) $fatal(1, "a word that was read");
    if (left_i) $fatal(1, "a register");
  end
endmodule
bind word_core word_watch #(.W(W), .Depth(Depth), .Fixed(Fixed), .Values(Values)) u_watch (
  .clk_i(clk_i), .answers_i(rsp_valid_o), .memory_i(u_memory.copy_a), .a_i(a), .b_i(b),
  .left_i(flag_q || |{digit_q, random_digit_q, u_mac.acc_q, u_control.shift_q, u_random.a_q,
                      u_random.b_q, u_random.c_q})
);
"""


def check(
    built: Built, jobs: Sequence[Job], folder: Path, beside: str = "", **more: object
) -> None:
    """Run jobs on the RTL of a program; ``beside``: more SystemVerilog."""
    text = word_module("word_top", built, "a test") + beside
    file = folder / "jobs.json"
    file.write_text(json.dumps({"jobs": jobs, **more}))
    run("word_top", needed(text, rtl_files()), "tests.rtl.word.word_cocotb", text=text,
        env={"WORD_JOBS": str(file)}, optimise="-O2")  # fmt: skip


def octets_of(m: Ring) -> int:
    """Return the octets of a number."""
    return m.words * m.W // 8


def string(m: Modulus, value: int) -> bytes:
    """Return a number as octets; a negative one as its words have it."""
    return (value % m.radix).to_bytes(octets_of(m), "big")


def value_of(m: Modulus, octets: bytes) -> int:
    """Return the number of octets."""
    value = int.from_bytes(octets, "big")
    return value - (value >> m.W * m.words - 1) * m.radix


def arithmetic(m: Modulus) -> Built:
    """Return a program: operation i asks for a and b and answers walk i of them."""
    a = Assembler(m, depth=512, constants=CONSTANTS)
    left, right, result = a.numbers(3)
    labels = [a.label() for _ in WALKS]
    a.dispatch(*labels)
    for walk, label in zip(WALKS, labels, strict=True):
        a.place(label)
        for number in (left, right):
            a.transfer(Order.IN, number, octets_of(m))
        a.move(walk, result, left, left if walk == "square" else right)
        a.transfer(Order.OUT, result, octets_of(m))
        a.order(Order.DONE)
    return a.built()


def moved(given: Sequence[bytes], found: Sequence[bytes]) -> list[list[int]]:
    """Return octets that come in, and those that go out."""
    return [list(b"".join(strings)) for strings in (given, found)]


FEW = (("P-256", 32), ("its order", 32), ("its order of 521 bits", 32), ("25519", 16),
       ("a small one", 64))  # fmt: skip


@pytest.mark.always
@pytest.mark.parametrize(("name", "width"), FEW)
def test_walks_compute_what_they_say(name: str, width: int, tmp_path: Path) -> None:
    _walks(Modulus(MODULI[name], width), 300, tmp_path)


# Of words of 16 bits, longer numbers have more slots than the table, and that of brainpool, which
# has no word of 0, more constants than there are.
EVERY = [(name, width) for name, p in MODULI.items() for width in (16, 32, 64)
         if width > 16 or (p.bit_length() <= 256 and name != "brainpool")]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(("name", "width"), EVERY)
def test_walks_of_every_modulus(name: str, width: int, tmp_path: Path) -> None:
    _walks(Modulus(MODULI[name], width), 300, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", MORE)
def test_walks_of_more_moduli(name: str, tmp_path: Path) -> None:
    _walks(MORE[name], 300, tmp_path)


def test_an_answer_leaves_nothing_of_its_job(tmp_path: Path) -> None:
    """Of products modulo an order, whose quotients are kept beside the numbers meanwhile."""
    m = Modulus(MODULI["its order"])
    _walks(m, 20, tmp_path, beside=WATCH)


PIECE = 26  # bits of a piece of a scalar
SEED = 32  # octets of random bits
TURNS = 8  # digits that are taken of the pieces, and of a number
COVER = 7  # is added to entries


@pytest.mark.full
def test_a_program_without_an_end_has_an_answer(tmp_path: Path) -> None:
    """A loop that never ends, and one of walks: FAULT_DETECTED; the next job is right."""
    m = Modulus(101, 32)
    a = Assembler(m, depth=512)
    number, jumps, walks, good = a.number(5), *(a.label() for _ in range(3))
    (work,) = a.numbers(1)
    a.dispatch(jumps, walks, good)
    a.place(jumps)
    a.order(Order.JUMP, label=jumps)
    a.place(walks)
    a.move("sum", work, number, number)
    a.order(Order.JUMP, label=walks)
    a.place(good)
    a.transfer(Order.OUT, number, 4)
    a.order(Order.DONE)
    jobs: list[Job] = [{"op": op, "kind": str(op), "moves": [], "status": Status.FAULT_DETECTED}
            for op in (0, 1)]  # fmt: skip
    right = {"op": 2, "kind": "right", "moves": [[[], [0, 0, 0, 5]]], "status": Status.OK}
    check(a.built(), [right, *jobs, right], tmp_path)


def picks(m: Modulus) -> Built:
    """Return a program that tells the entries of digits, from tables of all kinds.

    It reads eight numbers, octets that change orders, a number k. Of each digit of five bits
    of k's pieces it tells the constants, whole and by the address, of four bits of k the numbers;
    each with a cover.
    """
    a = Assembler(m, depth=1024)
    tables = [a.constants_table([100 * i + e for e in range(16)]) for i in range(3)]
    zero, cover = a.number(0), a.number(COVER)
    entries = a.numbers(8, align=8)
    two = a.numbers(2, align=2)
    k, pieces, result, random_bits = a.numbers(4)
    start = a.here()
    for number in entries:
        a.transfer(Order.IN, number, octets_of(m))
    a.transfer(Order.IN, random_bits, SEED)
    a.transfer(Order.OUT, random_bits, SEED, Port.MASK)
    a.transfer(Order.IN, k, octets_of(m))
    a.move(f"spread 1 {PIECE} {PIECE}", pieces, k)

    def tell(table: Table, first: int) -> None:
        a.move("sum", result, zero, zero, drained=True)
        a.move("sum", two[0], cover, first, mask=Mask.PICK, immediate=table)
        a.move("difference", two[1], zero, two[0])
        a.move("sum", result, zero, two[0], mask=Mask.SIGN, immediate=1)
        a.transfer(Order.OUT, result, octets_of(m))

    with a.repeat(TURNS, counter=0):
        a.move(f"gather {PIECE}", pieces, pieces, capture=Capture.DIGIT)
        for first in tables:
            tell(Table.SIXTEEN, first)
            tell(Table.CONSTANT_ENTRY, first)
        a.move("digit", k, k, capture=Capture.DIGIT)
        tell(Table.EIGHT, entries[0])
        tell(Table.ENTRY, entries[0])
    a.order(Order.DONE)
    assert start == 0
    return a.built()


@pytest.mark.parametrize("width", [16, pytest.param(32, marks=pytest.mark.always)])
def test_entries_of_tables(width: int, tmp_path: Path) -> None:
    """Whatever the random bits are, entries and signs are those of the digits."""
    m, rng = Modulus(MODULI["P-256"], width), random.Random(width)
    jobs = []
    for seed in (bytes(SEED), *(rng.randbytes(SEED) for _ in range(6))):
        numbers, k = [rng.getrandbits(m.W) for _ in range(8)], rng.getrandbits(octets_of(m) * 8)
        values = []
        for turn in range(TURNS):
            bits = [k >> PIECE * (piece + 1) - turn & 1 for piece in range(5)]
            five = 2 * sum(bit << 4 - i for i, bit in enumerate(bits)) - 31
            top = k >> octets_of(m) * 8 - 4 * (turn + 1)
            four = 2 * (top & 15) - 15
            for value, digit in (*((100 * i + abs(five) // 2, five) for i in range(3)),
                                 (numbers[abs(four) // 2], four)):  # fmt: skip
                values += 2 * [(value + COVER) * (1 if digit > 0 else -1)]
        given = [*(string(m, v) for v in numbers), seed]
        found = [string(m, v) for v in values]
        moves = [moved(given, [seed]), moved([string(m, k)], found)]
        jobs.append({"op": 0, "kind": "picks", "moves": moves, "status": Status.OK})
        host = Masked(*given, string(m, k))
        picks(m).engine().run(0, host)
        assert host.out == found
    check(picks(m), jobs, tmp_path)


class Masked(Strings):
    """A host that keeps what goes to the mask's port apart."""

    def write(self, port: int, octets: bytes) -> None:
        """Keep a string."""
        if port != Port.MASK:
            super().write(port, octets)


CHAIN = 100  # turns of two loops, one in the other


def chain(m: Ring, less: str = "difference", plus: str = "sum") -> Built:
    """Return a program: 10,000 times x becomes x y - y, and y becomes its square + x; then x, y.

    ``less``, ``plus``: the walks of - and +.
    """
    a = Assembler(m, depth=512, constants=CONSTANTS)
    x, y, t = a.numbers(3)
    start = a.label()
    a.dispatch(start)
    a.place(start)
    for number in (x, y):
        a.transfer(Order.IN, number, octets_of(m))
    with a.repeat(CHAIN, counter=0), a.repeat(CHAIN, counter=1):
        a.move("product", t, x, y)
        a.move(less, x, t, y)
        a.move("square", t, y)
        a.move(plus, y, t, x)
    for number in (x, y):
        a.transfer(Order.OUT, number, octets_of(m))
    a.order(Order.DONE)
    return a.built()


@pytest.mark.full
@pytest.mark.parametrize("name", [*MODULI, *MORE])
def test_ten_thousand_products_of_a_modulus(name: str, tmp_path: Path) -> None:
    """Each takes the result of the one before: what differs once differs at the end."""
    m, rng = MORE[name] if name in MORE else Modulus(MODULI[name]), random.Random(name)
    x, y = rng.randrange(m.p), rng.randrange(m.p)
    built, given = chain(m), (string(m, x), string(m, y))
    host = Strings(*given)
    built.engine().run(0, host)
    inverse = pow(m.enter(1), -1, m.p)
    for _ in range(CHAIN * CHAIN):
        x = (x * y * inverse - y) % m.p
        y = (y * y * inverse + x) % m.p
    assert [value_of(m, v) % m.p for v in host.out] == [x, y]
    job = {"op": 0, "kind": "chain", "moves": [moved(given, host.out)], "status": Status.OK}
    check(built, [job], tmp_path)


def _walks(m: Modulus, count: int, folder: Path, beside: str = "") -> None:
    """Check each walk of pairs of numbers; what a product is, the model says and integers check."""
    built = arithmetic(m)
    values = list(edges(m, count))
    random.Random(7).shuffle(values)
    jobs, inverse = [], pow(m.enter(1), -1, m.p)
    for i, (a, b) in enumerate(zip(values, values[1:] + values[:1], strict=True)):
        op = i % len(WALKS)
        given = (string(m, a), string(m, b))
        host = Strings(*given)
        built.engine().run(op, host)
        result = value_of(m, host.out[0])
        right = [a * b * inverse, a * a * inverse, a + b, a - b, 3 * a][op]
        if op < 2:
            assert (result - right) % m.p == 0
            assert abs(result) <= 3 * m.p
        else:
            assert result == right
        moves = [moved(given, host.out)]
        jobs.append({"op": op, "kind": WALKS[op], "moves": moves, "status": Status.OK})
    check(built, jobs, folder, beside)


# ------------------------------------------------------------------------------ kP
def kp_job(c: PrimeCurve, width: int, k: int, point: tuple[int, int], answer: Any) -> Job:
    """Return a job of :func:`multiplication`'s program: ``answer`` a point, None, or a status."""
    scalar, octets = (Modulus(c.p, width).words - 1) * width // 8, -(-c.p.bit_length() // 8)
    given = [k.to_bytes(scalar, "big"), *(v.to_bytes(octets, "big") for v in point)]
    if isinstance(answer, Status):
        moves = [moved(given, [])]
        return {"op": 0, "kind": answer.name, "moves": moves, "status": answer}
    found = [bytes([answer is None]), *(v.to_bytes(octets, "big") for v in answer or (0, 0))]
    return {"op": 0, "kind": "kP", "moves": [moved(given, found)], "status": Status.OK}


def documented(name: str, width: int) -> int:
    """Return the cycles of kP that docs/results/word.md names."""
    page = (Path(__file__).parents[3] / "docs/results/word.md").read_text(encoding="utf-8")
    (cycles,) = re.findall(rf"^\| {name} \| {width} \|.*\| ([\d,]+) \|$", page, re.MULTILINE)
    return int(cycles.replace(",", ""))


def refused(c: PrimeCurve, width: int) -> list[Job]:
    """Return jobs with coordinates that are none."""
    (x, y), far = c.generator, (1 << 8 * -(-c.p.bit_length() // 8)) - 1
    outside = Status.COORDINATE_OUT_OF_RANGE
    return [
        kp_job(c, width, 3, (x, y ^ 1), Status.POINT_NOT_ON_CURVE),
        kp_job(c, width, 3, (0, 0), Status.POINT_NOT_ON_CURVE),
        kp_job(c, width, 3, (c.p, y), outside),
        kp_job(c, width, 3, (far, y), outside),
    ]


@pytest.mark.parametrize(
    "name", [pytest.param("P-224", marks=pytest.mark.full),
             pytest.param("P-256", marks=pytest.mark.always),
             pytest.param("P-384", marks=pytest.mark.full),
             pytest.param("secp256k1", marks=pytest.mark.full),
             pytest.param("brainpoolP256r1", marks=pytest.mark.full)]
)  # fmt: skip
def test_kp_of_standard_curves(name: str, tmp_path: Path, libcrypto: ModuleType) -> None:
    c = prime(name)
    rng, n, g = random.Random(name), c.n, c.generator
    scalars = [0, n - 1, n + 1, rng.randrange(n)]
    jobs = [kp_job(c, 32, k, g, libcrypto.kp(name, k % n, g)) for k in scalars]
    other = libcrypto.kp(name, rng.randrange(1, n), g)
    jobs.append(kp_job(c, 32, scalars[-1], other, libcrypto.kp(name, scalars[-1], other)))
    check(multiplication(c), jobs + refused(c, 32), tmp_path, dropped=[1, 40, 5000],
          stalled=jobs[-1:], cycles={"kP": documented(name, 32)})  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("width", [16, 64])
def test_kp_in_words_of_other_widths(width: int, tmp_path: Path, libcrypto: ModuleType) -> None:
    c = prime("P-256")
    k, g = random.Random(width).randrange(c.n), c.generator
    jobs = [kp_job(c, width, k, g, libcrypto.kp("P-256", k, g)), *refused(c, width)]
    built = multiplication(c, width, depth=2048 if width == 16 else 1024)
    check(built, jobs, tmp_path, cycles={"kP": documented("P-256", width)})


def test_kp_on_a_toy_curve_for_every_scalar_and_point(tmp_path: Path) -> None:
    c = prime("toyp5a")
    points = [p for p in c.points() if p is not None]
    jobs = [kp_job(c, 16, k, p, c.mul(k, p)) for p in points for k in range(c.n + 3)]
    far = range(c.n, 1 << 16, 1009)
    jobs += [kp_job(c, 16, k, points[5], c.mul(k, points[5])) for k in far]
    jobs += refused(c, 16)
    check(multiplication(c, 16), jobs, tmp_path)
