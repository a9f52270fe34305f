# SPDX-License-Identifier: Apache-2.0
"""Tables of the cycles of schemes, for the pages of docs/; figures of older RTL say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ecsm.markdown import markdown_table, number
from ecsm.measure.schemes import (
    DEFAULT,
    MASKED,
    MORE,
    PUBLISHED,
    WIDE,
    SchemeCycles,
    Schemes,
    digest,
    schemes_path,
)
from ecsm.measure.word_schemes import (
    MEASURED,
    OF_FULL,
    is_current,
    load_word_schemes,
    operations,
)
from ecsm.names import no_such
from ecsm.presets.word import WORD_PRESETS, WordPreset
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import load

WORD = "word-p256"
BESIDE = ("b163-small", "p256-fast")
OLD, NONE = "of an earlier commit", "not measured"
NAMES = {"sign": "sign-sha256", "verify": "verify-sha256"}
"""Names in the tables of what is kept by another name."""
OWN_FORMS = {"curve25519": " of X25519", "edwards25519": " of Ed25519"}
"""Behind operations of presets that have no ECDSA."""
SELF_TESTED = (WORD, f"{WORD}-none", "word-prime-x25519", "word-prime-ed25519")
OTHERS = ("ecmqv", "ecies-encrypt", "ecies-decrypt", "ec-aes-encrypt", "ec-aes-decrypt",
          "encapsulate (r given)", "decapsulate")  # fmt: skip
ICE40_MHZ, ECP5_MHZ = 24, 120
"""Of milliseconds: a half of the UP5K's own oscillator, and what an ECP5 reaches."""
Kept = Mapping[str, SchemeCycles]


def scheme_table(names: str = "", root: Where = RESULTS) -> str:
    """Return the table of the cycles that are kept; those of older RTL say so.

    ``names``: "more" for the presets that are not the default ones, "masked" for those of masked
    machines beside plain ones. The word engine's are those of ``ecsm schemes --word``.
    """
    wanted = {"": DEFAULT, "more": (*MORE, *WIDE), "masked": (*BESIDE, *MASKED)}[names]
    record = load(Schemes, schemes_path(root))
    results = [r for r in record.results if r.preset in wanted] if record else []
    if not names and (word := load_word_schemes(root).get(WORD)):
        results.append(word)
    if not results:
        return "Not measured."
    head = ["operation", *(f"`{r.preset}`{', wide' if r.wide else ''}" for r in results)]
    rows: list[list[object]] = [["curve", *(r.curve for r in results)]]
    for operation in dict.fromkeys(o for r in results for o in r.cycles):
        cells = []
        for r in results:
            theirs = PUBLISHED.get((r.curve, operation.removesuffix(" (r given)")))
            beside = f" ({theirs})" if theirs else ""
            cells.append(number(r.cycles[operation]) + beside if operation in r.cycles else "")
        rows.append([operation, *cells])
    state = ["" if r.rtl == digest(r.preset, r.wide) else OLD for r in results]
    if any(state):
        rows.append(["state", *state])
    return markdown_table(head, rows, set(range(1, len(head))))


def _state(r: SchemeCycles | None) -> str:
    """Return whether cycles are missing or old, "" if neither."""
    return NONE if r is None else "" if is_current(r) else OLD


def _cycles(r: SchemeCycles | None, operation: str) -> int | None:
    return r.cycles.get(operation) if r else None


def _cell(cycles: int | None) -> str:
    return "-" if cycles is None else number(cycles)


def _ms(cycles: int | None, mhz: int) -> str:
    return "-" if cycles is None else f"{cycles / mhz / 1000:.1f}"


def _preset(name: str) -> WordPreset:
    """Return a preset that is measured. Raises ValueError for another one."""
    if name not in MEASURED:
        raise ValueError(no_such("word engine", name, MEASURED, "ecsm list"))
    return WORD_PRESETS[name]


def word_cycle_table(name: str, root: Where = RESULTS) -> str:
    """Return the cycles of a preset's operations, protected and not.

    For an iCE40 with milliseconds, and with the loading of tables.
    """
    p, found = _preset(name), load_word_schemes(root)
    both = [found.get(of) for of in (name, f"{name}-none")]
    shown = [o for o in operations(p) if o != "self-test" and (p.ice40 or o != "tables")]
    rows = []
    for operation in shown:
        row = [NAMES.get(operation, operation) + OWN_FORMS.get(p.curve.name, "")]
        for cycles in (_cycles(r, operation) for r in both):
            row += [_cell(cycles), *([_ms(cycles, ICE40_MHZ)] if p.ice40 else [])]
        rows.append(row)
    head = ["operation"]
    for of in (name, f"{name}-none"):
        head += [f"`{of}`, cycles", "ms"] if p.ice40 else [f"`{of}`"]
    states = [_state(r) for r in both]
    if any(states):
        more = [""] if p.ice40 else []
        rows.append(["state", *(cell for state in states for cell in (state, *more))])
    return markdown_table(head, rows, set(range(1, len(head))))


def _by_preset(
    head: Sequence[str], names: Mapping[str, str], shown: Iterable[str], kept: Kept
) -> str:
    """Return a row for each preset: what it is called, and its cycles of some operations.

    ``head``: of the columns. One for the state is behind them if something is missing or old.
    """
    columns = list(shown)
    rows = [[label, *(_cell(_cycles(kept.get(name), o)) for o in columns)]
            for name, label in names.items()]  # fmt: skip
    states = [_state(kept.get(name)) for name in names]
    last = [*head, "state"] if any(states) else [*head]
    if any(states):
        rows = [[*row, state] for row, state in zip(rows, states, strict=True)]
    return markdown_table(last, rows, set(range(1, 1 + len(columns))))


def word_curve_table(netlist: str, root: Where = RESULTS) -> str:
    """Return the cycles of ECDSA and ECDH with each of the tables that a netlist is loaded with."""
    _preset(netlist)
    names = {
        name: f"`{name}`"
        for name in MEASURED
        if WORD_PRESETS[name].netlist == netlist and WORD_PRESETS[name].weierstrass
    }
    shown = ("tables", "public", "ecdh", "sign", "verify")
    head = ["tables of", *(NAMES.get(o, o) for o in shown)]
    return _by_preset(head, names, shown, load_word_schemes(root))


def word_full_table(root: Where = RESULTS) -> str:
    """Return the cycles of what only word-full has."""
    head = ["curve", *(o.removesuffix(" (r given)") for o in OTHERS)]
    return _by_preset(head, OF_FULL, OTHERS, load_word_schemes(root))


def self_test_table(root: Where = RESULTS) -> str:
    """Return the cycles of self-tests, and their milliseconds at a clock."""
    kept = load_word_schemes(root)
    rows = []
    for name in SELF_TESTED:
        cycles = _cycles(kept.get(name), "self-test")
        state = NONE if cycles is None else _state(kept.get(name))
        rows.append([f"`{name}`", _cell(cycles), _ms(cycles, ECP5_MHZ), state])
    head = ["preset", "cycles", f"ms at {ECP5_MHZ} MHz", "state"]
    return markdown_table(head, rows, {1, 2})
