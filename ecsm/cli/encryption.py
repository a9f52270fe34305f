# SPDX-License-Identifier: Apache-2.0
"""Commands that encrypt: encrypt, decrypt, and encap and decap of PSEC-KEM."""

from __future__ import annotations

import argparse
from typing import BinaryIO

from ecsm.cli.choices import SHARED_INFO, add_choices, check_hashes, choices
from ecsm.cli.common import Add, UsageError
from ecsm.cli.files import STREAM, octets, reading, write
from ecsm.cli.keys import key_file, private, private_key, small
from ecsm.cli.scheme_device import common, file, scheme_device
from ecsm.cli.streams import LONGEST, Sealed, packed, seal, unseal
from ecsm.curves import Curve
from ecsm.schemes.encoding import Key, OctetKey

SCHEMES = {"ecies": 4, "ecies-xor": 4, "ec-aes": 4, "demo": 3}
"""Strings that an encryption has: a point of two, and what follows."""
STREAMED = "ec-aes"


def _of_points(key: Key) -> Key:
    """Return a key that encryption takes. Raises UsageError for one of X25519 or Ed25519."""
    if isinstance(key, OctetKey):
        raise UsageError(f"keys of {key.curve.name} are not for encryption")
    return key


def _shared_info(args: argparse.Namespace) -> list[bytes]:
    """Return SharedInfo1 and SharedInfo2 of the schemes that have them."""
    infos = (args.shared_info1, args.shared_info2)
    if args.scheme.startswith("ecies"):
        return [octets(info or "") for info in infos]
    if infos != (None, None):
        raise UsageError(f"{args.scheme} has no shared information")
    return []


def _encrypt(args: argparse.Namespace) -> int:
    key, infos, flags = _of_points(key_file(args.to, "key")), _shared_info(args), choices(args)
    with reading(args.file) as source:
        streamed = args.scheme == STREAMED
        message = b"" if streamed else _message(source, args.scheme, key.curve)
        _check_lengths(args, key.curve, [*key.point, message, *infos], "encrypt", flags)
        operation = f"{args.scheme}-encrypt"
        with scheme_device(args, key.curve, operation, args.kdf_hash) as device:
            check_hashes(args, device.operations)
            device.run("seed")
            if streamed:
                seal(device, key.point, source, args.out, flags)
                return 0
            strings = (*key.point, message, *infos)
            made = device.run(operation, *strings, flags=flags)
    write(args.out, packed(made.strings))
    return 0


def _message(source: BinaryIO, scheme: str, curve: Curve) -> bytes:
    """Return a message that is encrypted at once. Raises UsageError for another length."""
    from ecsm.schemes.lengths import message_limit

    found = source.read(LONGEST + 1)
    more = "more than " if len(found) > LONGEST else ""
    if why := message_limit(scheme, curve).fault(min(len(found), LONGEST), more):
        raise UsageError(f"{why}: --scheme {STREAMED} takes any length, and has no tag")
    return found


def _check_lengths(
    args: argparse.Namespace, curve: Curve, strings: list[bytes], way: str, flags: int
) -> None:
    """Raise UsageError for a string that the device would refuse, before it is asked."""
    from ecsm.schemes.lengths import wrong_length
    from ecsm.schemes.machine import DIGESTS

    tag = DIGESTS[args.mac_hash]
    lengths = map(len, strings)
    if why := wrong_length(f"{args.scheme}-{way}", flags, lengths, curve, tag):
        made = ": was it made with these options?" if way == "decrypt" else ""
        raise UsageError(f"{why}{made}")


def _decrypt(args: argparse.Namespace) -> int:
    key, infos, flags = _of_points(private_key(args)), _shared_info(args), choices(args)
    with reading(args.file) as source:
        sealed, streamed = Sealed(source), args.scheme == STREAMED
        strings = [sealed.string() for _ in range(SCHEMES[args.scheme] - streamed)]
        if not streamed:
            sealed.end()
        _check_lengths(args, key.curve, [*strings, *infos], "decrypt", flags)
        operation = f"{args.scheme}-decrypt"
        with scheme_device(args, key.curve, operation, args.kdf_hash) as device:
            check_hashes(args, device.operations)
            device.run("load", key.scalar)
            if streamed:
                unseal(device, strings, sealed, args.out, flags)
                return 0
            opened = device.run(operation, *strings, *infos, flags=flags)
            (message,) = opened.strings
    write(args.out, message, secret=True)
    return 0


def _encap(args: argparse.Namespace) -> int:
    key = _of_points(key_file(args.to, "key"))
    with scheme_device(args, key.curve, "encapsulate") as device:
        device.run("seed")
        *capsule, secret = device.run("encapsulate", *key.point).strings
    write(args.out, b"\x04" + b"".join(capsule))
    write(args.secret, secret, secret=True)
    return 0


def _decap(args: argparse.Namespace) -> int:
    key, capsule = _of_points(private_key(args)), small(args.file, "capsule")
    size = key.curve.octets
    if len(capsule) != 1 + 2 * size + 32 or capsule[0] != 4:
        raise UsageError("the input is no capsule of an uncompressed point of this curve")
    strings = capsule[1 : 1 + size], capsule[1 + size : 1 + 2 * size], capsule[1 + 2 * size :]
    with scheme_device(args, key.curve, "decapsulate") as device:
        device.run("load", key.scalar)
        (secret,) = device.run("decapsulate", *strings).strings
    write(args.secret, secret, secret=True)
    return 0


def commands(add: Add) -> None:
    """Add the commands."""
    encrypt = common(add("encrypt", _encrypt, "encrypt a file to a public key"))
    encrypt.add_argument("--to", required=True, help="public key, PEM or DER")
    decrypt = common(add("decrypt", _decrypt, "decrypt a file"))
    private(decrypt)
    for p in (encrypt, decrypt):
        p.add_argument(
            "--scheme", choices=tuple(SCHEMES), default="ecies",
            help="ecies: messages of 2,048 octets at most; ecies-xor: 1,024; ec-aes: of any length,"
            " but without a tag, so what is altered is not noticed; demo: exactly as long as a"
            " coordinate, and no encryption; default: %(default)s",
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
