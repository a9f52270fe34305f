# SPDX-License-Identifier: Apache-2.0
"""Which cores a kP can be recorded on, and the recording."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.cores.store import binary_design, prime_design
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.demo.kp import SCALAR
from ecsm.demo.live.gf2m import record_gf2m
from ecsm.demo.live.gfp import record_gfp
from ecsm.demo.live.record import Record
from ecsm.demo.live.word import record_word
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import PRESETS, any_preset, is_toy
from ecsm.presets.word import WORD_PRESETS

DEFAULT = "b163-small"


def presets(toys: bool = False) -> list[str]:
    """Return the presets of which there are live pictures: of kP, one thread, not protected.

    Word engines: those of Weierstrass curves.
    """
    found = [name for name, p in PRESETS.items() if not p.protected]
    found += [
        name for name, p in PRIME_PRESETS.items() if not (p.protected or p.double or p.threads > 1)
    ]
    found += [
        name
        for name, p in WORD_PRESETS.items()
        if not p.protected and isinstance(p.curve, BinaryCurve | PrimeCurve)
    ]
    return [name for name in found if toys or not is_toy(any_preset(name))]


def record(preset: str, k: int | None = None, log: Callable[[str], None] | None = None) -> Record:
    """Simulate k times a point on a preset's core, with tracing; return what happened.

    Without ``k`` it is that of ``ecsm demo``. Raises :class:`ecsm.status.ScalarOutOfRange`,
    :class:`ecsm.device.base.DeviceError` and :class:`ecsm.demo.live.record.LiveError`.
    """
    if preset in WORD_PRESETS:
        return record_word(preset, SCALAR % WORD_PRESETS[preset].curve.n if k is None else k, log)
    if preset in PRIME_PRESETS:
        p = prime_design(preset)
        return record_gfp(p, SCALAR % p.preset.curve.n if k is None else k, log)
    b = binary_design(preset)
    return record_gf2m(b, SCALAR % (1 << b.preset.m) if k is None else k, log)
