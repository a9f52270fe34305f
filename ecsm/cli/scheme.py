# SPDX-License-Identifier: Apache-2.0
"""Commands of schemes: keys, signatures, agreement, encryption, on files and pipes."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ecsm.cli.common import FAILED, Add, UsageError, tell
from ecsm.curves import Curve, curve
from ecsm.presets.table import preset

if TYPE_CHECKING:
    from ecsm.device.schemes import SchemeDevice
    from ecsm.schemes.encoding import Key

STREAM = "-"
SCHEMES = {"ecies": 4, "ecies-xor": 4, "ec-aes": 4, "demo": 3}
"""Strings that an encryption has: a point of two, and what follows."""
_LENGTH = 4  # octets that say how long a string is, in what encrypt and encap write

# What a curve's schemes run on unless --preset says: small cores compile in a minute or two.
DEFAULTS = {
    "sect163r2": "b163-small", "sect233r1": "b233-small", "sect283r1": "b283-small",
    "secp224r1": "p224-small", "secp256r1": "p256-small", "secp256k1": "k256-small",
}  # fmt: skip


def _read(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == STREAM else Path(path).read_bytes()


def _write(path: str, octets: bytes, secret: bool = False) -> None:
    """Write a file, one of a secret for its owner alone; or standard output."""
    if path == STREAM:
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()
        return
    mode = 0o600 if secret else 0o666
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(octets)


def _key(path: str, what: str, private: bool = False) -> Key:
    """Read a key that has the private part, or the public one. Raises UsageError."""
    from ecsm.schemes.encoding import BadEncoding, read_key

    try:
        key = read_key(_read(path))
        _ = key.scalar if private else key.point
        return key
    except BadEncoding as error:
        raise UsageError(f"{what} {path}: {error}") from None


def _default(c: Curve, verify: bool) -> str:
    """Return the preset that computes; to verify, one of aG + bP if the curve has one."""
    from ecsm.presets.table import presets_of

    fit = [p for p in presets_of(c) if not p.variable_time]
    double = [p.name for p in fit if getattr(p, "double", False)]
    single = [p.name for p in fit if p.name not in double]
    if verify and double:
        return double[0]
    if c.name in DEFAULTS:
        return DEFAULTS[c.name]
    if not single:
        raise UsageError(f"there is no core of {c.name}: see ecsm list")
    return single[0]


@contextlib.contextmanager
def _device(
    args: argparse.Namespace, c: Curve, digest: str = "", verify: bool = False
) -> Iterator[SchemeDevice]:
    """Open the device of a curve."""
    from ecsm.device.schemes import SchemeDevice

    name = args.preset or _default(c, verify)
    if preset(name).curve.name != c.name:
        raise UsageError(f"{name} is a core of {preset(name).curve.name}, the key of {c.name}")
    try:
        device = SchemeDevice(name, wide=digest in ("sha384", "sha512"), log=tell)
    except ValueError as error:
        raise UsageError(str(error)) from None
    with device:
        yield device
        if args.cycles:
            tell(f"{name}: {device.last_cycles:,} cycles")


def _digest(args: argparse.Namespace) -> bytes:
    return hashlib.new(args.digest, _read(args.file)).digest()


def _keygen(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import Key, private_pem, public_pem

    c = curve(args.curve)
    d = 1 + secrets.randbelow(c.n - 1)
    with _device(args, c) as device:
        device.run("load", Key(c, d, None).scalar)
        x, y = (int.from_bytes(v, "big") for v in device.run("public").strings)
    made = Key(c, d, (x, y))
    _write(args.out, private_pem(made), secret=True)
    if args.public:
        _write(args.public, public_pem(made))
    return 0


def _pubkey(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import Key, public_pem

    key = _key(args.key, "key", private=True)
    with _device(args, key.curve) as device:
        device.run("load", key.scalar)
        x, y = (int.from_bytes(v, "big") for v in device.run("public").strings)
    _write(args.out, public_pem(Key(key.curve, None, (x, y))))
    return 0


def _sign(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import signature_der

    key = _key(args.key, "key", private=True)
    with _device(args, key.curve, args.digest) as device:
        device.run("load", key.scalar)
        if args.hedged:
            device.run("seed")
        made = device.run(f"sign-{args.digest}", _digest(args), flags=int(args.hedged))
    _write(args.out, signature_der(*made.strings))
    return 0


def _verify(args: argparse.Namespace) -> int:
    from ecsm.schemes.assembler import octets_of
    from ecsm.schemes.encoding import BadEncoding, read_signature
    from ecsm.status import SignatureInvalid

    key = _key(args.key, "key")
    try:
        octets = octets_of(key.curve.n.bit_length())
        signature = read_signature(_read(args.signature), octets)
        with _device(args, key.curve, args.digest, verify=True) as device:
            device.run(f"verify-{args.digest}", *key.point, _digest(args), *signature)
    except (BadEncoding, SignatureInvalid) as error:
        print(f"invalid: {error}")
        return FAILED
    print("valid")
    return 0


def _ecdh(args: argparse.Namespace) -> int:
    key, peer = _key(args.key, "key", private=True), _key(args.peer, "peer")
    if peer.curve.name != key.curve.name:
        raise UsageError(f"the key is of {key.curve.name}, the peer's of {peer.curve.name}")
    with _device(args, key.curve) as device:
        device.run("load", key.scalar)
        operation = "ecdh-cofactor" if args.cofactor else "ecdh"
        (secret,) = device.run(operation, *peer.point).strings
    _write(args.out, secret, secret=True)
    return 0


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
    key, infos = _key(args.to, "key"), _shared_info(args)
    with _device(args, key.curve) as device:
        device.run("seed")
        made = device.run(f"{args.scheme}-encrypt", *key.point, _read(args.file), *infos)
    _write(args.out, _pack(made.strings))
    return 0


def _decrypt(args: argparse.Namespace) -> int:
    key = _key(args.key, "key", private=True)
    infos = _shared_info(args)
    strings = _unpack(_read(args.file), SCHEMES[args.scheme])
    with _device(args, key.curve) as device:
        device.run("load", key.scalar)
        (message,) = device.run(f"{args.scheme}-decrypt", *strings, *infos).strings
    _write(args.out, message, secret=True)
    return 0


def _encap(args: argparse.Namespace) -> int:
    key = _key(args.to, "key")
    with _device(args, key.curve) as device:
        device.run("seed")
        *capsule, secret = device.run("encapsulate", *key.point).strings
    _write(args.out, b"\x04" + b"".join(capsule))
    _write(args.secret, secret, secret=True)
    return 0


def _decap(args: argparse.Namespace) -> int:
    key, capsule = _key(args.key, "key", private=True), _read(args.file)
    size = key.curve.octets
    if len(capsule) != 1 + 2 * size + 32 or capsule[0] != 4:
        raise UsageError("the input is no capsule of an uncompressed point of this curve")
    strings = capsule[1 : 1 + size], capsule[1 + size : 1 + 2 * size], capsule[1 + 2 * size :]
    with _device(args, key.curve) as device:
        device.run("load", key.scalar)
        (secret,) = device.run("decapsulate", *strings).strings
    _write(args.secret, secret, secret=True)
    return 0


def _schemes(args: argparse.Namespace) -> int:
    from ecsm.flow.schemes import schemes

    for name in args.presets:
        preset(name)
    if args.wide and not args.presets:
        raise UsageError("--wide is of presets that are named")
    return schemes(args.presets, args.json, args.wide)


def commands(add: Add) -> None:
    """Add the commands."""

    def common(p: argparse.ArgumentParser, out: str = "where it goes") -> argparse.ArgumentParser:
        p.add_argument("--preset", help="core that computes; default: a small one of the curve")
        p.add_argument("--cycles", action="store_true", help="say how many the operation took")
        if out:
            p.add_argument("-o", "--out", default=STREAM, help=f"{out}, default standard output")
        return p

    def hashed(p: argparse.ArgumentParser) -> None:
        p.add_argument(
            "--digest", choices=("sha1", "sha224", "sha256", "sha384", "sha512"),
            default="sha256", help="default: %(default)s",
        )  # fmt: skip

    def file(p: argparse.ArgumentParser, what: str) -> None:
        p.add_argument("file", nargs="?", default=STREAM, help=f"{what}, default standard input")

    def private(p: argparse.ArgumentParser) -> None:
        p.add_argument("--key", required=True, help="private key, PEM or DER")

    p = common(add("keygen", _keygen, "make a private key"), "the PEM file")
    p.add_argument("--curve", default="P-256", help="default: %(default)s")
    p.add_argument("--public", help="write the public key there, too")
    p = common(add("pubkey", _pubkey, "the public key of a private one"))
    private(p)
    p = common(add("sign", _sign, "sign a file by ECDSA"), "the signature, DER")
    private(p)
    hashed(p)
    p.add_argument("--hedged", action="store_true", help="random octets in the nonce's seed, too")
    file(p, "what is signed")
    p = common(add("verify", _verify, "verify a signature by ECDSA; exit code 1 if invalid"), "")
    p.add_argument("--key", required=True, help="public key, PEM or DER")
    p.add_argument("--signature", required=True, help="DER")
    hashed(p)
    file(p, "what was signed")
    p = common(add("ecdh", _ecdh, "agree on a secret by ECDH"), "the secret")
    private(p)
    p.add_argument("--peer", required=True, help="the other public key, PEM or DER")
    p.add_argument("--cofactor", action="store_true", help="cofactor ECDH")
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
        for i, what in ((1, "the key"), (2, "the tag")):
            p.add_argument(f"--shared-info{i}", metavar="TEXT", help=f"of ECIES: goes into {what}")
        file(p, "input")
    p = common(add("encap", _encap, "encapsulate a key by PSEC-KEM"), "the capsule")
    p.add_argument("--to", required=True, help="public key, PEM or DER")
    p.add_argument("--secret", required=True, help="where the key goes")
    p = common(add("decap", _decap, "open a capsule of PSEC-KEM"), "")
    private(p)
    p.add_argument("--secret", default=STREAM, help="where the key goes, default standard output")
    file(p, "capsule")
    p = add(
        "schemes", _schemes, "cycles of schemes on simulated cores, beside published ones", True
    )
    p.add_argument("presets", nargs="*", metavar="PRESET", help="default: a chosen few, kept")
    p.add_argument("--wide", action="store_true", help="with SHA-384 and SHA-512")
