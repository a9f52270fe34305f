# SPDX-License-Identifier: Apache-2.0
"""Generated hardware stands in templates, not in Python, and every template is used as a whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from jinja2 import UndefinedError, meta, nodes

from ecsm.templates import FOLDERS, SUFFIX, environment, render

PACKAGE = Path(__file__).parents[2] / "ecsm"
HARDWARE = re.compile(
    r"\b(?:end(?:module|function|task|generate)|always_(?:ff|comb)|(?:pos|neg)edge|genvar)\b"
    r"|^\s*(?:module \w*|assign \w+|input +logic|output +(?:logic|reg)|typedef struct packed)\b"
    r"|`default_nettype|^\s*\.\w+\(\w*\)",
    re.MULTILINE,
)


def hardware(text: str) -> list[int]:
    """Return the lines of Python with strings in which hardware is described."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
    return [n.lineno for n in nodes if isinstance(n.value, str) and HARDWARE.search(n.value)]


def rendered(text: str) -> Iterator[tuple[str, set[str]]]:
    """Yield of each template that Python renders its name and the values that are named there."""
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "render":
            (name,) = n.args
            assert isinstance(name, ast.Constant), "the name of a template is a literal"
            yield str(name.value) + SUFFIX, {k.arg for k in n.keywords if k.arg}


def with_parts(names: Iterable[str]) -> set[str]:
    """Return templates, and those that they include or import."""
    found, left = set[str](), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [part for part in meta.find_referenced_templates(tree(name)) if part]
    return found


def tree(name: str) -> nodes.Template:
    """Return a template as Jinja reads it."""
    loader = environment().loader
    assert loader is not None
    return environment().parse(loader.get_source(environment(), name)[0])


def sources() -> dict[str, str]:
    files = PACKAGE.rglob("*.py")
    return {f.relative_to(PACKAGE).as_posix(): f.read_text(encoding="utf-8") for f in files}


def test_no_hardware_stands_in_a_string_of_python() -> None:
    found = {name: lines for name, text in sources().items() if (lines := hardware(text))}
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        'x = "module a (\\n);"',
        'x = f"  always_ff @(posedge {clock})"',
        'def f():\n    return f"""\n{name}\n  endmodule\n"""',
        'x = f"      .clk_i(clk_i)"',
        'x = f"  assign {a} = 1;\\n  assign b = {a};"',
    ],
)
def test_hardware_in_a_string_is_found(text: str) -> None:
    assert hardware(text)


def test_every_template_is_rendered_by_something() -> None:
    calls = [name for text in sources().values() for name, _ in rendered(text)]
    files = {
        f"{package}/{f.relative_to(folder).as_posix()}"
        for package, folder in FOLDERS.items()
        for f in folder.rglob("*")
        if f.is_file()
    }
    assert with_parts(calls) == files
    assert len(files) > 20


def test_every_value_is_in_its_template() -> None:
    for text in sources().values():
        for template, given in rendered(text):
            used = set[str]().union(
                *(meta.find_undeclared_variables(tree(name)) for name in with_parts([template]))
            )
            assert given - used == set(), template


def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="module"):
        render("measure/behind_bus.sv")
