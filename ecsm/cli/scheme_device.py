# SPDX-License-Identifier: Apache-2.0
"""The simulated device of a command, and the arguments that choose it."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ecsm.cli.common import UsageError, tell
from ecsm.cli.files import STREAM
from ecsm.curves import Curve
from ecsm.presets.table import preset

if TYPE_CHECKING:
    from ecsm.device.schemes import SchemeDevice

# What a curve's schemes run on unless --preset says: small cores compile in a minute or two.
DEFAULTS = {
    "sect163r2": "b163-small", "sect233r1": "b233-small", "sect283r1": "b283-small",
    "secp224r1": "p224-small", "secp256r1": "p256-small", "secp256k1": "k256-small",
}  # fmt: skip


def default_preset(c: Curve, verify: bool) -> str:
    """Return the preset that computes; to verify, one of aG + bP if the curve has one."""
    from ecsm.presets.table import presets_of

    fit = [p for p in presets_of(c) if not p.variable_time]
    double = [p.name for p in fit if getattr(p, "double", False)]
    single = [p.name for p in fit if p.name not in double]
    if verify and double:
        return double[0]
    if c.name in DEFAULTS:
        return DEFAULTS[c.name]
    if not single:
        raise UsageError(f"there is no core of {c.name}: see ecsm list")
    return single[0]


@contextlib.contextmanager
def scheme_device(
    args: argparse.Namespace, c: Curve, digest: str = "", verify: bool = False
) -> Iterator[SchemeDevice]:
    """Open the device of a curve."""
    from ecsm.device.schemes import SchemeDevice

    name = args.preset or default_preset(c, verify)
    if preset(name).curve.name != c.name:
        raise UsageError(f"{name} is a core of {preset(name).curve.name}, the key of {c.name}")
    try:
        device = SchemeDevice(name, wide=digest in ("sha384", "sha512"), log=tell)
    except ValueError as error:
        raise UsageError(str(error)) from None
    with device:
        yield device
        if args.cycles:
            tell(f"{name}: {device.last_cycles:,} cycles")


def common(p: argparse.ArgumentParser, out: str = "where it goes") -> argparse.ArgumentParser:
    """Add what every command of a scheme has: its core, and ``out`` if something goes out."""
    p.add_argument("--preset", help="core that computes; default: a small one of the curve")
    p.add_argument("--cycles", action="store_true", help="say how many the operation took")
    if out:
        p.add_argument("-o", "--out", default=STREAM, help=f"{out}, default standard output")
    return p


def file(p: argparse.ArgumentParser, what: str) -> None:
    """Add the file that is read."""
    p.add_argument("file", nargs="?", default=STREAM, help=f"{what}, default standard input")
