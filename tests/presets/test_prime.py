# SPDX-License-Identifier: Apache-2.0
"""Prime presets that no core can be are refused where they are made or traced."""

from __future__ import annotations

import dataclasses

import pytest

from ecsm.presets.prime import PrimePreset
from ecsm.presets.prime_table import PRIME_PRESETS
from ecsm.presets.store import prime_design

TOY = PRIME_PRESETS["toyp8-k"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"ranks": (8, 8)}, "ranks"),
        ({"ranks": (1, 11)}, "ranks"),
        ({"kind": "column", "ranks": (1, 8)}, "ranks are some of 5"),
        ({"window": 1}, "window must be at least 2"),
        ({"digit": 0}, "digit"),
        ({"threads": 0}, "threads"),
        ({"patience": 0}, "patience"),
        ({"endomorphism": True, "complete": True}, "of its own"),
    ],
)
def test_a_preset_that_cannot_be_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        dataclasses.replace(TOY, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"threads": 2}, "more than 2"),
        ({"threads": 3}, "no multiple of 3 threads"),
        ({"batch": 60}, "does not fit"),
    ],
)
def test_units_that_cannot_run_are_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        dataclasses.replace(TOY, **change).graph()  # type: ignore[arg-type]


def test_one_unit_cuts_all_scalars_while_the_head_runs() -> None:
    """As docs/prime.md has it: the program does not wait for the last thread's digits."""
    d = prime_design("k256-throughput")
    t = d.preset.threads
    cutting, head = t * d.preset.decomposition.cutting, t * d.schedule.starts["body"]
    assert (cutting, head) == (708, 1638)
    assert d.preset.units.prepare * t == cutting


def test_a_curve_with_a_cofactor_is_refused() -> None:
    """Its points of small order end as infinity, which would spoil a shared inversion."""
    with pytest.raises(ValueError, match="toyp9b has a cofactor"):
        _ = PrimePreset("any", "toyp9b", 3, word=3).program
