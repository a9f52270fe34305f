# SPDX-License-Identifier: Apache-2.0
"""Commands of secure boot on the system on chip: sign an image, boot one in simulation."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ecsm.cli.common import FAILED, UsageError, ended, some, some_up_to, tell
from ecsm.cli.files import write
from ecsm.cli.keys import key_file, passphrase_file, passphrases, small
from ecsm.names import joined
from ecsm.schemes.key import Key

CURVE = "secp256r1"
COMPILED = ".bin"
MOST = (1 << 32) - 1
"""The highest version."""
PUBLIC = "public key of the boot program, PEM or DER"
MINIMUM = "the least version that the boot program starts"


def public_point(path: str) -> tuple[int, int]:
    """Return the public key of a file. Raises UsageError for a key that is not of P-256."""
    public = _of_p256(key_file(path, "key"), path).public
    assert public is not None  # key_file has looked
    return public


def _of_p256(key: Key, path: str) -> Key:
    if key.curve.name != CURVE:
        raise UsageError(f"key {path}: it is of {key.curve.name}, and images are signed on P-256")
    return key


def _sign(args: argparse.Namespace) -> int:
    from ecsm.soc.boot import ROOM, body, compiled, signed

    key = None
    if args.key:
        read = key_file(args.key, "key", private=True, passphrase=passphrases(args))
        key = _of_p256(read, args.key).d
    if args.app.endswith(COMPILED):
        if args.more:
            raise UsageError(f"{args.app} is compiled already: it takes no sources beside it")
        program = small(args.app, "program", ROOM)
    else:
        program = compiled(args.app, tell, args.more)
    try:
        octets = body(program, args.version)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if key is not None:
        octets = signed(octets, key)
    write(args.out, octets)
    if key is None:
        tell(
            "ecsm: not signed: the signature in DER goes behind it, after an octet with its length"
        )
    return 0


def _boot(args: argparse.Namespace) -> int:
    from ecsm.soc.boot import ROOM, boot

    def heard(octets: bytes) -> None:
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()

    public = public_point(args.trusted)
    image = small(args.image, "image", 2 * ROOM)
    if not image:
        raise UsageError(f"image {args.image}: the file is empty")  # it would be waited for
    done = boot(image, public, args.minimum, tell, heard, args.limit, args.software)
    if args.cycles:
        tell(f"{done.cycles:,} cycles, status {done.status}")
    return ended(done.status)


def commands(sub: Any) -> None:
    """Add the commands to those of ``ecsm soc``."""
    from ecsm.soc.firmware import apps

    text = "sign a program for the boot program, which starts no other one"
    p = sub.add_parser("sign", help=text, description=text + "; ECDSA-P256 with SHA-256.")
    p.add_argument(
        "app", metavar="APP",
        help=f"the program: {joined(apps(), 'or')}; a file of yours, PATH.c; or one that is"
        " compiled, PATH.bin",
    )  # fmt: skip
    p.add_argument("more", nargs="*", metavar="FILE.c", help="sources beside a file of yours")
    p.add_argument("-o", "--out", required=True, metavar="IMAGE", help="- is standard output")
    p.add_argument(
        "--version",
        type=some_up_to(MOST),
        required=True,
        metavar="N",
        help="of the program: 1 or more",
    )
    p.add_argument("--key", help="private key, PEM or DER; without it what is to be signed is made")
    passphrase_file(p, "passphrase of an encrypted key: the first line; default: ask")
    p.set_defaults(soc=_sign)

    text = "boot an image in simulation: the boot program takes it from the serial port"
    p = sub.add_parser("boot", help=text, description=text + "; exits with the program's status.")
    p.add_argument("image", metavar="IMAGE", help="of ecsm soc sign; - is standard input")
    p.add_argument("--public", dest="trusted", required=True, metavar="KEY", help=PUBLIC)
    p.add_argument(
        "--minimum", type=some_up_to(MOST), default=1, metavar="N",
        help=f"{MINIMUM}; default: %(default)s",
    )  # fmt: skip
    p.add_argument(
        "--software", action="store_true",
        help="verify by BearSSL on the CPU, to compare (.ci/fetch-bearssl first)",
    )  # fmt: skip
    p.add_argument("--cycles", action="store_true", help="say how many it took")
    p.add_argument("--limit", type=some, default=200_000_000, help="give up after so many cycles")
    p.set_defaults(soc=_boot, unheard=FAILED)
