# SPDX-License-Identifier: Apache-2.0
"""Files that commands read and write: a path, or - for a standard stream."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from ecsm.cli.common import NO_NAME, UsageError, tell
from ecsm.files import NO_ROOM, check_folder, check_writable, descriptor, place, replacing
from ecsm.schemes.encoding import MOST_OCTETS
from ecsm.schemes.key_kinds import holds_private_key
from ecsm.waiting import reader, replace_standard_output

STREAM = "-"
_OUT = "standard output"
_HOW = "name another file, or remove it (keygen replaces it with --force)"
_PIECES = 1 << 10  # of MOST_OCTETS octets: what is searched for a private key, at most
_SEAM = 1 << 7  # octets before a piece that are searched with it
INPUTS = (
    "key", "trusted", "to", "peer", "signature", "file", "image", "passphrase_file", "device_key",
)  # fmt: skip
OUTPUTS, FOLDERS = ("out", "public", "secret", "svg"), ("output", "results", "data")
"""Arguments that name what a command reads; what it writes: files, and folders."""


class Lost(OSError):
    """A result that nobody has: who was to read it has gone. It is no BrokenPipeError of a text."""


@contextlib.contextmanager
def reading(path: str) -> Iterator[BinaryIO]:
    """Open a file that is read in parts, or standard input. Raises UsageError if it cannot be."""
    if path == STREAM:
        yield standard_input()
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - what fails in the block is another matter
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    with file:
        yield file


def standard_input() -> BinaryIO:
    """Return standard input, to be read by one reader. Raises UsageError if it is closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed: name a file")
    return reader(sys.stdin.buffer)


def write(path: str, octets: bytes, secret: bool = False, force: bool = False) -> None:
    """Write a whole file, one of a secret for its owner alone; or standard output.

    Raises as :func:`writing` does.
    """
    with writing(path, secret, force) as file:
        file.write(octets)


def beside(path: str | None) -> Callable[[str], None]:
    """Return what prints a text beside an output: on standard error if the output is on the other.

    ``path``: the output, None if there is none.
    """
    on_it = path is not None and (path == STREAM or descriptor(path) == 1)
    return tell if on_it else print


