# SPDX-License-Identifier: Apache-2.0
"""Files that commands read and write: a path, or - for a standard stream."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

STREAM = "-"


def read(path: str) -> bytes:
    """Return a file's octets, or those of standard input."""
    return sys.stdin.buffer.read() if path == STREAM else Path(path).read_bytes()


def write(path: str, octets: bytes, secret: bool = False) -> None:
    """Write a file, one of a secret for its owner alone; or standard output."""
    if path == STREAM:
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()
        return
    mode = 0o600 if secret else 0o666
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(octets)


@contextlib.contextmanager
def reading(path: str) -> Iterator[BinaryIO]:
    """Open a file that is read in parts, or standard input."""
    if path == STREAM:
        yield sys.stdin.buffer
    else:
        with Path(path).open("rb") as file:
            yield file


@contextlib.contextmanager
def writing(path: str, secret: bool = False) -> Iterator[BinaryIO]:
    """Open a file that is written in parts, or standard output."""
    if path == STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    mode = 0o600 if secret else 0o666
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        yield file
