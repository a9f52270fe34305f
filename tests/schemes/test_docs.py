# SPDX-License-Identifier: Apache-2.0
"""What the pages on schemes in docs/guide say is so."""

import re
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.schemes.ecies import MESSAGE
from ecsm.schemes.inputs import flags_of
from ecsm.schemes.machine import NARROW, SLOTS
from ecsm.schemes.program import program
from ecsm.status import ERRORS, Status

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "guide"
PAGE, OPERATIONS, STATUSES, KEYS = (
    (FOLDER / name).read_text(encoding="utf-8")
    for name in ("schemes.md", "operations.md", "statuses.md", "wrapped-keys.md")
)
MACHINE = (ROOT / "docs" / "theory" / "machine.md").read_text(encoding="utf-8")
BLOCKS = [
    block
    for page in (PAGE, OPERATIONS, MACHINE, KEYS)
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every block runs and prints something."""
    exec(compile(block, "docs", "exec"), {})
    assert capsys.readouterr().out


def test_every_operation_is_there() -> None:
    for operation in program(design("b163-small").preset).operations:
        name = operation
        for digest in NARROW:
            name = name.replace(f"-{digest}", "-HASH")
        assert f"`{name}`" in PAGE, operation


def test_figures() -> None:
    assert f"{MESSAGE:,} octets at most" in PAGE
    assert f"Keys are in slots, {['none', 'one', 'two', 'three', 'four'][SLOTS]} of them" in PAGE


def test_flags() -> None:
    """The table's bits of every operation are those that it knows."""
    table = OPERATIONS.split("### Flags")[1].split("Every other flag is refused")[0]
    found = dict.fromkeys(program(design("b163-small").preset).operations, 0)
    for row in re.findall(r"^\| (.*?) \| ([\d, ]+) \|", table, re.MULTILINE):
        names = row[0].replace("ECIES", "`ecies-`").replace("HASH", "")
        for part in re.findall(r"`([\w-]+)`", names):
            for operation in found:
                if operation.startswith(part):
                    found[operation] |= sum(1 << int(bit) for bit in row[1].split(","))
    assert found == {operation: flags_of(operation) for operation in found}


def test_the_table_of_statuses() -> None:
    """Every status once, with its number, its name and its exception; and the only such table."""
    row = re.compile(
        r"^\| (\d+) \| `([A-Z_]+)` \| (?:`(\w+)`)? ?\| (.+?) \| (.+?) \|$", re.MULTILINE
    )
    rows = row.findall(STATUSES)
    names = [(s.value, s.name, ERRORS[s].__name__ if s in ERRORS else "") for s in Status]
    assert [(int(number), name, exception) for number, name, exception, *_ in rows] == names
    others = [p for p in (ROOT / "docs").rglob("*.md") if row.search(p.read_text("utf-8"))]
    assert [p.name for p in others] == ["statuses.md"]


def test_the_codes_of_the_driver_in_c() -> None:
    """The page has every code that is no status, as the header numbers it."""
    header = (ROOT / "sw" / "libecsm" / "include" / "ecsm.h").read_text(encoding="utf-8")
    codes = header.split("typedef uint32_t ecsm_status_t;")[1].split("};")[0]
    wanted = re.findall(r"(ECSM_\w+) = (\d+)", codes)[1:]  # ECSM_OK is a status
    rows = re.findall(r"^\| (\d+) \| `(ECSM_\w+)` \| .+ \| .+ \|$", STATUSES, re.MULTILINE)
    assert wanted
    assert [(name, number) for number, name in rows] == wanted


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/guide/python.md",
        "docs/guide/provider.md",
        "docs/integrate/registers.md",
        "docs/theory/symmetric.md",
    ],
)
def test_other_pages_lead_to_the_table_of_statuses(page: str) -> None:
    assert "statuses.md)" in (ROOT / page).read_text("utf-8")
