# SPDX-License-Identifier: Apache-2.0
"""A host for each lane, on a small machine whose lanes run apart: what they are given says when.

The machine takes a word, waits, gives it back inverted, waits, and so on; it ends with a status.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ecsm.evidence.campaigns.host import HEARD, WORD, Hosts, Reply
from ecsm.evidence.campaigns.lanes import FLIP, STUCK_0, Event, Lanes
from tests.evidence.small import made
from tests.evidence.test_lanes import WIDTHS

# Of a word the highest bits: cycles to wait before it is given back and after, to hang, to give it
# back without an end, and the status.
ECHO = """
module echo (
  input logic clk_i, in_valid_i, in_last_i, input logic [63:0] in_data_i, input logic [3:0]
  in_bytes_i, output logic in_ready_o, out_valid_o, out_last_o, rsp_valid_o,
  output logic [63:0] out_data_o, output logic [3:0] out_bytes_o, rsp_status_o
);
  logic [1:0] state_q;
  logic [2:0] wait_q;
  logic [63:0] word_q;
  logic [3:0] bytes_q;
  logic last_q, now;
  assign now = wait_q == 0;
  assign in_ready_o = state_q == 0 && now;
  assign out_valid_o = state_q == 1 && now;
  assign rsp_valid_o = state_q == 2 && now && !word_q[57];
  assign out_data_o = ~word_q;
  assign out_bytes_o = bytes_q;
  assign out_last_o = last_q;
  assign rsp_status_o = rsp_valid_o ? word_q[55:52] : 4'd0;
  always_ff @(posedge clk_i) begin
    if (!now) wait_q <= wait_q - 1;
    else if (in_ready_o && in_valid_i) begin
      word_q <= in_data_i;
      bytes_q <= in_bytes_i;
      last_q <= in_last_i;
      wait_q <= in_data_i[63:61];
      state_q <= 1;
    end else if (out_valid_o && !word_q[56]) begin
      wait_q <= word_q[60:58];
      state_q <= last_q ? 2 : 0;
    end else if (rsp_valid_o) state_q <= 3;
  end
endmodule
"""
LENGTH, LIMIT = 2 * WORD + 5, 80
HANG, CHATTER = 2, 1  # bits of a word's first octet


def said(text: bytes) -> Reply:
    """Return what the machine says to a string, by the description above."""
    cycle, out = 1, b""
    for at in range(0, LENGTH, WORD):
        word = text[at : at + WORD]
        cycle += 1 + (word[0] >> 5)  # taken, and given back
        if word[0] & CHATTER:
            count = min(HEARD - at // WORD, LIMIT - cycle + 1)
            last = at + WORD >= LENGTH
            back = bytes(255 - v for v in word)
            return (
                Reply(None, [out + back, *[back] * (count - 1)], b"", LIMIT) if last
                else Reply(None, [], out + back * count, LIMIT)
            )  # fmt: skip
        out += bytes(255 - v for v in word)
        cycle += 1 + (word[0] >> 2 & 7)
    if word[0] & HANG:
        return Reply(None, [out], b"", LIMIT)
    return Reply(word[1] >> 4, [out], b"", cycle)


def strings(lanes: Lanes) -> list[bytes]:
    """Return strings: most of them without an end that hangs."""
    rng = random.Random("hosts")
    found = []
    for lane in range(lanes.lanes):
        text = bytearray(rng.randbytes(LENGTH))
        for at in range(0, LENGTH, WORD):
            text[at] &= ~(HANG | CHATTER) if lane % 4 else ~CHATTER if lane % 8 else 255
        found.append(bytes(text))
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_each_lane_has_its_own_host(width: int) -> None:
    with Lanes(made(ECHO), width) as lanes:
        asked = strings(lanes)
        lanes.clear()
        found = Hosts(lanes, asked).run([], LIMIT)
        assert found == [said(text) for text in asked]
        assert len({r.cycle for r in found}) > 10, "lanes run apart"
        assert any(len(r.rest) > HEARD for r in found)
        statuses = {r.status for r in found}
        assert None in statuses
        assert len(statuses) > 10


PAIR = (
    ECHO.replace("module echo", "module pair")
    .replace("logic last_q, now;", "logic last_q, seen_q, now;")
    .replace("<= last_q ? 2 : 0;", "<= last_q && seen_q ? 2 : 0;\n      seen_q <= seen_q | last_q;")
)


@pytest.mark.parametrize("width", WIDTHS)
def test_strings_follow_each_other(width: int) -> None:
    """Of two lengths; each has an end, and lanes have their own."""
    rng = random.Random("two")
    with Lanes(made(PAIR), width) as lanes:
        head = [bytes([lane % 8 << 5, 0]) for lane in range(lanes.lanes)]
        first = [h + rng.randbytes(WORD - 2) + h + rng.randbytes(3) for h in head]
        second = [h + rng.randbytes(3) for h in head]
        lanes.clear()
        found = Hosts(lanes, first, second).run([], 2 * LIMIT)
        for lane, reply in enumerate(found):
            back = [bytes(255 - v for v in text[lane]) for text in (first, second)]
            assert (reply.status, reply.rest) == (0, b"")
            assert reply.strings == back


@pytest.mark.parametrize("width", WIDTHS)
def test_a_limit_ends_the_hosts(width: int) -> None:
    """A response in the last cycle counts; one behind it does not."""
    with Lanes(made(ECHO), width) as lanes:
        texts = [bytes(WORD)] * lanes.lanes  # in cycles 1, 2 and 3: taken, given back, a response
        right = Reply(0, [b"\xff" * WORD], b"", 3)
        for limit, want in ((3, right), (4, right), (2, replace(right, status=None, cycle=2))):
            lanes.clear()
            assert set(map(repr, Hosts(lanes, texts).run([], limit))) == {repr(want)}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_fault_is_in_its_lane_and_its_cycle(width: int) -> None:
    with Lanes(made(ECHO), width) as lanes:
        asked = [bytes([0b100_010_00, 0x70, *range(WORD - 2)]) + bytes(WORD)] * lanes.lanes
        names = lanes.circuit.registers
        waits, last = names.index("wait_q[0]"), lanes.lanes - 1
        events = [
            Event(2, FLIP, waits, 3),  # it waits for 5 cycles and not for 4
            Event(3, FLIP, waits, 5),  # for 2 and not for 3
            Event(10, FLIP, names.index("out_last_o"), 6),  # the string has no end
            Event(1, STUCK_0, names.index("state_q[1]"), last),  # no response
        ]
        lanes.clear()
        found = Hosts(lanes, asked).run(events, LIMIT)
        usual = found[0]
        assert (usual.status, usual.cycle) == (0, 11)
        assert {lane for lane, r in enumerate(found) if r != usual} == {3, 5, 6, last}
        assert found[3] == replace(usual, cycle=usual.cycle + 1)
        assert found[5] == replace(usual, cycle=usual.cycle - 1)
        assert found[6] == Reply(None, [], usual.strings[0], LIMIT)
        assert found[last] == replace(usual, status=None, cycle=LIMIT)
