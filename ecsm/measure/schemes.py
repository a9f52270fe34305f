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
from ecsm.markdown import markdown_table, number
from ecsm.presets.table import any_preset
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import load, write_json
from ecsm.results.sources import scheme_digest
from ecsm.schemes.assembler import octets_of
from ecsm.schemes.options import GIVEN, encryption_flags

DEFAULT = ("b163-small", "b233-small", "b283-fast", "p256-fast", "k256-glv", "word-p256")
MORE = ("p256-verify", "k256-verify", "p256-throughput", "k256-throughput")
WIDE = ("p384-fast", "p384-verify")
"""Measured with SHA-384 and SHA-512."""
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
    SHA-384 and SHA-512.
    """

    preset: str
    curve: str
    rtl: str
    cycles: dict[str, int]
    wide: bool = False


@dataclass(frozen=True)
class Schemes:
    """What ``command`` has measured."""

    command: str
    results: list[SchemeCycles]


def schemes_path(root: AWhere) -> AWhere:
    """Return where the cycles are kept."""
    return root / "schemes.json"


def digest(name: str, wide: bool = False) -> str:
    """Return the digest of a preset's schemes as they are now."""
    return scheme_digest(machine(name, wide))


def measure(name: str, tell: Callable[[str], None], wide: bool = False) -> SchemeCycles:
    """Run every operation that it has once, with fixed keys and random octets of the test mode."""
    curve = any_preset(name).curve
    octets = octets_of(curve.n.bit_length())
    alg = "sha384" if wide else "sha256"
    found: dict[str, int] = {}
    with SchemeDevice(name, wide, tell) as device:
        device.samples(bytes(range(48)))

        def run(operation: str, *strings: bytes, flags: int = 0, what: str = "") -> Strings:
            tell(f"{name}: {operation}")
            result = device.run(operation, *strings, flags=flags)
            found[operation.removesuffix(f"-{alg}") + what] = result.cycles
            return result.strings

        device.run("seed-test")
        for slot, d in ((1, E % curve.n), (0, D % curve.n)):
            device.run("load", d.to_bytes(octets, "big"), slot=slot)
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
        run("generate")
    return SchemeCycles(name, curve.name, digest(name, wide), found, wide)


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


def schemes(names: Sequence[str], as_json: bool, wide: bool, root: Where) -> int:
    """Measure presets' schemes and print them; the default ones are kept below ``root``."""
    todo = [(name, wide) for name in names]
    if not names:
        todo = [(name, False) for name in (*DEFAULT, *MORE)] + [(name, True) for name in WIDE]
    with Progress() as progress:
        rows = [measure(name, progress, big) for name, big in todo]
    record = Schemes("ecsm schemes", rows)
    if not names:
        write_json(schemes_path(root), asdict(record))
    if as_json:
        print(json.dumps(asdict(record), indent=1))
        return 0
    for row in rows:
        print(f"{row.preset} ({row.curve}{', wide' if row.wide else ''})")
        for operation, cycles in row.cycles.items():
            theirs = PUBLISHED.get((row.curve, operation.removesuffix(" (r given)")), "")
            beside = f"   published {theirs}" if theirs else ""
            print(f"  {operation:26}{cycles:>10,}{beside}")
    return 0


def scheme_table(names: str = "", root: Where = RESULTS) -> str:
    """Return the table of the cycles that are kept; those of older RTL say so.

    ``names``: "more" for the presets that are not the default ones.
    """
    record = load(Schemes, schemes_path(root))
    results = [r for r in record.results if (r.preset in DEFAULT) != bool(names)] if record else []
    if not results:
        return "Not measured."
    head = ["operation", *(f"`{r.preset}`{', wide' if r.wide else ''}" for r in results)]
    rows: list[list[object]] = [["curve", *(r.curve for r in results)]]
    for operation in dict.fromkeys(o for r in results for o in r.cycles):
        cells = []
        for r in results:
            theirs = PUBLISHED.get((r.curve, operation.removesuffix(" (r given)")))
            beside = f" ({theirs})" if theirs else ""
            cells.append(number(r.cycles[operation]) + beside if operation in r.cycles else "")
        rows.append([operation, *cells])
    state = ["" if r.rtl == digest(r.preset, r.wide) else "of an earlier commit" for r in results]
    if any(state):
        rows.append(["state", *state])
    return markdown_table(head, rows, set(range(1, len(head))))
