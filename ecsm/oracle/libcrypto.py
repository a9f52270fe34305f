# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's libcrypto (3.0 or later) of the system, by ctypes: kP, aG + bP, parameters.

Known error (seen in 3.0.19): on sect233k1, sect239k1, sect283k1, sect409k1 and sect571k1, for the
point (1, 0) of order 4 and k = 3 modulo 4, the result is P instead of -P. It seems that a point
with y = 0 is treated as its own negative. Compare points of small order with
:meth:`ecsm.curves.BinaryCurve.mul` instead.

Source: OpenSSL manual pages EC_GROUP_new(3), EC_POINT_add(3), BN_bin2bn(3).
"""

from __future__ import annotations

import ctypes
import ctypes.util
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

from ecsm.curves import Point, curve

HINT = "needs OpenSSL's libcrypto 3 with binary curves: install libssl3 (Debian) or openssl"
"""What to tell a user where :func:`available` is false."""

_NAMES = ("libcrypto.so.3", "libcrypto.3.dylib")
_OTHER_NAMES = {"secp192r1": "prime192v1", "secp256r1": "prime256v1"}  # those that are X9.62's
_VOID = ctypes.c_void_p
_INT = ctypes.c_int

# Function: result type, argument types.
_PROTOTYPES: dict[str, tuple[type, list[type]]] = {
    "BN_CTX_free": (_VOID, [_VOID]),
    "BN_CTX_new": (_VOID, []),
    "BN_bin2bn": (_VOID, [ctypes.c_char_p, _INT, _VOID]),
    "BN_bn2binpad": (_INT, [_VOID, ctypes.c_char_p, _INT]),
    "BN_clear_free": (_VOID, [_VOID]),
    "BN_new": (_VOID, []),
    "BN_num_bits": (_INT, [_VOID]),
    "EC_GROUP_free": (_VOID, [_VOID]),
    "EC_GROUP_get0_cofactor": (_VOID, [_VOID]),
    "EC_GROUP_get0_generator": (_VOID, [_VOID]),
    "EC_GROUP_get0_order": (_VOID, [_VOID]),
    "EC_GROUP_get_curve": (_INT, [_VOID] * 5),
    "EC_GROUP_get_degree": (_INT, [_VOID]),
    "EC_GROUP_new_by_curve_name": (_VOID, [_INT]),
    "EC_POINT_clear_free": (_VOID, [_VOID]),
    "EC_POINT_get_affine_coordinates": (_INT, [_VOID] * 5),
    "EC_POINT_is_at_infinity": (_INT, [_VOID] * 2),
    "EC_POINT_mul": (_INT, [_VOID] * 6),
    "EC_POINT_new": (_VOID, [_VOID]),
    "EC_POINT_set_affine_coordinates": (_INT, [_VOID] * 5),
    "EC_POINT_set_to_infinity": (_INT, [_VOID] * 2),
    "ERR_clear_error": (_VOID, []),
    "ERR_get_error": (ctypes.c_ulong, []),
    "ERR_reason_error_string": (ctypes.c_char_p, [ctypes.c_ulong]),
    "OBJ_sn2nid": (_INT, [ctypes.c_char_p]),
    "OpenSSL_version": (ctypes.c_char_p, [_INT]),
    "OpenSSL_version_num": (ctypes.c_ulong, []),
}


class OracleError(RuntimeError):
    """The oracle is missing, does not know the curve, or refuses the input."""


@dataclass(frozen=True)
class GroupParams:
    """Domain parameters as libcrypto has them: as in :class:`ecsm.curves.BinaryCurve`.

    ``poly`` is the field's polynomial, or the prime of a :class:`ecsm.curves.PrimeCurve`.
    """

    poly: int
    a: int
    b: int
    generator: tuple[int, int]
    n: int
    h: int


@cache
def _load() -> ctypes.CDLL | None:
    """Return libcrypto with its prototypes set, or None where there is no usable one."""
    for name in (*_NAMES, ctypes.util.find_library("crypto")):
        if name is None:
            continue
        try:
            lib = ctypes.CDLL(name)
            for function, (result, arguments) in _PROTOTYPES.items():
                prototype = getattr(lib, function)
                prototype.restype, prototype.argtypes = result, arguments
        except (OSError, AttributeError):
            continue
        if lib.OpenSSL_version_num() >= 0x30000000:
            return lib
    return None


def _require() -> ctypes.CDLL:
    lib = _load()
    if lib is None:
        raise OracleError(HINT)
    return lib


def own_name(curve_name: str) -> str:
    """Return libcrypto's name of a curve of SEC 2: the same, but for two."""
    return _OTHER_NAMES.get(curve_name, curve_name)


@cache
def available() -> bool:
    """Whether the system has a libcrypto 3 that knows binary curves."""
    try:
        group_params("sect163r2")
    except OracleError:
        return False
    return True


def knows(curve_name: str) -> bool:
    """Whether the system has a libcrypto 3 that knows the curve."""
    try:
        with _Session(curve_name):
            return True
    except OracleError:
        return False


def path() -> str:
    """Return the name by which libcrypto was loaded, for another process to load the same.

    Raises:
        OracleError: there is no libcrypto 3.
    """
    name: str = _require()._name
    return name


