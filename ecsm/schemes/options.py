# SPDX-License-Identifier: Apache-2.0
"""Options: the flags of a request, an octet, by operation (docs/guide/operations.md)."""

from __future__ import annotations

from collections.abc import Collection

from ecsm.names import UnknownName, no_such

HEDGED = 1
"""Of signing: random octets follow the nonce's seed."""
PREHASHED = 1
"""Of Ed25519's signatures: the message is a digest by SHA-512, and the signature Ed25519ph's."""
GIVEN = 1
"""Of encapsulation, in test mode: the host gives r."""
DEVICE = 1
"""Of wrapping: the host gives the device key, which wraps from then on; no key is wrapped."""

SCHEMES = ("ecies", "ecies-xor", "ec-aes", "demo")
"""Of encryption."""
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


_WIDE = ("sha384", "sha512")


def hashes_of(kdf_hash: str | None, mac_hash: str | None) -> tuple[str, str]:
    """Return the hashes of key derivation and tag; one that is None is the machine's longest one.

    The other hash says which machine it is. Raises ValueError for hashes of two machines.
    """
    longest = "sha512" if {kdf_hash, mac_hash} & set(_WIDE) else "sha256"
    kdf, mac = kdf_hash or longest, mac_hash or longest
    if (kdf in _WIDE) != (mac in _WIDE):
        raise ValueError(
            f"no device has both {kdf} and {mac}: a wide one has sha384 and sha512, another one"
            " sha1, sha224 and sha256"
        )
    return kdf, mac


def encryption_flags(
    scheme: str,
    cofactor: bool = False,
    cipher: str = "aes256-ctr",
    kdf_hash: str | None = None,
    mac_hash: str | None = None,
) -> int:
    """Return the flags of an encryption: "ecies", "ecies-xor", "ec-aes" or "demo".

    ``sha384`` and ``sha512`` are a wide machine's, the other hashes those of one that is not;
    None: the machine's longest one. Raises ValueError, with what is wrong, for a choice that the
    scheme has not; UnknownName for a scheme, a cipher or a hash that there is not.
    """
    for what, name, known in (
        ("scheme", scheme, SCHEMES), ("cipher", cipher, CIPHERS),
        ("hash", kdf_hash, HASHES), ("hash", mac_hash, HASHES),
    ):  # fmt: skip
        if name is not None and name not in known:
            raise UnknownName(no_such(what, name, known, "docs/guide/operations.md"))
    if cofactor not in (False, True):  # another number would be another option's bits
        raise ValueError(f"cofactor is True or False, not {cofactor!r}")
    kdf, mac = hashes_of(kdf_hash, mac_hash)
    if scheme == "demo" and cofactor:
        raise ValueError("demo has no cofactor primitive")
    if scheme in ("ec-aes", "demo"):
        only = ("sha256", "sha512") if scheme == "ec-aes" else ("sha256",)
        if cipher != "aes256-ctr" or kdf not in only or mac != kdf:
            raise ValueError(f"{scheme} has no other cipher and no other hash")
    if scheme == "ecies-xor" and cipher != "aes256-ctr":
        raise ValueError("the cipher of ecies-xor is XOR")
    hashes = under(KDF_HASH, HASHES[kdf]) | under(MAC_HASH, HASHES[mac])
    return COFACTOR * cofactor | CIPHERS[cipher] | hashes
