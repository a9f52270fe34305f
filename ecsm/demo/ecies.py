# SPDX-License-Identifier: Apache-2.0
"""The demonstration of encryption on a core: ECIES simplified to c = m XOR x(r Q)."""

from __future__ import annotations

import os

from rich.console import Console
from rich.markup import escape

from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.machines import machine
from ecsm.progress import Progress

PRESET = "cityu-ecsm"  # the published demonstration ran on sect163r1


def demo_ecies(name: str, text: str) -> int:
    """Encrypt a text to a key on preset ``name`` and decrypt it; return 1 if another comes out.

    Raises ValueError for a text that is longer than a coordinate, and for a preset without it.
    """
    found = machine(name)
    if "demo-encrypt" not in found.program.operations:
        raise ValueError(f"{name} has no demo-encrypt: take a core")
    size = found.curve.octets
    message = os.fsencode(text)
    if len(message) > size:
        raise ValueError(f"the message has {len(message)} octets, and a coordinate {size}")
    message = message.ljust(size, b"\0")
    out = Console(highlight=False, soft_wrap=True)
    with Progress() as progress, SchemeDevice(name, log=progress) as device:
        progress("making a key")
        device.run("seed")
        public = device.run("generate")
        sealed = device.run("demo-encrypt", *public.strings, message)
        opened = device.run("demo-decrypt", *sealed.strings)
    (decrypted,) = opened.strings
    out.print(f"[bold]ECIES, simplified, on {device.curve.name}, preset {name}[/bold]")
    out.print("c = m XOR x(r Q): no key derivation and no tag. A demonstration, not encryption:")
    out.print(
        "who alters c alters m, and nobody notices. [bold]ecsm encrypt[/bold] is the real one.\n"
    )
    rows = [
        ("public key", public.strings), ("message", (message,)), ("r G", sealed.strings[:2]),
        ("c", sealed.strings[2:]), ("decrypted", opened.strings),
    ]  # fmt: skip
    for label, strings in rows:
        for i, octets in enumerate(strings):
            out.print(f"  {'' if i else label:12}{octets.hex()}")
    same = decrypted == message
    verdict = "[green]equal[/green]" if same else "[red]DIFFERENT[/red]"
    shown = decrypted.rstrip(b"\0").decode(errors="replace") if same else ""
    out.print(f"\n  {verdict}  {escape(shown)}", markup=True)
    out.print(f"  cycles      {sealed.cycles:,} to encrypt, two kP; {opened.cycles:,} to decrypt")
    return 0 if same else 1
