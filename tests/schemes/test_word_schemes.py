# SPDX-License-Identifier: Apache-2.0
"""Schemes on the word engine: digests of all lengths, strings of wrong lengths, slots, secrets.

What every machine of schemes must do is in the tests beside this one, which run on it too.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.files import rtl_file
from ecsm.hdl.machines import machine
from ecsm.hdl.word_emit import emit_word_schemes
from ecsm.hdl.word_image import image
from ecsm.measure.schemes import measure
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.schedule.sequential.built import back_to_back
from ecsm.schedule.sequential.secrets import Leaks, check
from ecsm.schedule.sequential.words import Mask, Move
from ecsm.schemes.inputs import inputs
from ecsm.schemes.word import operations
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.program import WordProgram, word_program
from ecsm.schemes.word.weierstrass import Weierstrass
from ecsm.status import NoEntropy, NoKey, SignatureInvalid, Status, Unsupported
from tests.schemes.conftest import SEED
from tests.schemes.model import Model
from tests.schemes.word_units import Units

PRESET = "word-p256"
D = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468


@pytest.fixture(scope="module")
def word() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture(scope="module")
def program() -> WordProgram:
    return word_program(WORD_PRESETS[PRESET])


def test_a_digest_of_every_length(word: SchemeDevice) -> None:
    """Through two blocks and the padding's every case; a block's cycles are always the same."""
    rng, cycles = random.Random(1), dict[tuple[int, bool], set[int]]()
    for length in range(200):
        message = rng.randbytes(length)
        result = word.run("sha256", message)
        assert result.strings == (hashlib.sha256(message).digest(),), length
        room = length % 64 < 56
        cycles.setdefault((length // 64, room), set()).add(result.cycles)
    # The 80 (hexadecimal) of a message of whole blocks comes a block later.
    assert all(max(found) - min(found) < 64 for found in cycles.values())


def test_a_long_message_in_parts(word: SchemeDevice) -> None:
    message = random.Random(2).randbytes(100_003)
    parts = [message[i : i + 777] for i in range(0, len(message), 777)]
    (found,) = word.stream("sha256", message=parts)
    assert found.octets == hashlib.sha256(message).digest()


@pytest.mark.full
def test_a_message_of_megabytes(word: SchemeDevice) -> None:
    """Of more blocks than any other operation has words."""
    piece = random.Random(3).randbytes(1 << 16)
    count = 80
    (found,) = word.stream("sha256", message=[piece] * count)
    assert found.octets == hashlib.sha256(piece * count).digest()


def test_strings_of_a_wrong_length_are_refused(word: SchemeDevice) -> None:
    """Each string of each operation, shorter, longer, empty; and then all is as it was."""
    model = Model(word.curve)
    word.zeroize(reset=True)
    word.run("load", model.scalar(D))
    right = {
        "load": [model.scalar(5)], "sign-sha256": [bytes(32)], "ecdh": [*model.public(7)],
        "verify-sha256": [*model.public(7), bytes(32), model.scalar(1), model.scalar(1)],
    }  # fmt: skip
    for operation, strings in right.items():
        assert len(strings) == inputs(operation)
        for i, string in enumerate(strings):
            for wrong in (string[1:], string + b"\0", b"", string[:24], string[:8], string * 2):
                given = [*strings[:i], wrong, *strings[i + 1 :]]
                with pytest.raises(Unsupported):
                    word.run(operation, *given)
    assert word.run("public").strings == model.public(D)


@pytest.mark.parametrize("name", ["word-p256", "word-prime", "word-full"])
def test_operations_have_the_numbers_of_a_scheme_machine(name: str) -> None:
    """Those of the longer hashes have the numbers of the machine that has them."""
    own = machine(name).program
    narrow, wide = (machine("p256-fast", wide).program for wide in (False, True))
    own_ones = {"self-test": 30} | ({"wrap": 28, "unwrap": 29} if name == "word-full" else {})
    assert {o: own.number(o) for o in own_ones} == own_ones
    for operation in set(own.operations) - own_ones.keys():
        other = narrow if operation in narrow.operations else wide
        assert own.number(operation) == other.number(operation) < 32
    assert len({own.number(o) for o in own.operations}) == len(own.operations)


def test_the_model_runs_the_same_words(program: WordProgram, word: SchemeDevice) -> None:
    """Every operation on the engine in Python: the strings and statuses of the RTL."""
    engine, units, model = program.built.engine(), Units(), Model(word.curve)
    word.zeroize(reset=True)
    word.samples(SEED)
    units.samples = SEED
    both: list[tuple[str, list[bytes], int]] = [
        ("seed-test", [], 0), ("generate", [], 0), ("public", [], 0), ("forget", [], 0),
        ("load", [model.scalar(D)], 0), ("public", [], 0), ("ecdh", [*model.public(9)], 0),
        ("sha256", [bytes(130)], 0), ("sign-sha256", [bytes(range(32))], 0),
        ("sign-sha256", [bytes(range(32))], 1),
        ("verify-sha256", [*model.public(D), bytes(range(32)),
                           *model.sign(D, bytes(range(32)), "sha256")], 0),
    ]  # fmt: skip
    for operation, strings, flags in both:
        units.begin(*strings, flags=flags)
        assert engine.run(program.number(operation), units) == Status.OK, operation
        assert tuple(units.out) == word.run(operation, *strings, flags=flags).strings, operation
        work = engine.memory[engine.work :]
        assert not any(work), operation


@pytest.mark.parametrize("name", ["word-p256", "word-p256-none"])
def test_cycles_that_are_measured_are_those_of_other_keys(name: str) -> None:
    """And of other points, digests and random octets: `ecsm schemes --word` keeps them."""
    measured = measure(name, lambda _: None).cycles
    with SchemeDevice(name) as device:
        model, digest, d = Model(device.curve), bytes(range(32)), D >> 9
        device.zeroize(reset=True)
        device.run("load", model.scalar(d))  # which waits for the noise source's first samples
        signature = model.sign(d, digest, "sha256")
        strings = {
            "load": (model.scalar(d),), "public": (), "ecdh": model.public(7),
            "sign-sha256": (digest,), "verify-sha256": (*model.public(d), digest, *signature),
            "self-test": (),
        }  # fmt: skip
        results = {op: device.run(op, *given) for op, given in strings.items()}
    assert results["public"].strings == model.public(d)
    assert results["ecdh"].strings == model.public(7 * d)[:1]
    assert results["sign-sha256"].strings == signature
    found = {op.removesuffix("-sha256"): result.cycles for op, result in results.items()}
    assert found == {op: measured[op] for op in found}
    assert measured.keys() == {*found, "sha256", "generate"}


def test_keys_near_the_order_take_no_other_cycles(word: SchemeDevice) -> None:
    """Products of small and of large scalars have the same words."""
    model, cycles = Model(word.curve), dict[str, set[int]]()
    n = model.curve.n
    for d in (1, 2, 3, 14, n - 1, n - 2, n - 14, 1 << 52, D):
        word.zeroize(reset=True)
        word.run("load", model.scalar(d))
        for operation, strings in (("public", ()), ("ecdh", model.public(9))):
            result = word.run(operation, *strings)
            assert result.strings == (model.public(9 * d % n)[:1] if strings else model.public(d))
            cycles.setdefault(operation, set()).add(result.cycles)
    assert [len(found) for found in cycles.values()] == [1, 1]


@pytest.mark.parametrize("name", ["word-p256", "word-p256-none"])
def test_a_product_with_an_exception_is_computed_again(name: str) -> None:
    """The public key of the one key for which the comb's last sum is of equal points."""
    with SchemeDevice(name) as device:
        model, points = Model(device.curve), PrimeMachine(WORD_PRESETS[name]).points
        d = -(points.first_multiple << points.columns + 1) % model.curve.n
        device.zeroize(reset=True)
        results = []
        for key in (D, d):
            device.run("load", model.scalar(key))
            results.append(device.run("public"))
            assert results[-1].strings == model.public(key)
        assert results[1].cycles > 3 * results[0].cycles


