# SPDX-License-Identifier: Apache-2.0
"""mbedTLS with a block on the system on chip: sw/mbedtls/soc.c, on the simulated system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

from ecsm.cli import main
from ecsm.device.base import NoDevice
from ecsm.soc.emit import MEMORY
from ecsm.soc.libraries import MBEDTLS
from ecsm.soc.run import run_app
from ecsm.soc.simulation import Exit
from tests.sw.library import ROOT
from tests.sw.mbedtls import SOURCE

PROGRAM = SOURCE / "soc.c"
PAGE = ROOT / "docs" / "guide" / "mbedtls.md"
UNIT, COUPLING = "schemes-word-p256", "lc"
SHORT = ["sign", "verify", "x", "y", "r", "s", "libecsm-sign", "memory"]
WRONG = """\
#include "ecsm.h"
static unsigned jobs;
static ecsm_hal_t right;
static void put(void *context, uint32_t offset, uint32_t value)
{
    jobs += offset == offsetof(ecsm_block_scheme_t, COMMAND);
    right.write(context, offset, value);
}
static uint32_t get(void *context, uint32_t offset)
{
    const uint32_t value = right.read(context, offset);
    const bool out = offset == offsetof(ecsm_block_scheme_t, OUT_DATA);
    return value ^ (out && jobs >= FROM ? 1 : 0);
}
static ecsm_hal_t wrong_hal(void)
{
    right = ecsm_hal_memory(SOC_AXIL);
    return (ecsm_hal_t){.context = right.context, .read = get, .write = put};
}
"""


def ran(program: Path, typed: bytes = b"", cycles: int = 50_000_000, **defines: int) -> Exit:
    """Run a program, with mbedTLS; skip without it."""
    try:
        MBEDTLS.folder()
    except NoDevice as error:
        pytest.skip(str(error))
    macros = tuple(f"{name}={value}" for name, value in defines.items())
    return run_app(str(program), UNIT, COUPLING, typed=typed, cycles=cycles, defines=macros)


def printed(done: Exit) -> dict[str, str]:
    """What it printed, by the first word of a line."""
    lines = (line.split() for line in done.output.decode().splitlines())
    return {first: " ".join(rest) for first, *rest in lines}


def said(name: str) -> int:
    """Return a number of the page, behind its name in the table."""
    (found,) = re.findall(rf"^\| `{name}` \|.*\| ([\d,]+) \|$", PAGE.read_text("utf-8"), re.M)
    return int(found.replace(",", ""))


def valid(lines: dict[str, str]) -> None:
    """Check the signature that was printed with the key that was, without mbedTLS."""
    x, y = (int(lines[name], 16) for name in "xy")
    key = ECC.construct(curve="P-256", point_x=x, point_y=y)
    signature = bytes.fromhex(lines["r"] + lines["s"])
    DSS.new(key, "fips-186-3").verify(SHA256.new(b"ten thousand"), signature)


def test_it_signs_and_the_page_has_its_cycles() -> None:
    """Cycles to a hundredth: the key is random, mbedTLS and the compiler may change."""
    done = ran(PROGRAM)
    lines = printed(done)
    assert done.status == 0, done.output
    assert list(lines) == SHORT
    valid(lines)
    for name in ("sign", "verify", "libecsm-sign", "memory"):
        assert int(lines[name]) == pytest.approx(said(name), rel=0.01), name
    assert int(lines["memory"]) + 8 * 1024 <= MEMORY * 1024  # as link.ld wants for the stack


@pytest.mark.slow
def test_software_on_the_cpu_agrees() -> None:
    done = ran(PROGRAM, b"\n", 500_000_000)
    lines = printed(done)
    assert done.status == 0, done.output
    assert list(lines) == [*SHORT, "ECSM:", "self-test", "software-verify"]
    assert lines["ECSM:"] == "passed"
    valid(lines)
    assert int(lines["self-test"]) == pytest.approx(said("self-test"), rel=0.1)
    assert int(lines["software-verify"]) > 10 * int(lines["verify"])  # not in the block


@pytest.mark.parametrize(("jobs", "failed"), [(0, "begin"), (6, "verify")])
def test_a_wrong_answer_of_the_block_is_seen(jobs: int, failed: str, tmp_path: Path) -> None:
    """Octets that it gives are other ones from a job on: of the first, of the key's public part."""
    text, call = PROGRAM.read_text("utf-8"), "ecsm_hal_memory(SOC_AXIL)"
    assert text.count(call) == 1
    own = tmp_path / "wrong.c"
    before, after = text.replace(call, "wrong_hal()").split("static ecsm_t ecsm;\n")
    own.write_text(f"{before}{WRONG}static ecsm_t ecsm;\n{after}")
    done = ran(own, FROM=jobs)
    assert done.output.decode().splitlines()[-1] == f"{failed}: failed"
    assert done.status == 1


def test_without_mbedtls_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(MBEDTLS.variable, str(tmp_path))
    assert main(["soc", "run", str(PROGRAM), "--unit", UNIT, "--coupling", COUPLING]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"ecsm: no mbedTLS in {tmp_path}: .ci/fetch-mbedtls fetches it, "
        "ECSM_MBEDTLS names another folder"
    ]
