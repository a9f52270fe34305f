# SPDX-License-Identifier: Apache-2.0
"""The openssl command, the other side of key files and signatures."""

from __future__ import annotations

import subprocess
from pathlib import Path


def openssl(*arguments: str | Path, code: int = 0) -> str:
    """Run it; return what it prints. It must end with this exit code."""
    done = subprocess.run(
        ["openssl", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout
