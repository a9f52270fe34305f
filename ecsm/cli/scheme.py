# SPDX-License-Identifier: Apache-2.0
"""Commands for signatures and key agreement on files and pipes, and for the cycles of schemes."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Collection, Iterator

from ecsm.cli.common import FAILED, USAGE, Add, Once, UsageError, add_results, results_of, say, tell
from ecsm.cli.files import reading, write
from ecsm.cli.keys import key_file, private, private_key, small
from ecsm.cli.scheme_device import ONE_OF_TWO, common, file, scheme_device
from ecsm.names import UnknownName, no_such
from ecsm.presets.table import any_preset, presets_of
from ecsm.presets.word import WordPreset, is_word_engine
from ecsm.schemes.encoding import Key, OctetKey, octet_signature
from ecsm.schemes.lengths import ED25519_MESSAGE
from ecsm.schemes.options import PREHASHED

DIGEST = "sha256"  # of ECDSA
SELF_TESTED = "word-p256"  # unless --preset or --device says
_PIECE = 1 << 20  # octets of a file that are hashed at once


def _digest(args: argparse.Namespace, name: str) -> bytes:
    """Return the digest of the file."""
    digest = hashlib.new(name)
    for part in _parts(args):
        digest.update(part)
    return digest.digest()


def _parts(args: argparse.Namespace) -> Iterator[bytes]:
    """Yield the file's octets. Raises UsageError if it cannot be read."""
    try:
        with reading(args.file) as file:
            yield from iter(lambda: file.read(_PIECE), b"")
    except OSError as error:  # no failed check: 1 is for a signature that is invalid
        raise UsageError(f"file {args.file}: {error.strerror}") from None


def _of_ed25519(args: argparse.Namespace, key: Key) -> bool:
    """Return whether signatures are Ed25519's. Raises UsageError for options that do not fit."""
    own = isinstance(key, OctetKey)
    if own and "sign-ed25519" not in _operations(key):
        raise UsageError(f"keys of {key.curve.name} sign nothing: they are for ecsm ecdh")
    if own and (args.digest or getattr(args, "hedged", False)):
        raise UsageError("Ed25519 has its own digest and nonce: no --digest, no --hedged")
    if args.prehash and not own:
        raise UsageError("--prehash is of Ed25519")
    return own


def _operations(key: Key) -> Collection[str]:
    """Return what word engines of a key's curve do."""
    from ecsm.schemes.word.program import word_operations

    return {o for p in presets_of(key.curve) if isinstance(p, WordPreset)
            for o in word_operations(p)}  # fmt: skip


def _message(args: argparse.Namespace, most: int | None = None) -> tuple[bytes, int]:
    """Return what Ed25519 signs, and the flags: the file, or its digest for Ed25519ph.

    Raises UsageError for a file of more than ``most`` octets, of which no more is read.
    """
    if args.prehash:
        return _digest(args, "sha512"), PREHASHED
    message = bytearray()
    for part in _parts(args):
        message += part
        if most is not None and len(message) > most:
            raise UsageError(
                f"file {args.file}: it has more than {most:,} octets, which Ed25519 keeps inside:"
                " --prehash is for longer ones"
            )
    return bytes(message), 0


