// SPDX-License-Identifier: Apache-2.0
//
// What a netlist's bits may depend on, cycle by cycle: labels of sources move through LUTs,
// registers and memories, beside the values of one run. flow_values.h says what a net is.
//
//   a cycle: settle: LUTs and reads, in the order of the netlist
//            clock:  for each item that counts (a register, a probe, a bit of a write) what its
//                    change may depend on; then registers and memories take their values
//
// A label moves through a LUT if, for some values of all unknown inputs, that input decides the
// output. So what is found holds for every value of the sources, as long as what is public is as
// in this run. A read whose address is unknown may be of each word that the unknown bits reach, and
// a write may be to each of them. Labels of what is written can be changed by a rule.
//
// Groups of LUTs whose sources rest are left out, as in lanes.cpp, whose functions this has, for
// one run in each of eight lanes. The caller is flow.py.
// Source: W. Hu, A. Ardeshiricham, R. Kastner, "Hardware information flow tracking", ACM CSUR 2021.

#include <cstring>
#include <vector>

#include "flow_values.h"
#include "flow_writer.h"
#include "lanes_circuit.h"

// What the word `writer` of the program writes to the words `low` to before `high` keeps the labels of `keep`, has the
// label 16 bits above each one of `take` that it had, and those of `set`; but only where it has all labels of `need`.
struct Rule {
    int64_t writer, low, high;
    uint64_t need, keep, take, set;
};

struct Row {
    uint32_t planes;  // in which an item holds the secret
    uint32_t items;   // that hold it in the first plane
};

struct Flow : Circuit {
    Set changes = kEvery, since = kEvery;
    std::vector<Net> nets, next, before, cells;
    std::vector<uint64_t> told;       // of each item, what its last change may depend on
    std::vector<uint64_t> kept_bits;  // of each register, the labels that it may have
    std::vector<Rule> rules;
    Writer writer;
    int64_t now = 0;
    Row *rows = nullptr;
    uint64_t fresh = 0, noise_label = 0, noise_state = 0;
    int32_t noise_first = 0, noise_count = 0;
    bool noise_drawn = false;
    std::vector<int32_t> recorded;
    uint8_t *record = nullptr;

    Flow(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count)
        : Circuit(words, count, bits, bits_count) {
        nets.resize(size_t(nets_count)), next.resize(size_t(registers)), before.resize(size_t(probes_count));
        cells.resize(size_t(cells_count)), told.resize(size_t(items)), kept_bits.assign(size_t(registers), ~uint64_t(0));
        clear();
    }

    void clear() {
        nets.assign(nets.size(), Net());
        nets[1].bit = 1;
        before.assign(before.size(), Net());
        told.assign(told.size(), 0);
        for (size_t i = 0; i < cells.size(); ++i) cells[i] = {0, 0, init[i]};
        noise_count = 0;
        record = nullptr, rows = nullptr;
        rules.clear();
        changes = since = kEvery;
        for (Run &r : registers_runs) r.live = true;
        for (Run &r : probes_runs) r.live = true;
    }

    uint64_t fresh_name() { return mixed(++fresh * 0x9e3779b97f4a7c15) & ~uint64_t(1); }

    void input(int32_t net, uint8_t bit, uint64_t label) {
        nets[size_t(net)] = {label, fresh_name(), bit};
        changes |= inputs_own[size_t(net - 2)];
    }

    void noise() {
        if (noise_drawn) return;
        noise_drawn = true;
        for (int32_t i = 0; i < noise_count; ++i)
            input(noise_first + i, mixed(noise_state += 0x9e3779b97f4a7c15) & 1, noise_label);
    }

