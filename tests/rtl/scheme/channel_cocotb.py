# SPDX-License-Identifier: Apache-2.0
"""What scheme_channel takes of a host, and what it refuses; run by test_channel.py."""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from cocotb.triggers import Timer

Word = tuple[int, bool]  # octets, last


async def cycle(dut: Any) -> None:
    dut.clk_i.value = 1
    await Timer(1, "step")
    dut.clk_i.value = 0
    await Timer(1, "step")


async def give(dut: Any, whole: bool, octets: int, words: list[Word]) -> bytes | None:
    """Give words of octets 1, 2, ..; return what went out, or None if they are malformed.

    AssertionError if the channel neither ends nor complains.
    """
    for name in ("start", "valid", "last", "data", "bytes", "whole", "octets"):
        getattr(dut, f"{name}_i").value = 0
    dut.clk_i.value = 0
    dut.rst_ni.value = 1
    dut.clear_i.value = 1
    await cycle(dut)
    dut.clear_i.value = 0
    dut.whole_i.value = whole
    dut.octets_i.value = octets
    dut.start_i.value = 1
    await cycle(dut)
    dut.start_i.value = 0
    out, left = b"", list(words)
    for _ in range(40):
        dut.valid_i.value = bool(left)
        if left:
            dut.bytes_i.value = left[0][0]
            dut.last_i.value = left[0][1]
            dut.data_i.value = 0x0102030405060708
        await Timer(1, "step")
        if int(dut.malformed_o.value):
            return None
        taken = left and int(dut.taken_o.value)
        if int(dut.valid_o.value):
            count = int(dut.bytes_o.value)
            assert count <= 8
            out += int(dut.data_o.value).to_bytes(8, "big")[:count]
            if int(dut.last_o.value):
                assert not left, "words that nobody wants"
                return out
        await cycle(dut)
        if taken:
            left.pop(0)
    raise AssertionError("it stands still")


def well_formed(words: list[Word], least: int, most: int) -> bool:
    """Whether words are a string: all full but the last."""
    *before, (count, last) = words
    fine = last and count <= 8 and all(n == 8 and not ends for n, ends in before)
    return fine and least <= 8 * len(before) + count <= most


@cocotb.test()
async def only_strings_are_taken(dut: Any) -> None:
    """Every row of up to two words, of every number of octets that the port can say, and some."""
    dut.rst_ni.value = 0
    await cycle(dut)
    dut.rst_ni.value = 1
    every = list(itertools.product(range(16), (False, True)))
    rows: list[list[Word]] = [[w] for w in every if w[1]]
    rows += [[v, w] for v in every for w in every if not v[1] and w[1]]
    rows += [[(8, False), (8, False), (n, True)] for n in range(16)]
    for words in rows:
        raw = b"\1\2\3\4\5\6\7\x08" * 3
        for most in (0, 8, 13, 16):  # whole; 0: of any length
            fine = well_formed(words, 0, most or 100)
            want = raw[: sum(n for n, _ in words)] if fine else None
            assert await give(dut, True, most, words) == want, (most, words)
        for exact in (1, 8, 13, 16):
            fine = well_formed(words, exact, exact) and words[-1][0] > 0
            want = raw[:exact] if fine else None
            assert await give(dut, False, exact, words) == want, (exact, words)
