# SPDX-License-Identifier: Apache-2.0
"""Parameters of OpenSSL's EC operations, with values of each: good ones, bad ones, none.

A word is NAME:VALUE as the list of settable parameters has it (``hex`` before a name: octets), or
NAME=VALUE for a text, as tests/sw/provider_params.c reads them.
"""

from __future__ import annotations

Cases = dict[str, tuple[tuple[str, ...], ...]]

KDF = ("kdf-type:X963KDF", "kdf-digest:SHA256", "kdf-outlen:32")
EXCHANGE: Cases = {
    "ecdh-cofactor-mode": tuple((f"ecdh-cofactor-mode:{mode}",) for mode in (0, 1, -1, 2)),
    "kdf-type": (KDF, ("kdf-type:",), ("kdf-type:HKDF", *KDF[1:]), KDF[1:]),
    "kdf-digest": ((KDF[0], KDF[2]), *(
        (KDF[0], KDF[2], f"kdf-digest:{name}") for name in ("SHA1", "SHA3-256", "SHAKE128", "SHA0")
    )),
    "kdf-digest-props": tuple(
        ("kdf-digest-props:" + query, *KDF)
        for query in ("provider=default", "provider=nobody", "?provider=ecsm")
    ),
    "kdf-outlen": (
        KDF[:2], *((*KDF[:2], f"kdf-outlen:{octets}") for octets in (1, 70, 0, 5000)),
    ),
    "kdf-ukm": (
        (*KDF, "hexkdf-ukm:0102030405060708"), (*KDF, "kdf-ukm:" + "keying material " * 20),
        (*KDF, "kdf-ukm:"), ("hexkdf-ukm:01", *KDF, "ecdh-cofactor-mode:1"),
    ),
}  # fmt: skip

P, N = 2**256 - 2**224 + 2**192 + 2**96 - 1, 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # fmt: skip  # noqa: E501
B = "5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B"
G = ("6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296",
     "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5")  # fmt: skip
TWICE = ("7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978",
         "07775510DB8ED040293D9AC69F7430DBBA7DADE63CE982299E04B79D227873D1")  # fmt: skip
EXPLICIT = {
    "field-type": "prime-field", "hexp": f"{P:064X}", "hexa": f"{P - 3:064X}", "hexb": B,
    "hexgenerator": "04" + "".join(G), "hexorder": f"{N:064X}", "cofactor": "1",
    # libcrypto gives a curve that it knows its seed as the key goes to another provider.
    "hexseed": "C49D360886E704936A6678E1139D26B7819F7E90",
}  # fmt: skip


def explicit(**changes: str | None) -> tuple[str, ...]:
    """The numbers of P-256, some of them changed or left out."""
    named = {name.replace("_", "-"): value for name, value in changes.items()}
    return tuple(f"{k}:{v}" for k, v in {**EXPLICIT, **named}.items() if v is not None)


def unnamed(**changes: str | None) -> tuple[str, ...]:
    """A curve that libcrypto has no name for: P-256 with twice its base point."""
    return explicit(hexgenerator="04" + "".join(TWICE), **changes)


NAMED = ("group:P-256",)
CURVE: Cases = {
    "group": (NAMED, ("group:secp384r1",), ("group:B-163",), ("group:none",), ()),
    "encoding": tuple(
        (f"group:{name}", f"encoding:{how}") for name in ("P-256", "P-384")
        for how in ("explicit", "named_curve", "both")
    ),
    "point-format": tuple((*NAMED, f"point-format:{form}")
                          for form in ("compressed", "hybrid", "uncompressed", "flat")),
    "field-type": (explicit(), explicit(field_type="characteristic-two-field"),
                   explicit(field_type=None)),
    "p": (explicit(), explicit(hexp=f"{P - 2:064X}"), explicit(hexp=None)),
    "a": (explicit(), explicit(hexa="01"), explicit(hexa=None)),
    "b": (explicit(), explicit(hexb="07"), explicit(hexb=None)),
    "generator": (explicit(), explicit(hexgenerator=f"0{2 + int(G[1], 16) % 2}{G[0]}"),
                  explicit(hexgenerator="0401"), explicit(hexgenerator=None)),
    "order": (explicit(), explicit(hexorder="01" + "00" * 40), explicit(hexorder=None)),
    "cofactor": (explicit(), unnamed(), unnamed(cofactor=None), unnamed(cofactor="2")),
    "seed": (explicit(), unnamed(), unnamed(hexseed="010203")),
    "group-check": tuple((*NAMED, f"group-check={kind}")
                         for kind in ("named", "named-nist", "default", "other")),
}  # fmt: skip
COFACTOR: Cases = {
    "use-cofactor-flag": tuple(("group:B-163", f"use-cofactor-flag:{flag}") for flag in (0, 1, 7))
}
GENERATE: Cases = {**CURVE, **COFACTOR}

OWN = (
    "hexpriv:C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721",
    "hexpub:0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
    "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
)
DATA: Cases = {
    **{name: tuple((*OWN, *case) for case in cases) for name, cases in CURVE.items()},
    "decoded-from-explicit": tuple((*NAMED, *OWN, f"decoded-from-explicit:{flag}")
                                   for flag in (0, 1)),
    "pub": ((*NAMED, *OWN), (*NAMED, OWN[0]), (*NAMED, OWN[0], "hexpub:0401"),
            (*NAMED, OWN[0], "hexpub:03" + OWN[1][9:73])),
    "priv": ((*NAMED, *OWN), (*NAMED, OWN[1]), (*NAMED, OWN[1], "hexpriv:00"),
             (*NAMED, OWN[1], f"hexpriv:{N:X}")),
    "use-cofactor-flag": tuple((*NAMED, *OWN, f"use-cofactor-flag:{flag}") for flag in (0, 1, 7)),
    "include-public": tuple((*NAMED, *OWN, f"include-public:{flag}") for flag in (0, 1)),
}  # fmt: skip
KEY: Cases = {
    "encoded-pub-key": (*((f"hexencoded-pub-key:{point}",) for point in (
        "04" + "".join(G), "0401", "04" + "".join(G[::-1]))),
        ("point-format:compressed", f"hexencoded-pub-key:0{2 + int(G[1], 16) % 2}{G[0]}")),
    "use-cofactor-flag": tuple((f"use-cofactor-flag:{flag}",) for flag in (0, 1, 7)),
    "encoding": tuple((f"encoding:{how}",) for how in ("explicit", "named_curve", "both")),
    "point-format": tuple((f"point-format:{form}",) for form in ("compressed", "hybrid", "flat")),
    "include-public": tuple((f"include-public:{flag}",) for flag in (0, 1)),
    "group-check": tuple((f"group-check:{kind}",) for kind in ("named", "default", "other")),
}  # fmt: skip
SIGNATURE: Cases = {
    "digest": tuple((f"digest:{name}",) for name in ("SHA512", "SHA3-512", "SHA256", "SHA0")),
    "digest-size": tuple((f"digest-size:{octets}",) for octets in (64, 32, 0)),
    "properties": tuple((f"properties:{query}", "digest:SHA512")
                        for query in ("provider=default", "provider=nobody", "?provider=ecsm")),
}  # fmt: skip
AREAS = {"exchange": EXCHANGE, "data": DATA, "key": KEY, "signature": SIGNATURE,
         "generate": {**GENERATE, "ecsm-in-device": ()}}  # fmt: skip
