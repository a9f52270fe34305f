# SPDX-License-Identifier: Apache-2.0
"""Secure boot on the system on chip: signed images, and the boot program that starts no other one.

The boot program (``sw/boot``) and the public key are in memory that cannot be written. It takes an
image from the serial port, verifies its ECDSA-P256 signature on the word engine, and jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

from ecsm.device.base import DeviceError
from ecsm.device.extras import need
from ecsm.resources import resource
from ecsm.sim.cache import Log
from ecsm.soc.firmware import image, sources
from ecsm.soc.headers import FIRST
from ecsm.soc.libraries import BEARSSL
from ecsm.soc.simulation import Exit, Soc
from ecsm.soc.system import System, system

BOOT = resource("sw", "boot")
UNIT, COUPLING = "schemes-word-p256", "lc"
MAGIC, HEADER = b"ECSB", 16
ROOM = 28 << 10
"""Octets of header and program, at most."""
ROM = 32
"""KiB of memory that cannot be written."""
PATIENCE = 2_000_000
"""Cycles after which an image that stops coming is given up."""
OCTETS = 32
VERSIONS = 1 << 32


def body(program: bytes, version: int) -> bytes:
    """Return what is signed: the header of an image, and its program.

    Raises ValueError for a version that is no number of 32 bits, or a program that is empty or too
    large.
    """
    if not 0 <= version < VERSIONS:
        raise ValueError(f"version {version}: 0 to {VERSIONS - 1} are versions")
    if not 0 < len(program) <= ROOM - HEADER:
        raise ValueError(f"a program of {len(program):,} octets: 1 to {ROOM - HEADER:,} are loaded")
    return MAGIC + version.to_bytes(4, "big") + len(program).to_bytes(4, "big") + bytes(4) + program


def signed(octets: bytes, key: int) -> bytes:
    """Return the image of a :func:`body`; ``key``: the private key, a number.

    The nonce is RFC 6979's. Any other program may sign: the signature is in DER, as openssl has it,
    and an octet with its length is before it.
    """
    signer = DSS.new(ECC.construct(curve="P-256", d=key), "deterministic-rfc6979", encoding="der")
    signature = signer.sign(SHA256.new(octets))
    return octets + bytes([len(signature)]) + signature


def compiled(app: str, log: Log | None = None, more: Sequence[str] = ()) -> bytes:
    """Return the program that is loaded: of ``sw/firmware/apps``, or a file of one's own.

    Raises :class:`ecsm.device.base.DeviceError` if it does not compile.
    """
    main, others = sources(app, more, "ecsm soc sign --help")
    of = replace(_system().program, layout=_layout("app.ld"))
    return image(main, of, log, others)


def key_header(public: tuple[int, int], minimum: int) -> str:
    """Return ``boot_key.h``: the public key and the least version that is started."""
    x, y = (", ".join(f"{o}" for o in n.to_bytes(OCTETS, "big")) for n in public)
    defines = {
        "BOOT_X": f"{{{x}}}", "BOOT_Y": f"{{{y}}}", "BOOT_MINIMUM": f"{minimum}u",
        "BOOT_PATIENCE": f"{PATIENCE}u",
    }  # fmt: skip
    return FIRST + "".join(f"#define {name} {value}\n" for name, value in defines.items())


def boot_program(
    public: tuple[int, int], minimum: int = 0, log: Log | None = None, software: bool = False
) -> bytes:
    """Return the image of the boot program with a public key; ``software``: it verifies itself."""
    s = _system().program
    of = replace(
        s, headers={**s.headers, "boot_key.h": key_header(public, minimum)},
        layout=_layout("boot.ld"), includes=(*s.includes, BOOT),
    )  # fmt: skip
    if software:
        of = replace(of, sources=(), library=BEARSSL, defines=("BOOT_SOFTWARE",))
    return image(BOOT / "boot.c", of, log)


def _layout(name: str) -> str:
    """Return a linker script of ``sw/boot``."""
    return (BOOT / name).read_text(encoding="utf-8")


def _system() -> System:
    need("pythondata_cpu_vexriscv")
    return system(UNIT, COUPLING, rom=ROM)


def boot(
    octets: bytes,
    public: tuple[int, int],
    minimum: int = 0,
    log: Log | None = None,
    heard: Callable[[bytes], None] | None = None,
    cycles: int = 200_000_000,
    software: bool = False,
) -> Exit:
    """Run the boot program in simulation, and send it an image; return how it all ended.

    ``software``: BearSSL verifies on the CPU, and not the block.

    Raises :class:`ecsm.device.base.DeviceError`, and SocTimeout for an image that goes on.
    """
    s = _system()
    with Soc(s.name, s.text, boot_program(public, minimum, log, software), log) as soc:
        said = b""
        while b"boot: ready\n" not in said:
            new, status = soc.slice(10_000)
            said += new
            if status is not None:
                raise DeviceError("the boot program does not begin")
        if heard:
            heard(said)
        soc.send(octets)
        done = soc.run(cycles, heard)
    return replace(done, output=said + done.output)
