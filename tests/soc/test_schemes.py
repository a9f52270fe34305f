# SPDX-License-Identifier: Apache-2.0
"""Schemes in C for the system on chip: on this host for every curve, and on the system."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.registry import CURVES
from ecsm.device.base import DeviceError
from ecsm.measure.soc import SocCycles, run_digest
from ecsm.measure.soc_schemes import (
    APP,
    OPERATIONS,
    SocSchemes,
    scheme_cycle_table,
    soc_schemes_path,
)
from ecsm.narrow.units import unit
from ecsm.oracle import libcrypto
from ecsm.results.record import write_json
from ecsm.schemes.encoding import Key, public_pem, signature_der
from ecsm.soc.firmware import FLAGS, SW
from ecsm.soc.headers import unit_header
from ecsm.soc.run import run_app
from ecsm.soc.scheme_headers import SchemeVectors, scheme_headers

NAMES = [c.name for c in CURVES if isinstance(c, BinaryCurve) and c.name.startswith("sect")]
HOST = Path(__file__).parent / "host"
SMALL = ["field-163", "point-163"]
LARGE = ["field-193", "field-233", "point-193", "point-233", "core-b163-fast"]
pytestmark = pytest.mark.skipif(not libcrypto.available(), reason=libcrypto.HINT)


def host(folder: Path, name: str, file: str = "", old: str = "", new: str = "") -> tuple[int, str]:
    """Compile and run the checks on this host, undefined behaviour trapped; the status, the text.

    With ``file`` that source says ``new`` in the place of ``old``.
    """
    u = unit(f"field-{name}")
    for header, text in {**scheme_headers(u.curve), "unit.h": unit_header(u, "software")}.items():
        (folder / header).write_text(text)
    schemes = sorted((SW / "schemes").glob("*.c"))
    if file:
        schemes.remove(SW / "schemes" / file)
        text = (SW / "schemes" / file).read_text()
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new))
        schemes.append(folder / file)
    sources = [SW / "curve.c", SW / "gf2m.c", *schemes, SW / "apps" / "schemes.c"]
    warnings = [flag for flag in FLAGS if flag.startswith("-W")] + ["-Wno-unknown-pragmas"]
    places = [f"-I{place}" for place in (HOST, folder, SW, SW / "schemes")]
    checked = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]
    subprocess.run(
        ["cc", "-std=c11", "-O1", *checked, *warnings, *places, *map(str, sources), "-o",
         str(folder / "schemes")],
        check=True, timeout=200,
    )  # fmt: skip
    done = subprocess.run([folder / "schemes"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_curve_is_right_on_this_host(name: str, tmp_path: Path) -> None:
    status, said = host(tmp_path, name)
    assert status == 0, said
    assert said.endswith(" checks: all right\n")


@pytest.mark.parametrize(
    ("file", "old", "new", "seen"),
    [("schemes.c", "return order_equal(&v, &r);", "return true;", "altered digest 0"),
     ("schemes.c", "&n, p) && r.infinity;", "&n, p);", "key to encrypt to 5"),
     ("order.c", " && !order_is_zero(r)", "", "range 0"),
     ("aes.c", "if (++counter[i] != 0) break;", "++counter[i];\n            break;", "AES 1"),
     ("sha.c", "left_over + 1 + LENGTH <= BLOCK", "left_over + LENGTH <= BLOCK", "SHA-256 3"),
     ("invert.c", "last->w[LIMBS - 1] >> 31, f[BATCHES & 1].w[LIMBS - 1] >> 31",
      "last->w[LIMBS - 1] >> 31, 0", "inverse")],
)  # fmt: skip
def test_what_is_wrong_is_seen(file: str, old: str, new: str, seen: str, tmp_path: Path) -> None:
    status, said = host(tmp_path, "sect163r1", file, old, new)
    assert status == 1
    assert f"{seen} " in said


@pytest.mark.parametrize("name", ["sect163r1", "sect193r1", "sect233r1"])
def test_expected_signatures_are_openssls(name: str, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command")
    v = SchemeVectors(unit(f"field-{name}").curve)
    message, key, signature = (tmp_path / file for file in ("message", "key.pem", "signature"))
    message.write_bytes(v.message)
    for pair in v.pairs():
        public = libcrypto.kp(name, pair["d"], v.curve.generator)
        key.write_bytes(public_pem(Key(v.curve, None, public)))
        r, s = (pair[part].to_bytes(v.order_octets, "big") for part in "rs")
        signature.write_bytes(signature_der(r, s))
        files = ["-verify", str(key), "-signature", str(signature), str(message)]
        command = ["openssl", "dgst", "-sha1", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stdout == "Verified OK\n", done.stderr


@pytest.mark.parametrize("coupling", ["tc", "lc"])
@pytest.mark.parametrize(
    "name", [*SMALL, *(pytest.param(u, marks=pytest.mark.slow) for u in LARGE)]
)
def test_schemes_are_right_on_the_system(name: str, coupling: str) -> None:
    done = run_app("schemes", name, coupling)
    assert done.status == 0, done.output.decode()


@pytest.mark.slow
def test_schemes_are_right_in_software_on_the_system() -> None:
    done = run_app("schemes", coupling="software", cycles=1_000_000_000)
    assert done.status == 0, done.output.decode()


def test_bench_prints_every_operation() -> None:
    done = run_app("bench_schemes", "point-163", "lc")
    assert done.status == 0
    rows = dict(line.split() for line in done.output.decode().splitlines())
    assert list(rows) == list(OPERATIONS)
    assert all(int(cycles) > 0 for cycles in rows.values())


def test_schemes_are_not_for_a_block() -> None:
    with pytest.raises(DeviceError, match="program schemes needs another accelerator"):
        run_app("schemes", "schemes-b163-small", "lc")


def test_without_libcrypto_there_are_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcrypto, "available", lambda: False)
    with pytest.raises(DeviceError, match="libssl3"):
        run_app("schemes", "point-163")


def test_table_has_what_was_measured_and_says_what_is_old(tmp_path: Path) -> None:
    assert "ECDSA" not in scheme_cycle_table(tmp_path)
    u = unit("point-193")
    row = SocCycles(193, u.name, "tc", dict.fromkeys(OPERATIONS, 1234), "older")
    new = replace(row, coupling="lc", rtl=run_digest(u.name, "lc", APP))
    block = SocCycles(193, "schemes-soc-193", "lc", {"ecdsa_sign": 5678}, "")
    write_json(soc_schemes_path(tmp_path), asdict(SocSchemes("", [row, new], [])))
    alone = scheme_cycle_table(tmp_path)
    assert (
        "| 193 | ECDSA sign | not measured | not measured | not measured | 1,234 | 1,234 |  |"
        in (alone)
    )
    assert alone.endswith("\n\nOf an earlier commit: point-193, tc.")
    write_json(soc_schemes_path(tmp_path), asdict(SocSchemes("", [row, new], [block])))
    beside = scheme_cycle_table(tmp_path)
    assert "| 1,234 | 1,234 | 5,678 |" in beside
    assert beside.count("5,678") == 1
