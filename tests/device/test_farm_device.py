# SPDX-License-Identifier: Apache-2.0
"""A farm as a device: answers matched to their jobs, errors, iterators, throughput."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

import ecsm
from ecsm.curves import Point
from ecsm.device.base import DeviceError, Job
from ecsm.device.sim import SimDevice
from ecsm.hdl.farm import MOST_ENGINES, TURN
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.table import preset
from ecsm.status import CoordinateOutOfRange, PointNotOnCurve, ScalarOutOfRange, Unsupported

ENGINES = 3
TOYS = ("toy7-fast", "toyp8-k")
every_toy = pytest.mark.parametrize("name", TOYS)
OFF = {"toy7-fast": (1, 2), "toyp8-k": (1, 2)}  # points that are not on the curve


def random_jobs(name: str, count: int) -> list[Job]:
    """Return random scalars and points of the curve, infinity among them."""
    curve = preset(name).curve
    rng, points = random.Random(name), list(curve.points())
    return [(rng.getrandbits(preset(name).scalar_bits), rng.choice(points)) for _ in range(count)]


def right(name: str, jobs: list[Job]) -> list[Point]:
    return [preset(name).curve.mul(k, point) for k, point in jobs]


@every_toy
def test_many_jobs_are_answered_in_order(name: str) -> None:
    jobs = random_jobs(name, 600)  # more than there are tags
    seen: list[tuple[int, int]] = []
    with ecsm.open(f"sim:{name}*{ENGINES}") as device:
        assert device.info().engines == ENGINES
        assert device.kp_many(jobs, lambda *progress: seen.append(progress)) == right(name, jobs)
        assert device.kp(*jobs[0]) == right(name, jobs[:1])[0]
    assert seen == [(i, 600) for i in range(1, 601)]


@every_toy
@pytest.mark.parametrize("engines", [1, ENGINES])
def test_finished_jobs_say_which_they_are(name: str, engines: int) -> None:
    jobs = random_jobs(name, 50)
    wide = 1 << preset(name).coordinate_bits
    jobs[10:10] = [(1, OFF[name]), (1 << 20, None), (2, (wide, 0))]
    errors = {10: PointNotOnCurve, 11: ScalarOutOfRange, 12: CoordinateOutOfRange}
    with ecsm.open(f"sim:{name}*{engines}") as device:
        done = list(device.as_completed(jobs))
        cycles = device.info().cycles
    assert sorted(d.index for d in done) == list(range(53))
    for d in done:
        if d.index in errors:
            assert isinstance(d.error, errors[d.index])
            assert d.cycles == (cycles if d.index == 10 else 0)
            with pytest.raises(errors[d.index]):
                d.result()
        else:
            assert d.result() == preset(name).curve.mul(*jobs[d.index])
            assert d.cycles == cycles


def test_a_refused_job_is_finished_before_those_in_progress() -> None:
    g = preset("toy7-fast").curve.generator
    with ecsm.open(f"sim:toy7-fast*{ENGINES}") as device:
        order = [d.index for d in device.as_completed([(1, g), (2, g), (1 << 20, g), (3, g)])]
    assert order == [2, 0, 1, 3]


def test_the_first_error_in_the_order_of_jobs_is_raised() -> None:
    jobs = random_jobs("toy7-fast", 30)
    jobs[7], jobs[8], jobs[9] = (1, (1, 2)), (1 << 20, None), (1, (0x80, 0))
    with ecsm.open(f"sim:toy7-fast*{ENGINES}") as device:
        # Job 8 is refused before job 7 is answered.
        with pytest.raises(PointNotOnCurve):
            device.kp_many(jobs)
        assert device.kp_many(jobs[:7]) == right("toy7-fast", jobs[:7])


def test_an_unknown_operation_is_unsupported_in_a_stream() -> None:
    g = preset("toy7-fast").curve.generator
    with SimDevice("toy7-fast", engines=ENGINES) as device:
        done = {d.index: d for d in device.operations([(0, 5, g), (7, 5, g), (0, 6, g)])}
    assert isinstance(done[1].error, Unsupported)
    assert [done[i].point for i in (0, 2)] == right("toy7-fast", [(5, g), (6, g)])


def test_jobs_are_drawn_as_they_are_taken() -> None:
    g = preset("toy7-fast").curve.generator
    drawn = 0

    def endless() -> Iterator[Job]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn % 128, g

    with ecsm.open(f"sim:toy7-fast*{ENGINES}") as device:
        stream = device.as_completed(endless())
        for finished in range(1, 100):
            next(stream)
            # In each engine and its two slots, in the farm's register, at the port.
            assert drawn <= finished + 3 * ENGINES + 2
        stream.close()


@pytest.mark.parametrize("engines", [1, ENGINES])
def test_an_iterator_has_the_device_until_it_is_closed(engines: int) -> None:
    jobs = random_jobs("toy7-fast", 20)
    with ecsm.open(f"sim:toy7-fast*{engines}") as device:
        stream = device.as_completed(jobs)
        assert device.kp(*jobs[3]) == right("toy7-fast", jobs)[3]  # it has not begun
        next(stream)
        with pytest.raises(DeviceError, match="close it"):
            device.kp(*jobs[0])
        with pytest.raises(DeviceError, match="close it"):
            device.kp_many(jobs)
        with pytest.raises(DeviceError, match="close it"):
            next(device.as_completed(jobs))
        stream.close()
        assert device.kp_many(jobs) == right("toy7-fast", jobs)


def test_a_device_can_be_closed_while_an_iterator_is_open() -> None:
    device = ecsm.open(f"sim:toy7-fast*{ENGINES}")
    stream = device.as_completed(random_jobs("toy7-fast", 20))
    next(stream)
    device.close()
    with pytest.raises(DeviceError, match="closed"):
        next(stream)
    with pytest.raises(DeviceError, match="closed"):
        device.kp(1, None)


def test_an_error_of_the_jobs_iterator_drops_what_is_in_progress() -> None:
    jobs = random_jobs("toy7-fast", 5)

    def failing() -> Iterator[Job]:
        yield from jobs
        raise KeyError("no more")

    with ecsm.open(f"sim:toy7-fast*{ENGINES}") as device:
        with pytest.raises(KeyError):
            list(device.as_completed(failing()))
        assert device.kp_many(jobs) == right("toy7-fast", jobs)


def test_threads_take_turns_at_a_farm() -> None:
    jobs = random_jobs("toy7-fast", 60)
    with ecsm.open(f"sim:toy7-fast*{ENGINES}") as device, ThreadPoolExecutor(4) as pool:
        for answers in pool.map(lambda _: device.kp_many(jobs), range(8)):
            assert answers == right("toy7-fast", jobs)


@every_toy
def test_throughput_is_that_of_all_engines(name: str) -> None:
    g = preset(name).curve.generator
    clocks = {}
    for engines in (1, ENGINES):
        with SimDevice(name, engines=engines) as device:
            jobs = [(5, g)] * (20 * engines)
            clocks[engines] = [device.clock for _ in device.as_completed(jobs)]
    alone = clocks[1][11] - clocks[1][10]
    farm = clocks[ENGINES]
    assert farm[13 * ENGINES] - farm[3 * ENGINES] == 10 * (alone + TURN)


@pytest.mark.parametrize("engines", [1, 2])
def test_engines_with_threads_work_on_whole_batches(engines: int) -> None:
    name = "toyp8-t"
    p = preset(name)
    assert isinstance(p, PrimePreset)
    jobs = random_jobs(name, 20 * p.threads * engines)
    with ecsm.open(f"sim:{name}*{engines}") as device:
        assert device.kp_many(jobs) == right(name, jobs)
        cycles = {done.cycles for done in device.as_completed(jobs)}
        assert cycles == {device.info().cycles}  # no batch waited in vain for another job


@every_toy
def test_a_farm_is_ready_and_empty_after_zeroize_and_reset(name: str) -> None:
    g = preset(name).curve.generator
    with SimDevice(name, engines=ENGINES) as device:
        cycles = device.info().cycles
        for after in range(0, cycles + 8, max(1, cycles // 40)):
            for reset in (False, True):
                device.abort(5, g, after, reset)
        assert device.kp(5, g) == preset(name).curve.mul(5, g)


@pytest.mark.parametrize("count", ["0", "65", "x", "-1", "", "1.5", "3*3"])
def test_a_wrong_number_of_engines_is_explained(count: str) -> None:
    with pytest.raises(DeviceError, match=rf"at most {MOST_ENGINES}"):
        ecsm.open(f"sim:toy7-fast*{count}")


@pytest.mark.parametrize("engines", [0, -1, MOST_ENGINES + 1])
def test_a_device_of_no_such_farm_is_refused(engines: int) -> None:
    with pytest.raises(ValueError, match="engines"):
        SimDevice("toy7-fast", engines=engines)


@pytest.mark.slow
def test_a_farm_on_a_standard_curve_equals_libcrypto(libcrypto: ModuleType) -> None:
    curve = preset("b163-small").curve
    rng = random.Random(163)
    jobs = [(rng.getrandbits(163), curve.generator) for _ in range(20)]
    with ecsm.open("sim:b163-small*2") as device:
        answers = device.kp_many(jobs)
    assert answers == [libcrypto.kp(curve.name, k, point) for k, point in jobs]
