# SPDX-License-Identifier: Apache-2.0
"""What is measured on P-256: BearSSL and the word engine give what RFC 6979 and CAVS have."""

from __future__ import annotations

import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from ecsm.cli.app import main
from ecsm.device.base import NoDevice
from ecsm.measure.soc import SocCycles
from ecsm.measure.soc_p256 import (
    OPERATIONS,
    PEERS,
    RUNS,
    SocP256,
    p256_table,
    peers_table,
    soc_p256_path,
)
from ecsm.results.record import write_json
from ecsm.soc.firmware import SW
from ecsm.soc.libraries import BEARSSL
from ecsm.soc.run import run_app

HOST = Path(__file__).parent / "host"


def host(folder: Path, vectors: str) -> subprocess.CompletedProcess[str]:
    """Compile BearSSL's program for this host, and run it; ``vectors``: the text of p256.h."""
    try:
        sources, includes = BEARSSL.files(), BEARSSL.places()
    except NoDevice as error:
        pytest.skip(str(error))
    (folder / "p256").mkdir()
    (folder / "p256" / "p256.h").write_text(vectors)
    (folder / "measure.h").write_text(
        '#include "soc.h"\n#include <string.h>\n'
        "static void measure_begin(void) {}\n"
        '#define MEASURE(name, call) do { call; soc_puts(name "\\n"); } while (0)\n'
    )
    places = [f"-I{place}" for place in (folder, HOST, *includes)]
    program = folder / "bench_p256"
    files = [SW / "apps" / "bench_p256.c", *sources]
    command = ["cc", "-std=gnu11", "-O1", "-w", *places, *map(str, files), "-o", str(program)]
    subprocess.run(command, check=True, timeout=100)
    return subprocess.run([program], capture_output=True, text=True, check=False, timeout=100)


def test_bearssl_gives_the_published_numbers_on_this_host(tmp_path: Path) -> None:
    done = host(tmp_path, (SW / "p256" / "p256.h").read_text())
    assert done.returncode == 0
    assert done.stdout.split() == list(OPERATIONS)


@pytest.mark.parametrize("name", ["p256_x", "p256_r", "p256_secret", "p256_message_digest"])
def test_another_number_is_seen(name: str, tmp_path: Path) -> None:
    text = (SW / "p256" / "p256.h").read_text()
    at = text.index("0x", text.index(f"{name}[P256_OCTETS]"))
    changed = f"{text[:at]}0x{int(text[at + 2 : at + 4], 16) ^ 1:02x}{text[at + 4 :]}"
    assert host(tmp_path, changed).returncode == 1


@pytest.mark.parametrize("name", ["word-p256", "word-p256-none"])
def test_the_word_engine_gives_them_on_the_system(name: str) -> None:
    done = run_app("bench_p256_block", f"schemes-{name}", "lc")
    assert done.status == 0, done.output.decode()
    rows = dict(line.split() for line in done.output.decode().splitlines())
    assert list(rows) == list(OPERATIONS)


@pytest.mark.slow
def test_bearssl_gives_them_on_the_system() -> None:
    try:
        BEARSSL.folder()
    except NoDevice as error:
        pytest.skip(str(error))
    done = run_app("bench_p256", coupling="software", cycles=500_000_000)
    assert done.status == 0, done.output.decode()
    rows = dict(line.split() for line in done.output.decode().splitlines())
    assert list(rows) == list(OPERATIONS)
    assert int(rows["sign"]) > 1_000_000


def test_without_bearssl_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(BEARSSL.variable, str(tmp_path))
    assert main(["soc", "run", "bench_p256", "--coupling", "software"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"ecsm: no BearSSL in {tmp_path}: .ci/fetch-bearssl fetches it, "
        "ECSM_BEARSSL names another folder"
    ]


def test_the_table_has_ratios_and_says_what_is_missing(tmp_path: Path) -> None:
    assert "not measured" in p256_table(tmp_path)
    counts = dict.fromkeys(OPERATIONS, 4000)
    rows = [
        SocCycles(256, name, coupling, {k: v // (i + 1) for k, v in counts.items()}, "older")
        for i, (name, coupling) in enumerate(RUNS)
    ]
    write_json(soc_p256_path(tmp_path), asdict(SocP256("", rows)))
    table = p256_table(tmp_path)
    assert "| ECDSA sign | 4,000 | 2,000 | 2.0 | 1,333 | 3.0 |" in table
    assert "Of an earlier commit: field-163, software; " in table
    others = peers_table(tmp_path).splitlines()
    assert others[3] == "| `word-p256` | 2,000 | 2,000 | 2,000 |  | measured, with its bus |"
    assert len(others) == 2 + len(RUNS) + len(PEERS)
