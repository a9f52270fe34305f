# SPDX-License-Identifier: Apache-2.0
"""``ecsm compare``: the core beside libcrypto's ECDH and RSA, measured on this host in one run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ecsm.cores.store import design
from ecsm.markdown import markdown_table
from ecsm.oracle import libcrypto
from ecsm.oracle.libcrypto import OracleError
from ecsm.presets.table import preset
from ecsm.results.kept import RESULTS, AWhere, Where
from ecsm.results.record import Provenance, agree, load, load_pnr
from ecsm.results.sources import agree_preset, current_digest, processor, provenance_of

DEFAULT = ("b163-halving", "b163-compact", "b163-single", "b163-small", "b233-small", "b283-small",
           "p224-fast", "p256-fast", "k256-glv", "x25519", "b409", "b571")  # fmt: skip
WORKLOAD = Path(libcrypto.__file__).with_name("workload.py")

# Comparable strength: curves of at least so many bits, and the RSA modulus beside them.
STRENGTH = ((521, 15360), (384, 7680), (255, 3072), (224, 2048), (163, 1024))

PUBLISHED = (
    "published: CityU ECSM IP core: 163-bit kP 1.05 ms, 76 KB; RSA-1024 13.33 ms, 64 KB:"
    ' "at least 12 times faster" (3 GHz Pentium 4)'
)
PUBLISHED_PRICE = (
    "published: NIST primes paper, P-256: 24,700/s at $1,170 = 21;"
    " Core 2 Duo 6,900/s at $180 = 38 operations per second per dollar"
)
NOTES = (
    "measured: libcrypto on this host, one thread, processor time, median of 5 batches; ECDH"
    " without cofactor,",
    "  RSA private operation with CRT and blinding. Its keys are products of the two largest"
    " primes below",
    "  2^(bits/2) that suit e = 65537, not generated: the time does not depend on the values.",
    "memory, measured: heap = what libcrypto allocates at most for key and operation; RSS = peak of"
    " a process",
    "  that does only this (in brackets: over what it held with libcrypto just loaded).",
    "modelled: core's time = exact cycles of the RTL / placed clock of its netlist; no board was"
    " measured.",
)


@dataclass(frozen=True)
class Cost:
    """One software operation: microseconds, heap in octets, resident memory in KiB."""

    operation: str
    us: float
    spread: float  # (slowest - fastest batch) / median
    heap: int
    rss_kb: int
    rss_over_base_kb: int

    @property
    def per_second(self) -> float:
        """Operations a second of one thread."""
        return 1e6 / self.us


@dataclass(frozen=True)
class Software:
    """The measured software beside a preset; without the core, whose clock may change."""

    preset: str
    curve: str
    ecdh: Cost
    rsa: Cost


@dataclass(frozen=True)
class Comparison:
    """The last measurement of ``ecsm compare``, as it is kept."""

    command: str
    provenance: Provenance
    results: list[Software]


@dataclass(frozen=True)
class Row:
    """A core beside software. ``mhz`` and ``core_us`` are None for a core that is not placed."""

    preset: str
    curve: str
    cycles: int
    mhz: float | None
    core_us: float | None
    ecdh: Cost
    rsa: Cost

    @property
    def core_gain(self) -> float | None:
        """How many times the core is faster than libcrypto's ECDH."""
        return None if self.core_us is None else self.ecdh.us / self.core_us

    @property
    def rsa_over_ecdh(self) -> float:
        """How many times ECDH is faster than RSA, both in software."""
        return self.rsa.us / self.ecdh.us

    @property
    def rsa_over_core(self) -> float | None:
        """How many times the core is faster than RSA in software."""
        return None if self.core_us is None else self.rsa.us / self.core_us


def rsa_bits(m: int) -> int:
    """Return the RSA modulus of comparable strength, the smaller one in between.

    Raises ValueError for a field of fewer than 163 bits.
    """
    for least, bits in STRENGTH:
        if m >= least:
            return bits
    raise ValueError(f"a curve of {m} bits has no RSA modulus of comparable strength")


def placed_mhz(name: str, results: Where = RESULTS) -> float | None:
    """Return the best placed clock of the preset as it is, None if there is none.

    Raises :class:`ecsm.results.record.DamagedResult`.
    """
    kept = load_pnr(name, results)
    return None if kept is None or kept.origin.rtl != current_digest(name) else kept.mhz


