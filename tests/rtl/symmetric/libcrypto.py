# SPDX-License-Identifier: Apache-2.0
"""HMAC_DRBG and AES of the system's libcrypto 3, by ctypes: an oracle that no one here wrote.

Source: OpenSSL manual pages EVP_RAND(3), EVP_RAND-HMAC-DRBG(7), EVP_RAND-TEST-RAND(7),
EVP_EncryptInit(3).
"""

from __future__ import annotations

import ctypes
from functools import cache

from ecsm.oracle import libcrypto

_VOID, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_BYTES, _UINT = ctypes.c_char_p, ctypes.c_uint
_PROTOTYPES = {
    "EVP_RAND_fetch": (_VOID, [_VOID, _BYTES, _BYTES]),
    "EVP_RAND_CTX_new": (_VOID, [_VOID, _VOID]),
    "EVP_RAND_CTX_free": (None, [_VOID]),
    "EVP_RAND_free": (None, [_VOID]),
    "EVP_RAND_CTX_set_params": (_INT, [_VOID, _VOID]),
    "EVP_RAND_instantiate": (_INT, [_VOID, _UINT, _INT, _BYTES, _SIZE, _VOID]),
    "EVP_RAND_generate": (_INT, [_VOID, _BYTES, _SIZE, _UINT, _INT, _BYTES, _SIZE]),
    "EVP_RAND_reseed": (_INT, [_VOID, _INT, _BYTES, _SIZE, _BYTES, _SIZE]),
    "EVP_CIPHER_fetch": (_VOID, [_VOID, _BYTES, _BYTES]),
    "EVP_CIPHER_free": (None, [_VOID]),
    "EVP_CIPHER_CTX_new": (_VOID, []),
    "EVP_CIPHER_CTX_free": (None, [_VOID]),
    "EVP_CIPHER_CTX_set_padding": (_INT, [_VOID, _INT]),
    "EVP_CipherInit_ex": (_INT, [_VOID, _VOID, _VOID, _BYTES, _BYTES, _INT]),
    "EVP_CipherUpdate": (_INT, [_VOID, _BYTES, ctypes.POINTER(_INT), _BYTES, _INT]),
    "EVP_CipherFinal_ex": (_INT, [_VOID, _BYTES, ctypes.POINTER(_INT)]),
}


class _Param(ctypes.Structure):
    _fields_ = (
        ("key", _BYTES), ("type", _UINT), ("data", _VOID), ("size", _SIZE), ("returned", _SIZE),
    )  # fmt: skip


_UNSIGNED, _TEXT, _OCTETS = 2, 4, 5


@cache
def _library() -> ctypes.CDLL:
    lib = ctypes.CDLL(libcrypto.path())
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def _params(**values: int | str | bytes) -> ctypes.Array[_Param]:
    made = []
    for name, value in values.items():
        if isinstance(value, int):
            data, kind = value.to_bytes(4, "little"), _UNSIGNED
        elif isinstance(value, str):
            data, kind = value.encode(), _TEXT
        else:
            data, kind = value, _OCTETS
        buffer = ctypes.create_string_buffer(data, len(data) or 1)
        p = _Param(name.encode(), kind, ctypes.cast(buffer, _VOID), len(data), 0)
        p.kept = buffer
        made.append(p)
    return (_Param * (len(made) + 1))(*made)


def _check(result: int) -> None:
    if result != 1:
        raise libcrypto.OracleError("libcrypto refuses")


class HmacDrbg:
    """libcrypto's HMAC-DRBG with entropy and nonce that are given to it."""

    def __init__(self, alg: str, entropy: bytes, nonce: bytes, extra: bytes) -> None:
        self.lib = lib = _library()
        self._kept: list[object] = []
        source = lib.EVP_RAND_fetch(None, b"TEST-RAND", None)
        self.parent = lib.EVP_RAND_CTX_new(source, None)
        kind = lib.EVP_RAND_fetch(None, b"HMAC-DRBG", None)
        self.context = lib.EVP_RAND_CTX_new(kind, self.parent)
        self._set(self.parent, strength=256, test_entropy=entropy, test_nonce=nonce)
        _check(lib.EVP_RAND_instantiate(self.parent, 256, 0, None, 0, None))
        self._set(self.context, digest=alg.upper(), mac="HMAC")
        _check(lib.EVP_RAND_instantiate(self.context, 128, 0, extra, len(extra), None))

    def _set(self, context: int, **values: int | str | bytes) -> None:
        params = _params(**values)
        self._kept.append(params)
        _check(self.lib.EVP_RAND_CTX_set_params(context, params))

    def update(self, entropy: bytes, extra: bytes) -> None:
        """Reseed."""
        self._set(self.parent, test_entropy=entropy)
        _check(self.lib.EVP_RAND_reseed(self.context, 0, None, 0, extra, len(extra)))

    def generate(self, octets: int, extra: bytes = b"") -> bytes:
        """Return octets."""
        out = ctypes.create_string_buffer(octets)
        _check(self.lib.EVP_RAND_generate(self.context, out, octets, 128, 0, extra, len(extra)))
        return out.raw


def aes(
    mode: str, key: bytes, iv: bytes, data: bytes, decrypt: bool = False, pad: bool = False
) -> bytes:
    """Return AES of data in a mode ("ecb", "cbc", "ctr"); ``pad``: with PKCS #7's padding.

    Raises :class:`~ecsm.oracle.libcrypto.OracleError` for padding that is none.
    """
    lib = _library()
    cipher = lib.EVP_CIPHER_fetch(None, f"AES-{8 * len(key)}-{mode}".upper().encode(), None)
    context = lib.EVP_CIPHER_CTX_new()
    out, n = ctypes.create_string_buffer(len(data) + 32), _INT()
    try:
        _check(lib.EVP_CipherInit_ex(context, cipher, None, key, iv, int(not decrypt)))
        lib.EVP_CIPHER_CTX_set_padding(context, int(pad))
        _check(lib.EVP_CipherUpdate(context, out, ctypes.byref(n), data, len(data)))
        done = n.value
        rest = ctypes.create_string_buffer(32)
        _check(lib.EVP_CipherFinal_ex(context, rest, ctypes.byref(n)))
        return out.raw[:done] + rest.raw[: n.value]
    finally:
        lib.EVP_CIPHER_CTX_free(context)
        lib.EVP_CIPHER_free(cipher)
