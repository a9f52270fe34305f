# SPDX-License-Identifier: Apache-2.0
"""A test top with one ecsm_scalar_threads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from tests.rtl.scalar.window import Halves, assigned


@dataclass(frozen=True)
class Shared:
    """Parameters of one ecsm_scalar_threads: those of its unit, threads, a thread's rows."""

    unit: Halves
    threads: int
    rows: int

    module = "ecsm_scalar_threads"
    # thread_q and column_q follow the threads' turns, cleared or not.
    registers = (
        "taken_q", "begun_q", "run_q", "slot_q", "wait_q", "number_q", "row_q", "read_q",
        "asked_q", "ask_q", "digit_q", "zero_q",
    )  # fmt: skip

    @property
    def slots(self) -> int:
        """Threads that the memories have room for."""
        return 1 << (self.threads - 1).bit_length()

    @property
    def depth(self) -> int:
        """Places to clear: rows of the digits' memory."""
        return self.slots * self.rows

    @property
    def each(self) -> int:
        """Cycles of the unit that a scalar takes."""
        return self.unit.latency + self.unit.count

    @property
    def state(self) -> list[str]:
        """Everything that holds data, by its name inside the module."""
        return [
            *self.registers,
            *(f"u_glv.{r}" for r in self.unit.registers),
            *(f"scalar[{i}]" for i in range(self.slots)),
            *(f"memory[{i}]" for i in range(self.depth)),
        ]

    def to_json(self) -> str:
        """Return the parameters as the environment variable's text."""
        rest = {"threads": self.threads, "rows": self.rows}
        return json.dumps({**{k: hex(v) for k, v in asdict(self.unit).items()}, **rest})

    @staticmethod
    def from_json(text: str) -> Shared:
        """Inverse of :meth:`to_json`."""
        data = json.loads(text)
        threads, rows = data.pop("threads"), data.pop("rows")
        return Shared(Halves(**{k: int(v, 16) for k, v in data.items()}), threads, rows)

    @property
    def clear_bits(self) -> int:
        """Bits of clear_number_i."""
        return max(1, (self.depth - 1).bit_length())

    def ports(self) -> str:
        """Return the ports, as a module declares them."""
        t, slot = self.threads, (self.threads - 1).bit_length()
        return f"""\
  input logic clk_i, input logic clear_i, input logic [{self.clear_bits - 1}:0] clear_number_i,
  input logic load_i, input logic [{slot - 1}:0] slot_i,
  input logic [{self.unit.bits - 1}:0] scalar_i, input logic next_i,
  input logic [{slot - 1}:0] thread_i, output logic [{t * (self.unit.w - 1) - 1}:0] index_o,
  output logic [{t - 1}:0] negative_o, output logic [{t - 1}:0] zero_o"""

    def instance(self) -> str:
        """Return an instance named ``u_dut`` on ports of the same names."""
        return (
            f"{self.module} #(.Threads({self.threads}), .NumRow({self.rows}), "
            f".ClearW({self.clear_bits}), {assigned(self.unit)}) u_dut (.*);"
        )


def threads_top(shared: Shared) -> str:
    """Return the module ``threads_top``; busy_o: something inside is not zero."""
    busy = " || ".join(f"(|u_dut.{name})" for name in shared.state)
    return f"""\
module threads_top (
{shared.ports()}, output logic busy_o
);
  {shared.instance()}
  assign busy_o = {busy};
endmodule
"""
