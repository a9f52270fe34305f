# SPDX-License-Identifier: Apache-2.0
"""Keys of the parties in PEM files, readable by their owner alone."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import threading
from pathlib import Path

from ecsm.demo.echeque.core import Core
from ecsm.demo.echeque.store import private_folder
from ecsm.device.base import DeviceError
from ecsm.schemes.encoding import BadEncoding, Key, private_pem, read_key


class KeyFileError(DeviceError):
    """A key's file cannot be used; the message says why, and nothing of the key."""


class Keys:
    """A folder of private keys, ``OWNER.CURVE.pem``, made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        self._folder = folder
        self._lock = threading.Lock()

    def of(self, owner: str, core: Core) -> Key:
        """Return the key of an owner (a word of letters) on a core's curve.

        Raises :class:`KeyFileError` for a file that others may read, or with another thing in it.
        """
        if not re.fullmatch(r"[a-z]+", owner):
            raise ValueError(f"{owner!r} is no word of letters")
        path = self._folder / f"{owner}.{core.curve.name}.pem"
        with self._lock:
            if not path.exists():
                _make(path, core)
        return _read(path, core)


def public_part(key: Key) -> Key:
    """Return a key without its private part."""
    return Key(key.curve, None, key.public)


def _make(path: Path, core: Core) -> None:
    """Write a new key; a file that is there is complete."""
    d = 1 + secrets.randbelow(core.curve.n - 1)
    key = Key(core.curve, d, core.public(Key(core.curve, d, None)))
    part = path.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(private_pem(key))
        with contextlib.suppress(FileExistsError):  # of another process: its key stands
            os.link(part, path)
    finally:
        part.unlink(missing_ok=True)


def _read(path: Path, core: Core) -> Key:
    try:
        with path.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise KeyFileError(f"{path.name}: others may read this key: chmod 600 it")
            key = read_key(file.read(1 << 16))
        _ = key.scalar, key.point
    except (OSError, BadEncoding) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise KeyFileError(f"{path.name}: {reason}") from None
    if key.curve.name != core.curve.name:
        raise KeyFileError(f"{path.name}: the key is of {key.curve.name}")
    return key
