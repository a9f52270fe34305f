// SPDX-License-Identifier: Apache-2.0
//
// Which word of a word engine's program writes to the memory in a cycle: a walk, or an order that
// takes a string.
//
//   Execute, the walk of word p is offered --> it begins in cycle t --> its first slot's result is
//   written with the clock of cycle t + kDelay, the next ones behind it, up to those of the next walk
//
// Walks begin in the order in which they are offered (rtl/word/word_control.sv, word_walk.sv,
// NumDelay of word_core.sv). Without nets to look at nothing is told: the word is -1.

#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "flow_values.h"

struct Writer {
    static constexpr int64_t kDelay = 9;
    static constexpr int32_t kExecute = 3, kInWrite = 5;  // of word_control's state_e
    std::vector<int32_t> state, counter;
    int32_t valid = 0, begins = 0;
    std::vector<uint8_t> walks;
    int64_t word = -1;  // that writes with this cycle's clock

    static int32_t number(const Net *nets, const std::vector<int32_t> &of) {
        int32_t found = 0;
        for (size_t i = 0; i < of.size(); ++i) found |= nets[of[i]].bit << i;
        return found;
    }

    void clock(const Net *nets, int64_t now) {
        if (state.empty()) return;
        const bool begun = nets[begins].bit;  // in the cycle before
        if (begun) waiting.push_back({now - 1 + kDelay, offered});
        if (state_before == kExecute && walks[size_t(counter_before)] && (!valid_before || begun))
            offered = counter_before;
        while (!waiting.empty() && waiting.front().first <= now) walk = waiting.front().second, waiting.pop_front();
        state_before = number(nets, state), counter_before = number(nets, counter);
        valid_before = nets[valid].bit;
        word = state_before == kInWrite ? counter_before - 1 : walk;
    }

private:
    std::deque<std::pair<int64_t, int64_t>> waiting;  // from which cycle on a walk writes, and its word
    int32_t state_before = 0, counter_before = 0;
    bool valid_before = false;
    int64_t offered = -1, walk = -1;
};
