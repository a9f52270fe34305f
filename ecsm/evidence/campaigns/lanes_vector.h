// SPDX-License-Identifier: Apache-2.0
//
// A vector of lanes, functions of three of them, and sums of bits in each lane. 512 lanes with LANES_512 (AVX-512),
// else 64.

#pragma once

#include <cstdint>

#ifdef LANES_512
#include <immintrin.h>
using V = __m512i;
static constexpr int kLanes = 512;
template <int T>
static inline V lut(V a, V b, V c) {
    return _mm512_ternarylogic_epi64(c, b, a, T);
}
static inline V none() { return _mm512_setzero_si512(); }
static inline bool any(V v) { return _mm512_test_epi64_mask(v, v) != 0; }
#else
using V = uint64_t;
static constexpr int kLanes = 64;
// A function of two inputs, of four entries.
template <int T>
static inline V two(V a, V b) {
    return ((T & 1) ? ~a & ~b : 0) | ((T & 2) ? a & ~b : 0) | ((T & 4) ? ~a & b : 0) | ((T & 8) ? a & b : 0);
}
template <int T>
static inline V lut(V a, V b, V c) {
    return (two<(T & 15)>(a, b) & ~c) | (two<(T >> 4)>(a, b) & c);
}
static inline V none() { return 0; }
static inline bool any(V v) { return v != 0; }
#endif

static constexpr int kAnd = 0x88, kXor = 0x66, kXor3 = 0x96, kMajority = 0xe8;
static constexpr int kPlanes = 16;  // bits of a count of changes
static constexpr int kWords = kLanes / 64;

static inline V and_(V a, V b) { return lut<kAnd>(a, b, none()); }
static inline V xor_(V a, V b) { return lut<kXor>(a, b, none()); }
static inline V or_(V a, V b) { return lut<0xee>(a, b, none()); }
static inline V but(V a, V b) { return lut<0x22>(a, b, none()); }  // a and not b

// A sum of single bits in each lane: at most two vectors wait in a place, a third makes a carry.
struct Count {
    V wait[kPlanes][2];
    V ones = none(), twos = none(), fours = none(), eights = none();
    int waiting[kPlanes] = {};

    // What two vectors and a sum carry; the sum keeps its lowest bit.
    static V carry(V &sum, V a, V b) {
        const V found = lut<kMajority>(sum, a, b);
        sum = lut<kXor3>(sum, a, b);
        return found;
    }
    V carry8(const V *v) {
        const V t0 = carry(ones, v[0], v[1]), t1 = carry(ones, v[2], v[3]);
        const V f0 = carry(twos, t0, t1);
        const V t2 = carry(ones, v[4], v[5]), t3 = carry(ones, v[6], v[7]);
        const V f1 = carry(twos, t2, t3);
        return carry(fours, f0, f1);
    }
    void add_all(const V *v, int64_t count) {
        for (; count >= 16; count -= 16, v += 16) {
            const V e0 = carry8(v), e1 = carry8(v + 8);
            add(carry(eights, e0, e1), 4);
        }
        for (; count > 0; --count) add(*v++);
    }

    void add(V v, int place = 0) {
        while (place < kPlanes) {
            if (waiting[place] < 2) {
                wait[place][waiting[place]++] = v;
                return;
            }
            V a = wait[place][0], b = wait[place][1];
            wait[place][0] = lut<kXor3>(a, b, v);
            waiting[place] = 1;
            v = lut<kMajority>(a, b, v);
            ++place;
        }
    }

    // Add up what waits, and write one number a lane.
    void write(uint16_t *out) {
        add(ones, 0), add(twos, 1), add(fours, 2), add(eights, 3);
        V bits[kPlanes];
        for (int place = 0; place < kPlanes; ++place) {
            bits[place] = none();
            if (waiting[place] == 1) bits[place] = wait[place][0];
            if (waiting[place] < 2) continue;
            V a = wait[place][0], b = wait[place][1];
            bits[place] = xor_(a, b);
            waiting[place] = 1;
            add(and_(a, b), place + 1);
        }
#ifdef LANES_512
        for (int group = 0; group < kLanes / 32; ++group) {
            V sum = none();
            for (int place = 0; place < kPlanes; ++place) {
                const uint32_t lanes = reinterpret_cast<const uint32_t *>(&bits[place])[group];
                sum = _mm512_or_si512(sum, _mm512_maskz_set1_epi16(lanes, static_cast<int16_t>(1u << place)));
            }
            _mm512_storeu_si512(out + 32 * group, sum);
        }
#else
        for (int lane = 0; lane < kLanes; ++lane) {
            unsigned sum = 0;
            for (int place = 0; place < kPlanes; ++place) sum |= unsigned(bits[place] >> lane & 1) << place;
            out[lane] = static_cast<uint16_t>(sum);
        }
#endif
    }
};