def software(kind: str, what: str, seconds: float) -> Cost:
    """Measure ``ecdh`` on a curve or ``rsa`` of so many bits for about ``seconds``.

    Each measurement has a process of its own, which an interrupt ends too. Raises
    :class:`OracleError` if libcrypto is missing, lacks the curve, or the process fails.
    """
    name = libcrypto.own_name(what)
    times = _child(kind, name, str(seconds))
    heap = _child(kind, name, "heap")
    batches = times["seconds"]
    middle = statistics.median(batches)
    return Cost(
        operation=f"{kind.upper()} {what}",
        us=1e6 * middle,
        spread=(max(batches) - min(batches)) / middle,
        heap=heap["heap"],
        rss_kb=times["peak_kb"],
        rss_over_base_kb=times["peak_kb"] - times["base_kb"],
    )


def _child(kind: str, what: str, limit: str) -> dict[str, Any]:
    command = [sys.executable, "-I", "-S", str(WORKLOAD), libcrypto.path(), kind, what, limit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise OracleError(reason)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare(
    names: Sequence[str], seconds: float, tell: Callable[[str], None], results: Where = RESULTS
) -> list[Row]:
    """Measure libcrypto beside presets; each operation is measured once.

    Raises :class:`OracleError` (see :func:`software`), :class:`ecsm.presets.table.UnknownPreset`,
    ValueError for a toy.
    """
    curves = {name: preset(name).curve for name in names}
    for name in names:
        load_pnr(name, results)  # what is damaged is refused before the work
    todo: dict[tuple[str, str], Cost | None] = {}
    for curve in curves.values():
        todo[("rsa", str(rsa_bits((curve.q - 1).bit_length())))] = None
        todo[("ecdh", curve.name)] = None
    cost: dict[tuple[str, str], Cost] = {}
    for i, (kind, what) in enumerate(sorted(todo), start=1):
        tell(f"measuring {kind.upper()} {what} ({i} of {len(todo)})")
        cost[kind, what] = software(kind, what, seconds)
    return [
        beside(
            Software(
                name, curve.name, cost["ecdh", curve.name],
                cost["rsa", str(rsa_bits((curve.q - 1).bit_length()))],
            ),
            results,
        )
        for name, curve in curves.items()
    ]  # fmt: skip


def beside(s: Software, results: Where = RESULTS) -> Row:
    """Put the core as it is, at its placed clock, beside measured software."""
    cycles, mhz = design(s.preset).microcode.cycles, placed_mhz(s.preset, results)
    core_us = None if mhz is None else cycles / mhz
    return Row(s.preset, s.curve, cycles, mhz, core_us, s.ecdh, s.rsa)


def compare_path(root: AWhere) -> AWhere:
    """Return the file of the last comparison."""
    return root / "compare.json"


def kept(rows: Sequence[Row], seconds: float) -> Comparison:
    """Return what is kept of the rows: what was measured."""
    found = [Software(r.preset, r.curve, rounded(r.ecdh), rounded(r.rsa)) for r in rows]
    return Comparison(_command(seconds), provenance_of(libcrypto=libcrypto.version()), found)


def rounded(cost: Cost) -> Cost:
    """Return the cost with four digits of each time."""
    return replace(cost, us=_short(str(cost.us)), spread=_short(str(cost.spread)))


def compare_table(root: Where = RESULTS) -> str:
    """Return the last comparison beside the cores as they are, as Markdown."""
    found = load(Comparison, compare_path(root))
    if found is None or not found.results:
        return "Not measured."
    lines = []
    for s in found.results:
        agree_preset(compare_path(root), s.preset)
        agree(compare_path(root), s.ecdh.us > 0 and s.rsa.us > 0, f"{s.preset} takes no time")
        r = beside(s, root)
        gains = [_times(x) for x in (r.core_gain, r.rsa_over_ecdh, r.rsa_over_core)]
        times = [_us(r.core_us), _us(r.ecdh.us), _us(r.rsa.us)]
        lines.append(
            [f"`{r.preset}`", r.curve, *times[:2], r.rsa.operation, times[2], *gains,
             f"{r.ecdh.heap / 1024:.1f} / {r.rsa.heap / 1024:.1f}"]
        )  # fmt: skip
    head = ["preset", "curve", "core, us (modelled)", "ECDH, us (measured)", "RSA", "us (measured)",
            "ECDH / core", "RSA / ECDH", "RSA / core", "heap ECDH / RSA, KB"]  # fmt: skip
    by, on = found.provenance.tools.get("libcrypto", "libcrypto"), found.provenance.processor
    said = f"\n\nMeasured: {by}, one thread of: {on}."
    return markdown_table(head, lines, {2, 3, 5, 6, 7, 8, 9}) + said


def _command(seconds: float) -> str:
    return f"ecsm compare --seconds {seconds:g}"


def record(
    rows: Sequence[Row], seconds: float, price: dict[str, float] | None
) -> dict[str, object]:
    """Return the rows as they are kept and printed as JSON, with prices if there are any."""
    found: dict[str, object] = {
        "command": _command(seconds),
        "libcrypto": libcrypto.version(),
        "processor": processor(),
        "software": "measured on the host",
        "core": "modelled: exact cycles / placed clock",
        "results": [_plain(row) for row in rows],
    }
    if price:
        found["price"] = price
        found["per_second_per_dollar"] = [_per_dollar(row, price) for row in rows]
    return found


def _plain(row: Row) -> dict[str, object]:
    ratios = {
        "core_over_ecdh": row.core_gain,
        "rsa_over_ecdh": row.rsa_over_ecdh,
        "rsa_over_core": row.rsa_over_core,
    }
    found: dict[str, object] = json.loads(json.dumps(asdict(row)), parse_float=_short)
    return found | {k: None if v is None else _short(str(v)) for k, v in ratios.items()}


def _short(text: str) -> float:
    return float(f"{float(text):.4g}")


def _per_dollar(row: Row, price: dict[str, float]) -> dict[str, object]:
    core = None if row.core_us is None else _short(str(1e6 / row.core_us / price["device"]))
    return {
        "preset": row.preset,
        "one_core": core,
        "one_thread": _short(str(row.ecdh.per_second / price["cpu"])),
    }


def _us(value: float | None) -> str:
    return "no clock" if value is None else f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}x"


