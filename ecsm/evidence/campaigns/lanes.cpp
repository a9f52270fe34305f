// SPDX-License-Identifier: Apache-2.0
//
// Many runs of a netlist at once: bit i of a vector is run i, a "lane". The netlist is LUTs of
// three inputs, registers of one clock, and memories that are read without a clock.
//
//            +--------- nets: one vector each --------------------+
//            | 0 | 1 | inputs | registers Q | LUTs and reads, in  |
//            |   |   |        |             | the order they run  |
//            +----------------------------------------------------+
//   a cycle: settle: LUTs and reads, from the left to the right
//            clock:  what changes is counted, lane by lane; then Q = D, and memories are written
//
// 512 lanes with AVX-512, where a LUT is one instruction; else 64. The caller is lanes.py, which
// says what the numbers of a circuit mean.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

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

using Apply = void (*)(const int32_t *, int32_t, const V *, V *);

template <int T>
static void apply(const int32_t *in, int32_t count, const V *nets, V *out) {
    for (int32_t i = 0; i < count; ++i, in += 3) out[i] = lut<T>(nets[in[0]], nets[in[1]], nets[in[2]]);
}

template <int... T>
static constexpr void fill(Apply *table, std::integer_sequence<int, T...>) {
    ((table[T] = apply<T>), ...);
}

// A sum of single bits in each lane: at most two vectors wait in a place, a third makes a carry.
struct Count {
    V wait[kPlanes][2];
    int waiting[kPlanes] = {};

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

struct Group {
    int32_t table;  // of the LUTs, or kRead
    int32_t count;  // of LUTs, or the bits of a word
    const int32_t *in;
    int32_t out;
};
static constexpr int32_t kRead = 256;

struct Write {
    const int32_t *address, *data, *enable;
};

struct Memory {
    int32_t words, width, bits;  // bits of an address
    int64_t base;                // the first of its cells
    std::vector<Write> writes;
};

struct Event {
    int32_t cycle, kind, target, lane;
};
enum { kFlip, kFlipCell, kStuck0, kStuck1 };

struct Lanes {
    std::vector<int32_t> blob;
    std::vector<uint8_t> init;
    std::vector<Group> groups;
    std::vector<Memory> memories;
    const int32_t *d, *probes;
    int32_t nets_count, inputs, registers, probes_count;
    int64_t cells_count = 0, items = 0;
    V *nets, *before, *changed, *cells;
    std::vector<Event> stuck;
    int32_t noise_first = 0, noise_count = 0;  // inputs that are random in each cycle
    uint64_t noise_state = 0;
    std::vector<int32_t> recorded;  // nets whose values are written in each cycle
    uint8_t *record = nullptr;       // not aligned
    Apply tables[256];

    Lanes(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count)
        : blob(words, words + count), init(bits, bits + bits_count) {
        fill(tables, std::make_integer_sequence<int, 256>());
        const int32_t *at = blob.data();
        nets_count = *at++, inputs = *at++, registers = *at++, probes_count = *at++;
        int32_t groups_count = *at++, memories_count = *at++, out = 2 + inputs + registers;
        d = at, at += registers;
        probes = at, at += probes_count;
        items = registers + probes_count;
        for (int32_t i = 0; i < memories_count; ++i) {
            Memory m{at[0], at[1], at[2], cells_count, {}};
            int32_t writes = at[3];
            at += 4;
            for (int32_t j = 0; j < writes; ++j) {
                m.writes.push_back({at, at + m.bits, at + m.bits + m.width});
                at += m.bits + 2 * m.width;
            }
            cells_count += int64_t(m.words) * m.width;
            items += int64_t(writes) * m.width;
            memories.push_back(m);
        }
        for (int32_t i = 0; i < groups_count; ++i) {
            Group g{at[0], at[1], at + 2, out};
            at += 2 + (g.table == kRead ? 1 + memories[at[2]].bits : 3 * g.count);
            out += g.count;
            groups.push_back(g);
        }
        nets = make(nets_count), before = make(probes_count), changed = make(items), cells = make(cells_count);
        clear();
    }

    ~Lanes() { std::free(nets), std::free(before), std::free(changed), std::free(cells); }

