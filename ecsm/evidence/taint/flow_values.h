// SPDX-License-Identifier: Apache-2.0
//
// What a net is in all runs that do the same in public: known, or of sources that have labels.
//
//   label   what the net may depend on, a bit each; 0: it is `bit` in all those runs
//   name    of an unknown net, a hash of the function that it is of the sources: equal names are
//           equal values, and names that differ in the lowest bit alone are opposite ones
//   bit     its value in the one run that is followed
//
// Hashes have 64 bits: two functions have one name with a chance of 2^-64 a pair.

#pragma once

#include <cstdint>

struct Net {
    uint64_t label = 0, name = 0;
    uint8_t bit = 0;
};

static inline bool same(const Net &a, const Net &b) {
    if (a.label && b.label) return a.name == b.name;
    return !a.label && !b.label && a.bit == b.bit;
}
static inline bool identical(const Net &a, const Net &b) {
    return a.label == b.label && a.bit == b.bit && (!a.label || a.name == b.name);
}

static inline uint64_t mixed(uint64_t z) {  // splitmix64's last steps
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Tables of three inputs: entry i is the output for bit k of i on input k.
static inline unsigned fixed_to(unsigned table, int k, unsigned bit) {
    static constexpr unsigned kOnes[3] = {0xaa, 0xcc, 0xf0};
    const unsigned part = table & (bit ? kOnes[k] : ~kOnes[k]);
    return (bit ? part | part >> (1 << k) : part | part << (1 << k)) & 0xff;
}

// A LUT of three inputs of which at least one is unknown. An input counts if the table, with all
// that is known, depends on it for some values of the others.
static inline Net unknown_lut(unsigned table, const Net *const in[3]) {
    const unsigned run = unsigned(in[0]->bit | in[1]->bit << 1 | in[2]->bit << 2);
    const uint8_t bit = table >> run & 1;
    uint64_t names[3];
    for (int k = 0; k < 3; ++k) {
        names[k] = in[k]->name;
        if (!in[k]->label) table = fixed_to(table, k, in[k]->bit);
        else if (names[k] & 1) {  // as a function of the opposite value
            const unsigned low = fixed_to(table, k, 0), high = fixed_to(table, k, 1);
            static constexpr unsigned kOnes[3] = {0xaa, 0xcc, 0xf0};
            table = (high & ~kOnes[k]) | (low & kOnes[k]);
            table &= 0xff;
            names[k] ^= 1;
        }
    }
    for (int j = 1; j < 3; ++j)
        for (int k = 0; k < j; ++k) {
            if (!in[j]->label || !in[k]->label || names[j] != names[k]) continue;
            static constexpr unsigned kOnes[3] = {0xaa, 0xcc, 0xf0};  // input j is input k
            table = (fixed_to(table, j, 0) & ~kOnes[k]) | (fixed_to(table, j, 1) & kOnes[k]);
            table &= 0xff;
        }
    Net out;
    out.bit = bit;
    int count = 0, last = 0;
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        if (fixed_to(table, k, 0) == fixed_to(table, k, 1)) continue;
        out.label |= in[k]->label;
        hash = mixed(hash + names[k]);
        last = k, ++count;
    }
    if (!count) return out;
    const unsigned inverted = table & 1;
    if (inverted) table ^= 0xff;
    out.name = count == 1 ? names[last] : mixed(hash ^ uint64_t(table) << 32) & ~uint64_t(1);
    out.name ^= inverted;
    return out;
}