    // The words that an address can be: what it is in this run, and what each unknown value that it depends on
    // changes of it. Bits of one name change together.
    struct Place {
        int32_t word = 0, count = 0;
        int32_t change[32];
        uint64_t label = 0, name[32];
    };
    Place place(const int32_t *address, int32_t bits) const {
        Place found;
        for (int32_t i = 0; i < bits; ++i) {
            const Net &n = nets[size_t(address[i])];
            found.word |= n.bit << i;
            if (!n.label) continue;
            found.label |= n.label;
            int32_t k = 0;
            while (k < found.count && found.name[k] != (n.name & ~uint64_t(1))) ++k;
            if (k == found.count) found.name[k] = n.name & ~uint64_t(1), found.change[k] = 0, ++found.count;
            found.change[k] |= 1 << i;
        }
        return found;
    }
    // Do something for each word that an address can be, the run's one first.
    template <class F>
    static void each(const Place &p, int32_t words, const F &f) {
        for (int32_t choice = 0; choice < 1 << p.count; ++choice) {
            int32_t word = p.word;
            for (int32_t k = 0; k < p.count; ++k)
                if (choice >> k & 1) word ^= p.change[k];
            f(word < words ? word : -1);
        }
    }

    void read(const Group &g) {
        const Memory &m = memories[size_t(g.in[0])];
        const Place p = place(g.in + 1, m.bits);
        Net *out = &nets[size_t(g.out)];
        bool first = true;
        std::vector<uint8_t> one(size_t(m.width), 1);  // whether all words have the same
        each(p, m.words, [&](int32_t word) {
            for (int32_t i = 0; i < m.width; ++i) {
                const Net c = word < 0 ? Net() : cells[size_t(m.base + int64_t(word) * m.width + i)];
                if (first) {
                    out[i] = c;
                } else if (!one[size_t(i)] || !same(c, out[i])) {
                    out[i] = {out[i].label | c.label | p.label, one[size_t(i)] ? fresh_name() : out[i].name, out[i].bit};
                    one[size_t(i)] = 0;
                }
            }
            first = false;
        });
    }

    void settle() {
        const Set moved = changes;
        Net *const n = nets.data();
        for (const Group &g : groups) {
            if (!(g.on & moved)) continue;
            if (g.table == kRead) {
                read(g);
                continue;
            }
            const int32_t *in = g.in;
            const unsigned table = unsigned(g.table);
            Net *out = n + g.out;
            for (int32_t i = 0; i < g.count; ++i, in += 3, ++out) {
                const Net *const of[3] = {n + in[0], n + in[1], n + in[2]};
                if (of[0]->label | of[1]->label | of[2]->label) *out = unknown_lut(table, of);
                else *out = {0, 0, uint8_t(table >> (of[0]->bit | of[1]->bit << 1 | of[2]->bit << 2) & 1)};
            }
        }
        since |= moved;
        changes = 0;
    }

    uint64_t ruled(int64_t word, uint64_t label) const {
        for (const Rule &r : rules)
            if (r.writer == writer.word && r.low <= word && word < r.high && !(r.need & ~label))
                label = (label & r.keep) | (label & r.take) << 16 | r.set;
        return label;
    }

    void write(int32_t number, const Memory &m, const Write &w) {
        const Place p = place(w.address, m.bits);
        bool wanted = false;
        for (int32_t i = 0; i < m.width; ++i) {
            told[size_t(w.item + i)] = 0;
            const Net &e = nets[size_t(w.enable[i])];
            wanted = wanted || e.bit || e.label;
        }
        if (!wanted) return;
        changes |= of_memory(number);
        each(p, m.words, [&](int32_t word) {
            if (word < 0) return;
            Net *cell = &cells[size_t(m.base + int64_t(word) * m.width)];
            for (int32_t i = 0; i < m.width; ++i) {
                const Net &e = nets[size_t(w.enable[i])], &data = nets[size_t(w.data[i])];
                if ((!e.bit && !e.label) || same(cell[i], data)) continue;
                const uint64_t why = p.label | e.label;
                told[size_t(w.item + i)] |= cell[i].label | data.label | why;
                const uint8_t bit = word == p.word && e.bit ? data.bit : cell[i].bit;
                if (why) cell[i] = {cell[i].label | data.label | why, fresh_name(), bit};
                else cell[i] = {ruled(word, data.label), data.name, data.bit};
            }
        });
    }

