# SPDX-License-Identifier: Apache-2.0
"""One public-key operation of libcrypto, alone in a process: its time and its memory.

Run by path, not imported: ``python -I -S workload.py LIBRARY ecdh CURVE SECONDS`` or ``... rsa BITS
SECONDS``. It imports nothing of this package, so that its memory is that of the operation. Prints
one line of JSON: :func:`main`. Exit code 3 and a line on standard error if libcrypto cannot do it.

- ``ecdh``: ``ECDH_compute_key`` with a random key and a random peer, without the cofactor: kP and
  the affine x-coordinate. On curve25519 it is X25519, ``EVP_PKEY_derive``.
- ``rsa``: ``RSA_private_encrypt`` with PKCS #1 padding: the private operation with CRT, blinding
  and OpenSSL's own check of the result.

RSA keys are not generated: n is the product of the two largest primes below 2^(bits/2) that suit
e = 65537 (:data:`PRIMES`), because generating 15360 bits takes minutes. Such a key protects
nothing. The operation takes the same time as with any other key: Montgomery arithmetic does not
look at the values (``tests/measure/test_compare.py`` holds it against a generated key).

Source: OpenSSL manual pages ECDH_compute_key(3), EVP_PKEY_derive(3), RSA_private_encrypt(3),
RSA_set0_key(3), OPENSSL_malloc(3).
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

PRIMES: dict[int, tuple[int, int]] = {
    1024: (569, 629),
    2048: (105, 179),
    3072: (3453, 4977),
    7680: (4953, 13869),
    15360: (2963, 4325),
}
"""For a modulus of so many bits: 2^(bits/2) - c is prime for both c."""

E = 65537
BATCHES = 5
MISSING = 3
_V, _I, _S, _Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "CRYPTO_set_mem_functions": (_I, [_V] * 3),
    "BN_bin2bn": (_V, [_S, _I, _V]),
    "EC_KEY_new_by_curve_name": (_V, [_I]),
    "EC_KEY_generate_key": (_I, [_V]),
    "EC_KEY_get0_public_key": (_V, [_V]),
    "ECDH_compute_key": (_I, [_V, _Z, _V, _V, _V]),
    "EVP_PKEY_CTX_new": (_V, [_V, _V]),
    "EVP_PKEY_CTX_new_from_name": (_V, [_V, _S, _S]),
    "EVP_PKEY_derive": (_I, [_V, _V, _V]),
    "EVP_PKEY_derive_init": (_I, [_V]),
    "EVP_PKEY_derive_set_peer": (_I, [_V, _V]),
    "EVP_PKEY_generate": (_I, [_V, _V]),
    "EVP_PKEY_keygen_init": (_I, [_V]),
    "OBJ_sn2nid": (_I, [_S]),
    "RSA_new": (_V, []),
    "RSA_set0_key": (_I, [_V] * 4),
    "RSA_set0_factors": (_I, [_V] * 3),
    "RSA_set0_crt_params": (_I, [_V] * 4),
    "RSA_private_encrypt": (_I, [_I, _S, _V, _V, _I]),
    "RSA_public_decrypt": (_I, [_I, _S, _V, _V, _I]),
}


class Missing(Exception):
    """libcrypto lacks the function or the curve, or refuses."""


class Heap:
    """Counts what libcrypto has allocated: octets now and at most. Needs glibc."""

    def __init__(self, lib: ctypes.CDLL) -> None:
        libc = ctypes.CDLL(None)
        libc.malloc.restype = libc.realloc.restype = _V
        libc.malloc.argtypes, libc.realloc.argtypes, libc.free.argtypes = [_Z], [_V, _Z], [_V]
        libc.malloc_usable_size.argtypes, libc.malloc_usable_size.restype = [_V], _Z
        self.now = self.most = 0

        def count(change: int) -> None:
            self.now += change
            self.most = max(self.most, self.now)

        def size(pointer: int | None) -> int:
            return int(libc.malloc_usable_size(pointer)) if pointer else 0

        def malloc(n: int, _file: bytes, _line: int) -> int | None:
            pointer: int | None = libc.malloc(n)
            count(size(pointer))
            return pointer

        def realloc(old: int | None, n: int, _file: bytes, _line: int) -> int | None:
            before = size(old)
            pointer: int | None = libc.realloc(old, n)
            count(size(pointer) - before)
            return pointer

        def free(pointer: int | None, _file: bytes, _line: int) -> None:
            count(-size(pointer))
            libc.free(pointer)

        self._keep = (
            ctypes.CFUNCTYPE(_V, _Z, _S, _I)(malloc),
            ctypes.CFUNCTYPE(_V, _V, _Z, _S, _I)(realloc),
            ctypes.CFUNCTYPE(None, _V, _S, _I)(free),
        )
        if lib.CRYPTO_set_mem_functions(*(ctypes.cast(f, _V) for f in self._keep)) != 1:
            raise Missing("libcrypto does not let its allocations be counted")


def load(path: str) -> ctypes.CDLL:
    """Return libcrypto with its prototypes set; raises :class:`Missing`."""
    try:
        lib = ctypes.CDLL(path)
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise Missing(f"libcrypto is not usable: {error}") from None
    return lib


def ecdh(lib: ctypes.CDLL, curve: str) -> Callable[[], None]:
    """Return an ECDH derivation on a curve; raises :class:`Missing`."""
    if curve == "curve25519":
        return x25519(lib)
    nid = lib.OBJ_sn2nid(curve.encode())
    keys = [lib.EC_KEY_new_by_curve_name(nid) if nid else None for _ in range(2)]
    if None in keys:
        raise Missing(f"libcrypto does not know {curve}")
    if any(lib.EC_KEY_generate_key(key) != 1 for key in keys):
        raise Missing(f"libcrypto generates no key on {curve}")
    peer = lib.EC_KEY_get0_public_key(keys[1])
    out = ctypes.create_string_buffer(128)

    def derive() -> None:
        if lib.ECDH_compute_key(out, len(out), peer, keys[0], None) <= 0:
            raise Missing(f"libcrypto derives nothing on {curve}")

    return derive


def x25519(lib: ctypes.CDLL) -> Callable[[], None]:
    """Return an X25519 derivation; raises :class:`Missing`."""
    maker = lib.EVP_PKEY_CTX_new_from_name(None, b"X25519", None)
    keys = [ctypes.c_void_p(), ctypes.c_void_p()]
    if not maker or lib.EVP_PKEY_keygen_init(maker) != 1:
        raise Missing("libcrypto does not know X25519")
    if any(lib.EVP_PKEY_generate(maker, ctypes.byref(key)) != 1 for key in keys):
        raise Missing("libcrypto generates no key on X25519")
    work = lib.EVP_PKEY_CTX_new(keys[0], None)
    if lib.EVP_PKEY_derive_init(work) != 1 or lib.EVP_PKEY_derive_set_peer(work, keys[1]) != 1:
        raise Missing("libcrypto takes no peer on X25519")
    out, size = ctypes.create_string_buffer(32), ctypes.c_size_t(32)

    def derive() -> None:
        if lib.EVP_PKEY_derive(work, out, ctypes.byref(size)) != 1:
            raise Missing("libcrypto derives nothing on X25519")

    return derive


def rsa(lib: ctypes.CDLL, bits: int) -> Callable[[], None]:
    """Return an RSA private operation with a modulus of 1024, ... 15360 bits."""
    p, q = ((1 << bits // 2) - c for c in PRIMES[bits])
    n, d = p * q, pow(E, -1, (p - 1) * (q - 1))
    assert n.bit_length() == bits

    def number(value: int) -> int:
        raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
        made: int = lib.BN_bin2bn(raw, len(raw), None)
        return made

    key = lib.RSA_new()
    lib.RSA_set0_key(key, number(n), number(E), number(d))
    lib.RSA_set0_factors(key, number(p), number(q))
    crt = (d % (p - 1), d % (q - 1), pow(q, -1, p))
    lib.RSA_set0_crt_params(key, *map(number, crt))
    return private(lib, key, bits)


def private(lib: ctypes.CDLL, key: int, bits: int) -> Callable[[], None]:
    """Return the private operation of a key, tried once against its public operation."""
    message = b"ecsm"
    out = ctypes.create_string_buffer(bits // 8)
    back = ctypes.create_string_buffer(bits // 8)

    def sign() -> None:
        if lib.RSA_private_encrypt(len(message), message, out, key, 1) != bits // 8:
            raise Missing(f"libcrypto refuses RSA of {bits} bits")

    sign()
    size = lib.RSA_public_decrypt(len(out), out.raw, back, key, 1)
    if back.raw[: max(size, 0)] != message:
        raise Missing(f"libcrypto's RSA of {bits} bits is wrong")
    return sign


def timed(operation: Callable[[], None], seconds: float) -> list[float]:
    """Return seconds of processor time an operation, one figure for each of BATCHES batches."""
    count, spent = 1, 0.0
    while True:
        start = time.process_time()
        for _ in range(count):
            operation()
        spent = time.process_time() - start
        if spent * BATCHES * 2 >= seconds or spent >= seconds:
            break
        count *= 2
    found = []
    for _ in range(BATCHES):
        start = time.process_time()
        for _ in range(count):
            operation()
        found.append((time.process_time() - start) / count)
    return found


def resident_kb() -> int:
    """Return the most memory this program has held, in KiB (Linux)."""
    # Not getrusage: its figure includes what the parent held before this program was started.
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123, nothing imported
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def main(argv: list[str]) -> int:
    """Print ``seconds`` of each batch, memory in KiB before and at most; or ``heap`` octets.

    With ``heap`` in place of SECONDS the allocations are counted instead: what libcrypto holds at
    most while it makes a key and does the operation with it, beyond what is left from another key
    and operation before.
    """
    _, path, kind, what, limit = argv
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with its caller (Linux)
    try:
        lib = load(path)
        heap = Heap(lib) if limit == "heap" else None
        lib.OBJ_sn2nid(b"none")  # libcrypto sets itself up at its first use
        base = resident_kb()

        def make() -> Callable[[], None]:
            return ecdh(lib, what) if kind == "ecdh" else rsa(lib, int(what))

        operation = make()
        operation()
        if heap is not None:
            heap.most = start = heap.now
            make()()
            print(json.dumps({"heap": heap.most - start}), flush=True)
            return 0
        batches = timed(operation, float(limit))
        print(json.dumps({"seconds": batches, "base_kb": base, "peak_kb": resident_kb()}))
    except Missing as error:
        print(error, file=sys.stderr)
        return MISSING
    return 0


if __name__ == "__main__":
    # At once: libcrypto frees what it holds at the end, when Heap's functions are gone.
    code = main(sys.argv)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