def _sign(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import signature_der

    key = private_key(args)
    own, digest = _of_ed25519(args, key), args.digest or DIGEST
    operation = "sign-ed25519" if own else f"sign-{digest}"
    with scheme_device(args, key.curve, operation, "" if own else digest) as device:
        if own:
            given, flags = _message(args, ED25519_MESSAGE)
        else:
            given, flags = _digest(args, digest), int(args.hedged)
        device.run("load", key.scalar)
        if args.hedged:
            device.run("seed")
        strings = device.run(operation, given, flags=flags).strings
    write(args.out, b"".join(strings) if own else signature_der(*strings))
    return 0


def _verify(args: argparse.Namespace) -> int:
    from ecsm.schemes.assembler import octets_of
    from ecsm.schemes.encoding import BadEncoding, read_signature
    from ecsm.status import SignatureInvalid

    key = key_file(args.key, "key")
    own, digest = _of_ed25519(args, key), args.digest or DIGEST
    octets = octets_of(key.curve.n.bit_length())
    try:
        signature = small(args.signature, "signature")
        strings = (
            (octet_signature(signature, 2 * octets),) if own else read_signature(signature, octets)
        )
        operation = "verify-ed25519" if own else f"verify-{digest}"
        with scheme_device(args, key.curve, operation, "" if own else digest) as device:
            if own:
                message, flags = _message(args)
                device.run(operation, *key.point, *strings, message, flags=flags)
            else:
                device.run(operation, *key.point, _digest(args, digest), *strings)
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
    if isinstance(key, OctetKey):
        operation = "x25519"
        if operation not in _operations(key):
            raise UsageError(f"keys of {key.curve.name} are for signatures: see ecsm sign")
        if args.cofactor:
            raise UsageError("X25519 has no other cofactor primitive")
    with scheme_device(args, key.curve, operation) as device:
        device.run("load", key.scalar)
        (secret,) = device.run(operation, *peer.point).strings
    write(args.out, secret, secret=True)
    return 0


def _self_test(args: argparse.Namespace) -> int:
    from ecsm.device.opening import open_device

    if args.device is not None:
        if args.preset is not None:
            raise UsageError(ONE_OF_TWO)
        name = args.device
    else:
        preset = SELF_TESTED if args.preset is None else args.preset
        if not is_word_engine(preset):
            any_preset(preset)
            raise UsageError(f"{preset} has no self-test: word engines have; see ecsm test")
        name = f"sim:{preset}"
    with open_device(name, tell) as device:
        try:
            cycles = device.run("self-test").cycles
        except UnknownName as error:
            raise UsageError(f"{name}: {error}") from None
    say(f"{name}: the self-test has passed, in {cycles:,} cycles")
    return 0


def _schemes(args: argparse.Namespace) -> int:
    from ecsm.measure.schemes import KEPT, schemes
    from ecsm.measure.word_schemes import MEASURED, word_schemes
    from ecsm.schemes.program import without_schemes

    if args.word:
        if args.wide:
            raise UsageError("--word has no --wide")
        for name in args.presets:
            if name not in MEASURED:
                raise UsageError(no_such("preset of --word", name, MEASURED, "ecsm list"))
        return word_schemes(args.presets, args.again, args.json, results_of(args))
    if args.again:
        raise UsageError("--again is of --word: others are measured each time")
    for why in (without_schemes(any_preset(name), args.wide) for name in args.presets):
        if why is not None:
            raise UsageError(why)
    if args.wide and not args.presets:
        raise UsageError("--wide is of presets that are named")
    some = not args.presets or any((name, args.wide) in KEPT for name in args.presets)
    root = results_of(args, kept=some)
    return schemes(args.presets, args.json, args.wide, root)


def _hashed(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--digest", choices=("sha1", "sha224", "sha256", "sha384", "sha512"),
        help=f"default: {DIGEST}",
    )  # fmt: skip
    p.add_argument("--prehash", action="store_true", help="Ed25519ph: of the file's SHA-512")


def commands(add: Add) -> None:
    """Add the commands."""
    p = common(
        add("sign", _sign, "sign a file by ECDSA or Ed25519"), "the signature, DER or 64 octets"
    )
    private(p)
    _hashed(p)
    p.add_argument("--hedged", action="store_true", help="random octets in the nonce's seed, too")
    file(p, "what is signed")
    text = "verify a signature; exit code 0 if valid, 1 if invalid, 2 without a verdict"
    p = common(add("verify", _verify, text), "")
    p.set_defaults(failed=USAGE)
    p.add_argument("--key", required=True, help="public key, PEM or DER")
    p.add_argument("--signature", required=True, help="DER, or 64 octets of Ed25519")
    _hashed(p)
    file(p, "what was signed")
    p = common(add("ecdh", _ecdh, "agree on a secret by ECDH or X25519"), "the secret")
    private(p)
    p.add_argument("--peer", required=True, help="the other public key, PEM or DER")
    p.add_argument("--cofactor", action="store_true", help="cofactor ECDH")
    p = add("self-test", _self_test, "let a word engine compute what is known, and compare")
    p.add_argument("--preset", help=f"a simulated one, default {SELF_TESTED}")
    p.add_argument("--device", metavar="ADDRESS", help="as in ecsm sign; instead of a preset")
    p = add(
        "schemes", _schemes, "cycles of schemes on simulated cores, beside published ones", True
    )
    p.add_argument(
        "presets", nargs="*", action=Once, metavar="PRESET", help="default: a chosen few, kept"
    )
    p.add_argument("--wide", action="store_true", help="with SHA-384 and SHA-512")
    p.add_argument("--word", action="store_true", help="the word engines, all or some, kept")
    p.add_argument("--again", action="store_true", help="with --word: repeat what is kept")
    add_results(p)
