# SPDX-License-Identifier: Apache-2.0
"""Commands that seal: encrypt and decrypt, and PSEC-KEM's encap and decap."""

from __future__ import annotations

import argparse

from ecsm.cli.choices import SHARED_INFO, add_choices, choices
from ecsm.cli.common import Add, UsageError
from ecsm.cli.files import STREAM, read, write
from ecsm.cli.keys import key_file, private
from ecsm.cli.scheme_device import common, file, scheme_device

SCHEMES = {"ecies": 4, "ecies-xor": 4, "ec-aes": 4, "demo": 3}
"""Strings that an encryption has: a point of two, and what follows."""
_LENGTH = 4  # octets that say how long a string is, in what encrypt and encap write


def _pack(strings: tuple[bytes, ...]) -> bytes:
    return b"".join(len(s).to_bytes(_LENGTH, "big") + s for s in strings)


def _unpack(octets: bytes, count: int) -> list[bytes]:
    found = []
    for _ in range(count):
        length = int.from_bytes(octets[:_LENGTH], "big")
        if len(octets) < _LENGTH + length:
            raise UsageError("the input is cut short")
        found.append(octets[_LENGTH : _LENGTH + length])
        octets = octets[_LENGTH + length :]
    if octets:
        raise UsageError("the input is too long")
    return found


def _shared_info(args: argparse.Namespace) -> list[bytes]:
    """Return SharedInfo1 and SharedInfo2 of the schemes that have them."""
    infos = (args.shared_info1, args.shared_info2)
    if args.scheme.startswith("ecies"):
        return [(info or "").encode() for info in infos]
    if infos != (None, None):
        raise UsageError(f"{args.scheme} has no shared information")
    return []


def _encrypt(args: argparse.Namespace) -> int:
    key, infos, flags = key_file(args.to, "key"), _shared_info(args), choices(args)
    with scheme_device(args, key.curve, args.kdf_hash) as device:
        device.run("seed")
        strings = (*key.point, read(args.file), *infos)
        made = device.run(f"{args.scheme}-encrypt", *strings, flags=flags)
    write(args.out, _pack(made.strings))
    return 0


def _decrypt(args: argparse.Namespace) -> int:
    key = key_file(args.key, "key", private=True)
    infos, flags = _shared_info(args), choices(args)
    strings = _unpack(read(args.file), SCHEMES[args.scheme])
    with scheme_device(args, key.curve, args.kdf_hash) as device:
        device.run("load", key.scalar)
        opened = device.run(f"{args.scheme}-decrypt", *strings, *infos, flags=flags)
        (message,) = opened.strings
    write(args.out, message, secret=True)
    return 0


def _encap(args: argparse.Namespace) -> int:
    key = key_file(args.to, "key")
    with scheme_device(args, key.curve) as device:
        device.run("seed")
        *capsule, secret = device.run("encapsulate", *key.point).strings
    write(args.out, b"\x04" + b"".join(capsule))
    write(args.secret, secret, secret=True)
    return 0


def _decap(args: argparse.Namespace) -> int:
    key, capsule = key_file(args.key, "key", private=True), read(args.file)
    size = key.curve.octets
    if len(capsule) != 1 + 2 * size + 32 or capsule[0] != 4:
        raise UsageError("the input is no capsule of an uncompressed point of this curve")
    strings = capsule[1 : 1 + size], capsule[1 + size : 1 + 2 * size], capsule[1 + 2 * size :]
    with scheme_device(args, key.curve) as device:
        device.run("load", key.scalar)
        (secret,) = device.run("decapsulate", *strings).strings
    write(args.secret, secret, secret=True)
    return 0


def commands(add: Add) -> None:
    """Add the commands."""
    for name, run, text, key in (
        ("encrypt", _encrypt, "encrypt a file to a public key", "--to"),
        ("decrypt", _decrypt, "decrypt a file", "--key"),
    ):
        p = common(add(name, run, text))
        p.add_argument(key, required=True, help="key, PEM or DER")
        p.add_argument(
            "--scheme", choices=tuple(SCHEMES), default="ecies",
            help="ecies and ecies-xor have a tag; demo is no encryption; default: %(default)s",
        )  # fmt: skip
        add_choices(p)
        for i, what in SHARED_INFO.items():
            p.add_argument(f"--shared-info{i}", metavar="TEXT", help=what)
        file(p, "input")
    p = common(add("encap", _encap, "encapsulate a key by PSEC-KEM"), "the capsule")
    p.add_argument("--to", required=True, help="public key, PEM or DER")
    p.add_argument("--secret", required=True, help="where the key goes")
    p = common(add("decap", _decap, "open a capsule of PSEC-KEM"), "")
    private(p)
    p.add_argument("--secret", default=STREAM, help="where the key goes, default standard output")
    file(p, "capsule")
