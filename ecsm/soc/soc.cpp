// SPDX-License-Identifier: Apache-2.0
//
// C interface of the simulated system on chip, for ctypes: one handle is one of them. A handle is
// not thread-safe.

#include <sys/random.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "Vcore.h"
#include "Vcore___024root.h"
#include "Vcore_soc.h"
#include "verilated.h"

namespace {

constexpr uint32_t RESET_CYCLES = 4;

// A context starts a thread for each processor but one; a model of one thread uses none of them.
struct Alone : VerilatedContext {
    Alone() { threads(1); }
};

struct Soc {
    Alone context;
    Vcore top{&context};
    uint64_t cycle = 0;
    uint32_t divisor;            // clock cycles of a bit on the serial lines
    std::deque<uint8_t> typed;
    std::vector<uint8_t> noise;  // octets of the host's generator, used up from the back
    uint32_t tx_wait = 0, tx_bit = 0, tx_octet = 0;  // what the SoC sends
    uint32_t rx_wait = 0, rx_shift = 0;              // what it receives

    explicit Soc(uint32_t cycles) : divisor(cycles) {}

    void clock() {
        if (noise.empty()) {
            noise.resize(256);
            if (getentropy(noise.data(), noise.size()) != 0) noise.clear();
        }
        top.noise_valid_i = !noise.empty();
        top.noise_data_i = noise.empty() ? 0 : noise.back();
        if (top.noise_valid_i && top.noise_ready_o) noise.pop_back();
        top.clk_i = 1;
        top.eval();
        top.clk_i = 0;
        top.eval();
        cycle++;
    }

    // The SoC's serial output, a cycle later; -1 or an octet that is complete.
    int listen() {
        if (tx_bit == 0) {
            if (top.uart_tx_o == 0) tx_bit = 1, tx_wait = divisor / 2 + divisor, tx_octet = 0;
            return -1;
        }
        if (tx_wait-- > 1) return -1;
        tx_wait = divisor;
        if (tx_bit <= 8) {
            tx_octet |= static_cast<uint32_t>(top.uart_tx_o) << (tx_bit - 1);
            tx_bit++;
            return -1;
        }
        tx_bit = 0;
        return top.uart_tx_o ? static_cast<int>(tx_octet) : -1;
    }

    void speak() {
        if (rx_wait > 0) {
            rx_wait--;
        } else if (rx_shift > 1) {
            rx_shift >>= 1;
            rx_wait = divisor - 1;
        } else if (!typed.empty()) {
            // Start bit, data, stop bit, and a one that says the octet is over.
            rx_shift = (static_cast<uint32_t>(typed.front()) << 1) | 0x600;
            typed.pop_front();
            rx_wait = divisor - 1;
        }
        top.uart_rx_i = rx_shift == 0 ? 1 : rx_shift & 1;
    }
};

}  // namespace

extern "C" {

// divisor: clock cycles of a bit on the serial lines, as the program has it.
// NULL: there is no memory. An exception would end the process.
void* soc_new(uint32_t divisor) try {
    return new Soc(divisor);
} catch (const std::exception&) {
    return nullptr;
}

void soc_free(void* handle) {
    auto* soc = static_cast<Soc*>(handle);
    // Verilator takes the scopes of what is public out of the thread's context, which may be another's.
    Verilated::threadContextp(&soc->context);
    delete soc;
}

// Fill the memory from address 0 and reset; nothing is on the lines. Returns 0, or 1 if the memory is too small.
int soc_load(void* handle, const uint32_t* words, uint32_t count) {
    auto& soc = *static_cast<Soc*>(handle);
    auto& memory = soc.top.rootp->soc->u_soc__DOT__u_ram__DOT__memory;
    if (count > sizeof(memory) / sizeof(uint32_t)) return 1;
    soc.typed.clear();
    soc.tx_wait = soc.tx_bit = soc.tx_octet = soc.rx_wait = soc.rx_shift = 0;
    for (uint32_t i = 0; i < count; i++) memory[i] = words[i];
    soc.top.uart_rx_i = 1;
    soc.top.rst_ni = 1;
    soc.top.eval();
    soc.top.rst_ni = 0;
    for (uint32_t i = 0; i < RESET_CYCLES; i++) soc.clock();
    soc.top.rst_ni = 1;
    return 0;
}

// Send an octet to the SoC after those that still wait.
void soc_type(void* handle, uint8_t octet) { static_cast<Soc*>(handle)->typed.push_back(octet); }

// Run until the program has exited, `room` octets have come, or `cycles` are over. Returns how many
// octets have come; `exited` says whether there is an exit status, which is in `status`.
uint32_t soc_run(void* handle, uint64_t cycles, uint8_t* octets, uint32_t room, uint32_t* exited,
                 uint32_t* status) {
    auto& soc = *static_cast<Soc*>(handle);
    uint32_t count = 0;
    for (uint64_t i = 0; i < cycles && count < room; i++) {
        // What was sent before the exit is heard to its end.
        if (soc.top.exit_valid_o && soc.tx_bit == 0 && soc.top.uart_tx_o) break;
        soc.speak();
        soc.clock();
        const int octet = soc.listen();
        if (octet >= 0) octets[count++] = static_cast<uint8_t>(octet);
    }
    *exited = soc.top.exit_valid_o && soc.tx_bit == 0 && soc.top.uart_tx_o ? 1 : 0;
    *status = soc.top.exit_status_o;
    return count;
}

uint64_t soc_cycles(void* handle) { return static_cast<Soc*>(handle)->cycle; }

}  // extern "C"
