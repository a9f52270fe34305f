# SPDX-License-Identifier: Apache-2.0
"""Cycles of whole schemes on simulated cores, measured, kept, and beside what is published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ecsm.device.cache import scheme_sources
from ecsm.device.schemes import SchemeDevice
from ecsm.flow.markdown import markdown_table, number
from ecsm.flow.progress import Progress
from ecsm.flow.results import RESULTS, load, write_json
from ecsm.flow.sources import digest_of
from ecsm.presets.store import design
from ecsm.schemes.assembler import octets_of

DEFAULT = ("b163-small", "b233-small", "b283-fast", "p256-fast", "k256-glv")
D, E = 0x1B5A_3C7E_9F02_4D68_ACE1_3579_BDF0_2468, 0x77  # private keys of both parties
MESSAGE = bytes(range(64))
PUBLISHED = {
    ("secp256k1", "encapsulate"): "52,000",
    ("secp256k1", "decapsulate"): "52,000",
    ("secp256r1", "encapsulate"): "80,000",
    ("secp256r1", "decapsulate"): "80,000",
    ("sect283r1", "encapsulate"): "4,900",
    ("sect283r1", "decapsulate"): "4,900",
    ("secp256r1", "sign-sha256"): "704,126 (OTBN)",
    ("secp256r1", "verify-sha256"): "420,220 (OTBN)",
}
"""Cycles that others have published, by curve and operation; PSEC-KEM's are of one document."""


@dataclass(frozen=True)
class SchemeCycles:
    """Cycles of a preset's operations, accepted request to valid answer.

    ``rtl``: digest of the generated modules and what they are made of.
    """

    preset: str
    curve: str
    rtl: str
    cycles: dict[str, int]


@dataclass(frozen=True)
class Schemes:
    """What ``command`` has measured."""

    command: str
    results: list[SchemeCycles]


def schemes_path(root: Path = RESULTS) -> Path:
    """Return where the cycles are kept."""
    return root / "schemes.json"


def digest(name: str) -> str:
    """Return the digest of a preset's schemes as they are now."""
    s = scheme_sources(design(name))
    return digest_of(s.text, s.files)


def measure(name: str, tell: Callable[[str], None]) -> SchemeCycles:
    """Run every operation once, with fixed keys and random octets of the test mode."""
    curve = design(name).preset.curve
    octets = octets_of(curve.n.bit_length())
    hashed = hashlib.sha256(MESSAGE).digest()
    found: dict[str, int] = {}
    with SchemeDevice(name, log=tell) as device:
        device.samples(bytes(range(48)))

        def run(operation: str, *strings: bytes, flags: int = 0) -> tuple[bytes, ...]:
            tell(f"{name}: {operation}")
            result = device.run(operation, *strings, flags=flags)
            label = operation + (" (r given)" if flags else "")
            found[label] = result.cycles
            return result.strings

        device.run("seed-test")
        for slot, d in ((1, E % curve.n), (0, D % curve.n)):
            device.run("load", d.to_bytes(octets, "big"), slot=slot)
        other = device.run("public", slot=1).strings
        own = run("public")
        run("verify-sha256", *own, hashed, *run("sign-sha256", hashed))
        run("ecdh", *other)
        run("ecmqv", *other, *own)
        for scheme in ("ecies", "ecies-xor"):
            sealed = run(f"{scheme}-encrypt", *own, MESSAGE, b"", b"")
            run(f"{scheme}-decrypt", *sealed, b"", b"")
        run("ec-aes-decrypt", *run("ec-aes-encrypt", *own, MESSAGE))
        run("encapsulate", *own, hashed, flags=1)
        run("decapsulate", *run("encapsulate", *own)[:3])
        run("generate")
    return SchemeCycles(name, curve.name, digest(name), found)


def schemes(names: Sequence[str], as_json: bool) -> int:
    """Measure presets' schemes and print them; the default ones are kept."""
    with Progress() as progress:
        rows = [measure(name, progress) for name in names or DEFAULT]
    record = Schemes("ecsm schemes", rows)
    if not names:
        write_json(schemes_path(), asdict(record))
    if as_json:
        print(json.dumps(asdict(record), indent=1))
        return 0
    for row in rows:
        print(f"{row.preset} ({row.curve})")
        for operation, cycles in row.cycles.items():
            theirs = PUBLISHED.get((row.curve, operation.removesuffix(" (r given)")), "")
            beside = f"   published {theirs}" if theirs else ""
            print(f"  {operation:26}{cycles:>10,}{beside}")
    return 0


def scheme_table(root: Path = RESULTS) -> str:
    """Return the table of the cycles that are kept; those of older RTL say so."""
    record = load(Schemes, schemes_path(root))
    if record is None:
        return "Not measured."
    head = ["operation", *(f"`{r.preset}`" for r in record.results)]
    rows: list[list[object]] = [["curve", *(r.curve for r in record.results)]]
    for operation in dict.fromkeys(o for r in record.results for o in r.cycles):
        cells = []
        for r in record.results:
            theirs = PUBLISHED.get((r.curve, operation.removesuffix(" (r given)")))
            beside = f" ({theirs})" if theirs else ""
            cells.append(number(r.cycles[operation]) + beside if operation in r.cycles else "")
        rows.append([operation, *cells])
    if any(r.rtl != digest(r.preset) for r in record.results):
        state = [
            "" if r.rtl == digest(r.preset) else "of an earlier commit" for r in record.results
        ]
        rows.append(["state", *state])
    return markdown_table(head, rows, set(range(1, len(head))))
