# SPDX-License-Identifier: Apache-2.0
"""Templates of what is generated: ``ecsm/PACKAGE/templates/NAME.j2`` is the template PACKAGE/NAME.

A template reads as what it makes. Python computes the values and names each one. Templates in a
folder ``parts`` are pieces that others include.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, PrefixLoader, StrictUndefined

SUFFIX = ".j2"
FOLDERS = {f.parent.name: f for f in sorted(Path(__file__).parent.glob("*/templates"))}
"""The folders of templates by their package."""


def render(template: str, **values: object) -> str:
    """Return the text of a template, as ``hdl/core.sv``; raises UndefinedError without a value."""
    return environment().get_template(template + SUFFIX).render(values)


@cache
def environment() -> Environment:
    """Return all templates."""
    found = Environment(
        loader=PrefixLoader({name: FileSystemLoader(f) for name, f in FOLDERS.items()}),
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    found.filters |= {"ports": ports, "connect": connect, "signals": signals}
    return found


def ports(rows: Iterable[tuple[str, int, str]]) -> str:
    """Return the declarations of a module's ports: direction, bits, name."""
    return ",\n".join(
        f"    {way} logic {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
        for way, bits, name in rows
    )


def signals(rows: Iterable[tuple[int, str]]) -> str:
    """Return the declarations of signals: bits, name."""
    return "\n".join(
        f"  logic {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};" for bits, name in rows
    )


def connect(values: Mapping[str, object]) -> str:
    """Return what an instance's parameters or ports are connected to, by name."""
    return ",\n".join(f"      .{name}({value})" for name, value in values.items())