    void clock() {
        const Net *const n = nets.data();
        Net *const q = nets.data() + 2 + inputs;
        for (Run &r : registers_runs) {
            const bool moved = (r.on & since) != 0;
            if (!moved && !r.live) continue;
            r.live = moved;
            for (int32_t i = r.first; i < r.first + r.count; ++i) {
                Net v = n[d[i]];
                if (v.label) v.label &= kept_bits[size_t(i)];
                next[size_t(i)] = v;
                told[size_t(i)] = moved && !same(v, q[i]) ? v.label | q[i].label : 0;
            }
        }
        for (Run &r : probes_runs) {
            const bool moved = (r.on & since) != 0;
            if (!moved && !r.live) continue;
            r.live = moved;
            for (int32_t i = r.first; i < r.first + r.count; ++i) {
                const Net &v = n[probes[i]];
                told[size_t(registers + i)] = same(v, before[size_t(i)]) ? 0 : v.label | before[size_t(i)].label;
                before[size_t(i)] = v;
            }
        }
        since = 0;
        noise_drawn = false;
        writer.clock(nets.data(), now);
        for (size_t m = 0; m < memories.size(); ++m)
            for (const Write &w : memories[m].writes) write(int32_t(m), memories[m], w);
        for (const Run &r : registers_runs) {
            if (!r.live) continue;
            bool moved = false;
            for (int32_t i = r.first; i < r.first + r.count; ++i) {
                moved = moved || !identical(q[i], next[size_t(i)]);
                q[i] = next[size_t(i)];
            }
            if (moved) changes |= r.own;
        }
    }

    // The planes in which an item tells: of K, or of both A and B. Bits of a label: noise and masks below 8,
    // from 8, 24 and 40 on K, A and B of 16 planes.
    static uint32_t holds(uint64_t t) { return uint32_t((t >> 8 | (t >> 24 & t >> 40)) & 0xffff); }

    void tell(Row *row) const {
        *row = {0, 0};
        auto add = [&](int64_t first, int64_t count) {
            for (int64_t i = first; i < first + count; ++i) {
                if (!(told[size_t(i)] >> 8)) continue;
                const uint32_t found = holds(told[size_t(i)]);
                row->planes |= found, row->items += found & 1;
            }
        };
        for (const Run &r : registers_runs)
            if (r.live) add(r.first, r.count);
        for (const Run &r : probes_runs)
            if (r.live) add(registers + r.first, r.count);
        add(registers + probes_count, items - registers - probes_count);
    }

    int32_t run(int32_t cycles, const int32_t *watch, int32_t watch_count, const uint8_t *lanes) {
        for (int32_t cycle = 0;; ++cycle) {
            noise();
            settle();
            if (cycle == cycles) return cycle;
            for (int32_t i = 0; i < watch_count; ++i)
                if (nets[size_t(watch[i])].bit && lanes[i]) return cycle;
            if (record)
                for (int32_t net : recorded) *record++ = nets[size_t(net)].bit ? 0xff : 0;
            clock();
            if (rows) tell(rows + now);
            ++now;
        }
    }
};

