# SPDX-License-Identifier: Apache-2.0
"""The commands that share a device among processes: serve; agent for ssh; reference for OpenSSL."""

from __future__ import annotations

import argparse
import contextlib
import grp
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ecsm.cli.common import (
    Add,
    UsageError,
    add_unprotected,
    check_protection,
    named,
    say_unprotected,
    tell,
)
from ecsm.cli.files import STREAM, write
from ecsm.cli.keys import Passphrases, key_file, passphrase_file, passphrases, small
from ecsm.schemes.wrap import DEVICE_KEY
from ecsm.trust import GROUP

if TYPE_CHECKING:
    from ecsm.device.remote import RemoteDevice
    from ecsm.device.server import Access

SOCKET = "ECSM_SOCKET"  # in the environment: where the socket is, of servers and of clients
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MOST_KEYS = 64
_MODES = ("0600", "0660", "0666")


def _keys(texts: list[str], curve: str, known: Passphrases) -> dict[str, bytes]:
    """Read NAME=FILE; return private keys of the curve by name. Raises UsageError."""
    found: dict[str, bytes] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if not path or not _NAME.fullmatch(name) or name in found:
            raise UsageError("--key takes NAME=FILE: another name for each, of A-Z a-z 0-9 _ . -")
        key = key_file(path, "key", private=True, passphrase=known)
        if key.curve.name != curve:
            raise UsageError(f"key {path} is of {key.curve.name}, the device of {curve}")
        found[name] = key.scalar
    if len(found) > _MOST_KEYS:
        raise UsageError(f"a device has {_MOST_KEYS} keys with names, at most")
    return found


def _device_key(path: str | None) -> bytes:
    """Read the device key; nothing if there is no file. Raises UsageError."""
    if path is None:
        return b""
    found = small(path, "device key", DEVICE_KEY)
    if len(found) != DEVICE_KEY or not any(found):
        raise UsageError(f"device key {path}: it is {DEVICE_KEY} random octets")
    return found


def _access(args: argparse.Namespace) -> Access | None:
    """Return who may connect, None if it is this user alone. Raises UsageError."""
    from ecsm.device.server import Access

    if args.group is None and args.mode is None:
        return None
    mode = "0660" if args.mode is None else args.mode
    if mode not in _MODES:
        raise UsageError(f"--mode takes one of {', '.join(_MODES)}")
    group = None
    if args.group is not None:
        try:
            group = grp.getgrnam(args.group).gr_gid
        except (KeyError, ValueError):
            raise UsageError(f"there is no group {args.group!r}") from None
    return Access(group, int(mode, 8))


def _serve(args: argparse.Namespace) -> int:
    import asyncio

    from ecsm.device.schemes import SchemeDevice
    from ecsm.device.server import Server, listening, passed
    from ecsm.device.service import Service
    from ecsm.presets.table import any_preset
    from ecsm.presets.word import WordPreset, only_here
    from ecsm.schemes.program import without_schemes
    from ecsm.schemes.word.program import word_operations

    p = any_preset(args.preset)
    if why := only_here(p):
        raise UsageError(why)
    check_protection(p, args)
    if none := without_schemes(p, args.wide):  # before anything is where others look for it
        raise UsageError(none)
    access = _access(args)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(passed())
        path = os.environ.get(SOCKET) if args.socket is None else args.socket
        if listener is not None:
            if args.socket is not None or access is not None:
                raise UsageError("systemd has the socket: no --socket, --group, --mode")
            path = listener.getsockname()
        if not path:
            raise UsageError(f"--socket PATH, or {SOCKET} in the environment, says where to listen")
        keys = _keys(args.key, p.curve.name, passphrases(args))
        device_key = _device_key(args.device_key)
        if device_key and not (isinstance(p, WordPreset) and "wrap" in word_operations(p)):
            raise UsageError(f"{args.preset} wraps no keys: word-full does, and its other curves")
        if listener is None:
            listener = stack.enter_context(listening(Path(path), access))
        try:
            device = SchemeDevice(args.preset, wide=args.wide, log=tell)
        except ValueError as error:
            raise UsageError(str(error)) from None
        with device:
            server = Server(Service(device, keys, device_key))
            say_unprotected(p)
            tell(f"serving {args.preset}, {device.curve.name}, at {path}")
            asyncio.run(server.run(listener))
    tell(f"closed after {server.jobs:,} jobs")
    return 0


