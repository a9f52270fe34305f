// SPDX-License-Identifier: Apache-2.0
//
// C interface of a simulated core or farm of cores, for ctypes: one handle is one of them. A handle is
// not thread-safe.
//
// Numbers are arrays of 32-bit words, least significant first, as wide as the port.

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <type_traits>

#include "Vcore.h"
#include "verilated.h"
#ifdef ECSM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr uint32_t TAKEN = 1, ANSWERED = 2;

template <typename Port>
void put(Port& port, const uint32_t* words) {
    if constexpr (std::is_integral_v<Port>) {
        uint64_t value = words[0];
        if (sizeof(Port) > 4) value |= static_cast<uint64_t>(words[1]) << 32;
        port = static_cast<Port>(value);
    } else {
        std::memcpy(port.data(), words, sizeof(Port));
    }
}

template <typename Port>
void get(const Port& port, uint32_t* words) {
    if constexpr (std::is_integral_v<Port>) {
        words[0] = static_cast<uint32_t>(port);
        if (sizeof(Port) > 4) words[1] = static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32);
    } else {
        std::memcpy(words, port.data(), sizeof(Port));
    }
}

template <typename Port>
bool any(const Port& port) {
    uint32_t words[sizeof(Port) / 4 + 2] = {};
    get(port, words);
    for (const uint32_t word : words) {
        if (word != 0) return true;
    }
    return false;
}

template <typename Top, typename = void>
struct TakesRandom : std::false_type {};
template <typename Top>
struct TakesRandom<Top, std::void_t<decltype(Top::random_i)>> : std::true_type {};

// Offer a random word of the system, if the core takes some.
template <typename Top>
void feed(Top& top) {
    if constexpr (TakesRandom<Top>::value) {
        static std::random_device source;
        if (top.random_ready_o) top.random_i = source();
        top.random_valid_i = 1;
    }
}

// A context starts a thread for each processor but one; a model of one thread uses none of them.
struct Alone : VerilatedContext {
    Alone() { threads(1); }
};

struct Core {
    Alone context;
    Vcore top{&context};
    uint64_t cycle = 0;
    uint64_t accepted[256] = {};  // the cycle of a tag's job
#ifdef ECSM_TRACE
    VerilatedVcdC vcd;
    uint64_t samples = 0;

    Core() {
        context.traceEverOn(true);
        top.trace(&vcd, 99);
    }
    void sample() {
        if (vcd.isOpen()) vcd.dump(samples++);
    }
#else
    void sample() {}
#endif

    void clock() {
        feed(top);
        top.clk_i = 1;
        top.eval();
        sample();
        top.clk_i = 0;
        top.eval();
        ++cycle;
    }
    // Offer a job; the core takes it at the next clock, if it is ready.
    void offer(uint32_t op, const uint32_t* scalar, const uint32_t* x, const uint32_t* y,
               uint32_t infinity, uint32_t tag) {
        put(top.req_scalar_i, scalar);
        put(top.req_x_i, x);
        put(top.req_y_i, y);
        top.req_op_i = op;
        top.req_infinity_i = infinity != 0;
        top.req_tag_i = tag;
        top.req_valid_i = 1;
        top.rsp_ready_i = 0;
        top.eval();
        sample();
    }
    // The clock at which the offered job is taken. The scalar leaves the port at once: nothing of
    // it stays in the model's inputs.
    void take() {
        clock();
        top.req_valid_i = 0;
        std::memset(&top.req_scalar_i, 0, sizeof(top.req_scalar_i));
        top.eval();
    }
    void reset() {
        std::memset(&top.req_scalar_i, 0, sizeof(top.req_scalar_i));
        top.rst_ni = 0;
        top.zeroize_i = 0;
        top.req_valid_i = 0;
        top.rsp_ready_i = 0;
        top.clk_i = 0;
        top.eval();
        clock();
        top.rst_ni = 1;
        top.eval();
    }
};

}  // namespace

