# SPDX-License-Identifier: Apache-2.0
"""The self-test of word engines: on request, after reset, after tables; passed, failed, dropped."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ecsm.curves import curve
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.device import schemes
from ecsm.device.schemes import SchemeDevice
from ecsm.evidence.campaigns.textbook import Textbook
from ecsm.hdl.word_image import image
from ecsm.oracle import rawkeys
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.options import HEDGED
from ecsm.schemes.word import known
from ecsm.schemes.word.program import word_program
from ecsm.sim.cache import Sources, scheme_sources
from ecsm.status import FaultDetected, NoKey, Unsupported

SMALL = "word-p256"
TABLES = ("word-prime-p256", "word-prime-x25519", "word-prime-ed25519", "word-dual-b163")
LONG = ("word-p256-none", "word-k256", "word-up5k", "word-prime", "word-prime-p521",
        "word-prime-bp512", "word-dual-b571", "word-full-b233", "word-full-p521")  # fmt: skip
KEY = bytes(range(1, 33))


@pytest.fixture
def device() -> Iterator[SchemeDevice]:
    with SchemeDevice(SMALL) as opened:
        yield opened


@pytest.fixture(scope="module")
def cycles() -> int:
    """Of the self-test of an engine that was not used before."""
    with SchemeDevice(SMALL) as opened:
        return opened.run("self-test").cycles


class TestKnownAnswers:
    @pytest.mark.parametrize("name", ["secp256r1", "secp384r1", "brainpoolP256r1", "sect163r2"])
    def test_nonce_is_that_of_a_textbook(self, name: str) -> None:
        c = curve(name)
        octets, low = -(-c.n.bit_length() // 8), -c.n.bit_length() % 8
        nonce = Textbook(c).nonce(1, (1 << low).to_bytes(octets, "big")) % c.n
        point = c.mul(nonce, c.generator)
        assert point
        assert known.known_r(c, ["sha256"]) == point[0] % c.n

    def test_public_keys_are_those_of_libcrypto(self) -> None:
        x, e = curve("curve25519"), curve("edwards25519")
        assert isinstance(x, XLine)
        assert isinstance(e, EdwardsCurve)
        base = (9).to_bytes(32, "little")
        expected = rawkeys.x25519(known._key(), base)
        assert known.known_x25519(x).to_bytes(32, "big") == expected
        public, s = known.known_ed25519(e, 5)
        assert public.to_bytes(32, "big") == rawkeys.ed25519_public(known._key())
        a = e.decode(public.to_bytes(32, "big"))
        assert e.add(e.mul(s, e.generator), e.neg(e.mul(5, a))) == a


class TestOnRequest:
    def test_passes_and_keeps_the_key(self, device: SchemeDevice, cycles: int) -> None:
        device.run("load", KEY, slot=1)
        before = device.run("public", slot=1).strings
        assert device.run("self-test").cycles == cycles
        assert device.run("public", slot=1).strings == before

    def test_needs_no_noise(self, device: SchemeDevice, cycles: int) -> None:
        device.samples(silent=True)
        assert device.run("self-test").cycles == cycles

    def test_a_flag_is_refused_and_is_no_failure(self, device: SchemeDevice, cycles: int) -> None:
        number = word_program(WORD_PRESETS[SMALL]).number("self-test")
        with pytest.raises(Unsupported):
            device.run_number(number, flags=HEDGED)
        assert device.run("self-test").cycles == cycles

    @pytest.mark.parametrize(("part", "more"), [(0, 3), (0, 1000), (0.5, 0), (1, -3)])
    def test_a_zeroize_drops_it(
        self, device: SchemeDevice, cycles: int, part: float, more: int
    ) -> None:
        device.run("load", KEY)
        device.run("self-test", stop=int(part * cycles) + more)
        with pytest.raises(NoKey):
            device.run("public")
        assert device.run("self-test").cycles == cycles

    @pytest.mark.parametrize("name", TABLES)
    def test_of_tables(self, name: str) -> None:
        with SchemeDevice(name) as device:
            first = device.run("self-test").cycles
            assert device.run("self-test").cycles == first

    @pytest.mark.parametrize("name", LONG)
    def test_of_every_netlist_and_long_curves(self, name: str) -> None:
        with SchemeDevice(name) as device:
            assert device.run("self-test").cycles


def _wrong(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let a word of a constant of the small engine be another one."""
    made = scheme_sources

    def sources(machine: object, self_test: bool = False) -> Sources:
        found = made(machine, self_test)  # type: ignore[arg-type]
        values = re.search(r"\.Values\((\d+)'h([0-9a-f]+)\)", found.text)
        assert values
        bits, digits = int(values[1]), values[2]
        other = int(digits, 16) ^ 1 << 32 * number
        text = found.text.replace(digits, f"{other:0{bits // 4}x}")
        return replace(found, text=text)

    monkeypatch.setattr(schemes, "scheme_sources", sources)