def signed(model: Model, d: int, k: int, v: int) -> tuple[bytes, bytes, bytes]:
    """Return a digest and a signature of the nonce k with r/s = v."""
    n, point = model.curve.n, model.curve.mul(k, model.curve.generator)
    assert point
    r = point[0] % n
    s = r * pow(v, -1, n) % n
    return model.scalar((k * s - r * d) % n), model.scalar(r), model.scalar(s)


def test_a_signature_whose_products_have_an_exception(word: SchemeDevice) -> None:
    """The last sum is of equal points, of opposite ones, or the first product is infinity."""
    model, n = Model(word.curve), word.curve.n
    q, cycles = model.public(D), list[int]()
    v = 7 | 1 << 200  # odd, with the last digit 2 (v / 2 mod 16) - 15 = -9
    for k in (5, -18 * D % n):
        digest, r, s = signed(model, D, k, v)
        cycles.append(word.run("verify-sha256", *q, digest, r, s).cycles)
        wrong = model.scalar(int.from_bytes(digest, "big") ^ 1)
        with pytest.raises(SignatureInvalid):
            word.run("verify-sha256", *q, wrong, r, s)
    assert cycles[1] > 3 * cycles[0]
    # u = 0; both products opposite; u G = v Q.
    digest, r, s = signed(model, D, v * D % n, v)
    assert digest == model.scalar(0)
    word.run("verify-sha256", *q, digest, r, s)
    digest, r, s = signed(model, D, 2 * v * D % n, v)
    word.run("verify-sha256", *q, digest, r, s)
    e = -int.from_bytes(r, "big") * D % n
    with pytest.raises(SignatureInvalid):
        word.run("verify-sha256", *q, model.scalar(e), r, s)


