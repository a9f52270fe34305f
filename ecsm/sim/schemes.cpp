// SPDX-License-Identifier: Apache-2.0
//
// C interface of a simulated scheme machine with its core, for ctypes. A handle is not thread-safe.

#include <sys/random.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "Vcore.h"
#include "verilated.h"

namespace {

constexpr uint32_t WORD = 8;  // octets

// What ecsm_scheme_go returns for: no word moved in `limit` cycles; the answer; `stop` cycles are
// over; the octets of an open string are used up; more came out than there is room for.
enum : uint32_t { STUCK, ANSWERED, STOPPED, WANTS, FULL };

// A context starts a thread for each processor but one; a model of one thread uses none of them.
struct Alone : VerilatedContext {
    Alone() { threads(1); }
};

struct Core {
    Alone context;
    Vcore top{&context};
    uint64_t cycle = 0;
    std::deque<uint8_t> test;   // samples of the test mode
    std::vector<uint8_t> noise; // octets of the system's generator, used up from the back
    bool silent = false;        // the noise source gives nothing
    bool working = false;       // the request is accepted
    uint64_t accepted = 0;      // in which cycle

    // A rising edge; the next evaluation sees the falling one, for which nothing waits.
    void clock() {
        top.clk_i = 1;
        top.eval();
        top.clk_i = 0;
        ++cycle;
    }
    // Put a sample on each source that has one.
    void samples() {
        if (noise.empty() && !silent) {
            noise.resize(256);
            if (getentropy(noise.data(), noise.size()) != 0) noise.clear();
        }
        top.noise_valid_i = !noise.empty() && !silent;
        top.noise_data_i = top.noise_valid_i ? noise.back() : 0;
        top.test_valid_i = !test.empty();
        top.test_data_i = test.empty() ? 0 : test.front();
    }
    // A cycle whose inputs are evaluated; samples that are taken are gone.
    void step() {
        const bool took_noise = top.noise_valid_i && top.noise_ready_o;
        const bool took_test = top.test_valid_i && top.test_ready_o;
        clock();
        if (took_noise) noise.pop_back();
        if (took_test) test.pop_front();
    }
    void reset() {
        test.clear();
        top.rst_ni = 0;
        top.zeroize_i = 0;
        top.req_valid_i = 0;
        top.rsp_ready_i = 0;
        top.in_valid_i = 0;
        top.in_data_i = 0;
        top.out_ready_i = 0;
        top.clk_i = 0;
        top.eval();
        clock();
        top.rst_ni = 1;
        top.eval();
    }
};

// The words of strings, in order. `open`: the last string goes on behind these octets, of which
// there are whole words then.
class Input {
  public:
    Input(const uint8_t* octets, const uint32_t* lengths, uint32_t count, bool open)
        : octets_(octets), lengths_(lengths), count_(count), open_(open) {
        skip();
    }
    bool empty() const { return index_ == count_; }
    void put(Vcore& top) const {
        top.in_valid_i = !empty();
        top.in_data_i = 0;
        top.in_bytes_i = 0;
        top.in_last_i = 0;
        if (empty()) return;
        const uint32_t left = lengths_[index_] - at_;
        const uint32_t bytes = left < WORD ? left : WORD;
        uint64_t word = 0;
        for (uint32_t i = 0; i < bytes; ++i) word |= uint64_t{octets_[at_ + i]} << (56 - 8 * i);
        top.in_data_i = word;
        top.in_bytes_i = bytes;
        top.in_last_i = left <= WORD && !(open_ && index_ + 1 == count_);
    }
    void next() {
        at_ += WORD;
        if (at_ >= lengths_[index_]) {
            octets_ += lengths_[index_++];
            at_ = 0;
            skip();
        }
    }

  private:
    // An open string of which nothing has come has no word yet.
    void skip() {
        if (open_ && index_ + 1 == count_ && lengths_[index_] == 0) ++index_;
    }
    const uint8_t* octets_;
    const uint32_t* lengths_;
    uint32_t count_, index_ = 0, at_ = 0;
    bool open_;
};

}  // namespace

