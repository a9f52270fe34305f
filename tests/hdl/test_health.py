# SPDX-License-Identifier: Apache-2.0
"""Cutoffs of the health tests, and that the RTL's defaults are these."""

from __future__ import annotations

import re

import pytest

from ecsm.hdl.files import RTL
from ecsm.hdl.health import proportion_cutoff, repetition_cutoff, samples


def test_repetition_of_the_standard() -> None:
    """The example of SP 800-90B, section 4.4.1."""
    assert repetition_cutoff(7.3, alarm=30) == 6


@pytest.mark.parametrize(("inverse", "cutoff"), [(1, 325), (2, 422), (4, 477), (8, 502)])
def test_proportion_of_jitterentropy(inverse: int, cutoff: int) -> None:
    """Its table for 1 / inverse bits in a sample, a window of 512 and 2^-30."""
    assert proportion_cutoff(1 / inverse, 512, alarm=30) == cutoff


def test_a_window_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        proportion_cutoff(1 / 64, 512)


def test_samples_make_whole_words() -> None:
    assert samples(384, 4, 8, 64) == 96
    assert samples(256, 4, 8, 64) == 64
    assert samples(384, 1, 1, 64) == 384
    assert samples(384, 7.3, 8, 64) == 56


def test_the_defaults_are_for_four_bits_in_eight() -> None:
    want = {
        "RepetitionCutoff": repetition_cutoff(4),
        "ProportionCutoff": proportion_cutoff(4),
        "Window": 512,
        "SampleW": 8,
        "SeedSamples": samples(384, 4, 8, 64),
        "ReseedSamples": samples(256, 4, 8, 64),
        "StartupSamples": 1024,
    }
    for name in ("sym_drbg", "sym_health"):
        text = (RTL / "symmetric" / f"{name}.sv").read_text(encoding="utf-8")
        found = dict(re.findall(r"parameter int unsigned (\w+) = (\d+)", text))
        for parameter, value in want.items():
            assert found.get(parameter, str(value)) == str(value), (name, parameter)
        assert {"RepetitionCutoff", "ProportionCutoff", "Window"} <= set(found)
