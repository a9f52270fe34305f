# SPDX-License-Identifier: Apache-2.0
"""Statuses of the core port, as in rtl/common/ecsm_pkg.sv, and one exception for each."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """What a core answers beside the point."""

    OK = 0
    COORDINATE_OUT_OF_RANGE = 1
    POINT_NOT_ON_CURVE = 2
    SCALAR_OUT_OF_RANGE = 3
    LOW_ORDER_POINT = 4
    SIGNATURE_INVALID = 5
    AUTHENTICATION_FAILED = 6
    FAULT_DETECTED = 7
    BUSY = 8
    UNSUPPORTED = 9
    NO_ENTROPY = 10
    NO_KEY = 11


MEANINGS = {
    Status.OK: "The job has ended well.",
    Status.COORDINATE_OUT_OF_RANGE: "A coordinate is not a field element.",
    Status.POINT_NOT_ON_CURVE: "The point does not satisfy the curve equation.",
    Status.SCALAR_OUT_OF_RANGE: (
        "The scalar does not fit the port, or is not in 1 .. n-1 where a scheme asks for it."
    ),
    Status.LOW_ORDER_POINT: "The point has low order and the scheme refuses it.",
    Status.SIGNATURE_INVALID: "The signature does not verify.",
    Status.AUTHENTICATION_FAILED: "A tag or a decapsulation does not verify.",
    Status.FAULT_DETECTED: "The core caught an inconsistency of its own.",
    Status.BUSY: "The core is working on another job.",
    Status.UNSUPPORTED: "The core does not have this operation.",
    Status.NO_ENTROPY: "The entropy source failed or is missing.",
    Status.NO_KEY: "The key slot is empty.",
}
"""What a status says, in documents. A docstring is not there under ``python -OO``."""


class CoreError(Exception):
    """A core answered with an error; ``status`` says which. Never holds a secret."""

    status = Status.FAULT_DETECTED


class CoordinateOutOfRange(CoreError, ValueError):
    """A coordinate is not a field element."""

    status = Status.COORDINATE_OUT_OF_RANGE


class PointNotOnCurve(CoreError, ValueError):
    """The point does not satisfy the curve equation."""

    status = Status.POINT_NOT_ON_CURVE


class ScalarOutOfRange(CoreError, ValueError):
    """The scalar does not fit the port, or is not in 1 .. n-1 where a scheme asks for it."""

    status = Status.SCALAR_OUT_OF_RANGE


class LowOrderPoint(CoreError, ValueError):
    """The point has low order and the scheme refuses it."""

    status = Status.LOW_ORDER_POINT


class SignatureInvalid(CoreError):
    """The signature does not verify."""

    status = Status.SIGNATURE_INVALID


class AuthenticationFailed(CoreError):
    """A tag or a decapsulation does not verify."""

    status = Status.AUTHENTICATION_FAILED


class FaultDetected(CoreError):
    """The core caught an inconsistency of its own."""

    status = Status.FAULT_DETECTED


class Busy(CoreError):
    """The core is working on another job."""

    status = Status.BUSY


class Unsupported(CoreError):
    """The core does not have this operation."""

    status = Status.UNSUPPORTED


class NoEntropy(CoreError):
    """The entropy source failed or is missing."""

    status = Status.NO_ENTROPY


class NoKey(CoreError):
    """The key slot is empty."""

    status = Status.NO_KEY


ERRORS: dict[Status, type[CoreError]] = {
    cls.status: cls
    for cls in (
        CoordinateOutOfRange,
        PointNotOnCurve,
        ScalarOutOfRange,
        LowOrderPoint,
        SignatureInvalid,
        AuthenticationFailed,
        FaultDetected,
        Busy,
        Unsupported,
        NoEntropy,
        NoKey,
    )
}
