# SPDX-License-Identifier: Apache-2.0
"""The demonstrations: one kP, an encrypted message, the e-cheque, the live picture."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ecsm.cli.common import FAILED, Add, Command, UsageError, count, named, scalar, tell
from ecsm.cli.files import STREAM, check_outputs, write
from ecsm.files import user_folder
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset

ECHEQUE_PORT = 8021
LAST_PORT = 65_535
MESSAGE = "The eagle has landed"


def _kp(args: argparse.Namespace) -> int:
    from ecsm.demo.kp import demo
    from ecsm.demo.word import word_line

    code = demo("b163-fast" if args.preset is None else args.preset)
    if args.preset is None:
        line, valid = word_line()
        print(f"\n{line}")
        code = code or int(not valid)
    return code


def _ecies(args: argparse.Namespace) -> int:
    from ecsm.demo.ecies import PRESET, demo_ecies

    name = PRESET if args.preset is None else args.preset
    any_preset(name)
    try:
        return demo_ecies(name, MESSAGE if args.message is None else args.message)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _state() -> Path:
    """Return the folder where a program keeps what it must not lose. Raises UsageError."""
    found = user_folder("XDG_STATE_HOME", ".local/state")
    if found is None:
        raise UsageError("no home directory: --data has to name a folder")
    return found


def _echeque(args: argparse.Namespace) -> int:
    from ecsm.demo.echeque.core import DEFAULT, offered
    from ecsm.demo.echeque.run import Unusable, run

    name = DEFAULT if args.preset is None else args.preset
    if name not in {p.name for p in offered()}:
        if isinstance(any_preset(name), WordPreset):
            lacks = "EC-AES, which an e-cheque is sealed with, no masks, or no key files"
            raise UsageError(f"{name} has no {lacks}")
        raise UsageError(f"{name} has no schemes, or not in constant time")
    port = ECHEQUE_PORT if args.port is None else args.port
    if port > LAST_PORT:
        raise UsageError(f"--port is from 0 to {LAST_PORT}")
    device = args.device or "sim"
    folder = "echeque" if device == "sim" else f"echeque-{device}"
    try:
        return run(name, port, args.data or _state() / folder, device)
    except Unusable as error:
        raise UsageError(str(error)) from None


def _live(args: argparse.Namespace) -> int:
    from ecsm.demo.live.page import page
    from ecsm.demo.live.recorder import DEFAULT, presets, record
    from ecsm.progress import Progress

    name = DEFAULT if args.preset is None else args.preset
    any_preset(name)
    if name not in (shown := presets(toys=True)):
        bare = name.removesuffix("-full").removesuffix("-check")
        instead = [f"; {n} has one" for n in (bare, f"{name}-none") if n in shown]
        what = "it is for kP, of one thread, without protection"
        raise UsageError(f"{name} has no live picture: {what}{''.join(instead)}")
    args.out = args.out or Path(f"live-{name}.html")
    check_outputs(args)
    out = os.fspath(args.out)
    with Progress() as progress:
        text = page(record(name, args.k, progress))
    write(out, text.encode())
    if out != STREAM:
        tell(f"open {out} in a browser")
    return 0


DEMOS: dict[str, Command] = {"kp": _kp, "ecies": _ecies, "echeque": _echeque, "live": _live}
_OPTIONS = {
    "message": "ecies", "port": "echeque", "device": "echeque", "data": "echeque", "k": "live",
    "out": "live",
}  # fmt: skip
"""Options that one demonstration has alone."""


def _demo(args: argparse.Namespace) -> int:
    for option, demo in _OPTIONS.items():
        if getattr(args, option) is not None and args.what != demo:
            raise UsageError(f"--{option} is of ecsm demo {demo}")
    return DEMOS[args.what](args)


def commands(add: Add) -> None:
    """Add the command."""
    p = add(
        "demo", _demo, "kp: one point, one core, one table, one signature; ecies: a message,"
        " encrypted and decrypted; echeque: cheques in a web browser; live: a page that shows a kP"
        " running",
    )  # fmt: skip
    p.set_defaults(unheard=FAILED)
    p.add_argument("what", nargs="?", choices=tuple(DEMOS), default="kp", metavar="DEMO")
    p.add_argument(
        "--preset", help="default: b163-fast; of ecies cityu-ecsm, of echeque b233-small, of live"
        " b163-small",
    )  # fmt: skip
    p.add_argument("--message", help=f"of ecies, default: {MESSAGE}")
    p.add_argument(
        "--port", type=count,
        help=f"of echeque: on the loopback interface, default {ECHEQUE_PORT}; 0: any that is free",
    )  # fmt: skip
    p.add_argument(
        "--device", choices=("sim", "soc"),
        help="of echeque: the core by itself, or the system on chip whose firmware asks it (ECDSA"
        " with SHA-1, as the published demonstration); default sim",
    )  # fmt: skip
    p.add_argument("--data", type=named, help="of echeque: the folder of its databases and keys")
    p.add_argument(
        "--k", type=scalar, help="of live: the scalar, which the page shows: never a secret one"
    )
    p.add_argument("-o", "--out", type=named, help="of live: the page, default live-PRESET.html")
