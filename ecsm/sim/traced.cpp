// SPDX-License-Identifier: Apache-2.0
//
// The C interface of schemes.cpp, and a trace: after ecsm_trace all values, and what changes at every
// rising edge of the clock, go to a file (VCD).

#include "Vcore.h"
#include "verilated_vcd_c.h"

namespace {

class Traced : public Vcore {
  public:
    VerilatedVcdC vcd;

    explicit Traced(VerilatedContext* context) : Vcore(context) {
        context->traceEverOn(true);
        trace(&vcd, 99);
    }
    void eval() {
        const bool rises = clk_i && !high_;
        high_ = clk_i;
        Vcore::eval();
        if (rises) sample();
    }
    void sample() {
        if (vcd.isOpen()) vcd.dump(samples_++);
    }

  private:
    bool high_ = false;
    uint64_t samples_ = 0;
};

}  // namespace

#define Vcore Traced
#include "schemes.cpp"
#undef Vcore

extern "C" {

// Returns 0, or 1 if the file cannot be opened.
int ecsm_trace(void* handle, const char* path) {
    auto& top = static_cast<Core*>(handle)->top;
    top.vcd.open(path);
    top.sample();
    return top.vcd.isOpen() ? 0 : 1;
}

void ecsm_trace_end(void* handle) { static_cast<Core*>(handle)->top.vcd.close(); }

}  // extern "C"
