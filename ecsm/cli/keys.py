# SPDX-License-Identifier: Apache-2.0
"""Commands that make keys, and how commands read them: keygen, pubkey."""

from __future__ import annotations

import argparse
import secrets

from ecsm.cli.common import Add, UsageError
from ecsm.cli.files import read, write
from ecsm.cli.scheme_device import common, scheme_device
from ecsm.curves import curve
from ecsm.schemes.encoding import BadEncoding, Key, private_pem, public_pem, read_key


def key_file(path: str, what: str, private: bool = False) -> Key:
    """Read a key that has the private part, or the public one. Raises UsageError."""
    try:
        key = read_key(read(path))
        _ = key.scalar if private else key.point
        return key
    except BadEncoding as error:
        raise UsageError(f"{what} {path}: {error}") from None


def _keygen(args: argparse.Namespace) -> int:
    c = curve(args.curve)
    d = 1 + secrets.randbelow(c.n - 1)
    with scheme_device(args, c) as device:
        device.run("load", Key(c, d, None).scalar)
        x, y = (int.from_bytes(v, "big") for v in device.run("public").strings)
    made = Key(c, d, (x, y))
    write(args.out, private_pem(made), secret=True)
    if args.public:
        write(args.public, public_pem(made))
    return 0


def _pubkey(args: argparse.Namespace) -> int:
    key = key_file(args.key, "key", private=True)
    with scheme_device(args, key.curve) as device:
        device.run("load", key.scalar)
        x, y = (int.from_bytes(v, "big") for v in device.run("public").strings)
    write(args.out, public_pem(Key(key.curve, None, (x, y))))
    return 0


def private(p: argparse.ArgumentParser) -> None:
    """Add the private key of a command."""
    p.add_argument("--key", required=True, help="private key, PEM or DER")


def commands(add: Add) -> None:
    """Add the commands."""
    p = common(add("keygen", _keygen, "make a private key"), "the PEM file")
    p.add_argument("--curve", default="P-256", help="default: %(default)s")
    p.add_argument("--public", help="write the public key there, too")
    p = common(add("pubkey", _pubkey, "the public key of a private one"))
    private(p)
