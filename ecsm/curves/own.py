# SPDX-License-Identifier: Apache-2.0
"""A curve of one's own, from a file: y^2 = x^3 + ax + b over GF(p), of prime order.

The file is TOML, its numbers texts, decimal or hexadecimal with 0x:

    name = "mine"
    p = "0x..."
    a = "0x..."
    b = "0x..."
    x = "0x..."
    y = "0x..."
    n = "0x..."

(x, y) is the generator and n its order. The name of a curve that is known here, or to other
software, is taken only with that curve's parameters. What SEC 1 asks of such parameters is
checked, except that nobody can check how they were found.

Source: SEC 1 version 2 (2009), 3.1.1.2.1.
"""

from __future__ import annotations

import math
import re
import tomllib
from contextlib import suppress
from pathlib import Path

from ecsm.curves.curve import Curve
from ecsm.curves.elsewhere import is_another
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.registry import UnknownCurveError, curve
from ecsm.names import UnknownName

FEWEST, MOST = 160, 521
"""Bits of p."""
_NUMBERS = ("p", "a", "b", "x", "y", "n")
_DEGREES = 100  # up to which p^i must not be 1 modulo n
_LARGEST = 1 << 14  # octets of a file: the parser's time grows with their square
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,15}")  # it goes into comments of C, and lists
_DIGITS = re.compile(r"0[xX][0-9a-fA-F]{1,1000}|[0-9]{1,1000}")


class BadCurve(UnknownName):
    """A file is no curve that can be used; the message says why."""


def read_curve(file: Path) -> PrimeCurve:
    """Return the curve of a file. Raises :class:`BadCurve`."""
    try:
        with file.open("rb") as stream:
            text = stream.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise BadCurve(f"{file}: a curve has {_LARGEST:,} octets at most")
        given = tomllib.loads(text.decode())
    except OSError as error:
        raise BadCurve(f"{file}: {error.strerror}") from None
    except RecursionError:
        raise BadCurve(f"{file} is no TOML: it has too many brackets") from None
    except ValueError as error:  # of UTF-8, of TOML, of a number with thousands of digits
        raise BadCurve(f"{file} is no TOML: {error}") from None
    if set(given) != {"name", *_NUMBERS}:
        raise BadCurve(f"{file}: a curve has name, {', '.join(_NUMBERS)}, and nothing else")
    name = given["name"]
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise BadCurve(f"{file}: the name has 1 to 16 letters of ASCII, digits, _ . -")
    p, a, b, x, y, n = (_number(file, key, given[key]) for key in _NUMBERS)
    c = PrimeCurve(name, p, a=a, b=b, generator=(x, y), n=n, h=1)
    if why := _complaint(c):
        raise BadCurve(f"{file}: {why}")
    return _known(file, c)


def _known(file: Path, c: PrimeCurve) -> PrimeCurve:
    """Return the known curve of a curve's name, if it is that; the curve, if none has the name.

    Keys say their curve by its name: no other curve may have it.
    """
    known: Curve = c
    with suppress(UnknownCurveError):
        known = curve(c.name)
    of = ("p", "a", "b", "generator", "n", "h")
    same = isinstance(known, PrimeCurve) and all(getattr(known, k) == getattr(c, k) for k in of)
    if not isinstance(known, PrimeCurve) or not same or is_another(c):
        raise BadCurve(f"{file}: {c.name} is the name of another curve")
    return known


def _number(file: Path, key: str, value: object) -> int:
    """Return a number of the file."""
    if not (isinstance(value, str) and _DIGITS.fullmatch(value)):
        raise BadCurve(f"{file}: {key} is a number as a text, decimal or with 0x")
    return int(value, 16 if value[:2] in ("0x", "0X") else 10)


def _complaint(c: PrimeCurve) -> str:
    """Return what is wrong with a curve, "" if nothing is."""
    from Crypto.Util.number import isPrime  # which only a curve of one's own needs

    p, n = c.p, c.n
    if not FEWEST <= p.bit_length() <= MOST:
        return f"p has {p.bit_length()} bits, and may have {FEWEST} to {MOST}"
    if not isPrime(p, 1e-30):
        return "p is no prime"
    if not (c.a < p and c.b < p):
        return "a or b is not below p"
    if (4 * c.a**3 + 27 * c.b**2) % p == 0:
        return "the curve is singular"
    if c.generator is None or not c.contains(c.generator):
        return "(x, y) is not on the curve"
    if abs(p + 1 - n) > 2 * math.isqrt(p) + 1:
        return "n is not the number of points: curves with a cofactor are not taken"
    if not isPrime(n, 1e-30):
        return "n is no prime: curves with a cofactor are not taken"
    if n == p:
        return "n is p: such a curve is weak"
    if any(pow(p, i, n) == 1 for i in range(1, _DEGREES + 1)):
        return "p has a small order modulo n: such a curve is weak"
    if c.mul(n, c.generator) is not None:
        return "n is not the order of (x, y)"
    return ""
