# SPDX-License-Identifier: Apache-2.0
"""X25519, and Ed25519's public keys and verification, by OpenSSL's libcrypto; keys are octets.

Source: OpenSSL manual pages EVP_PKEY_new(3), EVP_PKEY_derive(3), EVP_DigestVerifyInit(3);
obj_mac.h (numbers of types).
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from ecsm.oracle.libcrypto import OracleError, path

X25519, ED25519 = 1034, 1087  # NID_X25519, NID_ED25519
OCTETS = 32
_VOID, _INT, _SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "ERR_clear_error": (_VOID, []),
    "EVP_DigestVerify": (_INT, [_VOID, ctypes.c_char_p, _SIZE, ctypes.c_char_p, _SIZE]),
    "EVP_DigestVerifyInit": (_INT, [_VOID] * 5),
    "EVP_MD_CTX_free": (None, [_VOID]),
    "EVP_MD_CTX_new": (_VOID, []),
    "EVP_PKEY_CTX_free": (_VOID, [_VOID]),
    "EVP_PKEY_CTX_new": (_VOID, [_VOID, _VOID]),
    "EVP_PKEY_derive": (_INT, [_VOID] * 3),
    "EVP_PKEY_derive_init": (_INT, [_VOID]),
    "EVP_PKEY_derive_set_peer": (_INT, [_VOID] * 2),
    "EVP_PKEY_free": (_VOID, [_VOID]),
    "EVP_PKEY_get_raw_public_key": (_INT, [_VOID] * 3),
    "EVP_PKEY_new_raw_private_key": (_VOID, [_INT, _VOID, ctypes.c_char_p, _SIZE]),
    "EVP_PKEY_new_raw_public_key": (_VOID, [_INT, _VOID, ctypes.c_char_p, _SIZE]),
}


@cache
def _library() -> ctypes.CDLL:
    lib = ctypes.CDLL(path())
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def x25519(k: bytes, u: bytes) -> bytes:
    """Return RFC 7748's X25519(k, u), each of 32 octets.

    Raises:
        OracleError: no libcrypto; or it refuses, as it does where the result would be zero.
    """
    lib = _library()
    out, size = ctypes.create_string_buffer(OCTETS), _SIZE(OCTETS)
    key = lib.EVP_PKEY_new_raw_private_key(X25519, None, k, len(k))
    peer = lib.EVP_PKEY_new_raw_public_key(X25519, None, u, len(u))
    ctx = lib.EVP_PKEY_CTX_new(key, None) if key and peer else None
    try:
        done = (
            ctx is not None
            and lib.EVP_PKEY_derive_init(ctx) == 1
            and lib.EVP_PKEY_derive_set_peer(ctx, peer) == 1
            and lib.EVP_PKEY_derive(ctx, out, ctypes.byref(size)) == 1
        )
    finally:
        lib.EVP_PKEY_CTX_free(ctx)
        lib.EVP_PKEY_free(peer)
        lib.EVP_PKEY_free(key)
        lib.ERR_clear_error()
    if not done:
        raise OracleError("libcrypto derives no X25519 secret")
    return out.raw


def ed25519_public(seed: bytes) -> bytes:
    """Return the public key of an Ed25519 private key of 32 octets (RFC 8032, 5.1.5).

    Raises:
        OracleError: no libcrypto, or it refuses.
    """
    lib = _library()
    out, size = ctypes.create_string_buffer(OCTETS), _SIZE(OCTETS)
    key = lib.EVP_PKEY_new_raw_private_key(ED25519, None, seed, len(seed))
    done = key and lib.EVP_PKEY_get_raw_public_key(key, out, ctypes.byref(size)) == 1
    lib.EVP_PKEY_free(key)
    lib.ERR_clear_error()
    if not done:
        raise OracleError("libcrypto makes no Ed25519 public key")
    return out.raw


def ed25519_verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether a signature of Ed25519 is one (RFC 8032, 5.1.7, without the cofactor).

    Raises:
        OracleError: no libcrypto, or it refuses the key.
    """
    lib = _library()
    key = lib.EVP_PKEY_new_raw_public_key(ED25519, None, public, len(public))
    ctx = lib.EVP_MD_CTX_new()
    begun = key and lib.EVP_DigestVerifyInit(ctx, None, None, None, key) == 1
    found = begun and lib.EVP_DigestVerify(ctx, signature, len(signature), message, len(message))
    lib.EVP_MD_CTX_free(ctx)
    lib.EVP_PKEY_free(key)
    lib.ERR_clear_error()
    if not begun:
        raise OracleError("libcrypto takes no such key of Ed25519")
    return bool(found == 1)