    static V *make(int64_t count) {
        return static_cast<V *>(std::aligned_alloc(64, (size_t(count) * sizeof(V) + 64) / 64 * 64));
    }

    // Power on: registers are zero, memories have what the netlist says.
    void clear() {
        std::memset(nets, 0, sizeof(V) * nets_count);
        std::memset(&nets[1], 0xff, sizeof(V));
        std::memset(before, 0, sizeof(V) * probes_count);
        std::memset(changed, 0, sizeof(V) * items);
        for (int64_t i = 0; i < cells_count; ++i) std::memset(&cells[i], init[i] ? 0xff : 0, sizeof(V));
        stuck.clear();
        noise_count = 0;
        record = nullptr;
    }

    // New bits on the inputs that are noise: splitmix64.
    void noise() {
        for (int32_t i = 0; i < noise_count; ++i) {
            alignas(64) uint64_t words[kWords];
            for (uint64_t &word : words) {
                uint64_t z = noise_state += 0x9e3779b97f4a7c15;
                z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
                z = (z ^ z >> 27) * 0x94d049bb133111eb;
                word = z ^ z >> 31;
            }
            std::memcpy(&nets[noise_first + i], words, sizeof(V));
        }
    }

    // Do something for each address that a lane has, and the lanes that have it.
    template <class F>
    void walk(const int32_t *address, int32_t bits, V lanes, int32_t word, const F &f) {
        if (!any(lanes)) return;
        if (bits == 0) return f(word, lanes);
        const V bit = nets[address[bits - 1]];
        walk(address, bits - 1, but(lanes, bit), word, f);
        walk(address, bits - 1, and_(lanes, bit), word | 1 << (bits - 1), f);
    }

    void read(const Group &g) {
        const Memory &m = memories[g.in[0]];
        V *out = nets + g.out;
        for (int32_t i = 0; i < m.width; ++i) out[i] = none();
        walk(g.in + 1, m.bits, nets[1], 0, [&](int32_t word, V lanes) {
            if (word >= m.words) return;
            const V *cell = cells + m.base + int64_t(word) * m.width;
            for (int32_t i = 0; i < m.width; ++i) out[i] = lut<0xf8>(cell[i], lanes, out[i]);
        });
    }

    void settle() {
        for (const Group &g : groups) {
            if (g.table == kRead) read(g);
            else tables[g.table](g.in, g.count, nets, nets + g.out);
        }
    }

    // Ports with a higher number are written later: they win.
    void write(const Memory &m, const Write &w, V *diff) {
        V wanted = none();
        for (int32_t i = 0; i < m.width; ++i) diff[i] = none(), wanted = or_(wanted, nets[w.enable[i]]);
        walk(w.address, m.bits, wanted, 0, [&](int32_t word, V lanes) {
            if (word >= m.words) return;
            V *cell = cells + m.base + int64_t(word) * m.width;
            for (int32_t i = 0; i < m.width; ++i) {
                const V change = and_(and_(xor_(cell[i], nets[w.data[i]]), nets[w.enable[i]]), lanes);
                cell[i] = xor_(cell[i], change);
                diff[i] = or_(diff[i], change);
            }
        });
    }

    void clock() {
        V *diff = changed;
        V *q = nets + 2 + inputs;
        for (int32_t i = 0; i < registers; ++i) *diff++ = xor_(q[i], nets[d[i]]);
        for (int32_t i = 0; i < probes_count; ++i) {
            *diff++ = xor_(before[i], nets[probes[i]]);
            before[i] = nets[probes[i]];
        }
        for (const Memory &m : memories)
            for (const Write &w : m.writes) write(m, w, diff), diff += m.width;
        for (int32_t i = 0; i < registers; ++i) q[i] = xor_(q[i], changed[i]);
    }

    static V lane(int32_t number) {
        alignas(64) uint64_t words[kWords] = {};
        words[number / 64] = uint64_t(1) << number % 64;
        V found;
        std::memcpy(&found, words, sizeof(V));
        return found;
    }

    void apply_event(const Event &e) {
        V *q = nets + 2 + inputs;
        if (e.kind == kFlip) q[e.target] = xor_(q[e.target], lane(e.lane));
        else if (e.kind == kFlipCell) cells[e.target] = xor_(cells[e.target], lane(e.lane));
        else stuck.push_back(e);
    }

