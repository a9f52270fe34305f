# SPDX-License-Identifier: Apache-2.0
"""psec_kem, compiled for the tests; without the headers that it needs they are skipped."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ecsm.curves import PrimeCurve, curve
from ecsm.flow.psec_kem import build_program, missing

CURVES = ("secp256r1", "secp256k1")

Run = Callable[..., str]


def prime_curve(name: str) -> PrimeCurve:
    """Return a curve over a prime field."""
    found = curve(name)
    assert isinstance(found, PrimeCurve)
    return found


def needed() -> None:
    """Skip where the program cannot be compiled."""
    if lacking := missing():
        pytest.skip(f"psec_kem cannot be compiled: {lacking}")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, with the sanitizers of memory and of undefined behaviour where there are any."""
    needed()
    folder = tmp_path_factory.mktemp("psec_kem")
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    sanitized = ["cc", "-fsanitize=address,undefined", "-o", str(folder / "probe"), str(probe)]
    try:
        subprocess.run(sanitized, check=True, capture_output=True)
        subprocess.run([str(folder / "probe")], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return build_program(folder)
    return build_program(folder, "SANITIZE=1", "CC=cc")


@pytest.fixture
def psec_kem(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program in a folder of the test's; return what it says on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path, code: int = 0) -> str:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert not done.stdout
        lines = done.stderr.splitlines()
        assert len(lines) == code, "one line if it fails, none if not"
        return done.stderr.strip()

    return run
