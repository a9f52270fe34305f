# SPDX-License-Identifier: Apache-2.0
"""``ecsm soc bench``: units and schemes, measured and printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ecsm.flow.soc import area_table, core_table, cycle_table, measure_units, transfer_table
from ecsm.flow.soc_schemes import measure_schemes, scheme_cycle_table


def soc_bench(sizes: Sequence[str], as_json: bool, areas: bool) -> int:
    """Measure and print; what was measured of the default sizes replaces what is kept of it."""
    record, schemes = measure_units(sizes, areas), measure_schemes(sizes)
    if as_json:
        print(json.dumps({**asdict(record), "schemes": asdict(schemes)}, indent=1))
        return 0
    tables = (cycle_table(), transfer_table(), core_table(), area_table(), scheme_cycle_table())
    for table in tables:
        print(f"{table}\n")
    return 0
