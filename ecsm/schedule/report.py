# SPDX-License-Identifier: Apache-2.0
"""The figures of a solved schedule, in one order for all engines."""

from __future__ import annotations

from ecsm.schedule.program import Microcode

# The figures of all engines, in the order in which they are shown.
ORDER = (
    "cycles", "cycles_bound", "gap", "floor", "threads", "loop_cycles", "loop_bound", "loop_turns",
    "steps_a_turn", "halvings", "head_cycles", "tail_cycles", "products", "loop_products",
    "head_products", "tail_products", "levels", "tail_map_cycles", "multipliers",
    "multipliers_used", "latency", "interval", "occupancy_percent", "registers", "words", "terms",
    "constants", "network_cost", "network_bound",
)  # fmt: skip


def summary(
    code: Microcode[object], bound: int, products: int, slots: float, own: dict[str, object]
) -> dict[str, object]:
    """Return what all engines have, and an engine's ``own`` figures.

    ``slots``: products that the multipliers could begin in the time of the program.
    """
    facts = {
        "cycles": code.cycles,
        "cycles_bound": bound,
        "gap": code.cycles - bound,
        "products": products,
        "occupancy_percent": round(100 * products / slots, 1),
        "registers": code.registers,
        "words": len(code.words),
        **own,
    }
    return {key: facts[key] for key in ORDER if key in facts}
