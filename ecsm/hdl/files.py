# SPDX-License-Identifier: Apache-2.0
"""Where the hand-written RTL is and its files in compile order."""

from __future__ import annotations

from pathlib import Path

RTL = Path(__file__).resolve().parents[2] / "rtl"

_PACKAGES = (
    "field/gf2m_pkg.sv",
    "field/gfp_pkg.sv",
    "engine/ecsm_pkg.sv",
    "engine/gf2m_engine_pkg.sv",
    "engine/gfp_engine_pkg.sv",
)


def rtl_files() -> list[Path]:
    """Return the hand-written files: packages first, then modules by layer and name."""
    packages = [RTL / p for p in _PACKAGES]
    layers = [sorted((RTL / layer).glob("*.sv")) for layer in ("field", "scalar", "engine")]
    return packages + [f for layer in layers for f in layer if f not in packages]
