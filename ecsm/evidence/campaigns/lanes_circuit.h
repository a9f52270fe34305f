// SPDX-License-Identifier: Apache-2.0
//
// A circuit as lanes.py gives it to a simulator, and which groups of sources each of its parts
// depends on: registers of an instance, inputs of a port, a memory. For lanes.cpp, and for labels
// (../taint/flow.cpp).

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

using Set = unsigned __int128;  // of groups of sources
static constexpr Set kEvery = ~Set(0);
// Groups: of registers from 0 on, of inputs from 64 on, of memories from 96 on.
static Set of_register(int32_t group) { return Set(1) << group % 64; }
static Set of_input(int32_t group) { return Set(1) << (64 + group % 32); }
static Set of_memory(int32_t number) { return Set(1) << (96 + number % 32); }

struct Group {
    int32_t table;  // of the LUTs, or kRead
    int32_t count;  // of LUTs, or the bits of a word
    const int32_t *in;
    int32_t out;
    Set on;  // what it depends on
};
static constexpr int32_t kRead = 256;

struct Write {
    const int32_t *address, *data, *enable;
    std::vector<int32_t> enables;  // each net once
    int64_t item;                  // the first of its changes
    bool live;                     // whether there are some
};

// Registers or probes that follow each other, and what they depend on.
struct Run {
    int32_t first, count;
    Set on, own;
    bool live;  // whether there are changes
};

struct Memory {
    int32_t words, width, bits;  // bits of an address
    int64_t base;                // the first of its cells
    std::vector<Write> writes;
};

struct Circuit {
    std::vector<int32_t> blob;
    std::vector<uint8_t> init;
    std::vector<Group> groups;
    std::vector<Memory> memories;
    std::vector<Run> registers_runs, probes_runs;
    std::vector<Set> inputs_own;
    const int32_t *d, *probes;
    int32_t nets_count, inputs, registers, probes_count;
    int64_t cells_count = 0, items = 0;

    Circuit(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count)
        : blob(words, words + count), init(bits, bits + bits_count) {
        const int32_t *at = blob.data();
        nets_count = *at++, inputs = *at++, registers = *at++, probes_count = *at++;
        int32_t groups_count = *at++, memories_count = *at++, out = 2 + inputs + registers;
        d = at, at += registers;
        probes = at, at += probes_count;
        const int32_t *const groups_of = at;  // of registers, then of inputs
        at += registers + inputs;
        items = registers + probes_count;
        for (int32_t i = 0; i < memories_count; ++i) {
            Memory m{at[0], at[1], at[2], cells_count, {}};
            const int32_t writes = at[3];
            at += 4;
            for (int32_t j = 0; j < writes; ++j) {
                Write w{at, at + m.bits, at + m.bits + m.width, {}, items, true};
                w.enables.assign(w.enable, w.enable + m.width);
                std::sort(w.enables.begin(), w.enables.end());
                w.enables.erase(std::unique(w.enables.begin(), w.enables.end()), w.enables.end());
                m.writes.push_back(w);
                at += m.bits + 2 * m.width;
                items += m.width;
            }
            cells_count += int64_t(m.words) * m.width;
            memories.push_back(m);
        }
        std::vector<Set> on(size_t(nets_count), Set(0));  // what each net depends on
        for (int32_t i = 0; i < inputs; ++i) {
            inputs_own.push_back(of_input(groups_of[registers + i]));
            on[size_t(2 + i)] = inputs_own.back();
        }
        for (int32_t i = 0; i < registers; ++i) on[size_t(2 + inputs + i)] = of_register(groups_of[i]);
        for (int32_t i = 0; i < groups_count; ++i) {
            Group g{at[0], at[1], at + 2, out, 0};
            const bool read = g.table == kRead;
            const int32_t taken = read ? 1 + memories[size_t(at[2])].bits : 3 * g.count;
            if (read) g.on = of_memory(g.in[0]);
            for (int32_t k = read; k < taken; ++k) g.on |= on[size_t(g.in[k])];
            for (int32_t k = 0; k < g.count; ++k) on[size_t(out + k)] = g.on;
            at += 2 + taken;
            out += g.count;
            groups.push_back(g);
        }
        for (int32_t i = 0; i < registers; ++i) {
            const Set own = of_register(groups_of[i]);
            if (registers_runs.empty() || registers_runs.back().own != own)
                registers_runs.push_back({i, 0, own, own, true});
            ++registers_runs.back().count;
            registers_runs.back().on |= on[size_t(d[i])];
        }
        for (int32_t i = 0; i < probes_count; ++i) {
            const Set its = on[size_t(probes[i])];
            if (probes_runs.empty() || probes_runs.back().on != its) probes_runs.push_back({i, 0, its, 0, true});
            ++probes_runs.back().count;
        }
    }
};