extern "C" {

struct ecsm_answer {
    uint32_t status;
    uint32_t infinity;
    uint32_t tag;
    uint32_t cycles;    // as the core reports them
    uint32_t measured;  // counted here, from the accepted request to the valid response
};

// NULL: there is no memory. An exception would end the process.
void* ecsm_new() try {
    auto core = std::make_unique<Core>();
    core->reset();
    return core.release();
} catch (const std::exception&) {
    return nullptr;
}

void ecsm_free(void* handle) { delete static_cast<Core*>(handle); }

// Drop every job; the core is as new.
void ecsm_reset(void* handle) { static_cast<Core*>(handle)->reset(); }

// Offer a job, to be taken while ecsm_wait clocks. `tag` must not be that of another in progress.
void ecsm_offer(void* handle, uint32_t op, const uint32_t* scalar, const uint32_t* x,
                const uint32_t* y, uint32_t infinity, uint32_t tag) {
    static_cast<Core*>(handle)->offer(op, scalar, x, y, infinity, tag);
}

// Clock until the offered job is taken or an answer comes, which is taken at once; `limit` cycles
// at most. Returns TAKEN, ANSWERED or both, 0 if neither happened.
uint32_t ecsm_wait(void* handle, uint32_t limit, uint32_t* out_x, uint32_t* out_y,
                   ecsm_answer* answer) {
    auto& core = *static_cast<Core*>(handle);
    auto& top = core.top;
    for (; limit > 0; limit--) {
        const bool taken = top.req_valid_i && top.req_ready_o;
        const bool answered = top.rsp_valid_o;
        if (!taken && !answered) {
            core.clock();
            continue;
        }
        if (answered) {
            answer->status = top.rsp_status_o;
            answer->infinity = top.rsp_infinity_o;
            answer->tag = top.rsp_tag_o;
            answer->cycles = top.rsp_cycles_o;
            answer->measured = static_cast<uint32_t>(core.cycle - core.accepted[top.rsp_tag_o]);
            get(top.rsp_x_o, out_x);
            get(top.rsp_y_o, out_y);
            top.rsp_ready_i = 1;
        }
        if (taken) {
            core.accepted[top.req_tag_i] = core.cycle;
            core.take();
        } else {
            core.clock();
        }
        top.rsp_ready_i = 0;
        top.eval();
        return (taken ? TAKEN : 0) | (answered ? ANSWERED : 0);
    }
    return 0;
}

// Cycles since the core was made.
uint64_t ecsm_cycle(void* handle) { return static_cast<Core*>(handle)->cycle; }

// Take a job and stop it `after` clocks later by a reset or a zeroize of one clock. Returns 0 if
// the core then has no response and zero on every output of one, and is ready after `clearing` cycles;
// otherwise 1.
int ecsm_abort(void* handle, const uint32_t* scalar, const uint32_t* x, const uint32_t* y,
               uint32_t after, uint32_t reset, uint32_t clearing) {
    auto& core = *static_cast<Core*>(handle);
    auto& top = core.top;
    core.offer(0, scalar, x, y, 0, 0xff);
    for (uint32_t i = 0; i < clearing && !top.req_ready_o; i++) core.clock();  // after the one before
    if (!top.req_ready_o) return 1;
    core.take();
    while (after-- > 0) core.clock();
    (reset ? top.rst_ni : top.zeroize_i) = !reset;
    top.eval();
    core.clock();
    (reset ? top.rst_ni : top.zeroize_i) = reset;
    top.eval();
    bool left = false;
    for (uint32_t i = 0; i <= clearing; i++) {
        left = left || top.rsp_valid_o || top.rsp_status_o || top.rsp_infinity_o || top.rsp_tag_o ||
               top.rsp_cycles_o || any(top.rsp_x_o) || any(top.rsp_y_o);
        if (i < clearing) core.clock();
    }
    return left || !top.req_ready_o ? 1 : 0;
}

#ifdef ECSM_TRACE
// Write all values now, then the changes of what follows, to a file: at every clock, and when a job
// is offered. Returns 0, or 1 if the file cannot be opened.
int ecsm_trace(void* handle, const char* path) {
    auto& core = *static_cast<Core*>(handle);
    core.vcd.open(path);
    core.sample();
    return core.vcd.isOpen() ? 0 : 1;
}

void ecsm_trace_end(void* handle) { static_cast<Core*>(handle)->vcd.close(); }
#endif

}  // extern "C"
