# SPDX-License-Identifier: Apache-2.0
"""How much code mbedTLS over libecsm is on RISC-V, as docs/guide/mbedtls.md says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ecsm.sim.cache import cache_dir
from tests.sw.library import LIBRARY, ROOT, WORD_BLOCK, header
from tests.sw.mbedtls import SOURCE, missing, sources

PAGE = ROOT / "docs" / "guide" / "mbedtls.md"
THEIRS = ("bignum", "ecp", "ecp_curves", "ecdsa", "ecdh", "asn1parse", "asn1write", "platform",
          "platform_util", "constant_time")  # fmt: skip
OURS = ("block", "alt", "software_ecdsa", "software_ecdh")
FLAGS = ("-target", "riscv32-linux-musl", "-mcpu=generic_rv32+m+a", "-Os", "-std=c11", "-static",
         "-D_GNU_SOURCE", "-DMBEDTLS_CONFIG_FILE=\"mbedtls_size.h\"", "-w", "-ffunction-sections",
         "-fdata-sections", "-fno-sanitize=all", "-fno-stack-protector", "-Wl,--gc-sections",
         "-s")  # fmt: skip
SEGMENT, LOADED, WRITABLE = 32, 1, 2  # of an ELF's program headers, 32 bits


def code(elf: bytes) -> int:
    """Return the octets that are loaded and not written to: code and constants."""

    def number(at: int, octets: int) -> int:
        return int.from_bytes(elf[at : at + octets], "little")

    first, count = number(28, 4), number(44, 2)
    headers = range(first, first + SEGMENT * count, SEGMENT)
    return sum(
        number(at + 16, 4)
        for at in headers
        if number(at, 4) == LOADED and not number(at + 24, 4) & WRITABLE
    )


def linked(folder: Path, *words: str | Path) -> int:
    """Compile a program; return its octets of code."""
    here = Path(__file__).parent
    folders = (SOURCE, LIBRARY / "include", folder, sources() / "include", sources() / "library")
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", *FLAGS, *(f"-I{f}" for f in (here, *folders)),
         here / "mbedtls_size.c", *words, "-o", "program"],
        cwd=folder, env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig")},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return code((folder / "program").read_bytes())


@pytest.mark.full
def test_the_page_says_how_much_code_it_is(tmp_path: Path) -> None:
    """To a hundredth: mbedTLS and the compiler may change."""
    if lacking := missing():
        pytest.skip(f"sw/mbedtls cannot be tried: {lacking}")
    name, text = header(WORD_BLOCK)
    (tmp_path / name).write_text(text)
    theirs = [sources() / "library" / f"{name}.c" for name in THEIRS]
    ours = [*(SOURCE / f"{name}.c" for name in OURS), *sorted((LIBRARY / "src").glob("*.c"))]
    empty = linked(tmp_path)
    plain = linked(tmp_path, "-DWITH_MBEDTLS", *theirs) - empty
    both = linked(tmp_path, "-DWITH_MBEDTLS", "-DWITH_BLOCK", *theirs, *ours) - empty
    (found,) = re.findall(r"are ([\d,]+) octets of [^;]*;[^.]*? ([\d,]+): ([\d,]+) more",
                          PAGE.read_text(encoding="utf-8"))  # fmt: skip
    said = [int(number.replace(",", "")) for number in found]
    assert said == pytest.approx([plain, both, both - plain], rel=0.01)
