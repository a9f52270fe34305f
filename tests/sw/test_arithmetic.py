# SPDX-License-Identifier: Apache-2.0
"""The parts of psec_kem called by ctypes: reduction, inversion, halves of a scalar, k P."""

from __future__ import annotations

import ctypes
import random
import subprocess
from functools import cache

import pytest

from ecsm.curves import Point, PrimeCurve
from ecsm.curves.gfp.endomorphism import roots
from ecsm.measure.psec_kem import SOURCE
from tests.sw.conftest import CURVES, needed, prime_curve

Number = ctypes.c_uint64 * 4


class Affine(ctypes.Structure):
    """A point."""

    _fields_ = (("x", Number), ("y", Number), ("infinity", ctypes.c_bool))


def number(value: int) -> ctypes.Array[ctypes.c_uint64]:
    return Number(*(value >> 64 * i & (1 << 64) - 1 for i in range(4)))


def value(n: ctypes.Array[ctypes.c_uint64]) -> int:
    return sum(w << 64 * i for i, w in enumerate(n))


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    needed()
    path = tmp_path_factory.mktemp("lib") / "psec_kem.so"
    files = [SOURCE / f"{name}.c" for name in ("field", "curve", "affine", "projective")]
    subprocess.run(
        ["cc", "-std=c11", "-D_DEFAULT_SOURCE", "-O2", "-shared", "-fPIC", "-o", path, *files,
         "-lgmp"], check=True,
    )  # fmt: skip
    made = ctypes.CDLL(str(path))
    made.curve_named.restype = ctypes.c_void_p
    for name in ("curve_contains", "number_is_zero"):
        getattr(made, name).restype = ctypes.c_bool
    return made


@pytest.fixture(params=CURVES)
def c(request: pytest.FixtureRequest) -> PrimeCurve:
    return prime_curve(request.param)


def field(lib: ctypes.CDLL, c: PrimeCurve) -> ctypes.c_uint64:
    return ctypes.c_uint64.in_dll(lib, f"FIELD_{c.name.upper()}")


def edges(p: int) -> list[int]:
    """Elements whose products make the reductions carry and borrow as much as they can."""
    found = {0, 1, 2, 3, 7, p - 1, p - 2, (p + 1) // 2, p >> 1}
    found |= {1 << i for i in range(0, 256, 31)} | {(1 << i) - 1 for i in range(32, 256, 32)}
    found |= {((1 << 32) - 1) << i for i in range(0, 224, 32)} | {p - (1 << i) for i in (32, 96)}
    found |= {(1 << 256) - p, 2 * ((1 << 256) - p)}
    return sorted(v for v in found if v < p)


def test_field(lib: ctypes.CDLL, c: PrimeCurve) -> None:
    p, f, rng = c.p, field(lib, c), random.Random(c.name)
    values = [*edges(p), *(rng.randrange(p) for _ in range(40))]
    r = Number()
    for a in values:
        for b in values:
            for name, expected in {"add": a + b, "sub": a - b, "mul": a * b}.items():
                getattr(lib, f"field_{name}")(ctypes.byref(f), r, number(a), number(b))
                assert value(r) == expected % p, (name, hex(a), hex(b))
        lib.field_sqr(ctypes.byref(f), r, number(a))
        assert value(r) == a * a % p
        if a:
            lib.field_inverse(ctypes.byref(f), r, number(a))
            assert value(r) == pow(a, -1, p), hex(a)


def test_reduction_of_every_product_of_words(lib: ctypes.CDLL, c: PrimeCurve) -> None:
    """Numbers of 16 words of 32 bits, each all zeros or all ones, or random: below p^2."""
    p, f, rng = c.p, field(lib, c), random.Random(c.name)
    reduce = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        ctypes.c_uint64.from_address(ctypes.addressof(f) + 32).value
    )
    r = Number()
    for i in range(20_000):
        words = [rng.choice((0, 0xFFFF_FFFF, rng.getrandbits(32))) for _ in range(16)]
        t = sum(w << 32 * j for j, w in enumerate(words)) if i else p * p - 1
        if t >= p * p:
            continue
        limbs = (ctypes.c_uint64 * 8)(*(t >> 64 * j & (1 << 64) - 1 for j in range(8)))
        reduce(ctypes.addressof(r), ctypes.addressof(limbs))
        assert value(r) == t % p, hex(t)


def scalars(c: PrimeCurve) -> list[int]:
    rng = random.Random(c.name)
    few = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, c.n - 1, c.n - 2, c.n - 16, c.n // 2, c.n // 2 + 1]
    special = [v for r in roots(c.n) if c.name == "secp256k1" for v in (r, r - 1, r + 1, c.n - r)]
    return [*few, *special, *(rng.randrange(c.n) for _ in range(8))]


def test_halves(lib: ctypes.CDLL) -> None:
    """They are of 128 bits, and make the scalar; lambda is the root that beta belongs to."""
    c = prime_curve("secp256k1")
    ours = lib.curve_named(b"secp256k1")
    image, g = Affine(), Affine(number(c.generator[0]), number(c.generator[1]), False)
    lib.point_map(ctypes.c_void_p(ours), ctypes.byref(image), ctypes.byref(g))
    (lam,) = (r for r in roots(c.n) if c.mul(r, c.generator) == (value(image.x), value(image.y)))
    halves, minus = (Number * 2)(), (ctypes.c_bool * 2)()
    for k in [*scalars(c), *(c.n * i // 997 for i in range(997))]:
        lib.scalar_split(ctypes.c_void_p(ours), halves, minus, number(k))
        h0, h1 = (-value(h) if m else value(h) for h, m in zip(halves, minus, strict=True))
        assert (h0 + h1 * lam - k) % c.n == 0
        assert max(abs(h0), abs(h1)) < 1 << 128


@cache
def product(c: PrimeCurve, k: int, p: Point) -> Point:
    """K p, by the project's model, once for both ways."""
    return c.mul(k, p)


@pytest.mark.parametrize("way", ["affine", "projective"])
def test_multiplication(lib: ctypes.CDLL, c: PrimeCurve, way: str) -> None:
    """Of the generator, of another point, of infinity."""
    ours = ctypes.c_void_p(lib.curve_named(c.name.encode()))
    other = c.mul(0x1234_5678_9ABC, c.generator)
    points: list[Point] = [c.generator, other, None]
    for p in points:
        given = Affine(*(number(v) for v in p), False) if p else Affine(infinity=True)
        for k in scalars(c)[:: 1 if p == c.generator else 3]:
            made = Affine()
            getattr(lib, f"{way}_multiply")(
                ours, ctypes.byref(made), number(k), ctypes.byref(given)
            )
            found = None if made.infinity else (value(made.x), value(made.y))
            assert found == product(c, k, p), (hex(k), p)


def test_on_curve(lib: ctypes.CDLL, c: PrimeCurve) -> None:
    ours = ctypes.c_void_p(lib.curve_named(c.name.encode()))
    x, y = c.generator

    def contains(x: int, y: int, infinity: bool = False) -> bool:
        found: bool = lib.curve_contains(ours, ctypes.byref(Affine(number(x), number(y), infinity)))
        return found

    assert contains(x, y)
    assert contains(x, c.p - y)
    assert not contains(x, y, infinity=True)
    for bad in ((x, y ^ 1), (x + 1, y), (y, x), (0, 0), (x, y + c.p), (c.p, 0)):
        assert not contains(bad[0], bad[1] % (1 << 256)), bad
