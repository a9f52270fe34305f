# SPDX-License-Identifier: Apache-2.0
"""The demonstration: one real kP on the simulated core, checked, beside the published designs."""

from __future__ import annotations

import time

from rich.console import Console

from ecsm.cores.store import binary_design, figures
from ecsm.device.opening import open_device
from ecsm.hdl.vectors import Case, Oracle
from ecsm.measure.published import ECSM_163
from ecsm.presets.table import all_presets, binary_preset
from ecsm.progress import Progress
from ecsm.results.kept import known
from ecsm.results.record import load_pnr
from ecsm.results.sources import current_digest

# A scalar for show (digits of pi), reduced to the port's width: it protects nothing.
SCALAR = 0x243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89452821E638D01377BE5466CF


class _Output(Console):
    """Leave a closed pipe to the command line."""

    def on_broken_pipe(self) -> None:
        """Raise it again."""
        raise BrokenPipeError


def demo(name: str) -> int:
    """Run the demonstration on preset ``name``; return 1 if core and oracle differ."""
    out = _Output(highlight=False, soft_wrap=True, width=80)
    p = binary_preset(name)
    curve = p.curve
    k = SCALAR % (1 << p.m)
    point = curve.generator
    with Progress() as progress:
        progress(f"opening the core {name}")
        device = open_device(f"sim:{name}", progress)
    with device:
        start = time.perf_counter()
        result = device.kp(k, point)
        seconds = time.perf_counter() - start
        cycles = device.last_cycles
    oracle = Oracle(p)
    expected = oracle.answer(Case("demo", k, *point)).point
    out.print(f"[bold]kP on {curve.name}, preset {name}[/bold]")
    out.print(f"{p.multipliers} multipliers: {p.multiplier.describe()}; simulated RTL\n")
    rows: list[tuple[str, int]] = [("k", k)]
    for label, pt in (("P", point), ("kP core", result), ("kP oracle", expected)):
        rows += [(f"{label}.{axis}", v) for axis, v in zip("xy", pt or (), strict=False)]
    for label, value in rows:
        digits = f"{value:0{(p.m + 3) // 4}x}"
        for i in range(0, len(digits), 64):
            out.print(f"  {label if i == 0 else '':12}{digits[i : i + 64]}")
    agree = result == expected
    verdict = "[green]equal[/green]" if agree else "[red]DIFFERENT[/red]"
    out.print(f"\n  oracle      {oracle.name}: {verdict}")
    bound = binary_design(name).schedule.cycles_bound
    out.print(f"  cycles      {cycles}, request accepted to affine result (solver's bound {bound})")
    out.print(f"  simulated   in {1e3 * seconds:.1f} ms\n")
    if curve.field.m == 163:
        _table(out)
    return 0 if agree else 1


def _table(out: Console) -> None:
    out.print("[bold]163-bit kP: published designs, and ours, cycles of the simulated RTL[/bold]")
    head = f"  {'design':22}{'multipliers':21}{'cycles':>7}{'MHz':>8}{'us':>7}  device"
    out.print(head)
    out.print("  " + "-" * 75)
    for d in ECSM_163:
        out.print(
            f"  {d.design:22}{d.multipliers:21}{d.cycles:>7}{d.mhz:>8.0f}{d.us:>7.2f}  {d.device}"
        )
    out.print("  " + "-" * 75)
    for p in all_presets():
        if p.field_kind == "binary" and p.field_bits == 163:
            cycles = figures(p).cycles
            units = f"{p.multipliers} x {p.multiplier_kind}"
            mhz, us = _clock(p.name)
            out.print(f"  {p.name:22}{units:21}{cycles:>7}{mhz:>8}{us:>7}  {p.curve.name}")
    out.print("  KB: Z. U. A. Khan, M. Benaissa, FPL 2015. Clocks of ours: LFE5U-85F, placed and")
    out.print("  routed, best seed; -: none is kept of this RTL, ecsm pnr PRESET makes one.")


def _clock(name: str) -> tuple[str, str]:
    """Return MHz and us of a preset as it was placed and routed; of other RTL none."""
    found = load_pnr(name, known())
    if found is None or found.origin.rtl != current_digest(name):
        return "-", "-"
    return f"{found.mhz:.0f}", f"{found.us:.2f}"
