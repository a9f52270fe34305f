# SPDX-License-Identifier: Apache-2.0
"""mbedTLS over libecsm: errors, numbers at the borders, keys in slots, threads, memory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.sw.conftest import prime_curve
from tests.sw.mbedtls import Built, build_trials, missing

DUMP = Path(__file__).with_name("dump.c")
SAID = {"errors": "  ECSM: passed\n  ECSM: sign: failed\n"}


@pytest.fixture(scope="module")
def trials(mbedtls_built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that tries everything; -fsanitize=undefined as the library has it."""
    flags = ("-fsanitize=undefined",) if "SANITIZE=1" in mbedtls_built.words else ()
    return build_trials(mbedtls_built, tmp_path_factory.mktemp("trials"), *flags)


@pytest.mark.parametrize("trial", ["errors", "alt", "psa", "slots", "agreement", "threads"])
def test_it_does_what_it_must(
    trial: str, trials: Path, mbedtls_built: Built, tmp_path: Path
) -> None:
    """The checks are in the C files; the program prints those that fail."""
    done = mbedtls_built.run(tmp_path, trials, trial)
    assert (done.stdout, done.stderr) == (SAID.get(trial, ""), "")
    assert done.returncode == 0


def test_no_key_and_no_secret_is_left_in_memory(
    trials: Path, mbedtls_built: Built, tmp_path: Path
) -> None:
    """Of a key in a file: neither its octets nor those of the agreed secret, as a whole."""
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "dump.so", DUMP], cwd=tmp_path, check=True)
    for words in (
        "ecparam -name prime256v1 -genkey -noout -out key.pem",
        "ec -in key.pem -outform DER -out key.der",
    ):
        subprocess.run(["openssl", *words.split()], cwd=tmp_path, capture_output=True, check=True)
    more = {"LD_PRELOAD": str(tmp_path / "dump.so"), "DUMP": "memory"}
    done = mbedtls_built.run(tmp_path, trials, "secrets", **more)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    key = (tmp_path / "key.der").read_bytes()[7:39]
    c = prime_curve("secp256r1")
    public = c.mul(int.from_bytes(key, "big"), c.generator)
    assert public is not None
    assert (
        (tmp_path / "key.der")
        .read_bytes()
        .endswith(b"".join(v.to_bytes(32, "big") for v in public))
    )
    memory = (tmp_path / "memory").read_bytes()
    assert len(memory) > 100_000
    for secret in (key, (tmp_path / "secret").read_bytes()):
        for octets in (secret, secret[::-1]):  # mbedTLS's limbs have the lowest first
            assert octets not in memory


def test_a_program_without_a_block_says_so(mbedtls_built: Built, tmp_path: Path) -> None:
    done = mbedtls_built.run(tmp_path, mbedtls_built.make("tls"), "client", "1", ECSM_SIM="none.so")
    assert done.returncode == 2
    assert done.stderr.startswith("no simulated block: ECSM_SIM: none.so: ")
    done = mbedtls_built.run(tmp_path, mbedtls_built.make("tls"), "who", "1")
    assert (done.returncode, done.stderr) == (2, "tls client PORT, or tls server PORT\n")


def test_without_mbedtls_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_MBEDTLS", str(tmp_path))
    said = missing()
    assert said is not None
    assert said.endswith(".ci/fetch-mbedtls fetches it, ECSM_MBEDTLS names another folder")
