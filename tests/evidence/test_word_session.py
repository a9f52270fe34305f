# SPDX-License-Identifier: Apache-2.0
"""A session of tasks in all lanes, with a machine that adds up the words of its strings."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from ecsm.evidence.campaigns.lanes import FEW, Lanes
from ecsm.evidence.campaigns.word_session import Session, Task
from tests.evidence.small import made

# Operation 1 and above add up the words of one string, which it takes with pauses, and give the sum
# unless the operation is even. 5 waits for as many cycles as the sum's lowest bits say, 7 fails.
MACHINE = """
module adder (
  input logic clk_i, rst_ni, req_valid_i, input logic [5:0] req_op_i, output logic req_ready_o,
  input logic in_valid_i, in_last_i, input logic [63:0] in_data_i, input logic [3:0] in_bytes_i,
  output logic in_ready_o, out_valid_o, output logic [63:0] out_data_o,
  output logic [3:0] out_bytes_o, output logic rsp_valid_o, output logic [3:0] rsp_status_o
);
  logic [5:0] op_q;
  logic [2:0] state_q, wait_q;
  logic [15:0] sum_q;
  logic [3:0] bytes_q;
  assign req_ready_o = state_q == 0;
  assign in_ready_o = state_q == 2;
  assign out_valid_o = state_q == 4;
  assign out_data_o = {48'd0, sum_q} << (64 - 8 * bytes_q);
  assign out_bytes_o = bytes_q;
  assign rsp_valid_o = state_q == 5;
  assign rsp_status_o = (op_q == 7) ? 4'd2 : 4'd0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= 0;
    else begin
      wait_q <= wait_q - 3'd1;
      case (state_q)
        0: if (req_valid_i) begin
          op_q <= req_op_i; sum_q <= 0; wait_q <= 3'd5; state_q <= 1;
        end
        1: if (wait_q == 0) state_q <= 2;
        2: if (in_valid_i) begin
          sum_q <= sum_q + in_data_i[63:48] + 16'(in_bytes_i);
          bytes_q <= 4'd2;
          wait_q <= 3'd3;
          state_q <= in_last_i ? 3 : 1;
          if (in_last_i && op_q == 5) wait_q <= in_data_i[50:48];
        end
        3: if (wait_q == 0) state_q <= op_q[0] ? 4 : 5;
        4: state_q <= 5;
        5: state_q <= 0;
        default: state_q <= 0;
      endcase
    end
  end
endmodule
"""
SIZES = (8, 24, 10)
Strings = list[bytes]


@pytest.fixture(scope="module")
def lanes() -> Iterator[Lanes]:
    with Lanes(made(MACHINE), FEW) as found:
        yield found


def on(lanes: Lanes, *tasks: Task) -> Session:
    """Return a session of tasks, behind a reset."""
    lanes.clear()
    lanes.run(3)
    lanes.set("rst_ni", 1)
    lanes.run(2)
    return Session(lanes, tasks)


def strings(lanes: Lanes, size: int, seed: int = 1) -> Strings:
    rng = random.Random(f"{seed} {size}")
    return [rng.randbytes(size) for _ in range(lanes.lanes)]


def total(string: bytes) -> bytes:
    """Return what the machine gives of a string."""
    words = [string[at : at + 8] for at in range(0, len(string), 8)]
    return (sum(int.from_bytes(w[:2], "big") + len(w) for w in words) & 0xFFFF).to_bytes(2, "big")


@pytest.mark.parametrize("size", SIZES)
def test_a_string_is_given_and_its_answer_is_heard(lanes: Lanes, size: int) -> None:
    given = strings(lanes, size)
    session = on(lanes, Task(3, [given]))
    session.to(200)
    assert [session.octets(end) for end in (0, 1)] == [total(given[0]), total(given[-1])]
    assert session.begins == [0]
    assert 10 < session.last < 60


def test_tasks_follow_each_other(lanes: Lanes) -> None:
    """What is heard is of the last one, as is the end."""
    first, second = strings(lanes, 8), strings(lanes, 24)
    alone = on(lanes, Task(2, [first]))
    alone.to(200)
    session = on(lanes, Task(2, [first]), Task(3, [second]))
    session.to(alone.last + 1)
    assert (session.begins, session.last) == ([0], -1)
    session.to(200)
    assert session.begins == [0, alone.last + 1]
    assert session.last > alone.last
    assert [session.octets(end) for end in (0, 1)] == [total(second[0]), total(second[-1])]


def test_counts_are_the_same_wherever_a_session_stops(lanes: Lanes) -> None:
    tasks = [Task(2, [strings(lanes, 24)]), Task(3, [strings(lanes, 10)])]
    whole = np.zeros((150, lanes.lanes), dtype=np.uint16)
    on(lanes, *tasks).to(150, whole)
    assert whole.any(axis=1).sum() > 60
    session, at, rng = on(lanes, *tasks), 0, random.Random(1)
    while at < 150:
        more = min(rng.randint(1, 9), 150 - at)
        part = np.zeros((more, lanes.lanes), dtype=np.uint16)
        session.to(at + more, part, at)
        assert (part == whole[at : at + more]).all(), at
        at += more


def test_recorded_nets_are_those_of_each_cycle(lanes: Lanes) -> None:
    tasks = [Task(3, [strings(lanes, 24)])]
    nets = [n for p in ("req_ready_o", "in_ready_o", "out_data_o") for n in lanes.circuit.ports[p]]
    session, rows = on(lanes, *tasks), np.zeros((60, len(nets), lanes.lanes // 8), dtype=np.uint8)
    lanes.record(nets, rows)
    session.to(60)
    lanes.record((), None)
    session = on(lanes, *tasks)
    for cycle in range(60):
        session.to(cycle)
        lanes.run(0)
        assert (lanes.planes(nets) == rows[cycle]).all(), cycle
    assert len(np.unique(rows, axis=0)) > 4
    before = rows.copy()
    session.to(90)
    assert (rows == before).all(), "nothing is written behind the end"


def test_lanes_that_run_apart_are_said(lanes: Lanes) -> None:
    session = on(lanes, Task(5, [strings(lanes, 8)]))
    with pytest.raises(ValueError, match="lanes differ in out_valid_o, cycle"):
        session.to(200)


def test_another_status_is_said(lanes: Lanes) -> None:
    session = on(lanes, Task(7, [strings(lanes, 8)]))
    with pytest.raises(ValueError, match=r"answered \[2\] in cycle"):
        session.to(200)
