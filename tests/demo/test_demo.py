# SPDX-License-Identifier: Apache-2.0
"""The table of the demonstration: what is measured stands there, and nothing else."""

from __future__ import annotations

import pytest

from ecsm.cli import main
from ecsm.demo import kp as demo
from ecsm.results.record import load_pnr

ROUTED, NOT_ROUTED = "b163-halving", "khan-benaissa"


@pytest.mark.parametrize("current", [True, False])
def test_a_clock_is_shown_if_it_is_of_the_rtl_as_it_is(
    current: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = load_pnr(ROUTED)
    assert kept is not None
    monkeypatch.setattr(demo, "current_digest", lambda name: kept.origin.rtl if current else None)
    assert main(["demo"]) == 0
    words = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    measured = [f"{kept.mhz:.0f}", f"{kept.us:.2f}"] if current else ["-", "-"]
    assert words[ROUTED][5:7] == measured
    assert words[NOT_ROUTED][5:7] == ["-", "-"]
