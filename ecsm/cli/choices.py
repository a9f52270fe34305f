# SPDX-License-Identifier: Apache-2.0
"""The options of encrypt and decrypt: primitive, cipher, hashes (docs/guide/operations.md)."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from ecsm.cli.common import UsageError
from ecsm.names import joined
from ecsm.schemes.options import CIPHERS, HASHES, encryption_flags, hashes_of

_CIPHER = "aes256-ctr"
_NONE_OF = {
    "ecies-xor": {"cipher": "its cipher is XOR"},
    "ec-aes": {"mac_hash": "it has no tag"},
    "demo": {
        "cipher": "it adds a coordinate", "kdf_hash": "it derives no key",
        "mac_hash": "it has no tag",
    },
}  # fmt: skip
"""Options that would have no effect, and why: who gives one expects something else."""
SHARED_INFO = {
    1: "of ECIES: goes into the key, 128 octets at most",
    2: "of ECIES: goes into the tag, behind what is sealed, with no length between them: the tag "
    "stays right when octets move from one to the other",
}
"""Help of both strings."""


def add_choices(p: argparse.ArgumentParser) -> None:
    """Add the options."""
    p.add_argument(
        "--cofactor", action="store_true",
        help="the cofactor Diffie-Hellman primitive instead of the plain one",
    )  # fmt: skip
    p.add_argument("--cipher", choices=tuple(CIPHERS), help=f"of ecies; default: {_CIPHER}")
    p.add_argument(
        "--kdf-hash", choices=tuple(HASHES),
        help="key derivation's; of ec-aes sha512 for a wide device; default: sha256, and sha512"
        " beside a tag of sha384 or sha512",
    )  # fmt: skip
    p.add_argument(
        "--mac-hash", choices=tuple(HASHES), help="of ECIES: the tag's; default: key derivation's"
    )


def choices(args: argparse.Namespace) -> int:
    """Return the flags, and let ``args`` have the hashes that are meant where none is given.

    Raises UsageError for a choice that the scheme has not.
    """
    for option, why in _NONE_OF.get(args.scheme, {}).items():
        if getattr(args, option) is not None:
            raise UsageError(f"{args.scheme} has no --{option.replace('_', '-')}: {why}")
    try:
        given = args.kdf_hash, args.mac_hash or args.kdf_hash
        args.kdf_hash, args.mac_hash = hashes = hashes_of(*given)
        return encryption_flags(args.scheme, args.cofactor, args.cipher or _CIPHER, *hashes)
    except ValueError as error:
        raise UsageError(str(error)) from None


def check_hashes(args: argparse.Namespace, operations: Collection[str]) -> None:
    """Raise UsageError for a hash that the device has not: it would take its own.

    EC-AES has the key derivation's, too, which is the longest one of the device.
    """
    if args.scheme == "demo":
        return
    has = [name for name in HASHES if name in operations]
    for name in (args.kdf_hash, args.mac_hash):
        if name not in has:
            raise UsageError(f"the device has no {name}: --kdf-hash {joined(has, 'or')}")
