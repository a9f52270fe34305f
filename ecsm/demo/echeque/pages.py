# SPDX-License-Identifier: Apache-2.0
"""Pages: templates, and the format of octets, cycles and times in them."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ecsm.demo.echeque.bank import VERDICTS
from ecsm.demo.echeque.cheque import money
from ecsm.demo.echeque.core import placed
from ecsm.demo.echeque.message import BadMessage, decode

TEMPLATES = Path(__file__).parent / "templates"
GROUP = 4  # octets between blanks


class Pages:
    """The templates. Whatever is put into one is escaped; ``device`` says what the cores are."""

    def __init__(self, token: str, device: str) -> None:
        self._env = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._env.filters |= {
            "octets": grouped, "money": money, "text": as_text, "changed": changed,
            "cycles": lambda n: f"{n:,}",
        }  # fmt: skip
        self._env.globals |= {
            "token": token, "verdicts": VERDICTS, "placed": placed, "parts": parts,
            "microseconds": microseconds, "device": device, "preset": "", "ready": True,
        }  # fmt: skip

    def draw(self, template: str, **values: object) -> bytes:
        """Return a page as octets."""
        return self._env.get_template(f"{template}.html").render(values).encode()


def grouped(octets: bytes) -> str:
    """Return octets in hexadecimal, in groups."""
    return octets.hex(" ", -GROUP)


def as_text(octets: bytes) -> str:
    """Return octets that are printable text; of others, and for none, nothing."""
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", "").isprintable() else ""


def microseconds(cycles: int, mhz: float) -> str:
    """Return how long so many cycles take at a clock."""
    return f"{cycles / mhz:,.1f} µs"


def changed(now: bytes, before: bytes) -> list[tuple[str, bool]]:
    """Return the octets in hexadecimal, one by one, and whether each is another than before."""
    return [(f"{o:02x}", i >= len(before) or before[i] != o) for i, o in enumerate(now)]


def parts(octets: bytes) -> list[tuple[str, bytes]]:
    """Return the named parts of a message; of what is none, all in one."""
    try:
        return decode(octets).parts()
    except BadMessage:
        return [("unknown", octets)]