    // Whether a lane of a row of `lanes` has a one in the row's net of `watch`.
    bool seen(const int32_t *watch, int32_t count, const uint8_t *lanes) const {
        for (int32_t i = 0; i < count; ++i) {
            V mask;
            std::memcpy(&mask, lanes + sizeof(V) * size_t(i), sizeof(V));
            if (any(and_(nets[watch[i]], mask))) return true;
        }
        return false;
    }

    int32_t run(int32_t cycles, uint16_t *counts, const int32_t *watch, int32_t watch_count, const uint8_t *lanes,
                const Event *events, int32_t events_count) {
        V *q = nets + 2 + inputs;
        for (int32_t cycle = 0;; ++cycle) {
            for (; events_count && events->cycle == cycle; ++events, --events_count) apply_event(*events);
            for (const Event &e : stuck)
                q[e.target] = e.kind == kStuck1 ? or_(q[e.target], lane(e.lane)) : but(q[e.target], lane(e.lane));
            noise();
            settle();
            if (cycle == cycles || seen(watch, watch_count, lanes)) return cycle;
            if (record)
                for (int32_t net : recorded) std::memcpy(record, &nets[net], sizeof(V)), record += sizeof(V);
            clock();
            if (!counts) continue;
            Count count;
            for (int64_t i = 0; i < items; ++i) count.add(changed[i]);
            count.write(counts + int64_t(cycle) * kLanes);
        }
    }
};

extern "C" {
int32_t lanes_count() { return kLanes; }
void *lanes_new(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count) {
    return new Lanes(words, count, bits, bits_count);
}
void lanes_delete(void *self) { delete static_cast<Lanes *>(self); }
void lanes_clear(void *self) { static_cast<Lanes *>(self)->clear(); }
int64_t lanes_items(void *self) { return static_cast<Lanes *>(self)->items; }
int64_t lanes_cells(void *self) { return static_cast<Lanes *>(self)->cells_count; }

// Values of nets: one vector each. An input stays until it is set again.
void lanes_set(void *self, int32_t first, int32_t count, const void *values) {
    std::memcpy(static_cast<Lanes *>(self)->nets + first, values, sizeof(V) * size_t(count));
}
// Inputs that are random in each cycle and lane from now on, until lanes_clear.
void lanes_noise(void *self, int32_t first, int32_t count, uint64_t seed) {
    Lanes &s = *static_cast<Lanes *>(self);
    s.noise_first = first, s.noise_count = count, s.noise_state = seed;
}
// Values of these nets in each cycle from now on, one row of vectors a cycle, until null or lanes_clear.
void lanes_record(void *self, const int32_t *nets, int32_t count, void *rows) {
    Lanes &s = *static_cast<Lanes *>(self);
    s.recorded.assign(nets, nets + count), s.record = static_cast<uint8_t *>(rows);
}
void lanes_get(void *self, const int32_t *nets, int32_t count, void *values) {
    for (int32_t i = 0; i < count; ++i)
        std::memcpy(static_cast<char *>(values) + sizeof(V) * size_t(i), static_cast<Lanes *>(self)->nets + nets[i],
                    sizeof(V));
}

// Run until a net of `watch` is one in a lane of its row of `lanes`, at most `cycles`; return how many ran. The nets
// have settled, and the last cycle's clock has not come. counts: one number a lane and cycle, or null.
int32_t lanes_run(void *self, int32_t cycles, uint16_t *counts, const int32_t *watch, int32_t watch_count,
                  const uint8_t *lanes, const int32_t *events, int32_t events_count) {
    return static_cast<Lanes *>(self)->run(cycles, counts, watch, watch_count, lanes,
                                           reinterpret_cast<const Event *>(events), events_count);
}

// Add to each item, a register or another bit that counts, in how many lanes of a set it changed with the last clock.
void lanes_changed(void *self, const uint64_t *lanes, uint32_t *sums) {
    const Lanes &s = *static_cast<Lanes *>(self);
    for (int64_t i = 0; i < s.items; ++i) {
        const auto *words = reinterpret_cast<const uint64_t *>(&s.changed[i]);
        for (int word = 0; word < kWords; ++word) sums[i] += uint32_t(__builtin_popcountll(words[word] & lanes[word]));
    }
}
}
