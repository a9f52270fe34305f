# SPDX-License-Identifier: Apache-2.0
"""All that is generated is what it was: README.md of this folder."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ecsm
from ecsm.cores.store import design
from tests.golden.generated import (
    PARTS,
    Digests,
    computed,
    literals,
    no_version,
    of_core,
    part_of,
    source_digest,
)
from tests.golden.rewrite import differences, kept

ROOT = Path(__file__).parents[2]
NEEDS_LIBCRYPTO = "systems"  # vectors of their programs
SMALL = ("toy7-fast", "toyp8-a", "toy107-halving")  # one of each family
ELSEWHERE = """
import json, sys
from tests.golden.generated import computed
print(json.dumps({g: d for part in sys.argv[1:] for g, d in computed(part).items()}))
"""


@pytest.mark.parametrize("part", PARTS)
def test_what_is_generated_is_what_it_was(part: str, request: pytest.FixtureRequest) -> None:
    if part == NEEDS_LIBCRYPTO:
        request.getfixturevalue("libcrypto")
    before = {group: found for group, found in kept().items() if part_of(group) == part}
    changed = differences(before, computed(part))
    assert not changed, "if that is meant: python -m tests.golden.rewrite"


def test_nothing_is_kept_of_what_is_no_more() -> None:
    assert {part_of(group) for group in kept()} == PARTS.keys()


def test_folder_order_of_hashes_and_version_do_not_count(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *SMALL], cwd=tmp_path, check=True, capture_output=True,
        text=True, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    found: dict[str, Digests] = json.loads(done.stdout)
    assert found == {f"core {name}": kept()[f"core {name}"] for name in SMALL}
    with no_version():
        assert ecsm.__version__ == "0.0.0"
    assert ecsm.__version__ != "0.0.0"


def test_comments_and_layout_do_not_count_and_names_do() -> None:
    text = "module a;  // what\n  wire [7:0] /* bits */ b = 8'hff;\nendmodule\n"
    assert source_digest(text) == source_digest("module a; wire [7:0] b = 8'hff; endmodule")
    assert source_digest(text) != source_digest(text.replace("module a", "module c"))


def test_the_numbers_of_a_text() -> None:
    text = "x2 = {8'd10, 4'hf, 2'b10, pkg::Name3, 16}; // 17\ny <= 12'hbad; abad = '0;"
    assert literals(text) == [[8, 10], [4, 15], [2, 2], [0, 16], [12, 0xBAD], [0, 0]]


@pytest.mark.parametrize("name", SMALL)
def test_one_bit_of_the_microcode_counts(name: str) -> None:
    """A start, a write or a take that a word has not, shows in each digest of the core's text."""
    d: Any = design(name)
    code = d.microcode
    words = [*code.words]
    tests = "take" if d.preset.field_kind == "prime" else "test"
    taken: set[str] = getattr(words[-1], tests)
    words[-1] = dataclasses.replace(words[-1], **{tests: taken ^ {"curve"}})
    before = of_core(d)
    after = of_core(dataclasses.replace(d, microcode=dataclasses.replace(code, words=words)))
    assert {kind for kind in before if before[kind] != after[kind]} == {"rtl", "microcode"}
