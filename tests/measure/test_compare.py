# SPDX-License-Identifier: Apache-2.0
"""The core beside libcrypto: what is measured is right, what is printed says what it is."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from ecsm.cli.compare import _prices as prices
from ecsm.cores.store import design
from ecsm.measure import compare
from ecsm.measure.compare import (
    WORKLOAD,
    Comparison,
    Cost,
    Row,
    compare_path,
    compare_table,
    kept,
    placed_mhz,
    rsa_bits,
    software,
)
from ecsm.oracle import libcrypto as oracle
from ecsm.oracle import workload
from ecsm.oracle.libcrypto import OracleError
from ecsm.presets.table import preset
from ecsm.report.measured import REAL
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, Pnr, load, pnr_path, save, write_json
from ecsm.results.sources import current_digest
from tests.cli.test_cli import ecsm
from tests.results.files import a_pnr

QUICK = ("--seconds", "0.02")


@pytest.mark.parametrize(
    ("m", "bits"),
    [(163, 1024), (193, 1024), (224, 2048), (233, 2048), (239, 2048), (255, 3072), (256, 3072),
     (283, 3072), (384, 7680), (409, 7680), (521, 15360), (571, 15360)],
)  # fmt: skip
def test_strength_pairs(m: int, bits: int) -> None:
    assert rsa_bits(m) == bits


@pytest.mark.parametrize("bits", [1024, 2048, 3072])
def test_the_factors_are_primes_that_suit_e(bits: int, libcrypto: ModuleType) -> None:
    check_primes(bits, libcrypto)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [7680, 15360])
def test_the_large_factors_are_primes_that_suit_e(bits: int, libcrypto: ModuleType) -> None:
    check_primes(bits, libcrypto)


def check_primes(bits: int, libcrypto: ModuleType) -> None:
    lib = ctypes.CDLL(libcrypto.path())
    lib.BN_bin2bn.restype = lib.BN_CTX_new.restype = ctypes.c_void_p
    lib.BN_check_prime.argtypes = [ctypes.c_void_p] * 3
    p, q = ((1 << bits // 2) - c for c in workload.PRIMES[bits])
    assert p != q
    assert (p * q).bit_length() == bits
    for prime in (p, q):
        raw = prime.to_bytes(bits // 16, "big")
        number = lib.BN_bin2bn(raw, len(raw), None)
        assert lib.BN_check_prime(number, lib.BN_CTX_new(), None) == 1
        assert (prime - 1) % workload.E


def test_a_fixed_key_costs_what_a_generated_one_costs(libcrypto: ModuleType) -> None:
    lib = workload.load(libcrypto.path())
    lib.BN_new.restype = lib.RSA_new.restype = ctypes.c_void_p
    lib.BN_set_word.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
    lib.RSA_generate_key_ex.argtypes = [ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 2]
    key, e = lib.RSA_new(), lib.BN_new()
    lib.BN_set_word(e, workload.E)
    assert lib.RSA_generate_key_ex(key, 2048, e, None) == 1
    generated, fixed = [], []
    for _ in range(6):  # by turns: another process may have the processor for a while
        generated += workload.timed(workload.private(lib, key, 2048), 0.1)
        fixed += workload.timed(workload.rsa(lib, 2048), 0.1)
    assert 0.7 < min(fixed) / min(generated) < 1.4


@pytest.mark.parametrize(
    ("kind", "what"),
    [("ecdh", "sect163r2"), ("ecdh", "secp256r1"), ("ecdh", "curve25519"), ("rsa", "1024")],
)
def test_software_is_measured_with_time_and_memory(
    kind: str, what: str, libcrypto: ModuleType
) -> None:
    cost = software(kind, what, 0.02)
    assert 1 < cost.us < 1e5
    assert 1000 < cost.heap < 100_000
    assert 0 <= cost.rss_over_base_kb < cost.rss_kb


@pytest.mark.parametrize(
    "name", sorted({p.curve.name for p in REAL if (p.curve.q - 1).bit_length() >= 163})
)
def test_libcrypto_has_ecdh_on_every_curve_but_edwards(name: str, libcrypto: ModuleType) -> None:
    if name == "edwards25519":
        with pytest.raises(OracleError, match="does not know edwards25519"):
            software("ecdh", name, 0.001)
    else:
        assert software("ecdh", name, 0.001).us > 1


def test_a_measurement_ends_with_its_caller(libcrypto: ModuleType) -> None:
    command = [sys.executable, "-I", "-S", str(WORKLOAD), libcrypto.path(), "rsa", "1024", "600"]
    code = f"import subprocess; p = subprocess.Popen({command}); print(p.pid, flush=True); p.wait()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as caller:
        assert caller.stdout is not None
        child = Path("/proc") / caller.stdout.readline().strip()
        until(lambda: str(WORKLOAD) in (child / "cmdline").read_text())
        until(lambda: int((child / "stat").read_text().split()[13]) > 5)  # it is at work
        caller.kill()
    until(lambda: not child.exists() or " Z " in (child / "stat").read_text())


def until(true: Callable[[], bool]) -> None:
    """Wait for at most ten seconds until it is so."""
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_composite_factor_is_noticed(
    monkeypatch: pytest.MonkeyPatch, libcrypto: ModuleType
) -> None:
    p, q = workload.PRIMES[1024]
    monkeypatch.setitem(workload.PRIMES, 1024, (p + 2, q + 4))
    with pytest.raises(workload.Missing, match="RSA of 1024 bits is wrong"):
        workload.rsa(workload.load(libcrypto.path()), 1024)


def test_a_longer_operation_takes_longer(libcrypto: ModuleType) -> None:
    assert software("ecdh", "sect571r1", 0.05).us > 2 * software("ecdh", "sect163r2", 0.05).us
    assert software("rsa", "3072", 0.05).heap > 2 * software("rsa", "1024", 0.05).heap


def placed_now(mhz: float) -> Pnr:
    return a_pnr("b163-small", current_digest("b163-small") or "", mhz)


def test_a_placed_core_has_a_time_and_ratios(tmp_path: Path, libcrypto: ModuleType) -> None:
    save(
        pnr_path("b163-small", tmp_path),
        placed_now(50.0),
    )
    names = ["b163-small", "b163-fast"]
    placed, bare = compare.compare(names, 0.02, lambda _: None, tmp_path)
    assert placed.core_us == design("b163-small").microcode.cycles / 50
    assert placed.core_gain == placed.ecdh.us / placed.core_us
    assert placed.rsa_over_core == placed.rsa.us / placed.core_us
    assert placed.rsa_over_ecdh == placed.rsa.us / placed.ecdh.us
    assert (bare.core_us, bare.core_gain, bare.rsa_over_core) == (None, None, None)
    assert bare.ecdh is placed.ecdh  # measured once


def test_the_table_has_the_clock_of_now_beside_what_was_measured(tmp_path: Path) -> None:
    assert compare_table(tmp_path) == "Not measured."
    ecdh, rsa = (
        Cost("ECDH sect163r2", 200.0, 0.1, 5000, 1600, 9),
        Cost("RSA 1024", 100.0, 0, 1, 9, 9),
    )
    found = kept([Row("b163-small", "sect163r2", 1, 1.0, 1.0, ecdh, rsa)], 1)
    write_json(compare_path(tmp_path), asdict(found))
    assert "| `b163-small` | sect163r2 | no clock | 200 |" in compare_table(tmp_path)
    for mhz in (50.0, 100.0):
        save(
            pnr_path("b163-small", tmp_path),
            placed_now(mhz),
        )
        core = design("b163-small").microcode.cycles / mhz
        row = f"| {core:.4g} | 200 | RSA 1024 | 100 | {200 / core:.3g}x | 0.5x |"
        assert row in compare_table(tmp_path)
    save(pnr_path("b163-small", tmp_path), a_pnr("b163-small", "of other RTL"))
    assert "| `b163-small` | sect163r2 | no clock | 200 |" in compare_table(tmp_path)
    (row,) = asdict(found)["results"]
    damages: list[object] = [{}, row | {"preset": "nobody"}]
    for damage in damages:
        write_json(compare_path(tmp_path), asdict(found) | {"results": [damage]})
        with pytest.raises(DamagedResult, match=r"compare\.json is damaged"):
            compare_table(tmp_path)


def test_the_kept_comparison_is_of_presets_on_their_curves() -> None:
    found = load(Comparison, compare_path(RESULTS))
    assert found is not None
    assert [s.preset for s in found.results] == list(compare.DEFAULT)
    for s in found.results:
        assert s.curve == preset(s.preset).curve.name
        assert s.ecdh.operation == f"ECDH {s.curve}"
        assert s.rsa.operation == f"RSA {rsa_bits((preset(s.preset).curve.q - 1).bit_length())}"


@pytest.mark.parametrize("text", ["", "{}", '{"mhz": null}', "[1]"])
def test_a_damaged_placement_is_one_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "pnr").mkdir()
    (tmp_path / "pnr" / "x.json").write_text(text)
    with pytest.raises(DamagedResult):
        placed_mhz("x", tmp_path)
    assert placed_mhz("y", tmp_path) is None


def test_a_damaged_placement_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "pnr").mkdir()
    (tmp_path / "pnr" / "b163-small.json").write_text("{}")
    told: list[str] = []
    with pytest.raises(DamagedResult):
        compare.compare(["b163-fast", "b163-small"], 0.02, told.append, tmp_path)
    assert told == []


def test_prices_are_read() -> None:
    assert prices("device=45.5,CPU=180") == {"device": 45.5, "cpu": 180.0}


@pytest.mark.parametrize(
    "text",
    ["", "45", "device=45", "device=45,cpu=", "device=-1,cpu=2", "device=0,cpu=2", "a=1,cpu=2",
     "device=nan,cpu=2", "device=1,device=2", "device=1,cpu=2,cpu=3", "device=1e99,cpu=1"],
)  # fmt: skip
def test_a_bad_price_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        prices(text)
    done = ecsm("compare", f"--price={text}")
    assert done.returncode == 2
    assert not done.stdout
    assert "as device=30,cpu=300" in done.stderr


@pytest.mark.parametrize("args", [["b164-fast"], ["--seconds", "0"], ["--seconds", "x"]])
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = ecsm("compare", *args)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_toy_curve_has_nothing_beside_it() -> None:
    done = ecsm("compare", "b163-small", "toy7-fast")
    assert (done.returncode, done.stdout) == (2, "")
    why = "a curve of 7 bits has no RSA modulus of comparable strength"
    assert done.stderr == f"ecsm: toy7-fast: {why}\n"


def test_the_table_says_what_is_measured(libcrypto: ModuleType) -> None:
    done = ecsm("compare", "b163-fast", *QUICK, "--price", "device=10,cpu=20")
    assert done.returncode == 0, done.stderr
    assert "libcrypto, measured" in done.stdout
    assert "core, modelled" in done.stdout
    for published in ("1.05 ms, 76 KB", "13.33 ms, 64 KB", "at least 12 times", "= 21", "= 38"):
        assert published in done.stdout
    assert "measuring RSA 1024" in done.stderr


def test_json_has_the_figures(libcrypto: ModuleType) -> None:
    found = json.loads(ecsm("compare", "k163", *QUICK, "--json").stdout)
    (row,) = found["results"]
    assert found["command"] == f"ecsm compare {' '.join(QUICK)}"
    assert row["curve"] == "sect163k1"
    assert row["cycles"] == design("k163").microcode.cycles
    assert row["rsa_over_ecdh"] == pytest.approx(row["rsa"]["us"] / row["ecdh"]["us"], rel=1e-2)


def test_a_missing_libcrypto_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise OracleError("there is no libcrypto")

    monkeypatch.setattr(oracle, "path", missing)
    with pytest.raises(OracleError, match="no libcrypto"):
        software("rsa", "1024", 0.02)


@pytest.mark.parametrize("args", [["ecdh", "toy"], ["ecdh", "prime9"]])
def test_a_curve_libcrypto_lacks_is_one_line(args: list[str], libcrypto: ModuleType) -> None:
    with pytest.raises(OracleError, match=f"^libcrypto does not know {args[1]}$"):
        software(args[0], args[1], 0.02)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(WORKLOAD), os.devnull, *args, "1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == workload.MISSING
    assert "not usable" in done.stderr
