// SPDX-License-Identifier: Apache-2.0
//
// A vector of lanes, functions of three of them, and sums of bits in each lane. LANES says how many there are: 512 with
// AVX-512, 256 with AVX2, 64 with any processor.

#pragma once

#include <cstdint>

#if LANES > 64
#include <immintrin.h>
#endif

static constexpr int kLanes = LANES;
static constexpr int kWords = kLanes / 64;

#if LANES == 512
using V = __m512i;
template <int T>
static inline V lut(V a, V b, V c) {
    return _mm512_ternarylogic_epi64(c, b, a, T);
}
static inline V none() { return _mm512_setzero_si512(); }
static inline bool any(V v) { return _mm512_test_epi64_mask(v, v) != 0; }
#else
#if LANES == 256
using V = uint64_t __attribute__((vector_size(32)));
static inline bool any(V v) { return !_mm256_testz_si256(__m256i(v), __m256i(v)); }
#else
using V = uint64_t;
static inline bool any(V v) { return v != 0; }
#endif
static inline V none() { return V{}; }
// A function of two inputs, of four entries; ~a & b is one instruction.
template <int T>
static inline V two(V a, V b) {
    if constexpr (T > 7) return ~two<15 - T>(a, b);
    if constexpr (T == 0) return none();
    if constexpr (T == 1) return ~(a | b);
    if constexpr (T == 2) return a & ~b;
    if constexpr (T == 3) return ~b;
    if constexpr (T == 4) return ~a & b;
    if constexpr (T == 5) return ~a;
    if constexpr (T == 6) return a ^ b;
    if constexpr (T == 7) return ~(a & b);
}
template <int T>
static inline V lut(V a, V b, V c) {
    constexpr int low = T & 15, high = T >> 4;
    if constexpr (low == high) return two<low>(a, b);
    if constexpr (low == 0) return two<high>(a, b) & c;
    if constexpr (high == 0) return two<low>(a, b) & ~c;
    if constexpr (low == 15) return two<high>(a, b) | ~c;
    if constexpr (high == 15) return two<low>(a, b) | c;
    return two<low>(a, b) ^ (two<(low ^ high)>(a, b) & c);
}
#endif

static constexpr int kAnd = 0x88, kXor = 0x66, kXor3 = 0x96, kMajority = 0xe8;
static constexpr int kPlanes = 16;  // bits of a count of changes

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
        // Lane by lane: those of a group are set in their numbers at once.
#if LANES == 512
        for (int group = 0; group < kLanes / 32; ++group) {
            V sum = none();
            for (int place = 0; place < kPlanes; ++place) {
                const uint32_t lanes = reinterpret_cast<const uint32_t *>(&bits[place])[group];
                sum = _mm512_or_si512(sum, _mm512_maskz_set1_epi16(lanes, static_cast<int16_t>(1u << place)));
            }
            _mm512_storeu_si512(out + 32 * group, sum);
        }
#elif LANES == 256
        const __m256i own = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                                              static_cast<int16_t>(32768u));
        for (int group = 0; group < kLanes / 16; ++group) {
            __m256i sum = _mm256_setzero_si256();
            for (int place = 0; place < kPlanes; ++place) {
                const auto lanes = reinterpret_cast<const int16_t *>(&bits[place])[group];
                const __m256i has = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(lanes), own), own);
                sum = _mm256_or_si256(sum, _mm256_and_si256(has, _mm256_set1_epi16(static_cast<int16_t>(1u << place))));
            }
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(out + 16 * group), sum);
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
