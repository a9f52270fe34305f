# SPDX-License-Identifier: Apache-2.0
"""Build the wheel and the source distribution, in a copy of what they are built from."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from ecsm.resources import resource

ROOT = resource()
PARTS = ("ecsm", "rtl", "sw", "bench")
BESIDE = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md")
"""Files that the source distribution alone has."""
FILES = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", *BESIDE)
MADE = ("__pycache__", "build", "*.egg-info", ".*cache")
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def copied(folder: Path) -> Path:
    """Copy the sources into a folder, which setuptools may leave its own files in."""
    for name in PARTS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(*MADE))
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder


def wheel_of(source: Path, out: Path) -> Path:
    """Build the wheel of a source tree into a folder."""
    _run(source, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--no-index",
         "--no-cache-dir", "-w", str(out))  # fmt: skip
    (found,) = out.glob("*.whl")
    return found


def sdist_of(source: Path, out: Path) -> Path:
    """Build the source distribution of a source tree into a folder."""
    _run(source, "-c", SDIST, str(out))
    (found,) = out.glob("*.tar.gz")
    return found


def _run(source: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=source, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
