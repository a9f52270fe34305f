# SPDX-License-Identifier: Apache-2.0
"""From when to when a memory's bits matter: a flip there, and only there, changes what is read."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

from ecsm.evidence.campaigns.lanes import FLIP_CELL, Event, Lanes
from ecsm.evidence.campaigns.spans import Span, values
from tests.evidence.small import made

PARTS = """
module parts (
  input logic clk_i, low_i, high_i, input logic [1:0] a_i, r_i, input logic [7:0] x_i,
  output logic [7:0] word_o
);
  logic [7:0] memory[4];
  always_ff @(posedge clk_i) begin
    if (low_i) memory[a_i][3:0] <= x_i[3:0];
    if (high_i) memory[a_i][7:4] <= x_i[7:4];
  end
  assign word_o = memory[r_i];
endmodule
"""
LAST = 10
LOW, HIGH = tuple(range(4)), tuple(range(4, 8))
# By cycle: a word of which low or high bits are written; the word that is read is 0, or another.
LOWS, HIGHS = {0: 2, 2: 1, 6: 1}, {0: 2, 3: 1, 8: 2}
READS = {4: 1, 5: 2, 6: 1, 7: 1, 9: 2}


class Parts:
    """In place of a core: PARTS, which writes halves of words. Word 2 is written in cycle 0."""

    name, last = "parts", LAST

    def __init__(self) -> None:
        self.circuit = made(PARTS)

    def start(self, lanes: Lanes, _: Any) -> Any:
        lanes.clear()
        lanes.set("x_i", 255)
        self._at = 0
        self._give(lanes)

        def to(cycle: int) -> None:
            while self._at < cycle:
                lanes.run(1)
                self._at += 1
                self._give(lanes)

        to(1)
        return SimpleNamespace(to=to)

    def _give(self, lanes: Lanes) -> None:
        lanes.set("a_i", LOWS.get(self._at, HIGHS.get(self._at, 0)))
        lanes.set("low_i", int(self._at in LOWS))
        lanes.set("high_i", int(self._at in HIGHS))
        lanes.set("r_i", READS.get(self._at, 0))


def test_bits_that_are_written_together_have_spans_of_their_own() -> None:
    """Word 2 has a value from before; word 0, which is read most, is zero and never written."""
    it: Any = Parts()
    with Lanes(it.circuit) as lanes:
        assert sorted(values(it, lanes, None)) == sorted(
            [Span(0, 1, LOW, 3, 7), Span(0, 1, LOW, 7, 8), Span(0, 1, HIGH, 4, 8),
             Span(0, 2, LOW, 1, 10), Span(0, 2, HIGH, 1, 6), Span(0, 2, HIGH, 9, 10)]
        )  # fmt: skip


def test_a_flip_changes_what_is_read_in_a_span_and_not_elsewhere() -> None:
    """All bits of words 1 and 2 in all cycles, one in each lane."""
    it: Any = Parts()
    with Lanes(it.circuit) as lanes:
        spans = values(it, lanes, None)
        places = list(product((1, 2), range(8), range(1, LAST)))
        while places:
            now, places = places[: lanes.lanes - 1], places[lanes.lanes - 1 :]
            seen = set()
            run = it.start(lanes, None)
            for cycle in range(1, LAST):
                run.to(cycle)
                lanes.run(0, events=[
                    Event(0, FLIP_CELL, it.circuit.cell(0, word, bit), lane)
                    for lane, (word, bit, when) in enumerate(now) if when == cycle
                ])  # fmt: skip
                *read, usual = lanes.get("word_o")
                seen |= {lane for lane in range(len(now)) if read[lane] != usual}
            for lane, (word, bit, cycle) in enumerate(now):
                within = [s for s in spans if (s.word, bit in s.bits) == (word, True)]
                matters = any(s.first <= cycle < s.end for s in within)
                assert matters == (lane in seen), (word, bit, cycle)