def _constant(value: int) -> int:
    """Return the first word of a number among the constants of the small engine."""
    words = [value >> 32 * i & (1 << 32) - 1 for i in range(8)]
    values = list(word_program(WORD_PRESETS[SMALL]).built.values)
    return next(i for i in range(len(values)) if values[i : i + 8] == words)


class TestAfterReset:
    def test_requests_wait_for_it(self) -> None:
        with SchemeDevice(SMALL, self_test=True) as device:
            assert device.run("load", KEY).cycles
            expected = device.run("public").strings
            device.zeroize(reset=True)
            with pytest.raises(NoKey):
                device.run("public")
            device.run("load", KEY)
            assert device.run("public").strings == expected

    def test_a_zeroize_in_it_begins_it_again(self, cycles: int) -> None:
        with SchemeDevice(SMALL, self_test=True) as device:
            device.zeroize()
            assert device.run("self-test").cycles == cycles

    def test_a_failure_refuses_everything(self, monkeypatch: pytest.MonkeyPatch) -> None:
        c = WORD_PRESETS[SMALL].curve
        _wrong(monkeypatch, _constant(known.known_r(c, ["sha256"])))
        with SchemeDevice(SMALL, self_test=True) as device:
            for operation, strings in (("load", (KEY,)), ("sha256", (b"abc",)), ("self-test", ())):
                with pytest.raises(FaultDetected):
                    device.run(operation, *strings)
            device.zeroize()
            with pytest.raises(FaultDetected):
                device.run("seed")

    def test_a_failure_on_request_refuses_everything_from_then_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _wrong(monkeypatch, _constant(known.known_r(WORD_PRESETS[SMALL].curve, ["sha256"])))
        with SchemeDevice(SMALL) as device:
            device.run("load", KEY)
            assert device.run("public").strings
            for operation in ("self-test", "public", "self-test"):
                with pytest.raises(FaultDetected):
                    device.run(operation)
            device.zeroize(reset=True)
            device.run("load", KEY)


class TestAfterTables:
    def test_the_answer_to_tables_comes_behind_it(self) -> None:
        cycles = {}
        for self_test in (False, True):
            with SchemeDevice("word-prime-x25519", self_test=self_test) as device:
                cycles[self_test] = device.last_cycles
                tested = device.run("self-test").cycles
        assert tested <= cycles[True] - cycles[False] <= tested + 2100  # and what is cleared before

    def test_other_tables_are_tested(self) -> None:
        with SchemeDevice("word-prime-x25519", self_test=True) as device:
            device.choose("P-256")
            device.run("load", KEY)
            assert device.run("public").strings

    def test_wrong_tables_are_refused_and_right_ones_taken_again(self) -> None:
        built = word_program(WORD_PRESETS["word-prime-x25519"]).built
        c = curve("curve25519")
        assert isinstance(c, XLine)
        wanted = known.known_x25519(c) & (1 << 32) - 1
        values = [v ^ 1 if v == wanted else v for v in built.values]
        assert values != list(built.values)
        with SchemeDevice("word-prime-x25519", self_test=True) as device:
            with pytest.raises(FaultDetected):
                device.tables(image(replace(built, values=tuple(values))))
            with pytest.raises(FaultDetected):
                device.run("load", KEY)
            device.tables(image(built))
            device.run("load", KEY)
            assert device.run("public").strings
