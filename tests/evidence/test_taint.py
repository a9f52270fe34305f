# SPDX-License-Identifier: Apache-2.0
"""Labels of nets, against runs with all values of what is labelled, on small random netlists."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from ecsm.evidence.campaigns.circuit import READ, Circuit, Group, Memory, Write
from ecsm.evidence.campaigns.lanes import FEW, Lanes
from ecsm.evidence.taint.flow import NOISE, Flow, first_part, second_part, secret

LABELS = {"n": NOISE, "k": secret(1), "a": first_part(1)}
"""Of inputs that are free in some cycles; the others are known."""
KNOWN = ("x", "y", "z")
FREE = (1, 2)  # cycles in which the labelled inputs have any values
CYCLES = 7
BITS = len(LABELS) * len(FREE)
SIZES = [(12, 4), (30, 8)]  # LUTs, registers
CIRCUITS = 60


def random_circuit(rng: random.Random, luts: int, registers: int) -> Circuit:
    """Return LUTs in layers around a memory that is read and written, and registers."""
    names = [*LABELS, *KNOWN]
    nets = list(range(2 + len(names) + registers))
    ports = {name: [2 + i] for i, name in enumerate(names)}
    groups: list[Group] = []

    def some(count: int) -> list[int]:
        return [rng.choice(nets) for _ in range(count)]

    def add_luts(count: int) -> None:
        for _ in range(count):
            groups.append(Group(rng.randrange(256), 1, some(3)))
            nets.append(len(nets))

    add_luts(luts // 2)
    address = some(2)
    groups.append(Group(READ, 2, [0, *address]))
    data = [len(nets), len(nets) + 1]
    nets += data
    add_luts(luts - luts // 2)
    enable = some(1) * 2 if rng.random() < 0.5 else some(2)
    memory = Memory("m", 3 + rng.randrange(2), 2, 2, [Write(some(2), some(2), enable)],
                    [rng.randrange(2) for _ in range(8)])  # fmt: skip
    return Circuit(
        ports, len(names), [f"r{i % 3}.q[{i}]" for i in range(registers)], some(registers),
        [memory], groups, [*address, *data], ["m read address"] * 2 + ["m read data"] * 2,
    )  # fmt: skip


def in_all_lanes(
    circuit: Circuit, known: list[dict[str, int]], nets: list[int]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return values of nets and changes of items, by cycle and lane: lane i has the free bits i."""
    values, changes = [], []
    with Lanes(circuit, FEW) as lanes:
        assert lanes.lanes == 1 << BITS
        for cycle in range(CYCLES):
            for name in (*LABELS, *KNOWN):
                lanes.set(name, known[cycle][name])
            if cycle in FREE:
                for i, name in enumerate(LABELS):
                    bit = i + len(LABELS) * FREE.index(cycle)
                    lanes.set(name, lanes.each([lane >> bit & 1 for lane in range(64)], 1))
            lanes.run(0)
            values.append(np.unpackbits(lanes.planes(nets), axis=1, bitorder="little"))
            lanes.run(1)
            each = []
            for lane in range(64):
                sums = np.zeros(lanes.items, dtype=np.uint32)
                only = np.packbits(np.arange(64) == lane, bitorder="little")
                lanes.changed(only, sums)
                each.append(sums)
            changes.append(np.array(each, dtype=np.uint8).T)
    return np.array(values), np.array(changes)


def depends(values: npt.NDArray[np.uint8], name: str) -> npt.NDArray[np.bool_]:
    """Return where values, lanes last, differ in lanes that differ in an input's free bits only."""
    cube = values.reshape(*values.shape[:-1], *[2] * BITS)
    place = list(LABELS).index(name)
    axes = tuple(-1 - (place + len(LABELS) * k) for k in range(len(FREE)))
    spread = cube.max(axis=axes) != cube.min(axis=axes)
    found: npt.NDArray[np.bool_] = spread.reshape(*values.shape[:-1], -1).any(axis=-1)
    return found


@pytest.mark.parametrize("size", SIZES)
def test_a_label_is_missing_only_where_nothing_depends(size: tuple[int, int]) -> None:
    """For all values of the labelled inputs, in every net, item and cycle."""
    rng, labelled, total = random.Random(f"taint {size}"), 0, 0
    for _ in range(CIRCUITS):
        circuit = random_circuit(rng, *size)
        nets = list(range(2, circuit.nets))
        known = [{n: rng.randrange(2) for n in (*LABELS, *KNOWN)} for _ in range(CYCLES)]
        values, changes = in_all_lanes(circuit, known, nets)
        lane = sum(
            known[cycle][name] << i + len(LABELS) * k
            for k, cycle in enumerate(FREE) for i, name in enumerate(LABELS)
        )  # fmt: skip
        at = -1

        def label_of(port: str) -> int:
            return LABELS.get(port, 0) if at in FREE else 0  # noqa: B023 - called in this turn

        with Flow(circuit, label_of) as flow:
            for at in range(CYCLES):
                for name in (*LABELS, *KNOWN):
                    flow.set(name, known[at][name])
                flow.run(0)
                assert (flow.planes(nets)[:, 0] & 1 == values[at, :, lane]).all()
                labels = flow.labels(nets)
                flow.run(1)
                told = flow.told()
                for name, label in LABELS.items():
                    for found, of in ((labels, values[at]), (told, changes[at])):
                        needs = depends(of, name)
                        assert not (needs & (found & np.uint64(label) == 0)).any()
                        labelled += int((found & np.uint64(label) != 0).sum())
                        total += len(found)
    assert 0.05 < labelled / total < 0.6  # else the test or the labels are worth nothing