extern "C" {

struct ecsm_scheme_answer {
    uint64_t measured;  // cycles, counted here
    uint32_t status;
    uint32_t cycles;   // as the machine reports them
    uint32_t used;      // octets that came out
    uint32_t strings;   // that ended
    uint32_t happened;  // what ecsm_scheme_go returned
};

// NULL: there is no memory. An exception would end the process.
void* ecsm_scheme_new() try {
    auto core = std::make_unique<Core>();
    core->reset();
    return core.release();
} catch (const std::exception&) {
    return nullptr;
}

void ecsm_scheme_free(void* handle) { delete static_cast<Core*>(handle); }

// Samples for the test mode, and whether the noise source is silent.
void ecsm_scheme_samples(void* handle, const uint8_t* octets, uint32_t count, uint32_t silent) {
    auto& core = *static_cast<Core*>(handle);
    core.test.insert(core.test.end(), octets, octets + count);
    core.silent = silent != 0;
}

// Zeroize (or reset), and wait until a request would be taken; 0 if that takes `limit` cycles, or if
// a word is still offered after it.
uint32_t ecsm_scheme_zeroize(void* handle, uint32_t reset, uint32_t limit) {
    auto& core = *static_cast<Core*>(handle);
    core.top.req_valid_i = 0;
    core.top.in_valid_i = 0;
    core.top.in_data_i = 0;
    if (reset != 0) {
        core.reset();
    } else {
        core.top.zeroize_i = 1;
        core.samples();
        core.top.eval();
        core.step();
        core.top.zeroize_i = 0;
    }
    for (; limit != 0; --limit) {
        core.samples();
        core.top.eval();
        if (core.top.out_valid_o) return 0;
        if (core.top.req_ready_o) return 1;
        core.step();
    }
    return 0;
}

// Offer a request; ecsm_scheme_go does the rest.
void ecsm_scheme_begin(void* handle, uint32_t op, uint32_t slot, uint32_t flags) {
    auto& core = *static_cast<Core*>(handle);
    core.top.req_op_i = op;
    core.top.req_slot_i = slot;
    core.top.req_flags_i = flags;
    core.top.req_valid_i = 1;
    core.working = false;
}

// Go on with the operation. `octets`: the next strings of `lengths`, one behind the other; the last
// of them goes on with the next call if `open` is not 0. What comes out is written to `out`, at most
// `room` octets; the strings that end there, at most `most`, have their lengths in `out_lengths`.
// `limit`: cycles without a word that is taken or given. Stops after `stop` cycles of work, if that
// is not 0. Returns what happened.
uint32_t ecsm_scheme_go(void* handle, const uint8_t* octets, const uint32_t* lengths,
                        uint32_t count, uint32_t open, uint8_t* out, uint32_t room,
                        uint32_t* out_lengths, uint32_t most, uint32_t limit, uint32_t stop,
                        ecsm_scheme_answer* answer) {
    auto& core = *static_cast<Core*>(handle);
    auto& top = core.top;
    Input input(octets, lengths, count, open != 0);
    uint32_t result = STUCK, idle = 0;
    answer->used = answer->strings = 0;
    top.rsp_ready_i = 1;
    top.out_ready_i = 1;
    while (idle++ < limit) {
        if (open != 0 && input.empty() && core.working) {
            result = WANTS;
            break;
        }
        if (answer->used + WORD > room || answer->strings == most) {
            result = FULL;
            break;
        }
        input.put(top);
        if (!core.working) top.in_valid_i = 0;
        core.samples();
        top.eval();
        if (top.rsp_valid_o) {
            answer->status = top.rsp_status_o;
            answer->cycles = top.rsp_cycles_o;
            answer->measured = core.cycle - core.accepted;
            result = ANSWERED;
        }
        if (top.out_valid_o) {
            for (uint32_t k = 0; k < top.out_bytes_o; ++k)
                out[answer->used++] = static_cast<uint8_t>(top.out_data_o >> (56 - 8 * k));
            if (top.out_last_o) out_lengths[answer->strings++] = answer->used;
            idle = 0;
        }
        const bool took = top.in_valid_i && top.in_ready_o;
        const bool accept = top.req_valid_i && top.req_ready_o;
        const uint64_t now = core.cycle;
        core.step();
        if (took) {
            input.next();
            idle = 0;
        }
        if (accept) {
            core.working = true;
            core.accepted = now;
            top.req_valid_i = 0;
        }
        if (result == ANSWERED) break;
        if (stop != 0 && core.working && core.cycle - core.accepted >= stop) {
            result = STOPPED;
            break;
        }
    }
    if (result != WANTS) top.req_valid_i = 0;
    top.in_valid_i = 0;
    top.in_data_i = 0;
    top.rsp_ready_i = 0;
    top.out_ready_i = 0;
    top.eval();
    answer->happened = result;
    return result;
}

uint64_t ecsm_scheme_cycle(void* handle) { return static_cast<Core*>(handle)->cycle; }

}  // extern "C"