def _server(args: argparse.Namespace) -> RemoteDevice:
    """Open the device of ecsm serve. Raises UsageError if nothing says where that is."""
    from ecsm.device.opening import open_device
    from ecsm.device.remote import RemoteDevice

    at = os.environ.get(SOCKET)
    address = args.device
    if address is None:  # an empty one is not that of the environment
        address = f"unix:{at}" if at else ""
    if not address.startswith("unix:"):
        raise UsageError(
            f"--device unix:PATH, or {SOCKET} in the environment, says where ecsm serve is"
        )
    device = open_device(address)
    assert isinstance(device, RemoteDevice)
    return device


def _agent(args: argparse.Namespace) -> int:
    import asyncio

    from ecsm.device.agent import Agent, serve
    from ecsm.device.server import listening

    with _server(args) as device:
        agent = Agent(device, args.key or None)
        agent.keys()
        with listening(args.socket) as listener:
            names = ", ".join(agent.names)
            tell(f"serving {names} of {device.uri}: export SSH_AUTH_SOCK={args.socket}")
            asyncio.run(serve(agent, listener))
    tell(f"closed after {agent.signatures:,} signatures")
    return 0


def _reference(args: argparse.Namespace) -> int:
    from ecsm.schemes.encoding import reference_pem

    with _server(args) as device:
        device.handle(args.name)
    write(args.out, reference_pem(args.name))
    return 0


def _of_server(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--device", metavar="unix:PATH", help=f"of ecsm serve; default: what {SOCKET} says"
    )


def commands(add: Add) -> None:
    """Add the commands."""
    p = add("serve", _serve, "share one device among processes, over a Unix socket")
    p.add_argument("--preset", default="word-p256", help="default: %(default)s")
    p.add_argument("--wide", action="store_true", help="with SHA-384 and SHA-512")
    p.add_argument(
        "--socket", metavar="PATH",
        help="in a folder that no other user can write to, but for members of the group that"
        f" {GROUP} names; default: what {SOCKET} says, or the socket that systemd passes",
    )  # fmt: skip
    p.add_argument(
        "--group", metavar="NAME", help="group of the socket, whose members may connect"
    )  # fmt: skip
    p.add_argument(
        "--mode", metavar="MODE",
        help=f"of the socket: {', '.join(_MODES)}; default: 0660 with --group, else 0600",
    )  # fmt: skip
    p.add_argument(
        "--key", action="append", default=[], metavar="NAME=FILE",
        help="a private key, PEM or DER, that every client may compute with by its name",
    )  # fmt: skip
    p.add_argument(
        "--device-key", metavar="FILE",
        help="32 random octets: clients get their own keys wrapped with it, and bring them back",
    )  # fmt: skip
    passphrase_file(
        p, "passphrase of the encrypted keys, one for all: the first line; default: ask"
    )
    add_unprotected(p)
    p = add("agent", _agent, "let ssh and git sign with the keys of ecsm serve")
    _of_server(p)
    p.add_argument(
        "--socket", metavar="PATH", required=True, type=named,
        help="where ssh finds it, by SSH_AUTH_SOCK; in a folder that no other user can write to",
    )  # fmt: skip
    p.add_argument(
        "--key", action="append", default=[], metavar="NAME",
        help="a key that is shown; default: all that have names",
    )  # fmt: skip
    p = add("reference", _reference, "a PEM file that names a key of ecsm serve, for OpenSSL")
    p.add_argument("name", metavar="NAME", help="of the key")
    _of_server(p)
    p.add_argument("-o", "--out", default=STREAM, help="the PEM file, default standard output")
