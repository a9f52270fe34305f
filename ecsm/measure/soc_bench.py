# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc bench``: units and schemes, measured and printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ecsm.measure.soc import area_table, core_table, cycle_table, measure_units, transfer_table
from ecsm.measure.soc_schemes import measure_schemes, scheme_cycle_table
from ecsm.results.kept import Where


def soc_bench(sizes: Sequence[str], as_json: bool, areas: bool, root: Where) -> int:
    """Measure and print; what was measured of the default sizes is kept below ``root``."""
    record, schemes = measure_units(sizes, areas, root), measure_schemes(sizes, root)
    if as_json:
        print(json.dumps({**asdict(record), "schemes": asdict(schemes)}, indent=1))
        return 0
    for table in (cycle_table, transfer_table, core_table, area_table, scheme_cycle_table):
        print(f"{table(root)}\n")
    return 0
