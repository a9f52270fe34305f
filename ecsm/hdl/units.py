# SPDX-License-Identifier: Apache-2.0
"""The hand-written units that are used by themselves: module and parameters of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ecsm.hdl.files import needed, rtl_files


@dataclass(frozen=True)
class Unit:
    """A module of ``rtl/`` with its parameters."""

    name: str
    module: str
    parameters: dict[str, int] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The files it needs, packages first."""
        return needed(self.module, rtl_files())

    def describe(self) -> str:
        """Return module and parameters in one phrase."""
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"`{self.module}`" + (f", {values}" if values else "")


_TABLE = (
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

UNITS = {unit.name: unit for unit in _TABLE}
"""The symmetric units, by name."""
