# SPDX-License-Identifier: Apache-2.0
"""Testbenches of schemes, of blocks behind a bus, of streams: they elaborate, pass, can fail."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.buses import BUSES
from ecsm.hdl.machines import machine, subject
from ecsm.hdl.package import package
from ecsm.hdl.package_texts import REPLICATION, VERILATOR_LIMITS
from ecsm.hdl.scheme_jobs import jobs
from ecsm.sim.cache import verilator_env
from ecsm.status import Status
from tests.hdl.test_package import make

OF_KEYS = (
    "load", "public", "forget", "ecdh", "x25519", "sign-sha256", "verify-sha256", "sign-ed25519",
    "verify-ed25519", "sha1", "sha224", "sha256", "sha384", "sha512",
)  # fmt: skip
TOYS = [("toy5-serial", "axil"), ("toyp5-v", "wishbone"), ("toy7-fast", "apb")]


def built(preset: str, attach: str | None, folder: Path, schemes: bool = False) -> Path:
    return package(Build(subject(preset), schemes=schemes, attach=attach), folder / "core")


def passes(folder: Path, least: int) -> None:
    done = make(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^PASS (\d+) vectors$", done.stdout, re.M)
    assert passed
    assert int(passed[1]) == len(re.findall(r"^ok   ", done.stdout, re.M)) >= least


@pytest.mark.parametrize(("preset", "bus"), TOYS)
def test_a_core_behind_a_bus_passes(preset: str, bus: str, tmp_path: Path) -> None:
    passes(built(preset, bus, tmp_path), 12)


@pytest.mark.parametrize(
    ("preset", "attach"),
    [("word-p256", None), ("word-p256", "apb"), ("word-prime-ed25519", "wishbone"),
     ("word-prime-x25519", None)],
)  # fmt: skip
def test_a_word_engine_passes(preset: str, attach: str | None, tmp_path: Path) -> None:
    passes(built(preset, attach, tmp_path), 9)


@pytest.mark.parametrize("attach", [None, "axil"])
def test_schemes_of_a_core_pass(attach: str | None, tmp_path: Path) -> None:
    passes(built("b163-small", attach, tmp_path, schemes=True), 12)


@pytest.mark.parametrize(
    ("preset", "schemes", "attach"),
    [("toy7-fast", False, "stream"), ("toyp5-v", False, "stream"),
     *((name, False, bus) for name, bus in TOYS), *(("word-p256", False, bus) for bus in BUSES),
     ("word-prime", False, None), ("word-prime-x25519", False, "apb"),
     ("b163-small", True, None), ("b163-small", True, "wishbone")],
)  # fmt: skip
def test_it_elaborates(preset: str, schemes: bool, attach: str | None, tmp_path: Path) -> None:
    folder = built(preset, attach, tmp_path, schemes)
    (bench,) = folder.glob("tb/*.sv")
    limits = [*VERILATOR_LIMITS.split(), *REPLICATION]
    command = ["verilator", "--lint-only", "--timing", "-Wall", "-Wno-fatal", *limits]
    done = subprocess.run(
        [*command, "--top-module", bench.stem, "-f", "files.f", f"tb/{bench.name}"],
        cwd=folder, env=verilator_env(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if " tb/" in line and "UNUSED" not in line]
    assert said == []
    core = next(folder.glob("*.core")).read_text("utf-8")
    assert f"toplevel: {bench.stem}\n" in core
    assert f"- tb/{bench.name}\n" in core


def test_a_wrong_expectation_fails(tmp_path: Path) -> None:
    folder = built("toy7-fast", "wishbone", tmp_path)
    (bench,) = folder.glob("tb/*.sv")
    text = bench.read_text()
    right = re.search(r'check\("k = 2, P = G", .*?StatusOk, 8\'h(\w+)', text, re.S)
    assert right
    wrong = f"{int(right[1], 16) ^ 1:x}"
    bench.write_text(text[: right.start(1)] + wrong + text[right.end(1) :])
    done = make(folder)
    assert done.returncode != 0
    assert f"FAIL k = 2, P = G: x = {int(right[1], 16):08x}" in done.stdout
    assert re.search(r"^FAIL 1 of \d+ vectors$", done.stdout, re.M)
    assert "PASS" not in done.stdout


@pytest.mark.parametrize(
    "name", ["word-p256", "word-dual-b409", "word-full", "word-prime-x25519", "word-prime-ed25519"]
)
def test_every_operation_of_keys_is_run_well_and_badly(name: str) -> None:
    m = machine(name)
    found = jobs(m)
    run = {job.operation for job in found if job.status is Status.OK}
    wanted = {m.program.number(o) for o in m.program.operations if o in OF_KEYS}
    assert wanted <= run
    assert len({job.status for job in found}) >= 3
    names = [job.name for job in found]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("preset", "engines"), [("toyp5-v", 3), ("toy7-fast", 1)])
def test_a_stream_passes(preset: str, engines: int, tmp_path: Path) -> None:
    """Twice over: jobs, and four packets that are none."""
    folder = package(Build(design(preset), engines, attach="stream"), tmp_path / "core")
    passes(folder, 2 * (12 + 4))


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [(".rsp_x_i(rsp_x)", ".rsp_x_i(rsp_x ^ 8'd1)", "FAIL k = 2, P = G: "),
     (".rsp_tag_i(rsp_tag)", ".rsp_tag_i(rsp_tag ^ 8'd64)", "FAIL an answer: tag 64, not owed"),
     (".m_axis_tlast_o(m_axis_tlast_o)", ".m_axis_tlast_o()", "FAIL no answer in ")],
)  # fmt: skip
def test_a_wrong_stream_fails(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    folder = package(Build(design("toy7-fast"), attach="stream"), tmp_path / "core")
    top = folder / "rtl" / "ecsm_toy7_fast_axis.sv"
    text = top.read_text()
    assert text.count(right) == 1
    top.write_text(text.replace(right, wrong))
    done = make(folder)
    assert done.returncode != 0
    assert said in done.stdout
    assert "PASS" not in done.stdout


def test_another_digest_is_another_number() -> None:
    """Of a curve whose order is shorter than the digest, too: it ends what a signature is of."""
    m = machine("b163-small")
    right, other = (
        next(job.strings[2] for job in jobs(m) if job.name == name)
        for name in ("verify", "verify another digest")
    )
    cut = 8 * len(right) - m.curve.n.bit_length()
    assert int.from_bytes(right, "big") >> cut != int.from_bytes(other, "big") >> cut
