# SPDX-License-Identifier: Apache-2.0
"""Domain parameters of curves of SEC 2 over prime fields. No other module has them.

Source: SEC 2 version 2 (2010), section 2; P-224 ... P-521 of SP 800-186, 3.2.1, are among them.
Checked by ``tests/curves/gfp/test_sec2.py`` against libcrypto and by their mathematics.
"""

from ecsm.curves.gfp.weierstrass import PrimeCurve


def _curve(
    name: str, p: int, *, a: int, b: str, x: str, y: str, n: str, alias: str = "", x962: str = ""
) -> PrimeCurve:
    """Return the curve of cofactor 1 with the hexadecimal parameters of the document.

    ``alias``: its name of NIST, ``x962``: of ANSI X9.62, which openssl shows.
    """
    b_, x_, y_, n_ = (int(text.replace(" ", ""), 16) for text in (b, x, y, n))
    aliases = tuple(filter(None, (alias, x962)))
    return PrimeCurve(name, p, a % p, b_, generator=(x_, y_), n=n_, h=1, aliases=aliases)


SEC2_PRIME_CURVES: tuple[PrimeCurve, ...] = (
    _curve(
        "secp224r1",
        2**224 - 2**96 + 1,
        a=-3,
        b="B4050A85 0C04B3AB F5413256 5044B0B7 D7BFD8BA 270B3943 2355FFB4",
        x="B70E0CBD 6BB4BF7F 321390B9 4A03C1D3 56C21122 343280D6 115C1D21",
        y="BD376388 B5F723FB 4C22DFE6 CD4375A0 5A074764 44D58199 85007E34",
        n="FFFFFFFF FFFFFFFF FFFFFFFF FFFF16A2 E0B8F03E 13DD2945 5C5C2A3D",
        alias="P-224",
    ),
    _curve(
        "secp256k1",
        2**256 - 2**32 - 977,
        a=0,
        b="07",
        x="79BE667E F9DCBBAC 55A06295 CE870B07 029BFCDB 2DCE28D9 59F2815B 16F81798",
        y="483ADA77 26A3C465 5DA4FBFC 0E1108A8 FD17B448 A6855419 9C47D08F FB10D4B8",
        n="FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFE BAAEDCE6 AF48A03B BFD25E8C D0364141",
    ),
    _curve(
        "secp256r1",
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        a=-3,
        b="5AC635D8 AA3A93E7 B3EBBD55 769886BC 651D06B0 CC53B0F6 3BCE3C3E 27D2604B",
        x="6B17D1F2 E12C4247 F8BCE6E5 63A440F2 77037D81 2DEB33A0 F4A13945 D898C296",
        y="4FE342E2 FE1A7F9B 8EE7EB4A 7C0F9E16 2BCE3357 6B315ECE CBB64068 37BF51F5",
        n="FFFFFFFF 00000000 FFFFFFFF FFFFFFFF BCE6FAAD A7179E84 F3B9CAC2 FC632551",
        alias="P-256",
        x962="prime256v1",
    ),
    _curve(
        "secp384r1",
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        a=-3,
        b="B3312FA7 E23EE7E4 988E056B E3F82D19 181D9C6E FE814112 0314088F 5013875A C656398D"
        "8A2ED19D 2A85C8ED D3EC2AEF",
        x="AA87CA22 BE8B0537 8EB1C71E F320AD74 6E1D3B62 8BA79B98 59F741E0 82542A38 5502F25D"
        "BF55296C 3A545E38 72760AB7",
        y="3617DE4A 96262C6F 5D9E98BF 9292DC29 F8F41DBD 289A147C E9DA3113 B5F0B8C0 0A60B1CE"
        "1D7E819D 7A431D7C 90EA0E5F",
        n="FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF C7634D81 F4372DDF 581A0DB2"
        "48B0A77A ECEC196A CCC52973",
        alias="P-384",
    ),
    _curve(
        "secp521r1",
        2**521 - 1,
        a=-3,
        b="0051 953EB961 8E1C9A1F 929A21A0 B68540EE A2DA725B 99B315F3 B8B48991 8EF109E1 56193951"
        "EC7E937B 1652C0BD 3BB1BF07 3573DF88 3D2C34F1 EF451FD4 6B503F00",
        x="00C6 858E06B7 0404E9CD 9E3ECB66 2395B442 9C648139 053FB521 F828AF60 6B4D3DBA A14B5E77"
        "EFE75928 FE1DC127 A2FFA8DE 3348B3C1 856A429B F97E7E31 C2E5BD66",
        y="0118 39296A78 9A3BC004 5C8A5FB4 2C7D1BD9 98F54449 579B4468 17AFBD17 273E662C 97EE7299"
        "5EF42640 C550B901 3FAD0761 353C7086 A272C240 88BE9476 9FD16650",
        n="01FF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFA 51868783"
        "BF2F966B 7FCC0148 F709A5D0 3BB5C9B8 899C47AE BB6FB71E 91386409",
        alias="P-521",
    ),
)
"""All of them, in the document's order."""
