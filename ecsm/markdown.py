# SPDX-License-Identifier: Apache-2.0
"""Tables and numbers in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def markdown_table(head: list[str], rows: Iterable[Iterable[object]], right: set[int]) -> str:
    """Return a table; the columns ``right`` are aligned right."""
    lines = ["| " + " | ".join(head) + " |"]
    rule = ("---:" if i in right else "---" for i in range(len(head)))
    lines.append("| " + " | ".join(rule) + " |")
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def number(value: object) -> str:
    """Return an integer with commas, anything else as it is."""
    return f"{value:,}" if isinstance(value, int) else str(value)
