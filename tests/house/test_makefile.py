# SPDX-License-Identifier: Apache-2.0
"""What is given to the project's make does not reach a make that a test starts."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
GIVEN = ("FLAGS=--flag-of-pytest", "SHARD=2/3", "JOBS=7", "PYTHON=no-python")


def test_variables_of_a_call_stay_in_it(tmp_path: Path) -> None:
    """As when `make test FLAGS=…` once put an option of pytest into the compiler's command."""
    (tmp_path / "GNUmakefile").write_text("probe:\n\t@env\n")
    probe = tmp_path / "probe.mk"
    probe.write_text(f"probe:\n\t@make -s -C {tmp_path}\n")
    outer = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ["make", "-s", "-k", "-f", "Makefile", "-f", str(probe), "probe", *GIVEN]
    done = subprocess.run(
        command, cwd=ROOT, env=outer, capture_output=True, text=True, check=True, timeout=60
    )
    names = {variable.partition("=")[0] for variable in GIVEN}
    inner = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert not names & set(inner)
    assert not [value for value in GIVEN if value in inner.get("MAKEFLAGS", "")]
    assert "k" not in inner.get("MAKEFLAGS", "")


def test_dist_in_a_folder_with_a_blank(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    shutil.copy(ROOT / "Makefile", folder)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", str(folder)]
    for command in (["init", "-q"], ["add", "Makefile"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True, timeout=60)
    done = subprocess.run(
        ["make", "-o", ".venv/.ready", "dist"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "twine check" in done.stdout
    assert "build_sdist" in (folder / "build" / "sdist.log").read_text()
