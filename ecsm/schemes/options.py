# SPDX-License-Identifier: Apache-2.0
"""Options of operations: the flags of a request, an octet, by operation (docs/schemes.md)."""

from __future__ import annotations

from collections.abc import Collection

HEDGED = 1
"""Of signing: random octets follow the nonce's seed."""
GIVEN = 1
"""Of encapsulation, in test mode: the host gives r."""

COFACTOR = 1
"""Of encryption: the cofactor Diffie-Hellman primitive, not the plain one."""
CIPHER = 3 << 1
CIPHERS = {"aes256-ctr": 0, "aes128-cbc": 1 << 1, "aes256-cbc": 2 << 1}
"""Of ECIES, under the mask :data:`CIPHER`."""
KDF_HASH, MAC_HASH = 3 << 3, 3 << 5
"""Of ECIES: masks of the hashes of key derivation and tag."""
HASHES = {"sha256": 0, "sha1": 1, "sha224": 2, "sha512": 0, "sha384": 3}
"""Numbers under these masks; 0 is the machine's longest one."""


def under(mask: int, number: int) -> int:
    """Return the flags under a mask that are a number."""
    return number * (mask & -mask)


def hash_flags(mask: int, hashes: Collection[str]) -> dict[int, str]:
    """Return a machine's hashes by their flags under a mask, the default one first."""
    found = {under(mask, HASHES[name]): name for name in hashes}
    return dict(sorted(found.items()))


def encryption_flags(
    scheme: str,
    cofactor: bool = False,
    cipher: str = "aes256-ctr",
    kdf_hash: str = "sha256",
    mac_hash: str = "sha256",
) -> int:
    """Return the flags of an encryption: "ecies", "ecies-xor", "ec-aes" or "demo".

    ``sha384`` and ``sha512`` are a wide machine's, the other hashes those of one that is not.
    Raises ValueError, with what is wrong, for a choice that the scheme has not.
    """
    defaults = ("aes256-ctr", "sha256", "sha256")
    if scheme == "demo" and cofactor:
        raise ValueError("demo has no cofactor primitive")
    own = (
        defaults if scheme != "ec-aes" or kdf_hash != "sha512" else (defaults[0], *2 * ("sha512",))
    )
    if scheme not in ("ecies", "ecies-xor") and (cipher, kdf_hash, mac_hash) != own:
        raise ValueError(f"{scheme} has no other cipher and no other hash")
    if scheme == "ecies-xor" and cipher != "aes256-ctr":
        raise ValueError("the cipher of ecies-xor is XOR")
    wide = {name in ("sha384", "sha512") for name in (kdf_hash, mac_hash)}
    if len(wide) > 1:
        raise ValueError(f"no machine has both {kdf_hash} and {mac_hash}")
    hashes = under(KDF_HASH, HASHES[kdf_hash]) | under(MAC_HASH, HASHES[mac_hash])
    return COFACTOR * cofactor | CIPHERS[cipher] | hashes
