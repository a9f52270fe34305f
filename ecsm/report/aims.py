# SPDX-License-Identifier: Apache-2.0
"""What the word engine is to reach, beside the best that is kept: aims of docs/results/word.md.

The aims were set before the engine was built. Each is one entry of :data:`AIMS`; what is reached is
read from kept results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ecsm.backend.attached import load_attached
from ecsm.backend.nextpnr import ICE40
from ecsm.markdown import markdown_table, number
from ecsm.measure.soc_place import SocPlace, is_current, load_places
from ecsm.measure.word_schemes import is_current as cycles_are_current
from ecsm.measure.word_schemes import load_word_schemes
from ecsm.presets.word import WORD_PRESETS
from ecsm.report.word import ATTACHED, area_is_current, clock_is_current
from ecsm.results.kept import RESULTS, Where
from ecsm.results.record import Pnr, load_pnr, load_synth

Reached = tuple[float, bool] | None
"""A figure, and whether it is of the RTL as it is; None: not measured."""
SMALL = "LFE5U-25F-6"
UP5K_MHZ = 24.0
SOC = ("schemes-word-prime", "lc")


@dataclass(frozen=True)
class Aim:
    """A limit: at most ``limit``, or at least, if ``least``; ``reached`` reads what is kept."""

    of: str
    what: str
    limit: float
    unit: str
    reached: Callable[[Where], Reached]
    least: bool = False

    def met(self, value: float) -> bool:
        """Return whether a figure is within the limit."""
        return value >= self.limit if self.least else value <= self.limit


def _area(name: str, kind: str) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        p = WORD_PRESETS[name]
        found = load_synth(name, p.target, root)
        return None if found is None else (found.area[kind], area_is_current(p, found))

    return read


def _attached(name: str) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        found, current = load_attached(name, ATTACHED, WORD_PRESETS[name].target, root)
        return None if found is None else (found.area["lut"], current)

    return read


def _more(name: str, than: str) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        both = _attached(name)(root), _attached(than)(root)
        if both[0] is None or both[1] is None:
            return None
        return both[0][0] - both[1][0], both[0][1] and both[1][1]

    return read


def _pnr(name: str, device: str, of: Callable[[Pnr], float]) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        found = load_pnr(name, root, device)
        return None if found is None else (of(found), clock_is_current(WORD_PRESETS[name], found))

    return read


def _mhz(name: str, device: str = SMALL) -> Callable[[Where], Reached]:
    return _pnr(name, device, lambda pnr: pnr.mhz)


def _cycles(name: str, operation: str) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        found = load_word_schemes(root).get(name)
        if found is None or operation not in found.cycles:
            return None
        return found.cycles[operation], cycles_are_current(found)

    return read


def _ms(name: str) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        found = _cycles(name, "ecdh")(root)
        return None if found is None else (round(found[0] / UP5K_MHZ / 1000, 1), found[1])

    return read


def _soc(of: Callable[[SocPlace], float]) -> Callable[[Where], Reached]:
    def read(root: Where) -> Reached:
        found = [r for r in load_places(root) if (r.name, r.coupling) == SOC]
        return (of(found[0]), is_current(found[0])) if found else None

    return read


def _engine(name: str, lut: int, bram: int, mhz: int) -> tuple[Aim, ...]:
    return (
        Aim(name, "LUT4 with AXI4-Lite", lut, "", _attached(name)),
        Aim(name, "DSP blocks", 4, "", _area(name, "dsp")),
        Aim(name, "block RAMs", bram, "", _area(name, "bram")),
        Aim(name, f"clock on {SMALL}", mhz, " MHz", _mhz(name), least=True),
    )


P256, NONE, DEVICE = "word-p256", "word-p256-none", next(iter(ICE40))
AIMS = (
    *_engine(P256, 3000, 10, 125),
    Aim(NONE, "LUT4 with AXI4-Lite", 2600, "", _attached(NONE)),
    Aim(NONE, "cycles of kP (ECDH)", 600_000, "", _cycles(NONE, "ecdh")),
    Aim(NONE, "cycles of kP (ECDH), then", 400_000, "", _cycles(NONE, "ecdh")),
    Aim(P256, "cycles of kP (ECDH)", 950_000, "", _cycles(P256, "ecdh")),
    Aim(NONE, "cycles of a signature", 300_000, "", _cycles(NONE, "sign")),
    Aim(P256, "cycles of a signature", 480_000, "", _cycles(P256, "sign")),
    Aim(P256, "cycles of a verification", 400_000, "", _cycles(P256, "verify")),
    *_engine("word-prime", 4200, 16, 115),
    Aim("word-prime-none", "LUT4 with AXI4-Lite, the same netlist", 3800, "",
        _attached("word-prime")),
    Aim("word-prime-none", "cycles of kP on P-384 (ECDH)", 1_300_000, "",
        _cycles("word-prime-none", "ecdh")),
    Aim("word-prime-x25519-none", "cycles of X25519", 320_000, "",
        _cycles("word-prime-x25519-none", "x25519")),
    Aim("word-dual", "LUT4 more than `word-prime`", 900, "", _more("word-dual", "word-prime")),
    *_engine("word-dual", 0, 18, 110)[1:],
    Aim("word-dual-b163-none", "cycles of kP on B-163 (`public`)", 110_000, "",
        _cycles("word-dual-b163-none", "public")),
    Aim("word-dual-b233-none", "cycles of kP on B-233 (`public`)", 250_000, "",
        _cycles("word-dual-b233-none", "public")),
    *_engine("word-full", 6500, 22, 100),
    Aim("word-up5k", "logic cells of 5,280", 4400, "",
        _pnr("word-up5k", DEVICE, lambda pnr: (pnr.best.used or {})["ICESTORM_LC"])),
    Aim("word-up5k", "MAC16", 4, "", _area("word-up5k", "dsp")),
    Aim("word-up5k", "EBR", 28, "", _area("word-up5k", "bram")),
    Aim("word-up5k", f"clock on {DEVICE}", UP5K_MHZ, " MHz", _mhz("word-up5k", DEVICE), True),
    Aim("word-up5k-none", f"kP (ECDH) at {UP5K_MHZ:g} MHz", 50, " ms", _ms("word-up5k-none")),
    Aim("word-up5k", f"kP (ECDH) at {UP5K_MHZ:g} MHz", 75, " ms", _ms("word-up5k")),
    Aim("soc", "LUT4 of the system on chip with `word-prime`", 9500, "",
        _soc(lambda r: r.area["lut"])),
    Aim("soc", "its clock", 60, " MHz", _soc(lambda r: r.mhz), least=True),
)  # fmt: skip
"""All of them."""
HEAD = ["preset", "what", "aim", "reached", "", "state"]


def _shown(value: float, unit: str) -> str:
    return (number(int(value)) if value == int(value) else f"{value:.1f}") + unit


def aim_table(root: Where = RESULTS) -> str:
    """Return each aim, what is reached, and whether it is met; what is of older RTL says so."""
    rows = []
    for aim in AIMS:
        limit = ("at least " if aim.least else "at most ") + _shown(aim.limit, aim.unit)
        found = aim.reached(root)
        if found is None:
            rows.append([f"`{aim.of}`", aim.what, limit, "", "not measured", ""])
            continue
        value, current = found
        verdict = "met" if aim.met(value) else "**missed**"
        state = "" if current else "of an earlier commit"
        rows.append([f"`{aim.of}`", aim.what, limit, _shown(value, aim.unit), verdict, state])
    return markdown_table(HEAD, rows, {2, 3})