@contextlib.contextmanager
def writing(path: str, secret: bool = False, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file that is written in parts, or standard output.

    What was in the file before stays until the end of the block, and if that is not reached:
    see :func:`ecsm.files.replacing`. Raises :class:`Lost` if the reader of a pipe has gone;
    UsageError if the file holds a private key by then, unless by ``force``.
    """

    def spare(_: Path) -> None:
        _keep_private_key(path)

    try:
        if path == STREAM:
            _check_standard_output()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            with replacing(path, secret, None if force else spare) as file:
                yield file
    except BrokenPipeError as error:
        name = _OUT if path == STREAM else path
        raise Lost(errno.EPIPE, "its reader has gone, the result is lost", name) from error
    except OSError as error:
        if path == STREAM and error.filename is None and error.errno in NO_ROOM:
            error.filename = _OUT
        raise


def place_of(error: OSError) -> str:
    """Return what an error is of, as the beginning of a message: a file, standard output."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: "
    if error.errno == errno.ENOENT:  # without a name: the current folder was removed
        return "the current folder: "
    try:
        sys.stdout.flush()  # what it could not write, it still has
    except OSError as again:
        return f"{_OUT}: " if again.errno == error.errno else ""
    return ""


def _check_standard_output() -> None:
    """Raise OSError if there is none: the command line gave us another in its place."""
    if sys.__stdout__ is None:
        raise OSError(errno.EBADF, "standard output is closed: name a file")


def octets(text: str) -> bytes:
    """Return an argument's octets as they were typed, whatever the encoding."""
    return os.fsencode(text)


def check_inputs(args: argparse.Namespace) -> None:
    """Refuse an empty name, and two inputs that are both standard input: one would be empty."""
    paths: list[str] = []
    for value in (getattr(args, name, None) for name in INPUTS):
        if isinstance(value, str):
            paths.append(_name(value))
        elif isinstance(value, list):  # of NAME=FILE
            paths += [text.partition("=")[2] for text in value]
    if sum(map(_is_standard_input, paths)) > 1:
        raise UsageError("standard input is only one input: name a file for the other ones")


def _is_standard_input(path: str) -> bool:
    if path == STREAM:
        return True
    with contextlib.suppress(OSError, ValueError):
        return path != "" and descriptor(path) == 0
    return False


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse, before anything is computed, outputs that cannot be written or are the same file.

    Raises UsageError.
    """
    try:
        _check_outputs(args)
    except OSError as error:
        raise UsageError(f"{place_of(error)}{error.strerror}") from None


def folder_of(args: argparse.Namespace, *names: str) -> Path:
    """Return the folder that ``--output`` names, else the default: ``names``, below ``build``.

    Raises UsageError if it cannot be written to.
    """
    args.output = args.output or Path("build", *names)
    check_outputs(args)
    return Path(args.output)


def _check_outputs(args: argparse.Namespace) -> None:
    known = _passphrase_of(args)
    if getattr(args, "json", False):
        known[_identity(STREAM)] = "--json, on standard output,"
    for name in OUTPUTS:
        if (value := getattr(args, name, None)) is None:
            continue
        path = _name(os.fspath(value))
        if path == STREAM:
            _check_standard_output()
        else:
            check_writable(path)
        if (same := _identity(path)) is None:
            continue
        if same in known:
            raise UsageError(f"{known[same]} and {path} are the same file")
        known[same] = path
        if not getattr(args, "force", False):
            _keep_private_key(path)
    for name in FOLDERS:
        if (value := getattr(args, name, None)) is not None:
            if os.fspath(value) == STREAM:
                raise UsageError(f"a folder cannot be {_OUT}: ./- is one of that name")
            if name != "data":  # it may be of a device that writes it; it says itself what fails
                check_folder(_name(os.fspath(value)))


def _passphrase_of(args: argparse.Namespace) -> dict[object, str]:
    """Return the identity and the path of the file that a passphrase is read from, if it is there.

    A key that is encrypted with a passphrase is lost if an output replaces it.
    """
    if (path := getattr(args, "passphrase_file", None)) is None:
        return {}
    with contextlib.suppress(OSError, ValueError):
        if (same := _identity("/dev/fd/0" if path == STREAM else path)) is not None:
            return {same: path}
    return {}


def _name(path: str) -> str:
    if not path:
        raise UsageError(NO_NAME)
    return path


def _keep_private_key(path: str) -> None:
    """Raise UsageError for a file that holds a private key: what is replaced is lost."""
    number = descriptor(path)
    if path == STREAM or number is not None or not Path(path).is_file():
        return
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        piece = b""
        for _ in range(_PIECES):  # behind certificates, a key may be far from the beginning
            piece = piece[-_SEAM:] + (read := file.read(MOST_OCTETS))
            if holds_private_key(piece):
                raise UsageError(f"{path} holds a private key, which would be lost: {_HOW}")
            if not read:
                return


def _identity(path: str) -> object:
    """Return what is the same for two paths of one file; None if it does not matter."""
    number = 1 if path == STREAM else descriptor(path)
    if number is not None:
        with contextlib.suppress(OSError):
            status = os.fstat(number)
            if stat.S_ISREG(status.st_mode):
                return status.st_dev, status.st_ino
        return number
    target, there = place(path)
    if there is None:
        folder = target.parent.stat()
        return folder.st_dev, folder.st_ino, target.name
    return None if stat.S_ISCHR(there.st_mode) else (there.st_dev, there.st_ino)


def open_streams() -> None:
    """Open what is closed of the standard streams, so that no file gets their numbers.

    What cannot be encoded is printed as an escape. What is printed waits for its reader.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number is free
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    replace_standard_output(_OUT)


def drop_unwritten() -> None:
    """Let what could not be written to the standard streams go, or the exit would complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