extern "C" {
int32_t lanes_count() { return 8; }
void *lanes_new(const int32_t *words, int64_t count, const uint8_t *bits, int64_t bits_count) {
    return new Flow(words, count, bits, bits_count);
}
void lanes_delete(void *self) { delete static_cast<Flow *>(self); }
void lanes_clear(void *self) { static_cast<Flow *>(self)->clear(); }
int64_t lanes_items(void *self) { return static_cast<Flow *>(self)->items; }
int64_t lanes_cells(void *self) { return static_cast<Flow *>(self)->cells_count; }
// Values of inputs, an octet each, and known.
void lanes_set(void *self, int32_t first, int32_t count, const uint8_t *values) {
    Flow &s = *static_cast<Flow *>(self);
    for (int32_t i = 0; i < count; ++i) {
        const Net &n = s.nets[size_t(first + i)];
        if (n.label || n.bit != (values[i] & 1)) s.input(first + i, values[i] & 1, 0);
    }
}
// Labels of inputs, with their values, from now on until they are set again.
void flow_label(void *self, int32_t first, int32_t count, uint64_t label) {
    Flow &s = *static_cast<Flow *>(self);
    for (int32_t i = first; i < first + count; ++i) s.input(i, s.nets[size_t(i)].bit, label);
}
void lanes_noise(void *self, int32_t first, int32_t count, uint64_t seed, int32_t) {
    Flow &s = *static_cast<Flow *>(self);
    s.noise_first = first, s.noise_count = count, s.noise_state = seed, s.noise_drawn = false;
}
void flow_noise_label(void *self, uint64_t label) { static_cast<Flow *>(self)->noise_label = label; }
void lanes_record(void *self, const int32_t *nets, int32_t count, uint8_t *rows) {
    Flow &s = *static_cast<Flow *>(self);
    s.recorded.assign(nets, nets + count), s.record = rows;
}
void lanes_get(void *self, const int32_t *nets, int32_t count, uint8_t *values) {
    for (int32_t i = 0; i < count; ++i) values[i] = static_cast<Flow *>(self)->nets[size_t(nets[i])].bit ? 0xff : 0;
}
int32_t lanes_run(void *self, int32_t cycles, uint16_t *, const int32_t *watch, int32_t watch_count,
                  const uint8_t *lanes, const void *, int32_t) {
    return static_cast<Flow *>(self)->run(cycles, watch, watch_count, lanes);
}
// Labels that a register may have: the others it loses.
void flow_keep(void *self, int32_t item, uint64_t labels) { static_cast<Flow *>(self)->kept_bits[size_t(item)] = labels; }
// What tells which word of the program writes: nets of the control's state, of its counter, of a walk that waits and
// one that begins; which words are walks.
void flow_follow(void *self, const int32_t *state, const int32_t *counter, int32_t counter_bits, int32_t valid,
                 int32_t begins, const uint8_t *walks) {
    Writer &w = static_cast<Flow *>(self)->writer;
    w.state.assign(state, state + 4), w.counter.assign(counter, counter + counter_bits);
    w.valid = valid, w.begins = begins, w.walks.assign(walks, walks + (1 << counter_bits));
}
// Apply these rules from now on, and no other ones.
void flow_rules(void *self, const Rule *rules, int64_t count) {
    static_cast<Flow *>(self)->rules.assign(rules, rules + count);
}
// The word of the program that wrote, or would have, with the last clock; -1: none.
int64_t flow_writer(void *self) { return static_cast<Flow *>(self)->writer.word; }
// Begin to write rows, a cycle each; the next cycle is number 0.
void flow_begin(void *self, void *rows) {
    Flow &s = *static_cast<Flow *>(self);
    s.now = 0, s.rows = static_cast<Row *>(rows);
}
// Labels of nets; of items, what their last changes may depend on; of a memory's bits.
void flow_labels(void *self, const int32_t *nets, int32_t count, uint64_t *labels) {
    for (int32_t i = 0; i < count; ++i) labels[i] = static_cast<Flow *>(self)->nets[size_t(nets[i])].label;
}
void flow_told(void *self, uint64_t *labels) {
    const Flow &s = *static_cast<Flow *>(self);
    std::memcpy(labels, s.told.data(), sizeof(uint64_t) * s.told.size());
}
void flow_cells(void *self, uint64_t *labels) {
    const Flow &s = *static_cast<Flow *>(self);
    for (size_t i = 0; i < s.cells.size(); ++i) labels[i] = s.cells[i].label;
}
}
