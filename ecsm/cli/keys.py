# SPDX-License-Identifier: Apache-2.0
"""Commands that make keys (keygen, pubkey), and how other commands read keys."""

from __future__ import annotations

import argparse
import getpass
import os
from collections.abc import Callable

from ecsm.cli.common import Add, UsageError, tell
from ecsm.cli.files import reading, write
from ecsm.cli.scheme_device import common, scheme_device
from ecsm.curves import Curve, curve
from ecsm.curves.strength import only_compatible
from ecsm.schemes.encoding import (
    MOST_OCTETS,
    BadEncoding,
    Key,
    has_name,
    new_key,
    private_pem,
    public_pem,
    read_key,
)

Passphrases = Callable[[str], bytes]
"""Returns the passphrase of the key that has this path."""
_LONGEST = 1 << 10  # octets of a passphrase


def small(path: str, what: str, most: int = MOST_OCTETS) -> bytes:
    """Return a file's octets, or those of standard input. Raises UsageError, for a long one too."""
    try:
        with reading(path) as file:
            octets = file.read(most + 1)
    except UsageError as error:
        raise UsageError(f"{what} {error}") from None
    except OSError as error:
        raise UsageError(f"{what} {path}: {error.strerror}") from None
    if len(octets) > most:
        raise UsageError(f"{what} {path}: the file is too long, {most:,} octets are the most")
    return octets


def ask(path: str) -> bytes:
    """Ask for a passphrase at the terminal. Raises UsageError without one."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise UsageError(
            f"key {path}: it is encrypted, and there is no terminal to ask for the passphrase:"
            " give --passphrase-file"
        ) from None
    try:
        return getpass.getpass(f"Passphrase of {path}: ").encode()
    except (EOFError, UnicodeError):
        raise UsageError(f"key {path}: no passphrase was given") from None


def passphrases(args: argparse.Namespace) -> Passphrases:
    """Return what tells passphrases: the first line of the file, read once, or the terminal."""
    path = args.passphrase_file
    if path is None:
        return ask
    line = small(path, "passphrase file").partition(b"\n")[0].removesuffix(b"\r")
    if not 0 < len(line) <= _LONGEST:
        raise UsageError(
            f"passphrase file {path}: the first line must have 1 to {_LONGEST:,} octets"
        )
    if b"\0" in line:
        raise UsageError(f"passphrase file {path}: a NUL is in it, where openssl ends it")
    return lambda _: line


def key_file(path: str, what: str, private: bool = False, passphrase: Passphrases = ask) -> Key:
    """Read a key that has the private part, or the public one. Raises UsageError.

    Only one that has the private part may be encrypted.
    """
    octets = small(path, what)
    try:
        key = read_key(octets, (lambda: passphrase(path)) if private else None)
        _ = key.scalar if private else key.point
        return key
    except BadEncoding as error:
        raise UsageError(f"{what} {path}: {error}") from None


def private_key(args: argparse.Namespace) -> Key:
    """Read the private key of a command, see :func:`private`. Raises UsageError."""
    return key_file(args.key, "key", private=True, passphrase=passphrases(args))


def _curve_of(args: argparse.Namespace) -> Curve:
    """Return the curve that is named, or that of the preset, or P-256."""
    if args.curve is not None or args.preset is None or args.device is not None:
        return curve("P-256" if args.curve is None else args.curve)
    from ecsm.presets.table import any_preset

    return any_preset(args.preset).curve


def _keygen(args: argparse.Namespace) -> int:
    c = _curve_of(args)
    if not has_name(c):
        raise UsageError(
            f"{c.name} has no name in key files: take one of SEC 2 or Brainpool, or of 25519"
        )
    known = passphrases(args)(args.out) if args.passphrase_file else None
    made = new_key(c)
    with scheme_device(args, c, "public") as device:
        device.run("load", made.scalar)
        made = made.with_public(device.run("public").strings)
    write(args.out, private_pem(made, known), secret=True, force=args.force)
    if args.public:
        write(args.public, public_pem(made), force=args.force)
    if weak := only_compatible(c):
        tell(f"ecsm: {weak}")
    return 0


def _pubkey(args: argparse.Namespace) -> int:
    key = private_key(args)
    with scheme_device(args, key.curve, "public") as device:
        device.run("load", key.scalar)
        key = key.with_public(device.run("public").strings)
    write(args.out, public_pem(key.public_part()))
    return 0


def private(p: argparse.ArgumentParser) -> None:
    """Add the private key of a command, and its passphrase."""
    p.add_argument("--key", required=True, help="private key, PEM or DER")
    passphrase_file(p, "passphrase of an encrypted key: the first line; default: ask")


def passphrase_file(p: argparse.ArgumentParser, text: str) -> None:
    """Add the file of a passphrase."""
    p.add_argument("--passphrase-file", metavar="FILE", help=text)


def commands(add: Add) -> None:
    """Add the commands."""
    p = common(add("keygen", _keygen, "make a private key"), "the PEM file")
    p.add_argument("--curve", help="default: that of --preset, else P-256")
    p.add_argument("--public", help="write the public key there, too")
    p.add_argument("--force", action="store_true", help="replace a private key that is there")
    passphrase_file(p, "encrypt the private key: the passphrase is the first line")
    p = common(add("pubkey", _pubkey, "the public key of a private one"))
    private(p)
