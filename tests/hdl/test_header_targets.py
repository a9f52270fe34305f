# SPDX-License-Identifier: Apache-2.0
"""The C header's registers are accessed as whole words on every target that the guide names."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.curves import curve
from ecsm.hdl.build import Build
from ecsm.hdl.package import documents
from ecsm.hdl.registers import FOLDER, register_map
from ecsm.hdl.word_image import tables_header
from tests.sw.emulator import (
    DATA,
    OPTIMISATIONS,
    REGISTERS,
    TARGETS,
    WORD,
    Machine,
    Target,
    parameters,
)

BUILDS = {
    "ecsm_block_core": Build(design("toyp5-v"), attach="axil"),  # with SCALAR_G
    "ecsm_block_scheme": Build(design("b163-small"), schemes=True, attach="axil"),
}
MEMBER = re.compile(r"uint32_t (\w+)(\[\d+\])?;")
PACKED = "struct __attribute__ ((__packed__)) {"


def header(block: str) -> str:
    return documents(BUILDS[block])[f"{FOLDER}/{block}.h"].decode()


def members(text: str) -> list[tuple[str, str]]:
    """Registers as C writes them, in their order; of an array, one by an index."""
    return [(name, f"{name}[index]" if array else name) for name, array in MEMBER.findall(text)]


def probe(block: str, text: str) -> str:
    """Write and then read every register; the user has forgotten ``volatile``."""
    lines = [
        f"    block->{member} = 0x01020304u + {i}u;\n    seen[{i}] = block->{member};"
        for i, (_, member) in enumerate(members(text))
    ]
    return (
        f'#include "{block}.h"\n'
        f"void probe({block}_t *block, uint32_t *seen, uint32_t index);\n"
        f"void probe({block}_t *block, uint32_t *seen, uint32_t index)\n{{\n"
        "    (void)index;\n" + "\n".join(lines) + "\n}\n"
    )


def run(target: Target, folder: Path, optimise: str, block: str, text: str) -> Machine:
    """Run the probe with a header; what is written is read with its bits inverted."""
    (folder / f"{block}.h").write_text(text)
    source = folder / "probe.c"
    source.write_text(probe(block, text))
    held: dict[int, int] = {}
    image = target.image(folder, optimise, "probe", source)
    machine = Machine(target.cpu, image, lambda at: held[at] ^ 0xFFFFFFFF, held.__setitem__)
    machine.call((REGISTERS, DATA, 0))
    return machine


@pytest.mark.parametrize("optimise", OPTIMISATIONS)
@pytest.mark.parametrize("target", parameters(TARGETS))
@pytest.mark.parametrize("block", BUILDS)
def test_every_access_is_of_a_whole_word(
    block: str, target: Target, optimise: str, tmp_path: Path
) -> None:
    text = header(block)
    machine = run(target, tmp_path, optimise, block, text)
    registers = BUILDS[block].registers()
    assert registers
    at = register_map(registers)
    names = [name for name, _ in members(text)]
    assert sorted(names) == sorted(at)
    assert machine.accesses == [
        (kind, at[name], WORD) for name in names for kind in ("write", "read")
    ]
    seen = machine.load(DATA, WORD * len(names))
    words = [int.from_bytes(seen[i : i + WORD], "little") for i in range(0, len(seen), WORD)]
    assert words == [~(0x01020304 + i) & 0xFFFFFFFF for i in range(len(names))]


@pytest.mark.parametrize("target", parameters(t for t in TARGETS if t.splits))
def test_a_packed_structure_is_noticed(target: Target, tmp_path: Path) -> None:
    """The test above can fail: the first access of a packed structure is of an octet."""
    block = "ecsm_block_core"
    text = header(block).replace("struct {", PACKED)
    assert PACKED in text
    with pytest.raises(AssertionError, match=r"refused: \[\('(read|write)', [0-3], 1\)"):
        run(target, tmp_path, "-O2", block, text)


@pytest.mark.parametrize("block", BUILDS)
@pytest.mark.parametrize("language", ["c99", "c11", "c++11"])
def test_it_is_c_and_cpp(block: str, language: str, tmp_path: Path) -> None:
    file = tmp_path / f"{block}.h"
    file.write_text(header(block))
    flags = [f"-std={language}", "-x", language.rstrip("0123456789"), "-fsyntax-only"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, *warnings, str(file)], check=True, timeout=100)


@pytest.mark.parametrize("language", ["c99", "c11", "c++11", "c++20"])
def test_tables_of_a_curve_are_c_and_cpp(language: str, tmp_path: Path) -> None:
    file = tmp_path / "ecsm_tables.h"
    file.write_text(tables_header(curve("P-521"), bytes(range(16))))
    flags = [f"-std={language}", "-x", language.rstrip("0123456789"), "-fsyntax-only", "-pedantic"]
    library = Path(__file__).parents[2] / "sw" / "libecsm" / "include"
    command = ["cc", *flags, "-Wall", "-Wextra", "-Werror", f"-I{library}", str(file)]
    subprocess.run(command, check=True, timeout=100)
