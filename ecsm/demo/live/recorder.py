# SPDX-License-Identifier: Apache-2.0
"""Which cores a kP can be recorded on, and the recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ecsm.cores.store import design
from ecsm.cores.table import family
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.demo.kp import SCALAR
from ecsm.demo.live.gf2m import record_gf2m
from ecsm.demo.live.gfp import record_gfp
from ecsm.demo.live.record import Record
from ecsm.demo.live.word import record_word
from ecsm.device.sim import check_job
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import PRESETS, any_preset, is_toy
from ecsm.presets.word import WORD_PRESETS, WordPreset

DEFAULT = "b163-small"
_OF_FAMILY: dict[str, tuple[Callable[..., Record], Callable[[Any], int]]] = {
    "gf2m": (record_gf2m, lambda p: 1 << p.m),
    "gfp": (record_gfp, lambda p: p.curve.n),
}
"""The recorder of a family's cores, and the least number above their scalars."""


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
    p = any_preset(preset)
    if isinstance(p, WordPreset):
        return record_word(preset, SCALAR % p.curve.n if k is None else k, log)
    d = design(preset)
    recorder, least_above = _OF_FAMILY[family(d.preset).name]
    k = SCALAR % least_above(d.preset) if k is None else k
    check_job(d.preset, k, None)
    return recorder(d, k, log)
