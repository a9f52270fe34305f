# SPDX-License-Identifier: Apache-2.0
"""Names that OpenSSL gives to curves: a file has one only with the curve that OpenSSL has by it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from Crypto.Util.asn1 import DerOctetString, DerSequence

from ecsm.curves import curve
from ecsm.curves.elsewhere import is_another
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.own import FEWEST, MOST
from ecsm.curves.registry import UnknownCurveError
from tests.curves.test_own import FRP256, p256, read

ANOTHER = "is the name of another curve"
_P256 = curve("P-256")
assert isinstance(_P256, PrimeCurve)
P256 = _P256


def openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=True).stdout


def number(octets: bytes) -> int:
    return int.from_bytes(octets, "big")


def parameters(name: str) -> PrimeCurve | None:
    """Return OpenSSL's curve; None for one that no file can have."""
    explicit = ("-param_enc", "explicit", "-conv_form", "uncompressed", "-outform", "DER")
    der = DerSequence().decode(openssl("ecparam", "-name", name, *explicit))
    p = DerSequence().decode(der[1])[1]
    if not isinstance(p, int) or not FEWEST <= p.bit_length() <= MOST:
        return None
    equation = DerSequence().decode(der[2])  # of a curve that was found at random, its seed, too
    a, b = (number(DerOctetString().decode(equation[i]).payload) for i in (0, 1))
    point = DerOctetString().decode(der[3]).payload[1:]
    half = len(point) // 2
    x, y = number(point[:half]), number(point[half:])
    return PrimeCurve(name, p, a=a, b=b, generator=(x, y), n=der[4], h=1)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
def test_every_name_of_openssl() -> None:
    lines = openssl("ecparam", "-list_curves").decode().splitlines()
    names = [line.split(":")[0].strip() for line in lines if ":" in line and line[0] != "\t"]
    taken = 0
    for name in names:
        if len(name) > 16 or known(name):
            continue
        assert is_another(replace(P256, name=name)), name
        if (c := parameters(name)) is not None:
            assert not is_another(c), name
            assert c.generator is not None
            x, y = c.generator
            assert is_another(replace(c, generator=(x, c.p - y))), name
            taken += 1
    assert taken > 10


def known(name: str) -> bool:
    try:
        return bool(curve(name))
    except UnknownCurveError:
        return False


@pytest.mark.parametrize(
    "name", ["P-192", "secp192r1", "NISTP192", "X448", "FRP256v1", "c2pnb163v1"]
)
def test_other_names(name: str, tmp_path: Path) -> None:
    assert ANOTHER in read(tmp_path, p256(name))


def test_a_name_that_is_spelled_another_way(tmp_path: Path) -> None:
    assert read(tmp_path, FRP256.replace("frp256v1", "ANSSI-FRP256v1")) == ""
