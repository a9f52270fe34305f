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

FOLDER = Path(__file__).parent


def page(r: Record) -> str:
    """Return the page as HTML."""
    env = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    digits, own = (r.bits + 3) // 4, (r.field_bits + 3) // 4
    style, script = (
        (FOLDER / name).read_text(encoding="utf-8") for name in ("live.css", "live.js")
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return env.get_template("live.html").render(
        r=r,
        rows=_rows(r),
        hex=lambda v: f"{v:0{digits}x}",
        own=lambda v: f"{v:0{own}x}",
        policy=policy,
        style=style,
        script=script,
    )


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
