# SPDX-License-Identifier: Apache-2.0
"""The hand-written units that are used by themselves: module and parameters of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ecsm.curves import curve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.order import OrderUnit
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.scheme_emit import scheme_parameters
from ecsm.hdl.word_emit import word_parameters
from ecsm.presets.gfp_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.multiply import multiplication
from ecsm.schemes.word.program import word_program


@dataclass(frozen=True)
class Unit:
    """A module of ``rtl/`` with its parameters: numbers, or literals of SystemVerilog."""

    name: str
    module: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The files it needs, packages first."""
        return needed(self.module, rtl_files())

    def describe(self) -> str:
        """Return module and parameters in one phrase, SystemVerilog's literals left out."""
        numbers = {name: value for name, value in self.parameters.items() if isinstance(value, int)}
        values = ", ".join(f"{name} = {value}" for name, value in numbers.items())
        return f"`{self.module}`" + (f", {values}" if values else "")


_SYMMETRIC = (
    Unit("sha256", "sym_hash", {"WordW": 32, "PerCycle": 2}),
    Unit("sha256-small", "sym_hash", {"WordW": 32, "PerCycle": 1}),
    Unit("sha512", "sym_hash", {"WordW": 64, "PerCycle": 1}),
    Unit("sha512-fast", "sym_hash", {"WordW": 64, "PerCycle": 2}),
    Unit("hmac-sha256", "sym_hmac", {"WordW": 32, "PerCycle": 2}),
    Unit("hmac-sha512", "sym_hmac", {"WordW": 64, "PerCycle": 1}),
    Unit("kdf", "sym_kdf", {"W": 64}),
    Unit("hash-mux", "sym_hash_mux", {"Num": 4, "W": 64}),
    Unit("hmac-drbg", "sym_hmac_drbg", {"WordW": 32, "PerCycle": 2}),
    Unit("drbg", "sym_drbg", {"PerCycle": 2}),
    Unit("aes", "sym_aes", {"Columns": 1}),
    Unit("aes-wide", "sym_aes", {"Columns": 4}),
    Unit("aes-stream", "sym_aes_stream", {"Columns": 1, "W": 64}),
)

ORDER = {
    "order-b163-small": OrderUnit.of(curve("sect163r2"), digit=1, word=32),
    "order-b283": OrderUnit.of(curve("sect283r1"), digit=4, word=64, segment=72),
    "order-p256-small": OrderUnit.of(curve("P-256"), digit=1, word=32),
    "order-p256": OrderUnit.of(curve("P-256"), digit=4, word=64, segment=72),
}
"""The units of arithmetic modulo an order and its field's modulus, by name."""

SYMMETRIC_UNITS = {unit.name: unit for unit in _SYMMETRIC}
"""The symmetric units, by name."""

ORDER_UNITS = {name: Unit(name, "ecsm_order", unit.parameters) for name, unit in ORDER.items()}
"""The modules of :data:`ORDER`."""


def _machine(name: str, preset: AnyPreset, wide: bool = False) -> Unit:
    """Return the scheme machine of a preset, without its core, programs and constants."""
    modulus = OrderUnit.of(preset.curve, digit=4, word=64).parameters["Modulus"]
    return Unit(name, "ecsm_scheme", scheme_parameters(preset, wide) | {"Modulus": modulus})


SCHEME_UNITS = {
    unit.name: unit
    for unit in (
        _machine("scheme-b163", PRESETS["b163-small"]),
        _machine("scheme-b163-full", PRESETS["b163-small-full"]),
        _machine("scheme-p256", PRIME_PRESETS["p256-fast"]),
        _machine("scheme-p256-full", PRIME_PRESETS["p256-fast-full"]),
        _machine("scheme-p384-wide", PRIME_PRESETS["p384-fast"], wide=True),
    )
}
"""Scheme machines, by name."""


class _Later(Mapping[str, int | str]):
    """Parameters that are made when somebody asks for one, not at the start of every command."""

    def __init__(self, make: Callable[[], Mapping[str, int | str]]) -> None:
        self._make = cache(make)

    def __getitem__(self, name: str) -> int | str:
        return self._make()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._make())

    def __len__(self) -> int:
        return len(self._make())


def _word(name: str, of: str, width: int, depth: int) -> Unit:
    """Return a word engine with the program of kP on a curve."""

    def parameters() -> Mapping[str, int | str]:
        c = curve(of)
        assert isinstance(c, PrimeCurve)
        return word_parameters(multiplication(c, width, depth))

    return Unit(name, "word_core", _Later(parameters))


def _word_schemes(name: str) -> Unit:
    """Return the word engine of a preset, with all its schemes."""
    p = WORD_PRESETS[name]
    wide: dict[str, int | str] = {"WideHash": 1} if len(p.hashes) > 1 else {}
    return Unit(
        f"{name}-schemes", "word_scheme",
        _Later(lambda: word_parameters(word_program(p).built) | wide),
    )  # fmt: skip


WORD_UNITS = {
    unit.name: unit
    for unit in (
        _word("word-p256-16", "P-256", 16, 2048),
        _word("word-p256", "P-256", 32, 1024),
        _word("word-p256-64", "P-256", 64, 1024),
        _word("word-p384", "P-384", 32, 1024),
        _word_schemes("word-p256"),
        _word_schemes("word-dual-b163"),
        Unit("word-hash", "word_hash"),
        Unit("word-hash-wide", "word_hash_wide"),
        Unit("word-sha1", "word_sha1"),
        Unit("word-aes", "word_aes"),
    )
}
"""Word engines that multiply points, or run schemes, their hashes and other units, by name."""

UNITS = SYMMETRIC_UNITS | ORDER_UNITS | SCHEME_UNITS | WORD_UNITS
"""All of them."""
