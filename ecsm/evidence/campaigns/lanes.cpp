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
// Much of a circuit rests. Sources (registers, inputs, memories) are in groups; each run of LUTs,
// registers or probes has the set of groups it depends on, and is left out in a cycle in which no
// source of them has changed in any lane. Its values are then what they were: nothing is estimated.
//
// It takes any circuit, LUTs being run by their tables. With PARTS, a file of lanes_code.py, it is compiled
// for one circuit, and nets that only LUTs of one part take are not written.
//
// How many lanes there are is LANES: lanes_vector.h. The caller is lanes.py, which says what the numbers
// of a circuit mean.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "lanes_circuit.h"
#include "lanes_moments.h"
#include "lanes_vector.h"

// What computes a run of groups: of any circuit each group by its table, of one that is compiled
// (lanes_code.py) functions of its own.
using Apply = void (*)(const int32_t *, int32_t, const V *, V *);
struct Part {
    int32_t count;
    void (*run)(V *nets);
};
#ifdef PARTS
#include PARTS
static constexpr Apply kApply[256] = {};
#else
static const Part *const kParts = nullptr;

template <int T>
static void apply(const int32_t *in, int32_t count, const V *nets, V *out) {
    for (int32_t i = 0; i < count; ++i, in += 3) out[i] = lut<T>(nets[in[0]], nets[in[1]], nets[in[2]]);
}

template <int... T>
static constexpr std::array<Apply, 256> all(std::integer_sequence<int, T...>) {
    return {apply<T>...};
}
static constexpr std::array<Apply, 256> kApply = all(std::make_integer_sequence<int, 256>());
#endif

// What settles at once: a part, a read, or a group of LUTs.
struct Step {
    Set on;
    const Group *group;
    void (*run)(V *nets);
};

struct Event {
    int32_t cycle, kind, target, lane;
};
enum { kFlip, kFlipCell, kStuck0, kStuck1 };

struct Lanes : Circuit {
    Set changes = kEvery;  // what has changed since nets have settled
    Set since = kEvery;    // .. and since the last clock
    V *nets, *before, *changed, *cells;
    std::vector<Event> stuck;
    int32_t noise_first = 0, noise_count = 0;  // inputs that are random in each cycle
    uint64_t noise_state = 0;
    bool noise_same = false;  // in all lanes
    bool noise_drawn = false;  // for the next clock
    std::vector<int32_t> recorded;  // nets whose values are written in each cycle
    uint8_t *record = nullptr;       // not aligned
    std::vector<Step> steps;

    Lanes(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count)
        : Circuit(words, count, bits, bits_count) {
        nets = make(nets_count), before = make(probes_count), changed = make(items), cells = make(cells_count);
        const Part *part = kParts;
        for (size_t i = 0; i < groups.size(); ++i) {
            Step step{groups[i].on, &groups[i], nullptr};
            if (part && groups[i].table != kRead) {
                step.run = part->run;
                for (int32_t left = (part++)->count; left > 1; --left) step.on |= groups[++i].on;
            }
            steps.push_back(step);
        }
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
        changes = since = kEvery;
        for (Run &r : registers_runs) r.live = true;
        for (Run &r : probes_runs) r.live = true;
        for (Memory &m : memories)
            for (Write &w : m.writes) w.live = true;
    }

    void set(int32_t first, int32_t count, const void *values) {
        if (!std::memcmp(nets + first, values, sizeof(V) * size_t(count))) return;
        std::memcpy(nets + first, values, sizeof(V) * size_t(count));
        for (int32_t i = 0; i < count; ++i) changes |= inputs_own[size_t(first - 2 + i)];
    }