def test_a_lut_has_the_labels_of_inputs_that_can_decide() -> None:
    """All tables with all kinds of inputs: exactly those that decide for some unknown values."""
    circuit = Circuit(
        {"n": [2], "k": [3], "a": [4]}, 3, [], [], [], [Group(t, 1, [2, 3, 4]) for t in range(256)],
        [], [],
    )  # fmt: skip
    nets = list(range(5, 261))
    for kinds in product((0, 1, None), repeat=3):  # known, or unknown
        unknown = {name: LABELS[name] * (v is None) for name, v in zip(LABELS, kinds, strict=True)}
        with Flow(circuit, unknown.__getitem__) as flow:
            for name, value in zip(LABELS, kinds, strict=True):
                flow.set(name, value or 0)
            flow.run(0)
            found = flow.labels(nets).tolist()
        for table, label in enumerate(found):
            right = 0
            for k, (name, value) in enumerate(zip(LABELS, kinds, strict=True)):
                ranges = [(0, 1) if v is None else (v,) for v in kinds]
                decides = any(
                    (table ^ table >> (1 << k)) >> (at & ~(1 << k)) & 1
                    for bits in product(*ranges)
                    for at in [sum(b << i for i, b in enumerate(bits))]
                )
                right |= LABELS[name] * (value is None and decides)
            assert label == right, (table, kinds)


MUX, XOR, AND = 0xCA, 0x66, 0x88  # MUX: the third input chooses the second one, or the first


def held() -> Circuit:
    """Return a register that keeps its value unless the port e is 1, and its XOR with the same."""
    q = 5
    groups = [Group(MUX, 1, [q, 2, 4]), Group(XOR, 1, [q, q, 0]), Group(AND, 1, [q, 3, 0])]
    return Circuit({"k": [2], "n": [3], "e": [4]}, 3, ["q"], [6], [], groups, [], [])


def test_what_keeps_its_value_does_not_change() -> None:
    with Flow(held(), lambda port: LABELS.get(port, 0)) as flow:
        for cycle, enable in enumerate((1, 0, 0, 1, 0)):
            flow.set("k", cycle & 1)
            flow.set("n", 1)
            flow.set("e", enable)
            flow.run(1)
            assert flow.told().tolist() == [secret(1) * enable]
        assert flow.labels([5, 6, 7, 8]).tolist() == [secret(1), secret(1), 0, secret(1) | NOISE]


def test_a_write_and_a_read_reach_the_words_of_their_addresses_alone() -> None:
    """Bits of an address that are one unknown bit, or its opposite, change together."""
    groups = [Group(0x55, 1, [2, 0, 0]), Group(READ, 1, [0, 2, 5, 1])]  # NOT k; words 5, 6
    memory = Memory("m", 8, 1, 3, [Write([2, 5, 1], [3], [4])], [0] * 8)
    circuit = Circuit({"k": [2], "x": [3], "e": [4]}, 3, [], [], [memory], groups, [6], ["data"])
    with Flow(circuit, lambda port: LABELS.get(port, 0)) as flow:
        for port, value in (("k", 1), ("x", 0), ("e", 1)):
            flow.set(port, value)
        flow.run(1)
        assert not flow.cells().any()  # what is there is written
        assert not flow.labels([6]).any()
        flow.set("x", 1)
        flow.run(1)
        assert np.flatnonzero(flow.cells()).tolist() == [5, 6]
        flow.set("e", 0)
        flow.run(1)
        assert flow.labels([6]).tolist() == [secret(1)]


def test_parts_tell_together() -> None:
    """A register with one part, then the other, tells their distance; not so with noise between."""
    labels = {"x": first_part(1), "y": second_part(1), "n": NOISE}
    groups = [Group(MUX, 1, [2, 3, 5]), Group(MUX, 1, [7 + 1, 4, 6])]
    circuit = Circuit(
        {"x": [2], "y": [3], "n": [4], "s": [5], "t": [6]}, 5, ["q"], [9], [], groups, [], []
    )
    for between in (0, 1):
        rows = np.zeros((8, 2), dtype=np.uint32)
        with Flow(circuit, lambda port: labels.get(port, 0)) as flow:
            for port in labels:
                flow.set(port, 1)
            flow.begin(rows)
            for s, t in [(0, 0), *[(0, 1)] * between, (1, 0)]:
                flow.set("s", s)
                flow.set("t", t)
                flow.run(1)
        assert rows.sum(axis=0).tolist() == [1 - between, 1 - between]
