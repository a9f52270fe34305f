# SPDX-License-Identifier: Apache-2.0
"""The page of a recorded kP: one file with its style, its script and a table of the cycles.

The table is the data: the script reads it, and without JavaScript the page shows it.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ecsm.demo.live.record import Record
from ecsm.presets.table import PRESETS, is_toy

DEFAULT = "b163-small"
FOLDER = Path(__file__).parent


def presets(toys: bool = False) -> list[str]:
    """Return the presets of which there are live pictures: unprotected ones over GF(2^m)."""
    plain = {name: p for name, p in PRESETS.items() if not p.protected}
    return [name for name, p in plain.items() if toys or not is_toy(p)]


def page(r: Record) -> str:
    """Return the page as HTML."""
    env = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    p, s = r.design.preset, r.design.schedule
    digits = (p.m + 3) // 4
    style, script = (
        (FOLDER / name).read_text(encoding="utf-8") for name in ("live.css", "live.js")
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return env.get_template("live.html").render(
        r=r, p=p, s=s, rows=_rows(r), registers=r.design.microcode.registers,
        hex=lambda v: f"{v:0{digits}x}", policy=policy,
        style=style, script=script,
        span=min(s.cycles, max(12, 6 * p.units.interval)),
    )  # fmt: skip


def _rows(r: Record) -> list[tuple[int, str, object]]:
    """Return cycle, name of its part and what happened, in order."""
    parts = iter(r.parts)
    part = next(parts)
    rows: list[tuple[int, str, object]] = []
    for cycle, what in r.happened.items():
        while cycle > part.last:
            part = next(parts)
        rows.append((cycle, part.name, what))
    return rows


def _hash(text: str) -> str:
    """Return what a content security policy calls a text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