def version() -> str:
    """Return libcrypto's own version line.

    Raises:
        OracleError: there is no libcrypto 3.
    """
    text: bytes = _require().OpenSSL_version(0)
    return text.decode()


def kp(curve_name: str, k: int, point: Point) -> Point:
    """Return kP as libcrypto computes it (see the module's docstring for where it errs).

    Args:
        curve_name: name or alias of a curve of SEC 2.
        k: scalar, at least 0, of any size.
        point: a point of the curve, or None for infinity.

    Raises:
        OracleError: no libcrypto, no such curve in it, k negative, or point not on the curve.
    """
    if k < 0:
        raise OracleError("k must not be negative")
    with _Session(curve_name) as s:
        source, result = s.point(point), s.new_point()
        s.check(s.lib.EC_POINT_mul(s.group, result, None, source, s.number(k), s.ctx))
        return s.affine(result)


def double_kp(curve_name: str, a: int, b: int, point: Point) -> Point:
    """Return aG + bP, G the curve's generator; arguments and errors as of :func:`kp`."""
    if a < 0 or b < 0:
        raise OracleError("a and b must not be negative")
    with _Session(curve_name) as s:
        source, result = s.point(point), s.new_point()
        s.check(s.lib.EC_POINT_mul(s.group, result, s.number(a), source, s.number(b), s.ctx))
        return s.affine(result)


def group_params(curve_name: str) -> GroupParams:
    """Return the domain parameters of a curve of SEC 2.

    Raises:
        OracleError: no libcrypto, or no such curve in it.
    """
    with _Session(curve_name) as s:
        poly, a, b = (s.new_number() for _ in range(3))
        s.check(s.lib.EC_GROUP_get_curve(s.group, poly, a, b, s.ctx))
        generator = s.affine(s.lib.EC_GROUP_get0_generator(s.group))
        if generator is None:
            raise OracleError(f"libcrypto has no generator for {curve_name}")
        order = s.value(s.lib.EC_GROUP_get0_order(s.group))
        cofactor = s.value(s.lib.EC_GROUP_get0_cofactor(s.group))
        return GroupParams(s.value(poly), s.value(a), s.value(b), generator, order, cofactor)


class _Session:
    """The objects of one call, all freed (and cleared) when it ends."""

    def __init__(self, curve_name: str) -> None:
        self.lib = _require()
        self._stack = ExitStack()
        self.lib.ERR_clear_error()
        try:
            name = curve(curve_name).name
        except KeyError as error:
            raise OracleError(str(error)) from None
        nid = self.lib.OBJ_sn2nid(own_name(name).encode())
        group = self.lib.EC_GROUP_new_by_curve_name(nid) if nid else None
        if group is None:
            self.lib.ERR_clear_error()
            raise OracleError(f"libcrypto does not know {name}")
        self._stack.callback(self.lib.EC_GROUP_free, group)
        self.group: int = group
        self.degree: int = self.lib.EC_GROUP_get_degree(group)
        self.ctx = self._own(self.lib.BN_CTX_new(), "BN_CTX_free")

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _own(self, pointer: int | None, free: str) -> int:
        if pointer is None:
            raise OracleError("libcrypto is out of memory")
        self._stack.callback(getattr(self.lib, free), pointer)
        return pointer

    def check(self, result: int) -> None:
        """Raise OracleError, with libcrypto's reason, unless the result is 1."""
        if result != 1:
            reason: bytes | None = self.lib.ERR_reason_error_string(self.lib.ERR_get_error())
            self.lib.ERR_clear_error()
            raise OracleError(f"libcrypto: {(reason or b'unknown error').decode()}")

    def new_number(self) -> int:
        return self._own(self.lib.BN_new(), "BN_clear_free")

    def number(self, value: int) -> int:
        raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
        return self._own(self.lib.BN_bin2bn(raw, len(raw), None), "BN_clear_free")

    def value(self, number: int) -> int:
        size = (self.lib.BN_num_bits(number) + 7) // 8
        raw = ctypes.create_string_buffer(size)
        if self.lib.BN_bn2binpad(number, raw, size) != size:
            raise OracleError("libcrypto: number does not fit")
        return int.from_bytes(raw.raw, "big")

    def new_point(self) -> int:
        return self._own(self.lib.EC_POINT_new(self.group), "EC_POINT_clear_free")

    def point(self, point: Point) -> int:
        result = self.new_point()
        if point is None:
            self.check(self.lib.EC_POINT_set_to_infinity(self.group, result))
            return result
        if any(c < 0 or c.bit_length() > self.degree for c in point):
            raise OracleError("coordinate outside the field")
        x, y = map(self.number, point)
        set_point = self.lib.EC_POINT_set_affine_coordinates
        self.check(set_point(self.group, result, x, y, self.ctx))
        return result

    def affine(self, point: int) -> Point:
        if self.lib.EC_POINT_is_at_infinity(self.group, point):
            return None
        x, y = self.new_number(), self.new_number()
        get_point = self.lib.EC_POINT_get_affine_coordinates
        self.check(get_point(self.group, point, x, y, self.ctx))
        return self.value(x), self.value(y)
