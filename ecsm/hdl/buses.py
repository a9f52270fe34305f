# SPDX-License-Identifier: Apache-2.0
"""The buses that a register block can be behind: each has its ports and its template of a port.

A bus named ``axil`` has the template ``parts/port_axil.sv.j2`` and ports that begin with ``axil_``.
"""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS_BITS = 10

Ports = tuple[tuple[str, int, str], ...]
"""Direction, bits, name of each port."""

CLOCKS: Ports = (("input ", 1, "clk_i"), ("input ", 1, "rst_ni"), ("input ", 1, "zeroize_i"))
INTERRUPT: Ports = (("output", 1, "irq_o"),)


@dataclass(frozen=True)
class Bus:
    """A bus: its name; what texts call it, and how it refuses an access; its RTL; its own ports."""

    name: str
    text: str
    refusal: str
    port: str
    signals: Ports

    @property
    def prefix(self) -> str:
        """How its ports begin."""
        return self.signals[0][2].split("_", maxsplit=1)[0]

    @property
    def core_ports(self) -> Ports:
        """The ports of a core behind it."""
        return (*CLOCKS, *self.signals, *INTERRUPT)


BUSES = {
    bus.name: bus
    for bus in (
        Bus(
            "axil",
            "AXI4-Lite",
            "SLVERR",
            "ecsm_axil_port",
            (
                ("input ", 1, "axil_awvalid_i"),
                ("output", 1, "axil_awready_o"),
                ("input ", ADDRESS_BITS, "axil_awaddr_i"),
                ("input ", 3, "axil_awprot_i"),
                ("input ", 1, "axil_wvalid_i"),
                ("output", 1, "axil_wready_o"),
                ("input ", 32, "axil_wdata_i"),
                ("input ", 4, "axil_wstrb_i"),
                ("output", 1, "axil_bvalid_o"),
                ("input ", 1, "axil_bready_i"),
                ("output", 2, "axil_bresp_o"),
                ("input ", 1, "axil_arvalid_i"),
                ("output", 1, "axil_arready_o"),
                ("input ", ADDRESS_BITS, "axil_araddr_i"),
                ("input ", 3, "axil_arprot_i"),
                ("output", 1, "axil_rvalid_o"),
                ("input ", 1, "axil_rready_i"),
                ("output", 32, "axil_rdata_o"),
                ("output", 2, "axil_rresp_o"),
            ),
        ),
        Bus(
            "wishbone",
            "Wishbone",
            "ERR",
            "ecsm_simple_port",
            (
                ("input ", 1, "wb_cyc_i"),
                ("input ", 1, "wb_stb_i"),
                ("input ", 1, "wb_we_i"),
                ("input ", ADDRESS_BITS, "wb_adr_i"),
                ("input ", 4, "wb_sel_i"),
                ("input ", 32, "wb_dat_i"),
                ("output", 32, "wb_dat_o"),
                ("output", 1, "wb_ack_o"),
                ("output", 1, "wb_err_o"),
            ),
        ),
        Bus(
            "apb",
            "APB",
            "PSLVERR",
            "ecsm_simple_port",
            (
                ("input ", 1, "apb_psel_i"),
                ("input ", 1, "apb_penable_i"),
                ("input ", 1, "apb_pwrite_i"),
                ("input ", ADDRESS_BITS, "apb_paddr_i"),
                ("input ", 3, "apb_pprot_i"),
                ("input ", 4, "apb_pstrb_i"),
                ("input ", 32, "apb_pwdata_i"),
                ("output", 32, "apb_prdata_o"),
                ("output", 1, "apb_pready_o"),
                ("output", 1, "apb_pslverr_o"),
            ),
        ),
    )
}
"""By name, as ``--attach`` takes it."""
