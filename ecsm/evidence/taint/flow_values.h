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

// A table when some inputs are known: what is left of it, of which inputs, as a function that is 0
// for all zeros; `inverted` if it is the opposite of that.
struct Reduced {
    uint8_t table, inputs, inverted;
};
static inline Reduced reduced(unsigned table) {
    Reduced found{0, 0, uint8_t(table & 1)};
    if (found.inverted) table ^= 0xff;
    found.table = uint8_t(table);
    for (int k = 0; k < 3; ++k)
        if (fixed_to(table, k, 0) != fixed_to(table, k, 1)) found.inputs |= uint8_t(1 << k);
    return found;
}

// For each table, and for each input two bits: it is 0, 1, unknown, or the opposite of its name.
struct Tables {
    Reduced of[256][64];
    Tables() {
        for (unsigned table = 0; table < 256; ++table)
            for (unsigned kinds = 0; kinds < 64; ++kinds) {
                unsigned left = table;
                for (int k = 0; k < 3; ++k) {
                    const unsigned kind = kinds >> 2 * k & 3;
                    if (kind < 2) left = fixed_to(left, k, kind);
                    else if (kind == 3) left = exchanged(k, fixed_to(left, k, 1), fixed_to(left, k, 0));
                }
                of[table][kinds] = reduced(left);
            }
    }
    // A table whose input k is 0 in one table, and 1 in another one.
    static unsigned exchanged(int k, unsigned zero, unsigned one) {
        static constexpr unsigned kOnes[3] = {0xaa, 0xcc, 0xf0};
        return ((zero & ~kOnes[k]) | (one & kOnes[k])) & 0xff;
    }
};
static const Tables kTables;

// A LUT of three inputs of which at least one is unknown. An input counts if the table, with all
// that is known, depends on it for some values of the others.
static inline Net unknown_lut(unsigned table, const Net *const in[3]) {
    Net out;
    out.bit = table >> (in[0]->bit | in[1]->bit << 1 | in[2]->bit << 2) & 1;
    unsigned kinds = 0;
    uint64_t names[3];
    for (int k = 0; k < 3; ++k) {
        kinds |= unsigned(in[k]->label ? 2 | (in[k]->name & 1) : in[k]->bit) << 2 * k;
        names[k] = in[k]->name & ~uint64_t(1);
    }
    Reduced left = kTables.of[table][kinds];
    for (int j = 1; j < 3; ++j)
        for (int k = 0; k < j; ++k) {
            const unsigned both = 1u << j | 1u << k;
            if (names[j] != names[k] || (left.inputs & both) != both) continue;
            const unsigned was = left.inverted ? left.table ^ 0xffu : left.table;  // input j is input k
            left = reduced(Tables::exchanged(k, fixed_to(was, j, 0), fixed_to(was, j, 1)));
        }
    static constexpr uint64_t kOdd[4] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0xd6e8feb86659fd93};
    uint64_t hash = left.table * kOdd[3], name = 0;
    for (int k = 0; k < 3; ++k) {
        const uint64_t counts = -uint64_t(left.inputs >> k & 1);
        out.label |= in[k]->label & counts;
        name |= names[k] & counts;
        hash += names[k] * kOdd[k] & counts;
    }
    if (left.inputs & (left.inputs - 1)) name = mixed(hash) & ~uint64_t(1);
    out.name = name | left.inverted;
    return out;
}
