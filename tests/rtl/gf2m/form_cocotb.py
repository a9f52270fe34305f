# SPDX-License-Identifier: Apache-2.0
"""Behaviour of gf2m_form, all forms of a group at once; run by test_gf2m_form.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from tests.rtl.common.tops import forms_from_json, pack, unpack

FORMS = forms_from_json(os.environ["FORMS"])
M = FORMS[0].m
TERMS = max(len(f.terms) for f in FORMS)
SOURCES = max(f.sources for f in FORMS)


async def compare(dut: Any, enable: int, sources: list[int]) -> None:
    dut.enable_i.value = enable
    dut.source_i.value = pack(sources, M)
    await Timer(1, "ns")
    got = unpack(int(dut.form_o.value), M, len(FORMS))
    for f, value in zip(FORMS, got, strict=True):
        assert value == f.value(enable, sources), f"{f}: {enable:#x}, {sources}"


def random_sources(rng: random.Random) -> list[int]:
    return [rng.getrandbits(M) for _ in range(SOURCES)]


@cocotb.test()
async def each_term_alone_is_a_multiplexer(dut: Any) -> None:
    """One enabled term gives its map of its source."""
    rng = random.Random(1)
    for t in range(TERMS):
        for _ in range(10):
            await compare(dut, 1 << t, random_sources(rng))


@cocotb.test()
async def several_terms_add(dut: Any) -> None:
    """Any enabled set gives the sum; none gives zero."""
    rng = random.Random(2)
    for enable in [0, (1 << TERMS) - 1, *(rng.getrandbits(TERMS) for _ in range(500))]:
        await compare(dut, enable, random_sources(rng))
