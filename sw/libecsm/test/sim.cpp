// SPDX-License-Identifier: Apache-2.0
//
// Registers of simulated RTL: every access is one on the AXI4-Lite of the block, schemes or a core.

#include <sys/random.h>

#include <cstdint>
#include <new>

#include "Vcore.h"
#include "verilated.h"

namespace {

constexpr uint32_t kPatience = 4096;  // cycles that sim_wait waits at most

// Gives a block that takes samples of noise one; a core takes none.
template <typename Top>
void feed([[maybe_unused]] Top& top) {
    if constexpr (requires { top.noise_valid_i; }) {
        uint8_t sample = 0;
        top.noise_valid_i = getentropy(&sample, 1) == 0;
        top.noise_data_i = sample;
    }
}

struct Block {
    VerilatedContext context;
    Vcore top{&context};
    uint64_t cycles = 0;
    uint32_t refused = 0;  // accesses, since last asked
    bool noisy = false;

    void clock() {
        if (noisy) feed(top);
        top.clk_i = 0;
        top.eval();
        top.clk_i = 1;
        top.eval();
        ++cycles;
    }
};

}  // namespace

extern "C" {

void* sim_new(uint32_t noisy) {
    auto* block = new (std::nothrow) Block;
    if (block == nullptr) return nullptr;
    block->noisy = noisy != 0;
    auto& top = block->top;
    top.rst_ni = 0;
    top.axil_wstrb_i = 0xF;
    top.axil_bready_i = 1;
    top.axil_rready_i = 1;
    block->clock();
    top.rst_ni = 1;
    return block;
}

void sim_free(void* handle) { delete static_cast<Block*>(handle); }

uint32_t sim_refused(void* handle) {
    auto& block = *static_cast<Block*>(handle);
    const uint32_t count = block.refused;
    block.refused = 0;
    return count;
}

uint64_t sim_cycles(void* handle) { return static_cast<Block*>(handle)->cycles; }

uint32_t sim_read(void* handle, uint32_t offset) {
    auto& block = *static_cast<Block*>(handle);
    auto& top = block.top;
    top.axil_araddr_i = offset;
    top.axil_arvalid_i = 1;
    block.clock();
    top.axil_arvalid_i = 0;
    while (!top.axil_rvalid_o) block.clock();
    const uint32_t data = top.axil_rdata_o;
    block.refused += top.axil_rresp_o != 0;
    block.clock();
    return data;
}

void sim_write(void* handle, uint32_t offset, uint32_t value) {
    auto& block = *static_cast<Block*>(handle);
    auto& top = block.top;
    top.axil_awaddr_i = offset;
    top.axil_wdata_i = value;
    top.axil_awvalid_i = 1;
    top.axil_wvalid_i = 1;
    block.clock();
    top.axil_awvalid_i = 0;
    top.axil_wvalid_i = 0;
    while (!top.axil_bvalid_o) block.clock();
    block.refused += top.axil_bresp_o != 0;
    block.clock();
}

void sim_wait(void* handle) {
    auto& block = *static_cast<Block*>(handle);
    for (uint32_t i = 0; i < kPatience && !block.top.irq_o; ++i) block.clock();
}

}  // extern "C"
