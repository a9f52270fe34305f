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
from ecsm.names import UnknownName

if TYPE_CHECKING:
    from ecsm.device.remote import RemoteDevice
    from ecsm.device.schemes import SchemeDevice

# What a curve's schemes run on unless --preset says: where no word engine has the operation, small
# cores, which compile in a minute or two.
DEFAULTS = {
    "sect163r2": "b163-small", "sect233r1": "b233-small", "sect283r1": "b283-small",
    "secp224r1": "p224-small", "secp256r1": "p256-small", "secp256k1": "k256-small",
}  # fmt: skip

ONE_OF_TWO = "--device says what computes: it takes no --preset"


def default_preset(c: Curve, operation: str) -> str:
    """Return the preset that computes: a word engine, which compiles in seconds, if it can.

    Those with all schemes are taken where they are named: they sign the same, in a larger netlist.
    """
    from ecsm.presets.table import presets_of
    from ecsm.presets.word import WordPreset
    from ecsm.schemes.word.program import word_operations

    for p in presets_of(c):
        if isinstance(p, WordPreset) and not p.full and operation in word_operations(p):
            return p.name
    if c.name in DEFAULTS:
        return DEFAULTS[c.name]
    for p in presets_of(c):
        if not (isinstance(p, WordPreset) or p.variable_time or p.double):
            return p.name
    raise UsageError(f"there is no core of {c.name}: see ecsm list")


@contextlib.contextmanager
def scheme_device(
    args: argparse.Namespace, c: Curve, operation: str, digest: str = ""
) -> Iterator[SchemeDevice | RemoteDevice]:
    """Open the device of a curve for an operation: what --device says, or a simulated preset."""
    with contextlib.ExitStack() as stack:
        if args.device is None:
            name = default_preset(c, operation) if args.preset is None else args.preset
            device: SchemeDevice | RemoteDevice = stack.enter_context(_simulated(name, c, digest))
        else:
            name = args.device
            device = stack.enter_context(_at(args, c))
        try:
            yield device
        except UnknownName as error:
            raise UsageError(f"{name}: {error}") from None
        if args.cycles:
            tell(f"{name}: {device.last_cycles:,} cycles")


def _simulated(name: str, c: Curve, digest: str) -> SchemeDevice:
    from ecsm.device.schemes import SchemeDevice
    from ecsm.presets.table import any_preset

    of = any_preset(name).curve.name
    if of != c.name:
        raise UsageError(f"{name} is a core of {of}, the key of {c.name}")
    try:
        device = SchemeDevice(name, wide=digest in ("sha384", "sha512"), log=tell)
    except ValueError as error:
        raise UsageError(str(error)) from None
    try:
        device.run("seed")  # without it a masked machine takes no key, as ecsm serve does it
    except BaseException:
        device.close()
        raise
    return device


def _at(args: argparse.Namespace, c: Curve) -> RemoteDevice:
    """Return the device at an address."""
    from ecsm.device.opening import open_device
    from ecsm.device.remote import RemoteDevice

    if args.preset is not None:
        raise UsageError(ONE_OF_TWO)
    if args.device.startswith("sim:"):
        raise UsageError("--device is of a device elsewhere: --preset names a simulated core")
    device = open_device(args.device, tell)
    assert isinstance(device, RemoteDevice)
    if device.curve.name != c.name:
        device.close()
        raise UsageError(f"{args.device} is a device of {device.curve.name}, the key of {c.name}")
    return device


def common(p: argparse.ArgumentParser, out: str = "where it goes") -> argparse.ArgumentParser:
    """Add what every command of a scheme has: its core, and ``out`` if something goes out."""
    p.add_argument("--preset", help="core that computes; default: a small one of the curve")
    p.add_argument(
        "--device", metavar="ADDRESS",
        help="device that computes instead: unix:PATH of ecsm serve, serial:PATH, soc:PRESET",
    )  # fmt: skip
    p.add_argument("--cycles", action="store_true", help="say how many the operation took")
    if out:
        p.add_argument("-o", "--out", default=STREAM, help=f"{out}, default standard output")
    return p


def file(p: argparse.ArgumentParser, what: str) -> None:
    """Add the file that is read."""
    p.add_argument("file", nargs="?", default=STREAM, help=f"{what}, default standard input")
