# SPDX-License-Identifier: Apache-2.0
"""Names of curves that other software knows and this package does not.

A curve from a file may have such a name only with that curve's parameters: whoever reads the name
of a key takes it for that curve.

Source: the curves that OpenSSL 3 lists, which a test compares; ANSSI's FRP256v1; RFC 7748, 8032.
"""

from __future__ import annotations

from hashlib import sha256

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.registry import plain

_PARAMETERS = {
    "secp160k1": "2b860ff5209e78da",
    "secp160r1": "50b45ed869731fea",
    "secp160r2": "e20ef4a69d2b509b",
    "secp192k1": "e40c2fb2f4cb9a73",
    "secp224k1": "a04ec6e273329368",
    "prime192v1": "9ddcabdc471279b7",
    "prime192v2": "46f19a88584b9b3a",
    "prime192v3": "f374eecc92cb0d0b",
    "prime239v1": "9455ac6b49f1f1eb",
    "prime239v2": "91285f9c84eeb9aa",
    "prime239v3": "ec8c34ca162342d8",
    "brainpoolP160r1": "f39d3797b58d1988",
    "brainpoolP160t1": "f4ce29aaacd47b14",
    "brainpoolP192r1": "c0382ed962143f28",
    "brainpoolP192t1": "ce4e7617691c72cc",
    "brainpoolP224r1": "d9baff41b094acc1",
    "brainpoolP224t1": "4e260a6a375ef460",
    "brainpoolP256t1": "1f373c440bac48f6",
    "brainpoolP320r1": "6f298f227abf17b6",
    "brainpoolP320t1": "5fa921b676073b07",
    "brainpoolP384t1": "f04a9a7d9bb12267",
    "brainpoolP512t1": "3049a7288052df74",
    "FRP256v1": "3006d462cd6fbd98",
}
"""Names of curves that a file can have, and digests of their parameters: see :func:`digest`."""

_OTHERS = """
    secp112r1 secp112r2 secp128r1 secp128r2 sect113r1 sect113r2 sect131r1 sect131r2 c2pnb163v1
    c2pnb163v2 c2pnb163v3 c2pnb176v1 c2tnb191v1 c2tnb191v2 c2tnb191v3 c2pnb208w1 c2tnb239v1
    c2tnb239v2 c2tnb239v3 c2pnb272w1 c2pnb304w1 c2tnb359v1 c2pnb368w1 c2tnb431r1 Oakley-EC2N-3
    Oakley-EC2N-4 Ed448 X448 Curve448
"""
"""Names of curves that no file can have: of other fields or forms, or too small."""

_ALIASES = {"secp192r1": "prime192v1", "P-192": "prime192v1", "ANSSI-FRP256v1": "FRP256v1"}

_BY_NAME = (
    {plain(name): found for name, found in _PARAMETERS.items()}
    | {plain(name): "" for name in _OTHERS.split()}
    | {plain(name): _PARAMETERS[of] for name, of in _ALIASES.items()}
)


def digest(c: PrimeCurve) -> str:
    """Return 8 octets of SHA-256 of p, a, b, x, y and n."""
    assert c.generator is not None
    numbers = (c.p, c.a, c.b, *c.generator, c.n)
    return sha256(" ".join(map(str, numbers)).encode()).hexdigest()[:16]


def is_another(c: PrimeCurve) -> bool:
    """Whether other software knows another curve by this name."""
    return _BY_NAME.get(plain(c.name), digest(c)) != digest(c)
