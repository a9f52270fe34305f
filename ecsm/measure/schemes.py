# SPDX-License-Identifier: Apache-2.0
"""Cycles of whole schemes on simulated cores: measured, kept, compared with published ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from ecsm.device.schemes import SchemeDevice
from ecsm.hdl.machines import machine
from ecsm.presets.table import any_preset
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.results.kept import AWhere, Where
from ecsm.results.record import load, write_json
from ecsm.results.sources import scheme_digest, word_digest
from ecsm.schemes.assembler import octets_of
from ecsm.schemes.options import DEVICE, GIVEN, encryption_flags
from ecsm.schemes.wrap import DEVICE_KEY

DEFAULT = ("b163-small", "b233-small", "b283-fast", "p256-fast", "p256-sign", "k256-glv",
           "k256-sign")  # fmt: skip
MORE = ("p256-verify", "k256-verify", "p256-throughput", "k256-throughput")
MASKED = (
    "b163-small-full", "b163-compact-full", "b233-small-full",
    "p256-fast-full", "k256-fast-full", "p256-small-full",
)  # fmt: skip
"""Around cores that take random words."""
WIDE = ("p384-fast", "p384-verify")
"""Measured with SHA-384 and SHA-512."""
KEPT = [(n, False) for n in (*DEFAULT, *MORE, *MASKED)] + [(n, True) for n in WIDE]
"""What is kept: a preset, and whether it is wide."""
D, E = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468, 0x77  # private keys of both parties
MESSAGE = bytes(range(64))
Strings = tuple[bytes, ...]


class Run(Protocol):
    """Runs an operation and keeps its cycles."""

    def __call__(self, operation: str, *strings: bytes, flags: int = 0, what: str = "") -> Strings:
        """Return its strings; ``what``: of a second run with other flags."""


OTHERS = {
    False: (
        ("ecies", encryption_flags("ecies", cofactor=True), " (cofactor)"),
        (
            "ecies", encryption_flags("ecies", False, "aes128-cbc", "sha1", "sha1"),
            " (AES-128 in CBC, SHA-1)",
        ),
    ),
    True: (),
}  # fmt: skip
"""ECIES with other options, of machines that are wide and not: scheme, flags, what they are."""
PUBLISHED = {
    ("secp256k1", "encapsulate"): "52,000",
    ("secp256k1", "decapsulate"): "52,000",
    ("secp256r1", "encapsulate"): "80,000",
    ("secp256r1", "decapsulate"): "80,000",
    ("sect283r1", "encapsulate"): "4,900",
    ("sect283r1", "decapsulate"): "4,900",
    ("secp256r1", "sign"): "704,126 (OTBN)",
    ("secp256r1", "verify"): "420,220 (OTBN)",
    ("secp384r1", "sign"): "932,990 (Caliptra)",
    ("secp384r1", "verify"): "1,223,938 (Caliptra)",
    ("secp384r1", "generate"): "909,648 (Caliptra)",
}
"""Cycles that others have published, by curve and operation; PSEC-KEM's are of one document."""


@dataclass(frozen=True)
class SchemeCycles:
    """Cycles of a preset's operations, accepted request to valid answer.

    ``rtl``: digest of the generated modules and what they are made of. ``wide``: the machine has
    SHA-384 and SHA-512. ``carried``: the digest of what was measured, if that was another text of
    the same circuit (:mod:`ecsm.backend.carry`).
    """

    preset: str
    curve: str
    rtl: str
    cycles: dict[str, int]
    wide: bool = False
    carried: str = ""


@dataclass(frozen=True)
class Schemes:
    """What ``command`` has measured."""

    command: str
    results: list[SchemeCycles]


def schemes_path(root: AWhere) -> AWhere:
    """Return where the cycles are kept."""
    return root / "schemes.json"


def load_scheme_cycles(name: str, wide: bool, root: Where) -> SchemeCycles | None:
    """Return the cycles that are kept of a preset's machine, None if there are none."""
    kept = load(Schemes, schemes_path(root))
    found = kept.results if kept else []
    return next((r for r in found if (r.preset, r.wide) == (name, wide)), None)


def digest(name: str, wide: bool = False) -> str:
    """Return the digest of a preset's schemes as they are now."""
    p = any_preset(name)
    return word_digest(p) if isinstance(p, WordPreset) else scheme_digest(machine(name, wide))


def kept_as(operation: str, alg: str = "sha256") -> str:
    """Return the name that an operation's cycles are kept by."""
    return operation.removesuffix(f"-{alg}")


