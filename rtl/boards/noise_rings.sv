// SPDX-License-Identifier: Apache-2.0
//
// Ring oscillators: loops of an odd number of inverters, each of another length. Ring r has
// Shortest + 2 r look-up tables.
//
//         +-------------------------------------------+
//         +--> NAND --> NAND(1) --> .. --> NAND(1) ---+--> ring_o[r]
//   enable_i --^
//
// Parameters: Family is 1 for ECP5, 2 for iCE40, 3 for Gowin (noise_cell). Family 0 is a model for
// simulation, where a loop without delays has no meaning: a shift register with feedback (xorshift,
// 64 bits).
// THE MODEL IS NO NOISE: everybody can compute its bits. Synthesis refuses it.
//
// ring_o is asynchronous. clk_i is for the model alone. While enable_i is low the rings stand.
`default_nettype none

module noise_rings #(
  parameter int unsigned Family = 0,
  parameter int unsigned Rings = 8,
  parameter int unsigned Shortest = 5
) (
  input  logic             clk_i,
  input  logic             enable_i,
  output logic [Rings-1:0] ring_o
);

  if (Family == 0) begin : gen_model
`ifdef SYNTHESIS
    $error("noise_rings: Family 0 is a model for simulation, and no source of noise");
`endif
    logic [63:0] state_q, a, b;
    assign a = state_q ^ (state_q << 13);
    assign b = a ^ (a >> 7);
    always_ff @(posedge clk_i or negedge enable_i) begin
      if (!enable_i) state_q <= 64'h9e37_79b9_7f4a_7c15;
      else state_q <= b ^ (b << 17);
    end
    assign ring_o = state_q[63-:Rings];
  end else begin : gen_rings
    logic unused;
    assign unused = clk_i;
    for (genvar r = 0; r < Rings; r++) begin : gen_ring
      localparam int unsigned Length = Shortest + 2 * r;
      (* keep *) logic [Length-1:0] node;
      for (genvar i = 0; i < Length; i++) begin : gen_stage
        if (i == 0) begin : gen_first
          noise_cell #(
            .Family(Family)
          ) u_cell (
            .a_i(enable_i),
            .b_i(node[Length-1]),
            .y_o(node[i])
          );
        end else begin : gen_next
          noise_cell #(
            .Family(Family)
          ) u_cell (
            .a_i(1'b1),
            .b_i(node[i-1]),
            .y_o(node[i])
          );
        end
      end
      assign ring_o[r] = node[Length-1];
    end
  end

endmodule

`default_nettype wire
