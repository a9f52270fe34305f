// SPDX-License-Identifier: Apache-2.0
//
// C interface of the simulated top of a board, for ctypes: pins alone are driven and read. Pins that
// a board does not have are left out. The flash memory is a model of a serial one (commands 03, AB).

#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "Vcore.h"
#include "verilated.h"

namespace {

// A context starts a thread for each processor but one; a model of one thread uses none of them.
struct Alone : VerilatedContext {
    Alone() { threads(1); }
};

struct Flash {
    std::vector<uint8_t> data;
    uint32_t base = 0;  // the address of data[0]
    bool awake = false;
    bool clock = false, selected = false;
    uint32_t bits = 0, address = 0, shift = 0;
    uint8_t command = 0;
    bool out = true;

    uint8_t at(uint32_t a) const {
        return a >= base && a - base < data.size() ? data[a - base] : 0xff;
    }

    void pins(bool cs_n, bool clk, bool mosi) {
        if (cs_n) {
            if (selected && bits >= 8 && command == 0xab) awake = true;
            selected = false;
        } else if (!selected) {
            selected = true;
            bits = shift = 0;
            command = 0;
        }
        if (selected && clk && !clock) {
            shift = shift << 1 | mosi;
            bits++;
            if (bits == 8) command = static_cast<uint8_t>(shift);
            if (bits == 32) address = shift & 0xffffff;
        }
        if (selected && !clk && clock && bits >= 32 && command == 0x03) {
            const uint32_t n = bits - 32;
            out = !awake || (at(address + n / 8) >> (7 - n % 8) & 1) != 0;
        }
        clock = clk;
    }
};

struct Board {
    Alone context;
    Vcore top{&context};
    Flash flash;
    uint32_t divisor;  // clock cycles of a bit on the serial lines
    std::deque<uint8_t> typed;
    uint32_t tx_wait = 0, tx_bit = 0, tx_octet = 0;
    uint32_t rx_wait = 0, rx_shift = 0;

    explicit Board(uint32_t cycles) : divisor(cycles) {}
};

template <typename Top>
void reset(Top& top, bool on) {
    if constexpr (requires { top.reset_i; }) top.reset_i = on;
}

template <typename Top>
void flash(Top& top, Flash& memory) {
    if constexpr (requires { top.flash_miso_i; }) {
        memory.pins(top.flash_cs_no, top.flash_clk_o, top.flash_mosi_o);
        top.flash_miso_i = memory.out;
    }
}

template <typename Top>
uint32_t leds(const Top& top) {
    uint32_t found = top.led_ok_o;
    if constexpr (requires { top.led_bad_o; }) found |= static_cast<uint32_t>(top.led_bad_o) << 1;
    return found;
}

// The serial output, a cycle later; -1 or an octet that is complete.
int listen(Board& b) {
    if (b.tx_bit == 0) {
        if (b.top.uart_tx_o == 0) {
            b.tx_bit = 1;
            b.tx_wait = b.divisor / 2 + b.divisor;
            b.tx_octet = 0;
        }
        return -1;
    }
    if (b.tx_wait-- > 1) return -1;
    b.tx_wait = b.divisor;
    if (b.tx_bit <= 8) {
        b.tx_octet |= static_cast<uint32_t>(b.top.uart_tx_o) << (b.tx_bit - 1);
        b.tx_bit++;
        return -1;
    }
    b.tx_bit = 0;
    return b.top.uart_tx_o ? static_cast<int>(b.tx_octet) : -1;
}

void speak(Board& b) {
    if (b.rx_wait > 0) {
        b.rx_wait--;
    } else if (b.rx_shift > 1) {
        b.rx_shift >>= 1;
        b.rx_wait = b.divisor - 1;
    } else if (!b.typed.empty()) {
        // Start bit, data, stop bit, and a one that says the octet is over.
        b.rx_shift = (static_cast<uint32_t>(b.typed.front()) << 1) | 0x600;
        b.typed.pop_front();
        b.rx_wait = b.divisor - 1;
    }
    b.top.uart_rx_i = b.rx_shift == 0 ? 1 : b.rx_shift & 1;
}

}  // namespace

extern "C" {

// NULL: there is no memory. `released`: the level of the reset pin while nobody presses it.
void* board_new(uint32_t divisor, uint32_t released) try {
    auto* b = new Board(divisor);
    b->top.uart_rx_i = 1;
    reset(b->top, released != 0);
    return b;
} catch (const std::exception&) {
    return nullptr;
}

void board_free(void* handle) { delete static_cast<Board*>(handle); }

// Fill the flash memory from an address on.
void board_flash(void* handle, uint32_t address, const uint8_t* octets, uint32_t count) {
    auto& b = *static_cast<Board*>(handle);
    b.flash.base = address;
    b.flash.data.assign(octets, octets + count);
}

// Send an octet to the board after those that still wait.
void board_type(void* handle, uint8_t octet) { static_cast<Board*>(handle)->typed.push_back(octet); }

// Run `cycles`, or until `room` octets have come. Returns how many have; `high` gets the LEDs that
// were high in some cycle, `low` those that were low in some: bit 0 led_ok_o, bit 1 led_bad_o.
uint32_t board_run(void* handle, uint64_t cycles, uint8_t* octets, uint32_t room, uint32_t* high,
                   uint32_t* low) {
    auto& b = *static_cast<Board*>(handle);
    uint32_t count = 0;
    *high = *low = 0;
    for (uint64_t i = 0; i < cycles && count < room; i++) {
        speak(b);
        b.top.clk_i = 1;
        b.top.eval();
        b.top.clk_i = 0;
        b.top.eval();
        flash(b.top, b.flash);
        *high |= leds(b.top);
        *low |= ~leds(b.top) & 3;
        const int octet = listen(b);
        if (octet >= 0) octets[count++] = static_cast<uint8_t>(octet);
    }
    return count;
}

}  // extern "C"
