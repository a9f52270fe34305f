# SPDX-License-Identifier: Apache-2.0
"""Generate headers of programs with schemes: the group, the table of AES, and vectors.

Vectors come from hashlib, libcrypto and Python's integers.
"""

from __future__ import annotations

import ctypes
import hashlib
import random
from collections.abc import Iterable

from ecsm.curves import Point
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.divsteps import steps_needed
from ecsm.device.base import DeviceError, NoDevice
from ecsm.oracle import libcrypto
from ecsm.soc.headers import FIRST, field_words, in_words

LIMB = 30
"""Bits of a limb of sw/firmware/schemes/invert.c."""
DATA_CACHE = 4096
"""Octets of the CPU's data cache, which has one way."""
MESSAGE = 64
"""Octets of the messages that schemes are measured with."""
TEXT = 200
LENGTHS = (0, 1, 55, 56, 63, 64, 65, 119, 120, TEXT)
"""Of messages that are hashed: around one and two blocks with their padding."""


def group_header(c: BinaryCurve) -> str:
    """Return ``group.h``: order and generator, and constants of products modulo n."""
    words = field_words(c)
    gx, gy = c.generator
    macros = {
        "ORDER_BITS": c.n.bit_length(),
        "ORDER": in_words(c.n, words),
        "ORDER_SQUARE": in_words(pow(2, 64 * words, c.n), words),
        "ORDER_MINUS_INVERSE": f"{-pow(c.n, -1, 1 << 32) % (1 << 32):#x}u",
        "ORDER_LIMB_INVERSE": f"{pow(c.n, -1, 1 << LIMB):#x}u",
        "ORDER_DIVSTEPS": steps_needed(c.n, c.n),
        "GENERATOR_X": in_words(gx, words),
        "GENERATOR_Y": in_words(gy, words),
    }
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    return "\n".join([f"{FIRST}/* {c.name}. */", "#ifndef GROUP_H", "#define GROUP_H", *lines,
                      "#endif", ""])  # fmt: skip


def _twice(v: int) -> int:
    return v << 1 ^ (0x11B if v & 0x80 else 0)


def aes_table() -> list[int]:
    """Return what AES makes of an octet of a column's first row: 2 s, s, s, 3 s.

    Source: FIPS 197, sections 5.1.1 and 5.1.3.
    """
    power, log = [1], {1: 0}
    while len(power) < 255:
        power.append(_twice(power[-1]) ^ power[-1])
        log[power[-1]] = len(power) - 1
    table = []
    for v in range(256):
        inverse = power[-log[v] % 255] if v else 0
        five = inverse * 0x101
        s = 0x63
        for shift in range(4, 9):
            s ^= five >> shift & 0xFF
        table.append(_twice(s) << 24 | s << 16 | s << 8 | _twice(s) ^ s)
    return table


def table_header() -> str:
    """Return ``aes_table.h``: at the beginning of the data cache, the stack being at its end."""
    values = [f"0x{v:08x}u" for v in aes_table()]
    rows = ",\n".join("    " + ", ".join(values[i : i + 8]) for i in range(0, 256, 8))
    table = f"static const _Alignas({DATA_CACHE}) uint32_t aes_table[256]"
    return f"{FIRST}#include <stdint.h>\n{table} = {{\n{rows}}};\n"


def _octets(value: bytes) -> str:
    return "{" + ", ".join(f"{v}" for v in value) + "}" if value else "{0}"


def _rows(rows: Iterable[Iterable[str]]) -> str:
    return ",\n".join("    {" + ", ".join(row) + "}" for row in rows)