def measure(name: str, tell: Callable[[str], None], wide: bool = False) -> SchemeCycles:
    """Run every operation that it has once, with fixed keys and random octets of the test mode.

    ``tables``: their loading, if it takes them from the host.
    """
    rtl = digest(name, wide)
    p = any_preset(name)
    curve, word = p.curve, isinstance(p, WordPreset)
    octets = octets_of(curve.n.bit_length())
    alg = "sha384" if wide else "sha256"
    found: dict[str, int] = {}
    with SchemeDevice(name, wide, tell) as device:
        if device.machine.tables is not None:
            found["tables"] = device.last_cycles
        device.samples(bytes(range(48)))

        def run(operation: str, *strings: bytes, flags: int = 0, what: str = "") -> Strings:
            tell(f"{name}: {operation}")
            result = device.run(operation, *strings, flags=flags)
            found[kept_as(operation, alg) + what] = result.cycles
            return result.strings

        seeded = device.run("seed-test")
        device.run("load", (E % curve.n).to_bytes(octets, "big"), slot=1)
        run("load", (D % curve.n).to_bytes(octets, "big"))
        other = device.run("public", slot=1).strings
        own = run("public")
        message = hashlib.new(alg, MESSAGE).digest()
        if "x25519" in device.operations:
            run("x25519", *other)
        elif "sign-ed25519" in device.operations:
            run("verify-ed25519", *own, *run("sign-ed25519", MESSAGE), MESSAGE)
        else:
            run(f"verify-{alg}", *own, message, *run(f"sign-{alg}", message))
            run("ecdh", *other)
        if "ecmqv" in device.operations:
            _beyond_signatures(run, own, other, wide)
        elif "sha256" in device.operations:
            run("sha256", MESSAGE)
        if word:
            _rest(run, [o for o in device.operations if kept_as(o, alg) not in found], own, other)
            found["seed-test"] = seeded.cycles
        run("generate")
        if "self-test" in device.operations:
            run("self-test")
        if word:
            run("forget")
            device.zeroize()  # it is in the test mode
            run("seed")
        if "wrap" in device.operations:
            device.zeroize()
            device.run("wrap", bytes(range(1, DEVICE_KEY + 1)), flags=DEVICE)
            device.run("load", (D % curve.n).to_bytes(octets, "big"))
            run("unwrap", *run("wrap"))
    return SchemeCycles(name, curve.name, rtl, found, wide)


def _beyond_signatures(run: Run, own: Strings, other: Strings, wide: bool) -> None:
    """Run what a word engine has not."""
    hashed = hashlib.sha256(MESSAGE).digest()
    run("ecmqv", *other, *own)
    for scheme, flags, what in (("ecies", 0, ""), *OTHERS[wide], ("ecies-xor", 0, "")):
        sealed = run(f"{scheme}-encrypt", *own, MESSAGE, b"", b"", flags=flags, what=what)
        run(f"{scheme}-decrypt", *sealed, b"", b"", flags=flags, what=what)
    run("ec-aes-decrypt", *run("ec-aes-encrypt", *own, MESSAGE))
    if not wide:
        run("encapsulate", *own, hashed, flags=GIVEN, what=" (r given)")
        run("decapsulate", *run("encapsulate", *own)[:3])


def _rest(run: Run, operations: Sequence[str], own: Strings, other: Strings) -> None:
    """Run what a word engine has beside: other digests, the cofactor, demonstrations."""
    for operation in operations:
        verb, _, alg = operation.rpartition("-")
        if verb == "sign":
            hashed = hashlib.new(alg, MESSAGE).digest()
            run(f"verify-{alg}", *own, hashed, *run(operation, hashed))
        elif not verb and alg.startswith("sha"):
            run(operation, MESSAGE)
        elif operation == "ecdh-cofactor":
            run(operation, *other)
        elif operation == "demo-encrypt":
            run("demo-decrypt", *run(operation, *own, MESSAGE[: len(own[0])]))


def _keep(row: SchemeCycles, root: Where) -> None:
    """Put a row in the place of an older one, in the order of :data:`KEPT`."""
    before = load(Schemes, schemes_path(root))
    rows = {(r.preset, r.wide): r for r in (*(before.results if before else ()), row)}
    kept = [rows[of] for of in KEPT if of in rows]
    write_json(schemes_path(root), asdict(Schemes("ecsm schemes", kept)))


def schemes(names: Sequence[str], as_json: bool, wide: bool, root: Where) -> int:
    """Measure presets' schemes and print them; those of :data:`KEPT` are kept below ``root``.

    Each is kept as soon as it is measured, beside those that are there. Without names all are
    measured.
    """
    rows = []
    with Progress() as progress:
        for name, big in [(name, wide) for name in names] or KEPT:
            rows.append(measure(name, progress, big))
            if (name, big) in KEPT:
                _keep(rows[-1], root)
    if as_json:
        print(json.dumps(asdict(Schemes("ecsm schemes", rows)), indent=1))
        return 0
    for row in rows:
        print(f"{row.preset} ({row.curve}{', wide' if row.wide else ''}), cycles")
        for operation, cycles in row.cycles.items():
            theirs = PUBLISHED.get((row.curve, operation.removesuffix(" (r given)")), "")
            beside = f"   published {theirs}" if theirs else ""
            print(f"  {operation:26}{cycles:>10,}{beside}")
    return 0
