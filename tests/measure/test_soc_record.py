# SPDX-License-Identifier: Apache-2.0
"""``bench/results/soc.json``: what no measurement wrote is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ecsm.measure.soc import area_table, core_table, cycle_table, soc_path, transfer_table
from ecsm.results.kept import RESULTS
from ecsm.results.record import DamagedResult, read_json, write_json


def _cycles(d: Any) -> Any:
    return d["cycles"][0]["cycles"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: _cycles(d).pop("field_mul"),
        lambda d: _cycles(d).update(field_mul=0),
        lambda d: _cycles(d).update(field_cube=7),
        lambda d: d["cycles"][0].update(unit="field-7"),
        lambda d: d["areas"][0]["area"].pop("lut"),
        lambda d: d["areas"][0]["area"].update(lut=0),
        lambda d: d["areas"][0].update(unit="core-nobody"),
        lambda d: d.pop("areas"),
    ],
)
def test_a_damaged_file_is_refused_by_every_table(
    damage: Callable[[Any], object], tmp_path: Path
) -> None:
    data = read_json(soc_path(RESULTS))
    damage(data)
    write_json(soc_path(tmp_path), data)
    for table in (cycle_table, transfer_table, core_table, area_table):
        with pytest.raises(DamagedResult, match=r"soc\.json is damaged"):
            table(tmp_path)
