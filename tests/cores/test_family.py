# SPDX-License-Identifier: Apache-2.0
"""Every family has every verb, and is chosen in one place only."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import ecsm
from ecsm.cores.design import AnyDesign
from ecsm.cores.family import Family
from ecsm.cores.store import StaleSchedule, check, design, figures, load
from ecsm.cores.table import FAMILIES, family
from ecsm.hdl.emit import emit
from ecsm.presets.table import all_presets, preset
from ecsm.schedule.report import ORDER
from ecsm.schedule.types import ScheduleError

SOURCES = Path(ecsm.__file__).parent
TOYS = {"Binary": "toy7-fast", "Prime": "toyp7-x", "Halving": "toy107-halving"}


@pytest.fixture(params=TOYS.values(), ids=[*TOYS])
def d(request: pytest.FixtureRequest) -> AnyDesign:
    """Return the design of a toy of each family."""
    return design(request.param)


def classes() -> set[str]:
    """Return the names of the classes of presets and designs, and of what these inherit."""
    found = {c.__name__ for f in FAMILIES for c in f.preset.__mro__ if c is not object}
    return found | {"Design", "AnyPreset", *(f"{name}Design" for name in ("Any", *TOYS))}


def named(node: ast.AST) -> Iterator[str]:
    """Yield the names in an expression, those of a module's attributes without the module."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def asked(text: str) -> list[int]:
    """Return the lines that ask for a preset's or a design's class, or for its table."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        about: list[ast.AST] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            about = [*node.args[1:]] if node.func.id in ("isinstance", "issubclass") else []
        elif isinstance(node, ast.MatchClass):
            about = [node.cls]
        elif isinstance(node, ast.Compare):
            about = [node.left, *node.comparators]
            tables = [n for n in about if isinstance(n, ast.Name) and n.id.endswith("PRESETS")]
            if tables and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
                lines.append(node.lineno)
        if classes() & {name for part in about for name in named(part)}:
            lines.append(node.lineno if isinstance(node, ast.expr) else about[0].lineno)  # type: ignore[attr-defined]
    return lines


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(p, PrimePreset)",
        "isinstance(p, prime.PrimePreset | HalvingPreset)",
        "isinstance(d, (Design, int))",
        "issubclass(type(p), BinaryPreset)",
        "type(p) is Preset",
        "p.__class__ == prime_core.PrimeCore",
        "name in HALVING_PRESETS",
        "match p:\n    case PrimePreset(): pass",
    ],
)
def test_what_asks_for_a_class_is_found(text: str) -> None:
    assert asked(text)


def test_only_the_table_chooses_a_family() -> None:
    paths = sorted(SOURCES.rglob("*.py"))
    assert len(paths) > 200
    found = {str(p.relative_to(SOURCES)): asked(p.read_text(encoding="utf-8")) for p in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_every_preset_has_one_family() -> None:
    assert {type(p) for p in all_presets()} == {f.preset for f in FAMILIES}
    assert len({f.preset for f in FAMILIES}) == len(FAMILIES) == len(TOYS)
    assert {type(family(preset(name))).__name__: name for name in TOYS.values()} == TOYS


@pytest.mark.parametrize("f", FAMILIES, ids=lambda f: type(f).__name__)
def test_every_family_has_every_verb(f: Family) -> None:  # type: ignore[type-arg]
    verbs = {name for name in vars(Family) if not name.startswith("_")} - {
        "name",
        "preset",
        "quality",
    }
    assert {
        "theory", "trace", "identity", "fingerprint", "solve", "rank", "figures", "programs",
        "assemble", "assemble_all", "run",
        "verify", "verify_on", "report", "listing", "draw", "emit", "digits", "next_digit", "words",
    } == verbs  # fmt: skip
    assert not inspect.isabstract(type(f))
    for verb in verbs:
        of = inspect.signature(getattr(Family, verb)).parameters
        assert list(inspect.signature(getattr(type(f), verb)).parameters) == list(of)
    assert f.quality in ("registers", "network cost")


def test_a_preset_is_traced_and_assembled_from_its_schedule(d: AnyDesign) -> None:
    p, f = d.preset, family(d.preset)
    s = load(p)
    assert f.trace(p) == d.graph
    assert f.fingerprint(p) == s.graph == d.schedule.graph
    assert f.assemble(p, f.trace(p), s) == d.microcode
    assert f.figures(p, s) == figures(p) == d.figures
    assert (d.figures.cycles, d.figures.registers) == (d.microcode.cycles, d.microcode.registers)
    assert f.rank(s)[0] == s.cycles
    assert f.rank(replace(s, cycles=s.cycles + 1)) > f.rank(s)


def test_a_preset_is_solved(d: AnyDesign) -> None:
    p, f = d.preset, family(d.preset)
    s = replace(f.solve(p, 8, 1), graph=f.fingerprint(p))
    assert s.cycles >= s.cycles_bound
    again = replace(d, schedule=s, microcode=f.assemble(p, d.graph, s), figures=f.figures(p, s))
    f.verify(again)
    assert f.report(again)["cycles"] == f.figures(p, s).cycles


def test_microcode_runs_on_numbers(d: AnyDesign) -> None:
    c, f = d.preset.curve, family(d.preset)
    for k in (0, 1, 2, c.n - 1, c.n // 3):
        (result,) = f.run(d, [(k, c.generator)])
        assert (result.on_curve, result.in_subgroup) == (True, True)
        assert result.point == d.preset.multiple(k, c.generator)


def test_a_wrong_schedule_is_refused(d: AnyDesign) -> None:
    f, code = family(d.preset), d.microcode
    f.verify(d)
    check(d)
    wrong = replace(
        d,
        schedule=replace(d.schedule, cycles=d.schedule.cycles + 1),
        microcode=replace(code, words=[code.words[0]] * len(code.words)),
    )
    with pytest.raises(ScheduleError):
        f.verify(wrong)
    with pytest.raises(StaleSchedule, match=f"the schedule of {d.preset.name} is wrong"):
        check(wrong)


def test_a_design_is_reported_drawn_and_emitted(d: AnyDesign) -> None:
    f = family(d.preset)
    facts = f.report(d)
    assert [key for key in ORDER if key in facts] == list(facts)
    assert (facts["cycles"], facts["cycles_bound"]) == (d.microcode.cycles, d.cycles_bound)
    assert (facts["registers"], facts["words"]) == (d.microcode.registers, len(d.microcode.words))
    assert d.preset.name in (ET.fromstring(f.draw(d))[0].text or "")
    assert f"module {d.preset.module} (" in f.emit(d)
    assert f.emit(d) == emit(d)
