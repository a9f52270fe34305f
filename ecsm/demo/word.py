# SPDX-License-Identifier: Apache-2.0
"""One line about the word engine: a signature that it makes, and what verifies it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess

from ecsm.curves import Curve
from ecsm.device.schemes import SchemeDevice
from ecsm.oracle import libcrypto
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.report.word import area_is_current
from ecsm.results.kept import known
from ecsm.results.record import load_synth
from ecsm.schemes.encoding import Key, public_pem, signature_der
from ecsm.signals import scratch

PRESET = "word-p256"
MESSAGE = b"The eagle has landed"


def word_line() -> tuple[str, bool]:
    """Sign on the word engine and verify elsewhere; return the line, and whether it is valid."""
    with Progress() as progress:
        progress(f"opening {PRESET}")
        with SchemeDevice(PRESET, log=progress) as device:
            device.run("seed")
            public = device.run("generate").strings
            made = device.run("sign-sha256", hashlib.sha256(MESSAGE).digest())
            curve = device.curve
    who, valid = verified(curve, public, made.strings)
    text = f"a signature in {made.cycles:,} cycles, {'valid' if valid else 'INVALID'} by {who}"
    return f"whole ECDSA on {curve.name}, preset {PRESET}{area()}: {text}", valid


def area() -> str:
    """Return what the preset takes on ECP5, and if that was measured of earlier RTL.

    Nothing if it was never measured.
    """
    p = WORD_PRESETS[PRESET]
    found = load_synth(PRESET, p.target, known())
    if found is None:
        return ""
    when = "" if area_is_current(p, found) else " at an earlier commit"
    lut, dsp, bram = (found.area[kind] for kind in ("lut", "dsp", "bram"))
    return f", in {lut:,} LUTs, {dsp} DSP blocks, {bram} block RAMs{when}"


def verified(c: Curve, public: tuple[bytes, ...], signature: tuple[bytes, ...]) -> tuple[str, bool]:
    """Verify a signature of the message; return by what, and whether it is valid.

    By the command openssl; where there is none, by aG + bP of libcrypto or the textbook.
    """
    if program := shutil.which("openssl"):
        return "openssl", _openssl(program, c, public, signature)
    r, s = (int.from_bytes(v, "big") for v in signature)
    x, y = (int.from_bytes(v, "big") for v in public)
    e = int.from_bytes(hashlib.sha256(MESSAGE).digest(), "big")
    if not (0 < r < c.n and 0 < s < c.n):
        return "its range", False
    a, b = (v * pow(s, -1, c.n) % c.n for v in (e, r))
    if libcrypto.knows(c.name):
        who, point = "libcrypto's aG + bP", libcrypto.double_kp(c.name, a, b, (x, y))
    else:
        who, point = "aG + bP", c.add(c.mul(a, c.generator), c.mul(b, (x, y)))
    return who, point is not None and point[0] % c.n == r


def _openssl(
    program: str, c: Curve, public: tuple[bytes, ...], signature: tuple[bytes, ...]
) -> bool:
    x, y = (int.from_bytes(v, "big") for v in public)
    with scratch() as folder:
        (folder / "public.pem").write_bytes(public_pem(Key(c, None, (x, y))))
        (folder / "signature").write_bytes(signature_der(*signature))
        (folder / "message").write_bytes(MESSAGE)
        words = ("dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message")
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0
