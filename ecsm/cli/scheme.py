# SPDX-License-Identifier: Apache-2.0
"""Commands for signatures and key agreement on files and pipes, and for the cycles of schemes."""

from __future__ import annotations

import argparse
import hashlib

from ecsm.cli.common import FAILED, USAGE, Add, UsageError, add_results, results_of, say
from ecsm.cli.files import reading, write
from ecsm.cli.keys import key_file, private, private_key, small
from ecsm.cli.scheme_device import common, file, scheme_device
from ecsm.presets.table import any_preset

_PIECE = 1 << 20  # octets of a file that are hashed at once


def _digest(args: argparse.Namespace) -> bytes:
    try:
        digest = hashlib.new(args.digest)
        with reading(args.file) as file:
            for part in iter(lambda: file.read(_PIECE), b""):
                digest.update(part)
        return digest.digest()
    except OSError as error:  # no failed check: 1 is for a signature that is invalid
        raise UsageError(f"file {args.file}: {error.strerror}") from None


def _sign(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import signature_der

    key = private_key(args)
    with scheme_device(args, key.curve, f"sign-{args.digest}", args.digest) as device:
        device.run("load", key.scalar)
        if args.hedged:
            device.run("seed")
        made = device.run(f"sign-{args.digest}", _digest(args), flags=int(args.hedged))
    write(args.out, signature_der(*made.strings))
    return 0


def _verify(args: argparse.Namespace) -> int:
    from ecsm.schemes.assembler import octets_of
    from ecsm.schemes.encoding import BadEncoding, read_signature
    from ecsm.status import SignatureInvalid

    key = key_file(args.key, "key")
    try:
        octets = octets_of(key.curve.n.bit_length())
        signature = read_signature(small(args.signature, "signature"), octets)
        operation = f"verify-{args.digest}"
        with scheme_device(args, key.curve, operation, args.digest) as device:
            device.run(operation, *key.point, _digest(args), *signature)
    except (BadEncoding, SignatureInvalid) as error:
        say(f"invalid: {error}")
        return FAILED
    say("valid")
    return 0


def _ecdh(args: argparse.Namespace) -> int:
    key, peer = private_key(args), key_file(args.peer, "peer")
    if peer.curve.name != key.curve.name:
        raise UsageError(f"the key is of {key.curve.name}, the peer's of {peer.curve.name}")
    operation = "ecdh-cofactor" if args.cofactor else "ecdh"
    with scheme_device(args, key.curve, operation) as device:
        device.run("load", key.scalar)
        (secret,) = device.run(operation, *peer.point).strings
    write(args.out, secret, secret=True)
    return 0


def _schemes(args: argparse.Namespace) -> int:
    from ecsm.measure.schemes import schemes
    from ecsm.schemes.program import without_schemes

    for why in (without_schemes(any_preset(name), args.wide) for name in args.presets):
        if why is not None:
            raise UsageError(why)
    if args.wide and not args.presets:
        raise UsageError("--wide is of presets that are named")
    root = results_of(args, kept=not args.presets)
    return schemes(args.presets, args.json, args.wide, root)


def _hashed(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--digest", choices=("sha1", "sha224", "sha256", "sha384", "sha512"),
        default="sha256", help="default: %(default)s",
    )  # fmt: skip


def commands(add: Add) -> None:
    """Add the commands."""
    p = common(add("sign", _sign, "sign a file by ECDSA"), "the signature, DER")
    private(p)
    _hashed(p)
    p.add_argument("--hedged", action="store_true", help="random octets in the nonce's seed, too")
    file(p, "what is signed")
    text = "verify a signature by ECDSA; exit code 0 if valid, 1 if invalid, 2 without a verdict"
    p = common(add("verify", _verify, text), "")
    p.set_defaults(failed=USAGE)
    p.add_argument("--key", required=True, help="public key, PEM or DER")
    p.add_argument("--signature", required=True, help="DER")
    _hashed(p)
    file(p, "what was signed")
    p = common(add("ecdh", _ecdh, "agree on a secret by ECDH"), "the secret")
    private(p)
    p.add_argument("--peer", required=True, help="the other public key, PEM or DER")
    p.add_argument("--cofactor", action="store_true", help="cofactor ECDH")
    p = add(
        "schemes", _schemes, "cycles of schemes on simulated cores, beside published ones", True
    )
    p.add_argument("presets", nargs="*", metavar="PRESET", help="default: a chosen few, kept")
    p.add_argument("--wide", action="store_true", help="with SHA-384 and SHA-512")
    add_results(p)
