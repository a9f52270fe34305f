# SPDX-License-Identifier: Apache-2.0
"""A test top with ecsm_order units side by side, which get the same requests and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ecsm.curves.order import Modulus, OrderUnit
from ecsm.hdl.files import needed, rtl_files

OPS = ("add", "sub", "mul", "inv", "mod", "reduce", "check", "xor")
"""In the order of ecsm_order_pkg::order_op_e."""
REGISTERS = Path(__file__).parent / "order_registers.vlt"


def units_to_json(units: Sequence[OrderUnit]) -> str:
    """Return units as the environment variable's text."""
    return json.dumps([asdict(u) for u in units])


def units_from_json(text: str) -> list[OrderUnit]:
    """Return what :func:`units_to_json` wrote."""
    rows = json.loads(text)
    return [OrderUnit(**{**r, "moduli": tuple(Modulus(**m) for m in r["moduli"])}) for r in rows]


def assigned(unit: OrderUnit) -> str:
    """Return the parameters as an instance has them."""
    return ", ".join(f".{name}({value})" for name, value in unit.parameters.items())


# Fields of the flat ports, the highest first. Bits of those that depend on the unit: see Ports.
class Ports:
    """Widths of a unit's ports."""

    def __init__(self, unit: OrderUnit) -> None:
        self.bits = (2 * unit.width + 64).bit_length()
        self.modulus = max(1, (len(unit.moduli) - 1).bit_length())
        self.reg = (unit.registers - 1).bit_length()
        self.index = max(1, (unit.words - 1).bit_length())
        self.word = unit.word

    @property
    def request(self) -> dict[str, int]:
        """Fields of request_i."""
        fields = {"req_valid_i": 1, "req_op_i": 3, "req_dst_i": self.reg, "req_a_i": self.reg}
        more = {"req_b_i": self.reg, "req_modulus_i": self.modulus, "req_bits_i": self.bits}
        return fields | more

    @property
    def string(self) -> dict[str, int]:
        """Fields of string_i."""
        return {"str_valid_i": 1, "str_last_i": 1, "str_data_i": self.word}

    @property
    def port(self) -> dict[str, int]:
        """Fields of port_i."""
        fields = {"port_valid_i": 1, "port_write_i": 1, "port_reg_i": self.reg}
        return fields | {"port_index_i": self.index, "port_data_i": self.word}


STATUS = ("req_ready_o", "port_ready_o", "str_ready_o", "done_o", "zero_o", "below_o")
"""status_o has a bit of each unit for each of these, the first lowest."""


def pack(fields: dict[str, int], values: dict[str, int]) -> int:
    """Return a flat port's value."""
    word = 0
    for name, bits in fields.items():
        assert values[name] >> bits == 0, name
        word = word << bits | values[name]
    return word


def _connected(fields: dict[str, int], port: str) -> str:
    at, made = sum(fields.values()), []
    for name, bits in fields.items():
        at -= bits
        bit = f"{port}[{at}+:{bits}]"
        made.append(f".{name}({f'order_op_e{chr(39)}({bit})' if name == 'req_op_i' else bit})")
    return ", ".join(made)


def unit_top(units: Sequence[OrderUnit]) -> str:
    """Return the module ``order_group``; the units differ in their moduli only."""
    ports, count = Ports(units[0]), len(units)
    body = []
    for i, u in enumerate(units):
        status = ", ".join(f".{name}(status_o[{i + count * j}])" for j, name in enumerate(STATUS))
        body.append(f"""\
  ecsm_order #({assigned(u)}) u_{i} (
    .clk_i(clk_i), .rst_ni(rst_ni_i), .zeroize_i(zeroize_i),
    {_connected(ports.request, "request_i")},
    {_connected(ports.string, "string_i")},
    {_connected(ports.port, "port_i")}, .port_data_o(data_o[{i * u.word}+:{u.word}]),
    {status}
  );
""")
    return f"""\
module order_group import ecsm_order_pkg::*; (
  input logic clk_i, input logic rst_ni_i, input logic zeroize_i,
  input logic [{sum(ports.request.values()) - 1}:0] request_i,
  input logic [{sum(ports.string.values()) - 1}:0] string_i,
  input logic [{sum(ports.port.values()) - 1}:0] port_i,
  output logic [{count * len(STATUS) - 1}:0] status_o,
  output logic [{count * ports.word - 1}:0] data_o
);
{"".join(body)}endmodule
"""


def sources() -> list[Path]:
    """Return the unit's files."""
    return needed("ecsm_order", rtl_files())