    uint64_t random() {  // splitmix64
        uint64_t z = noise_state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    // New bits on the inputs that are noise: once for each clock.
    void noise() {
        if (noise_drawn) return;
        noise_drawn = true;
        for (int32_t i = 0; i < noise_count; ++i) {
            alignas(64) uint64_t words[kWords];
            if (noise_same) std::memset(words, random() & 1 ? 0xff : 0, sizeof(words));
            else
                for (uint64_t &word : words) word = random();
            std::memcpy(&nets[noise_first + i], words, sizeof(V));
            changes |= inputs_own[size_t(noise_first - 2 + i)];
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
        const Set now = changes;
        for (const Step &step : steps) {
            if (!(step.on & now)) continue;
            const Group &g = *step.group;
            if (step.run) step.run(nets);
            else if (g.table == kRead) read(g);
            else kApply[g.table](g.in, g.count, nets, nets + g.out);
        }
        since |= now;
        changes = 0;
    }

    // Ports with a higher number are written later: they win.
    void write(const Memory &m, Write &w) {
        V *diff = changed + w.item;
        V wanted = none();
        for (int32_t net : w.enables) wanted = or_(wanted, nets[net]);
        if (w.live)
            for (int32_t i = 0; i < m.width; ++i) diff[i] = none();
        w.live = any(wanted);
        if (!w.live) return;
        changes |= of_memory(int32_t(&m - memories.data()));
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
        V *q = nets + 2 + inputs;
        // A run whose sources rest has no changes: those of the last clock were of its own groups.
        for (Run &r : registers_runs) {
            if (!(r.on & since)) continue;
            const V *const from = nets, *const old = q + r.first;
            const int32_t *const next = d + r.first;
            V *const diff = changed + r.first, all = none();
            for (int32_t i = 0, n = r.count; i < n; ++i) {
                const V v = xor_(old[i], from[next[i]]);
                diff[i] = v;
                all = or_(all, v);
            }
            r.live = any(all);
        }
        for (Run &r : probes_runs) {
            const bool moved = (r.on & since) != 0;
            if (!moved && !r.live) continue;
            for (int32_t i = r.first; i < r.first + r.count; ++i) {
                const V now = nets[probes[i]];
                changed[registers + i] = xor_(before[i], now);
                before[i] = now;
            }
            r.live = moved;
        }
        since = 0;
        noise_drawn = false;
        for (Memory &m : memories)
            for (Write &w : m.writes) write(m, w);
        for (const Run &r : registers_runs) {
            if (!r.live) continue;
            const V *const diff = changed + r.first;
            V *const to = q + r.first;
            for (int32_t i = 0, n = r.count; i < n; ++i) to[i] = xor_(to[i], diff[i]);
            changes |= r.own;
        }
    }

    void count(uint16_t *out) const {
        Count count;
        for (const Run &r : registers_runs)
            if (r.live) count.add_all(changed + r.first, r.count);
        for (const Run &r : probes_runs)
            if (r.live) count.add_all(changed + registers + r.first, r.count);
        for (const Memory &m : memories)
            for (const Write &w : m.writes)
                if (w.live) count.add_all(changed + w.item, m.width);
        count.write(out);
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
        changes = kEvery;
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
            for (const Event &e : stuck) {
                const V was = q[e.target];
                q[e.target] = e.kind == kStuck1 ? or_(was, lane(e.lane)) : but(was, lane(e.lane));
                if (any(xor_(was, q[e.target]))) changes = kEvery;
            }
            noise();
            settle();
            if (cycle == cycles || seen(watch, watch_count, lanes)) return cycle;
            if (record)
                for (int32_t net : recorded) std::memcpy(record, &nets[net], sizeof(V)), record += sizeof(V);
            clock();
            if (counts) count(counts + int64_t(cycle) * kLanes);
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
    static_cast<Lanes *>(self)->set(first, count, values);
}
// Inputs that are random in each cycle and lane from now on, until lanes_clear; or the same in all lanes.
void lanes_noise(void *self, int32_t first, int32_t count, uint64_t seed, int32_t same) {
    Lanes &s = *static_cast<Lanes *>(self);
    s.noise_first = first, s.noise_count = count, s.noise_state = seed;
    s.noise_same = same, s.noise_drawn = false;
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
