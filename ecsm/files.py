# SPDX-License-Identifier: Apache-2.0
"""Replace files as a whole: after an interrupted write the old content is still there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ecsm.waiting import writer

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # of writing alone
Spare = Callable[[Path], object]
"""Raises for a file that is not to be replaced."""


def replace(path: str | Path, octets: bytes, secret: bool = False) -> None:
    """Write a whole file, see :func:`replacing`."""
    with replacing(path, secret) as file:
        file.write(octets)


@contextmanager
def replacing(
    path: str | Path, secret: bool = False, spare: Spare | None = None
) -> Iterator[BinaryIO]:
    """Open a temporary file, which replaces the named file at the end of the block.

    ``spare`` looks at a file that is there then, just before it is replaced; one that came since
    the block began is replaced only after that look. What it raises keeps the file.

    A file with a secret is always new and has the permissions 0600; any other keeps the permissions
    of the file that it replaces. A symbolic link stays: its target is replaced. A device, a FIFO
    and an open descriptor (``/dev/stdout``) cannot be replaced: they are written to. Raises
    OSError, which names the file. After any exception the file has its old content.
    """
    with named_if_full(path), _replacing(path, secret, spare) as file:
        yield file


@contextmanager
def named_if_full(path: str | Path) -> Iterator[None]:
    """Let the error of a full disk name what was written; the system does not."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in NO_ROOM:
            error.filename = os.fspath(path)
        raise


@contextmanager
def _replacing(path: str | Path, secret: bool, spare: Spare | None) -> Iterator[BinaryIO]:
    """See :func:`replacing`."""
    if (number := descriptor(path)) is not None:
        with writer(number, os.fspath(path)) as file:
            yield file
        return
    target, there = place(path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        with os.fdopen(os.open(target, os.O_WRONLY), "wb") as file:
            yield file
        return
    aside = target.with_name(f".ecsm-{secrets.token_hex(8)}")
    try:
        mode = 0o600 if secret else 0o666
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            if there is not None and not secret:
                os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        _put(aside, target, spare)
    finally:
        aside.unlink(missing_ok=True)
    with suppress(OSError):  # the name, too, is to outlast a loss of power
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _put(aside: Path, target: Path, spare: Spare | None) -> None:
    """Give a file its name, where ``spare`` allows it. Where nothing is, nothing is replaced."""
    if spare is not None:
        with suppress(OSError):  # something is there; or the file system has no links
            os.link(aside, target)
            return
        spare(target)
    aside.replace(target)


def place(path: str | Path) -> tuple[Path, os.stat_result | None]:
    """Return where a path leads, through symbolic links, and what is there, None for nothing.

    Raises OSError for a path that leads nowhere, or if the system refuses to follow a link.
    """
    name = os.fspath(path)
    try:
        there = os.stat(name)  # noqa: PTH116, a Path would lose a / at the end
    except FileNotFoundError:
        if name.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name) from None
        if not name:
            raise
        there = None
    return Path(os.path.realpath(name)), there


def descriptor(path: str | Path) -> int | None:
    """Return the number of the open descriptor that a path stands for: 1 for ``/dev/stdout``."""
    own = os.path.realpath("/dev/fd")
    name = Path(path)
    for _ in range(8):  # links to links
        if os.path.realpath(name.parent) == own and name.name.isascii() and name.name.isdigit():
            return int(name.name)
        if not name.is_symlink():
            return None
        name = name.parent / name.readlink()
    return None


def check_writable(path: str | Path) -> None:
    """Raise the OSError that :func:`replace` would raise, as far as it can be known before."""
    if (number := descriptor(path)) is not None:
        os.fstat(number)
        return
    target, there = place(path)
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise _error(errno.EISDIR, path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        if not os.access(target, os.W_OK):
            raise _error(errno.EACCES, path)
        return
    _check_folder(target.parent, path)


def check_folder(path: str | Path) -> None:
    """Raise OSError if a folder can neither be written in nor, where it is missing, be made."""
    with suppress(FileNotFoundError):
        os.stat(path)  # noqa: PTH116, or a link that leads to itself would be one that is missing
    folder = Path(os.path.realpath(path))
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    _check_folder(folder, path)


def _check_folder(folder: Path, path: str | Path) -> None:
    if not folder.exists():
        raise _error(errno.ENOENT, path)
    if not folder.is_dir():
        raise _error(errno.ENOTDIR, path)
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise _error(errno.EROFS, path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(errno.EACCES, path)
    try:  # access is no proof: of /proc, of a folder that must not change
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        if error.errno not in NO_ROOM:  # which is known when something is written
            raise _error(error.errno or errno.EACCES, path) from None


def _error(number: int, path: str | Path) -> OSError:
    return OSError(number, os.strerror(number), os.fspath(path))


def user_folder(variable: str, default: str) -> Path | None:
    """Return the folder ``ecsm`` where a user's programs keep their files, None without a home.

    ``variable``: the one of the XDG base directories, ``default``: its value, below the home. A
    relative one does not count, by the XDG specification.
    """
    if (chosen := Path(os.environ.get(variable, ""))).is_absolute():
        return chosen / "ecsm"
    try:
        return Path.home() / default / "ecsm"
    except RuntimeError:
        return None