def _branch(m: Weierstrass) -> None:
    """Branch on the key."""
    m.need_key()
    m.copy(m.d, m.key)
    m.in_order(m.d, m.fail(Status.FAULT_DETECTED))
    m.end()


def _hand_out(m: Weierstrass) -> None:
    """Hand the key out."""
    m.copy(m.d, m.key)
    m.give(m.d, 32)
    m.end()


def _hash(m: Weierstrass) -> None:
    """Hand out a hash of the key."""
    m.copy(m.K, m.key)
    m.generator.mac((m.zero, 32))
    m.give(m.T, 32)
    m.end()


def _random(m: Weierstrass) -> None:
    """Hand out what is drawn."""
    m.a.call(m.draw)
    m.give(m.r, 32)
    m.end()


@pytest.mark.parametrize(
    ("text", "said"),
    [(_branch, "branches on a secret"), (_hand_out, "hands out"), (_hash, "hands out"),
     (_random, "hands out")],
)  # fmt: skip
def test_a_scheme_that_tells_a_secret_is_not_assembled(
    text: Callable[[Weierstrass], None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(operations.OPERATIONS, "public", text)
    with pytest.raises(Leaks, match=said):
        word_program.__wrapped__(WORD_PRESETS[PRESET])


def test_curves_that_it_is_not_for() -> None:
    for name, said in (
        ("toyp9b", "prime orders"), ("brainpoolP256r1", "more constants than 32"),
        ("toy7a", "f is not for it"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            word_program(replace(WORD_PRESETS[PRESET], curve_name=name))
    with pytest.raises(ValueError, match="a digest is longer"):
        word_program(replace(WORD_PRESETS[PRESET], hashes=("sha256", "sha512")))
    with pytest.raises(ValueError, match="has no SHA-384"):
        SchemeDevice(PRESET, wide=True)


@pytest.mark.parametrize("p", WORD_PRESETS.values(), ids=list(WORD_PRESETS))
def test_presets_fit(p: WordPreset) -> None:
    built = word_program(p).built
    loaded = bool(p.netlist)
    assert len(built.program) <= (p.words if loaded else 1024)
    assert len(built.values) <= built.random < built.work < built.depth == p.depth


@pytest.mark.parametrize(
    "p",
    [pytest.param(p, id=name, marks=[] if name == PRESET else pytest.mark.full)
     for name, p in WORD_PRESETS.items()],
)  # fmt: skip
def test_no_operation_has_so_many_words_that_it_must_be_a_fault(
    p: WordPreset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all ways through each one, but for draws that come again and a message's blocks."""
    package = rtl_file("word_pkg").read_text(encoding="utf-8")
    (bits,) = re.findall(r"localparam int unsigned FlowW = (\d+);", package)
    found = []

    def counted(*given: Any) -> int:
        found.append(check(*given))
        return found[-1]

    monkeypatch.setattr("ecsm.schemes.word.program.check", counted)
    word_program.__wrapped__(p)
    assert found
    assert max(found) < 1 << int(bits)


def test_curves_of_one_netlist_are_built_alike() -> None:
    """Only the tables differ."""
    found = {}
    for netlist in ("word-up5k", "word-prime", "word-dual", "word-full"):
        same = [p for p in WORD_PRESETS.values() if p.netlist == netlist]
        assert len({str(emit_word_schemes(p)) for p in same}) == 1
        assert len({image(word_program(p).built) for p in same}) == len(same)
        found[netlist] = len(same)
    assert found == {"word-up5k": 2, "word-prime": 14, "word-dual": 26, "word-full": 6}
    for name in ("word-prime-p256", "word-dual-b163"):
        with pytest.raises(ValueError, match="are not for the module"):
            emit_word_schemes(replace(WORD_PRESETS[name], name="other", stride=18))


@pytest.mark.parametrize("p", WORD_PRESETS.values(), ids=list(WORD_PRESETS))
def test_walks_wait_for_each_other_by_their_stalls_alone(p: WordPreset) -> None:
    """Else each walk would begin when nothing is under way, which is a fifth of the time."""
    assert back_to_back(word_program(p).built.walks)


def test_a_key_is_not_there_behind_a_zeroize_in_any_cycle() -> None:
    """Nor a seed: the order that says so may be due in the very cycle of the zeroize."""
    with SchemeDevice("word-p256") as device:
        for operation, strings, uses in (
            ("load", (bytes(31) + b"\7",), "public"),
            ("seed", (), "generate"),
        ):
            cycles = device.run(operation, *strings).cycles
            for stop in range(cycles - 1000, cycles - 400):  # it clears for 700 cycles then
                device.run(operation, *strings, stop=stop)
                with pytest.raises((NoKey, NoEntropy)):
                    device.run(uses)


def moves_of(name: str) -> dict[str, list[Move]]:
    """Return the walks of each routine."""
    program = word_program(WORD_PRESETS[name])
    ends = [first for first, _ in program.routines[1:]]
    return {
        what: [w for i in range(first, end) if isinstance(w := program.built.program[i], Move)]
        for (first, what), end in zip(program.routines, ends, strict=False)
    }


@pytest.mark.parametrize("name", ["word-p256", "word-k256", "word-prime-p521", "word-full-p256"])
def test_what_is_read_for_nothing_of_a_comb_is_written_over_another_digits(name: str) -> None:
    """Each entry has a decoy, which nothing else of a product writes, and both covers differ."""
    first, moves = word_program(WORD_PRESETS[name]).built.decoys, moves_of(name)
    decoys = range(first, first + 16)
    picks = [w for w in moves["look_comb"] if w.mask is Mask.PICK]
    assert len(picks) == 2
    assert all(w.has_decoys for w in picks)
    assert first > 0
    assert len({w.a for w in picks}) == 2
    assert {w.a for w in picks} <= {w.d for w in moves["cover"]}
    for part in ("double", "cover", "look_comb", "add_entry", "base"):
        assert moves[part]
        for w in moves[part]:
            read = [w.a] if w.mask is Mask.PICK else [w.a, w.b]
            assert not any(number in decoys for number in (w.d, *read)), (part, w.note)


@pytest.mark.parametrize("name", ["word-p256", "word-p256-none"])
def test_a_digit_of_a_comb_is_between_random_words(name: str) -> None:
    """Before it, and behind it: and what doubles it has a random bit where its bit is, too."""
    (gather,) = [w for w in word_program(WORD_PRESETS[name]).built.walks if "gather" in w.name]
    pieces = [i for i, s in enumerate(gather.slots) if s.last]
    assert len(pieces) == 5
    for i in pieces:
        for cover in (gather.slots[i - 1], gather.slots[i + 1]):
            assert cover.scratch_a
            assert cover.first
            assert cover.doubled
            assert not cover.write


@pytest.mark.parametrize("name", ["word-p256", "word-k256", "word-prime", "word-prime-bp512"])
def test_what_an_entry_is_written_over_is_a_product(name: str) -> None:
    """Its highest word is that of an entry then: a difference may be negative, and would tell."""
    program, moves = word_program(WORD_PRESETS[name]), moves_of(name)
    (other,) = {w.a for w in moves["others"]}
    made = [program.built.walks[w.walk].name for w in moves["add_point"] if w.d == other]
    assert made[-1] == "product"
    assert not any(w.d == other for w in moves["double"])
