# SPDX-License-Identifier: Apache-2.0
"""The memory of a system is filled in its routed design: another program, the same routes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ecsm.backend.tool import FlowError
from ecsm.boards import make, netlist
from ecsm.boards.board import board
from ecsm.boards.designs import IMAGE, BoardDesign, board_files
from ecsm.boards.make import How
from ecsm.hdl.files import needed
from ecsm.progress import Progress
from ecsm.soc.firmware import Program

KIB = 64
BITS = 14  # of the address of a word
PORTS = ("clk_i", "uart_rx_i", "led_ok_o")
# Words of the memory go out on one pin, and the other pin writes.
TEXT = f"""
module board (
    input  logic clk_i,
    input  logic uart_rx_i,
    output logic led_ok_o
);
  logic [{BITS - 1}:0] at_q = '0;
  logic [31:0] instruction, data;
  logic [1:0] ack;
  always_ff @(posedge clk_i) begin
    at_q <= at_q + {BITS}'d1;
    led_ok_o <= ^{{instruction, data, ack}};
  end
  ecsm_soc_ram #(
      .NumWord({256 * KIB}),
      .Image("{IMAGE}")
  ) u_ram (
      .clk_i(clk_i),
      .rst_ni(1'b1),
      .i_req_i(1'b1),
      .i_address_i(at_q),
      .i_ack_o(ack[0]),
      .i_data_o(instruction),
      .d_req_i(1'b1),
      .d_we_i({{4{{uart_rx_i}}}} & at_q[3:0]),
      .d_address_i(~at_q),
      .d_data_i({{{32 - BITS}'h0, at_q}}),
      .d_ack_o(ack[1]),
      .d_data_o(data)
  );
endmodule
"""


def small() -> BoardDesign:
    b = board("ulx3s-85f")
    files = tuple(needed(TEXT, board_files()))
    return BoardDesign(
        "memory", b, "a memory", TEXT, files, PORTS, b.clock_mhz, False,
        program=Program({}, memory=KIB),
    )  # fmt: skip


def made(d: BoardDesign, words: list[int]) -> bytes:
    with Progress() as log:
        routed = make._routed(d, netlist.board_netlist(d, log), How(), log)
        return make._packed(d, routed / make.CONFIG, words, log)


def test_a_program_that_is_put_in_is_as_one_that_was_synthesised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)
    words = [rng.getrandbits(32) for _ in range(100)] + [0] * (256 * KIB - 100)
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "put-in"))
    put_in = made(small(), words)
    assert put_in != made(small(), words[::-1])

    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "synthesised"))
    monkeypatch.setattr(netlist, "placeholder", lambda _: words)
    assert put_in == made(small(), [])


def test_a_program_that_is_too_large_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    monkeypatch.setattr(make, "image", lambda *_: bytes(1024 * KIB + 1))
    with Progress() as log, pytest.raises(Exception, match="65,537 bytes is too large") as found:
        make.memory_words(make.application("hello"), small(), log)
    assert not isinstance(found.value, FlowError)