def show(rows: Sequence[Row], price: dict[str, float] | None) -> None:
    """Print the rows as tables, and what is measured and what modelled in them."""
    print(f"{'':38}{'core, modelled':>28}  {'libcrypto, measured':>33}  {'ratios':>24}")
    print(
        f"{'preset':21}{'curve':17}{'cycles':>8}{'MHz':>8}{'us':>12}  {'ECDH us':>10}"
        f"{'RSA bits':>10}{'RSA us':>13}  {'ECDH/core':>10}{'RSA/ECDH':>10}{'RSA/core':>10}"
    )
    for r in rows:
        mhz = "-" if r.mhz is None else f"{r.mhz:.1f}"
        print(
            f"{r.preset:21}{r.curve:17}{r.cycles:>8}{mhz:>8}{_us(r.core_us):>12}"
            f"  {_us(r.ecdh.us):>10}{r.rsa.operation.split()[1]:>10}{_us(r.rsa.us):>13}"
            f"  {_times(r.core_gain):>10}{_times(r.rsa_over_ecdh):>10}{_times(r.rsa_over_core):>10}"
        )
    print(f"\n{'libcrypto, measured':24}{'us':>10}{'spread':>9}{'heap KB':>10}{'RSS KB':>18}")
    for c in dict.fromkeys(c for r in rows for c in (r.ecdh, r.rsa)):
        rss = f"{c.rss_kb:,} (+{c.rss_over_base_kb:,})"
        print(
            f"{c.operation:24}{_us(c.us):>10}{100 * c.spread:>8.1f}%{c.heap / 1024:>10.1f}{rss:>18}"
        )
    print(f"\n{PUBLISHED}\n")
    if price is not None:
        print(f"operations per second per dollar, device ${price['device']:,g}, one core on it;")
        print(f"CPU ${price['cpu']:,g}, one thread:")
        for r in rows:
            found = _per_dollar(r, price)
            core = "no clock" if found["one_core"] is None else f"{found['one_core']:,} (modelled)"
            print(f"  {r.preset:21} core {core}; libcrypto {found['one_thread']:,} (measured)")
        print(f"{PUBLISHED_PRICE}\n")
    print(f"{libcrypto.version()} on: {processor()}")
    print("\n".join(NOTES))