def _aes_ctr(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Return AES-256 in counter mode, of libcrypto. Source: EVP_EncryptInit(3)."""
    lib = ctypes.CDLL(libcrypto.path())
    pointer, octets = ctypes.c_void_p, ctypes.c_char_p
    lib.EVP_aes_256_ctr.restype = lib.EVP_CIPHER_CTX_new.restype = pointer
    lib.EVP_CIPHER_CTX_free.argtypes = [pointer]
    lib.EVP_EncryptInit_ex.argtypes = [pointer, pointer, pointer, octets, octets]
    lib.EVP_EncryptUpdate.argtypes = [pointer, octets, pointer, octets, ctypes.c_int]
    context = lib.EVP_CIPHER_CTX_new()
    out, size = ctypes.create_string_buffer(len(data) + 16), ctypes.c_int()
    try:
        good = lib.EVP_EncryptInit_ex(context, lib.EVP_aes_256_ctr(), None, key, iv)
        good &= lib.EVP_EncryptUpdate(context, out, ctypes.byref(size), data, len(data))
    finally:
        lib.EVP_CIPHER_CTX_free(context)
    if good != 1 or size.value != len(data):
        raise DeviceError("libcrypto refuses AES-256 in counter mode")
    return out.raw[: len(data)]


def _kdf(z: bytes, octets: int) -> bytes:
    hashes = (hashlib.sha256(z + i.to_bytes(4, "big")).digest() for i in range(1, 1 + octets))
    return b"".join(hash for hash, _ in zip(hashes, range(0, octets, 32), strict=False))[:octets]


class SchemeVectors:
    """Vectors of a curve's schemes, from a seed: the same for every program."""

    def __init__(self, c: BinaryCurve, seed: int = 1) -> None:
        """Raises :class:`DeviceError` where libcrypto is not, or does not know the curve."""
        if not libcrypto.available():
            raise DeviceError(f"vectors of schemes: {libcrypto.HINT}")
        if not libcrypto.knows(c.name):
            raise NoDevice(f"vectors of schemes are libcrypto's, and it does not know {c.name}")
        self.curve, self.rng = c, random.Random(f"{c.name} {seed}")
        self.order_octets = -(-c.n.bit_length() // 8)
        self.text = self.rng.randbytes(TEXT)
        self.message = self.text[:MESSAGE]

    def _scalar(self, k: int) -> bytes:
        return k.to_bytes(self.order_octets, "big")

    def _point(self, point: Point) -> str:
        assert point is not None
        return "{" + ", ".join(_octets(v.to_bytes(self.curve.octets, "big")) for v in point) + "}"

    def _kp(self, k: int, point: Point) -> tuple[int, int]:
        found = libcrypto.kp(self.curve.name, k, point)
        assert found is not None
        return found

    def digests(self) -> str:
        """Octets of the text, SHA-1, SHA-256."""
        parts = [self.text[:n] for n in LENGTHS]
        hashes = ([_octets(hashlib.new(a, p).digest()) for a in ("sha1", "sha256")] for p in parts)
        return _rows([str(len(p)), *h] for p, h in zip(parts, hashes, strict=True))

    def ciphers(self) -> str:
        """Octets of the text, key, IV, the stream: the counter wraps in the second and third."""
        ivs = {MESSAGE: self.rng.randbytes(16), 33: b"\xff" * 16, 49: bytes(11) + b"\xff" * 5,
               0: self.rng.randbytes(16)}  # fmt: skip
        rows = []
        for n, iv in ivs.items():
            key = self.rng.randbytes(32)
            stream = _aes_ctr(key, iv, self.text[:n]) if n else b""
            rows.append([str(n), _octets(key), _octets(iv), _octets(stream)])
        return _rows(rows)

    def keys(self) -> str:
        """Octets wanted, Z, the derived key."""
        zs = [(n, self.rng.randbytes(self.curve.octets)) for n in (0, 20, 32, 48, 96)]
        return _rows([str(n), _octets(z), _octets(_kdf(z, n))] for n, z in zs)

    def numbers(self) -> str:
        """A, b, a + b, a b, 1/a."""
        n, words = self.curve.n, field_words(self.curve)
        some = [self.rng.randrange(n) for _ in range(12)]
        pairs = [*zip(some[::2], some[1::2], strict=True), (1, n - 1), (n - 1, n - 1), (2, n - 2),
                 (0, 5), (n - 1, 2), ((n + 1) // 2, 0)]  # fmt: skip
        return _rows(
            [f"{{{in_words(v, words)}}}" for v in
             (a, b, (a + b) % n, a * b % n, pow(a, -1, n) if a else 0)]
            for a, b in pairs
        )  # fmt: skip

    def residues(self) -> str:
        """Bits of an element, and their number modulo n."""
        c, words = self.curve, field_words(self.curve)
        top = (1 << c.field.m) - 1
        values = (0, 1, c.n - 1, c.n, top, c.n + 1, 2 * c.n - 1, 2 * c.n)
        pairs = ((v, v % c.n) for v in values if v <= top)
        return _rows([f"{{{in_words(v, words)}}}" for v in pair] for pair in pairs)

    def scalars(self) -> str:
        """Strings, and whether they are in 1 .. n - 1."""
        n, top = self.curve.n, (1 << 8 * self.order_octets) - 1
        values = (0, 1, n - 1, n, n + 1, top)
        return _rows([_octets(self._scalar(v)), "true" if 0 < v < n else "false"] for v in values)

    def pairs(self, count: int = 2) -> list[dict[str, int]]:
        """Keys and nonces with the signatures of the message."""
        n, found = self.curve.n, []
        e = int.from_bytes(hashlib.sha1(self.message).digest(), "big")
        for _ in range(count):
            d, k = (self.rng.randrange(1, n) for _ in range(2))
            r = self._kp(k, self.curve.generator)[0] % n
            s = pow(k, -1, n) * (e + r * d) % n
            found.append({"d": d, "k": k, "r": r, "s": s})
        return found

    def signatures(self, pairs: list[dict[str, int]]) -> str:
        """Private key, nonce, public key, signature."""
        return _rows(
            [_octets(self._scalar(v["d"])), _octets(self._scalar(v["k"])),
             self._point(self._kp(v["d"], self.curve.generator)),
             f"{{{_octets(self._scalar(v['r']))}, {_octets(self._scalar(v['s']))}}}"]
            for v in pairs
        )  # fmt: skip

    def forged(self) -> str:
        """A signature of the message that is right if its key, (0, 0), counts as infinity."""
        n, s = self.curve.n, self.rng.randrange(1, self.curve.n)
        e = int.from_bytes(hashlib.sha1(self.message).digest(), "big")
        r = self._kp(pow(s, -1, n) * e % n, self.curve.generator)[0] % n
        return f"{{{_octets(self._scalar(r))}, {_octets(self._scalar(s))}}}"

    def sealed(self) -> str:
        """Private key, public key, ephemeral scalar, R, IV, the stream of the message."""
        c, rows = self.curve, []
        for _ in range(2):
            d, k = (self.rng.randrange(1, c.n) for _ in range(2))
            public, iv = self._kp(d, c.generator), self.rng.randbytes(16)
            z = self._kp(k, public)[0].to_bytes(c.octets, "big")
            stream = _aes_ctr(_kdf(z, 32), iv, self.message)
            rows.append([
                _octets(self._scalar(d)), self._point(public), _octets(self._scalar(k)),
                self._point(self._kp(k, c.generator)), _octets(iv), _octets(stream),
            ])  # fmt: skip
        return _rows(rows)

    def bad_points(self) -> str:
        """Off the curve; with a bit that the field has not; of order 2; of order 2 n."""
        c, (x, y) = self.curve, self.curve.generator
        small = (0, c.field.sqrt(c.b))
        return ", ".join(
            self._point(p) for p in
            ((x, y ^ 1), (x ^ 1 << c.field.m, y), (x, y ^ 1 << c.field.m), (0, 0), small,
             c.add(small, c.generator))
        )  # fmt: skip


def scheme_vectors_header(c: BinaryCurve, seed: int = 1) -> str:
    """Return ``scheme_vectors.h``. Raises :class:`DeviceError` where there is no libcrypto."""
    v = SchemeVectors(c, seed)
    signatures = v.signatures(v.pairs())
    return f"""\
{FIRST}/* {c.name}, seed {seed}. Messages are the first octets of the text. */
#ifndef SCHEME_VECTORS_H
#define SCHEME_VECTORS_H
#include "schemes/schemes.h"

#define MESSAGE_OCTETS {MESSAGE}u
#define TEXT_OCTETS {TEXT}u

static const uint8_t text[TEXT_OCTETS] = {_octets(v.text)};

static const struct {{
    size_t octets;
    uint8_t sha1[SHA1_OCTETS], sha256[SHA256_OCTETS];
}} digests[] = {{
{v.digests()}
}};

static const struct {{
    size_t octets;
    uint8_t key[AES_KEY_OCTETS], iv[AES_BLOCK_OCTETS], stream[MESSAGE_OCTETS];
}} ciphers[] = {{
{v.ciphers()}
}};

static const struct {{
    size_t octets;
    uint8_t z[FIELD_OCTETS], key[96];
}} keys[] = {{
{v.keys()}
}};

static const struct {{
    order_t a, b, sum, product, inverse;
}} numbers[] = {{
{v.numbers()}
}};

static const struct {{
    gf2m_t a;
    order_t r;
}} residues[] = {{
{v.residues()}
}};

static const struct {{
    uint8_t octets[ORDER_OCTETS];
    bool right;
}} scalars[] = {{
{v.scalars()}
}};

static const struct {{
    uint8_t d[ORDER_OCTETS], nonce[ORDER_OCTETS];
    public_key_t key;
    signature_t signature;
}} signatures[] = {{
{signatures}
}};

/* Right for a key that counts as infinity. */
static const signature_t forged = {v.forged()};
static const public_key_t infinity = {{{{0}}, {{0}}}};

static const struct {{
    uint8_t d[ORDER_OCTETS];
    public_key_t key;
    uint8_t ephemeral[ORDER_OCTETS];
    public_key_t r;
    uint8_t iv[AES_BLOCK_OCTETS], stream[MESSAGE_OCTETS];
}} sealed[] = {{
{v.sealed()}
}};

/* Off the curve, outside the field, and, the last two, outside the group of order n. */
static const public_key_t bad_points[] = {{{v.bad_points()}}};
#endif
"""


def scheme_headers(c: BinaryCurve) -> dict[str, str]:
    """Return the headers by file name. Raises :class:`DeviceError` where there is no libcrypto."""
    return {
        "group.h": group_header(c),
        "aes_table.h": table_header(),
        "scheme_vectors.h": scheme_vectors_header(c),
    }
