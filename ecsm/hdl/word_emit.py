# SPDX-License-Identifier: Apache-2.0
"""Emit the module of a word engine: the core with its program, its walks and its constants."""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.curves.own import BadCurve
from ecsm.hdl.engines.text import list_text
from ecsm.hdl.scheme_emit import PORTS
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.schedule.sequential.built import Built
from ecsm.schedule.sequential.walk import SLOT_BITS
from ecsm.schedule.sequential.words import (
    DIGIT_BITS,
    NUMBER_BITS,
    SLOT_ADDRESS_BITS,
    WALK_BITS,
    Do,
    Order,
    Word,
)
from ecsm.schemes.word.program import word_program
from ecsm.templates import render

WORD_BITS = 1 + 1 + 2 + 2 + WALK_BITS + 3 * NUMBER_BITS + DIGIT_BITS
Rows = list[tuple[str, str]]


def _hex(value: int, bits: int) -> str:
    return f"{bits}'h{value:0{-(-bits // 4)}x}"


def word_note(built: Built, word: Word) -> str:
    """Return what a word of the program does, in a line."""
    if isinstance(word, Do):
        told = {"target": word.target, "number": word.number, "argument": word.argument}
        if word.order in (Order.IN, Order.OUT):
            told = {"port": word.port, "number": word.number, "word": word.first,
                    "octets": word.argument}  # fmt: skip
        numbers = ", ".join(f"{name} {value}" for name, value in told.items() if value)
        return f"{word.order.name.lower()} {numbers}".strip()
    text = f"n{word.d} = {built.walks[word.walk].name} n{word.a} n{word.b}"
    return f"{text}: {word.note}" if word.note else text


def word_parameters(built: Built) -> dict[str, int | str]:
    """Return the parameters of ``word_core`` for a program."""
    words = [w.word() for w in built.program]
    return {
        "W": built.W,
        **({"Binary": 1} if any(w.carryless for w in built.walks) else {}),
        "Depth": built.depth,
        "Stride": built.stride,
        "Key": built.key,
        **({"Decoys": built.decoys} if built.decoys else {}),
        "FirstRandom": built.random,
        "FirstWork": built.work,
        "NumSlot": len(built.slots),
        "Slots": _joined(built.slots, SLOT_BITS),
        "Starts": _joined(_starts(built), SLOT_ADDRESS_BITS),
        "NumWord": len(words),
        "Words": _joined(words, WORD_BITS),
        "Fixed": len(built.values),
        "Values": _joined(built.values, built.W),
        **_constants(built),
    }


def loaded_parameters(p: WordPreset) -> dict[str, int | str]:
    """Return the parameters of ``word_core`` for programs that are loaded: those of every curve.

    Those of the table of constants are missing if the program has none.
    """
    own = word_parameters(word_program(p).built)
    same = ("W", "Depth", "Stride", "Key", "Decoys", "FirstRandom", "FirstWork", "Fixed",
            "TableStepW", "NumTable")  # fmt: skip
    room = {"NumSlot": 1 << SLOT_ADDRESS_BITS, "NumWord": p.words}
    kind = {"Binary": 1} if p.binary else {}
    if p.ice40:
        kind["Ice40"] = 1
    if p.full:
        kind["Full"] = 1
    return {"Loaded": 1, **kind, **{name: own[name] for name in same if name in own}, **room}


def host(p: WordPreset) -> WordPreset:
    """Return the preset whose module has a preset's netlist: itself, or one that takes tables.

    Raises ValueError if the tables of the preset are not for that module, which is BadCurve for a
    curve of one's own.
    """
    found = WORD_PRESETS.get(p.netlist, p)
    if found.name == p.name:
        return p
    of, own = (loaded_parameters(q) for q in (found, p))
    if any(of.get(name) != value for name, value in own.items()):
        why = f"the tables of {p.name} are not for the module of {found.name}"
        raise BadCurve(why) if p.own else ValueError(why)
    return found


def _constants(built: Built) -> dict[str, int | str]:
    """Return the parameters of the table of constants, if there is one."""
    if not built.table:
        return {}
    step = {"TableStepW": built.step.bit_length() - 1}
    return {**step, "NumTable": len(built.table), "Table": _joined(built.table, built.W)}


def _joined(values: Sequence[int], bits: int) -> str:
    return _hex(sum(v << bits * i for i, v in enumerate(values)), bits * len(values))


def _starts(built: Built) -> list[int]:
    return [*built.starts, *[0] * (2**WALK_BITS - len(built.starts))]


def _tables(built: Built) -> dict[str, int | str]:
    """Return the parameters, their tables with a line a word, and what the word does."""
    slots: Rows = []
    for walk in built.walks:
        slots += [(_hex(s.word(), SLOT_BITS), "" if i else walk.name)
                  for i, s in enumerate(walk.slots)]  # fmt: skip
    words = [(_hex(w.word(), WORD_BITS), word_note(built, w)) for w in built.program]
    tables = {"Slots": list_text(slots), "Words": list_text(words)}
    return {**word_parameters(built), **tables}


def word_module(name: str, built: Built, about: str) -> str:
    """Return the module ``name`` of a program; ``about``: what it computes, in a phrase."""
    return render(
        "hdl/word.sv",
        name=name,
        about=about,
        slots=len(built.slots),
        words=len(built.program),
        parameters=_tables(built),
    )


def emit_word_schemes(p: WordPreset, self_test: bool = True) -> dict[str, str]:
    """Return the generated module of a preset by its name.

    ``self_test``: whether it tests itself after reset and after tables, if nobody says otherwise.
    """
    p = host(p)
    found = word_program(p)
    built, loaded = found.built, bool(p.netlist)
    more: dict[str, int | str] = {"SelfTest": "SelfTest"}
    if len(p.hashes) > 1:
        more["WideHash"] = 1
    text = render(
        "hdl/word_schemes.sv",
        preset=p.netlist_name,
        curve=p.curve.name,
        loaded=loaded,
        self_test=self_test,
        curves=p.curve.name if p.ice40 else "prime curves",
        name=p.module,
        operations=sorted((found.number(o), o) for o in found.operations),
        ports=PORTS,
        slots=len(built.slots),
        words=len(built.program),
        parameters=more | (loaded_parameters(p) if loaded else _tables(built)),
    )
    return {p.module: text}
