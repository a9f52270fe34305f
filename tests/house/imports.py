# SPDX-License-Identifier: Apache-2.0
"""Which module of a package imports which, read from the text of its files.

An import in a function counts as late: it runs at the first call. Imports for type checkers alone
do not count, nor does it that Python runs a package's ``__init__`` before its modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Graph = Mapping[str, set[str]]
Edge = tuple[str, str]
DRIVER = "ecsm.hdl.ecsm_cocotb"
"""The one package whose modules import each other by relative names: it is copied elsewhere."""


@dataclass
class Imports:
    """Of one module: ``top`` when it is loaded, ``late`` in functions and not before."""

    top: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)


def imports(package: Path) -> dict[str, Imports]:
    """Return the imports of each module of a package from modules of it."""
    files = {_module(f.relative_to(package.parent)): f for f in package.rglob("*.py")}
    found = {}
    for name, file in files.items():
        one = found[name] = Imports()
        for statement, late in _statements(ast.parse(file.read_text(encoding="utf-8")), False):
            (one.late if late else one.top).update(_targets(_absolute(statement, name), files))
        one.late -= one.top
    return found


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _statements(node: ast.AST, late: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from _statements(other, late)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _statements(child, late or function)


def _absolute(statement: ast.Import | ast.ImportFrom, module: str) -> ast.Import | ast.ImportFrom:
    """Return an import with names from the root: packages of designs have a copy of the driver."""
    if isinstance(statement, ast.Import) or not statement.level:
        return statement
    assert module.startswith(DRIVER), f"a relative import of {statement.module}"
    assert statement.level == 1
    return ast.ImportFrom(f"{DRIVER}.{statement.module}", statement.names, 0)


def _targets(statement: ast.Import | ast.ImportFrom, known: Mapping[str, object]) -> set[str]:
    if isinstance(statement, ast.Import):
        return {name.name for name in statement.names if name.name in known}
    base = statement.module or ""
    names = {f"{base}.{name.name}" for name in statement.names}
    return {name if name in known else base for name in names} & known.keys()


def reached(graph: Graph, start: str) -> set[str]:
    """Return what a module imports, and what that does."""
    found: set[str] = set()
    left = [start]
    while left:
        new = graph[left.pop()] - found
        found |= new
        left += new
    return found


def circles(found: Mapping[str, Imports]) -> set[str]:
    """Return the modules that import themselves, by others, when they are loaded."""
    top = {name: one.top for name, one in found.items()}
    return {name for name in top if name in reached(top, name)}


def late_circles(found: Mapping[str, Imports]) -> set[Edge]:
    """Return the late imports that close a circle of imports of either sort."""
    every = {name: one.top | one.late for name, one in found.items()}
    reach = {name: reached(every, name) for name in every}
    return {(name, to) for name, one in found.items() for to in one.late if name in reach[to]}
