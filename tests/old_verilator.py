# SPDX-License-Identifier: Apache-2.0
"""A Verilator that is too old: the one of Debian 11, as far as it tells its version."""

from __future__ import annotations

from pathlib import Path

VERSION = "4.038"


def old_verilator(folder: Path) -> Path:
    """Make a folder, for the path, with a Verilator that does nothing but tell its version."""
    folder.mkdir()
    program = folder / "verilator"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "Verilator {VERSION} 2020-07-11 rev (Debian)" && '
        'exit 0\necho "%Error: the old Verilator was run"\nexit 1\n'
    )
    program.chmod(0o755)
    return folder
