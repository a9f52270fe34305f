# SPDX-License-Identifier: Apache-2.0
"""One caller at a time: nobody waits for ever, whatever becomes of who had the turn."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ecsm
from ecsm.device.base import DeviceError, Turn
from ecsm.device.remote import RemoteDevice
from ecsm.device.schemes import SchemeDevice
from tests.device.serving import Serving, serving

PRESET, TOY = "b163-small", "toy7-fast"


def in_time(work: Callable[[], object], seconds: float = 30) -> None:
    """Run something in a thread; fail if it does not end."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # told below
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it waits for ever"
    if errors:
        raise errors[0]


def until_waiting(turn: Turn, count: int) -> None:
    """Wait until so many callers wait for a turn."""
    end = time.monotonic() + 30
    while len(turn._waiting) < count:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_turn_that_nobody_holds_any_more_is_free() -> None:
    turn = Turn()
    hold = turn.take()
    with pytest.raises(DeviceError, match="not exhausted"):
        turn.take()
    del hold
    turn.give(turn.take())
    with turn.taken():
        assert turn.mine
    assert not turn.mine


def test_the_turn_of_a_thread_that_has_ended_is_told() -> None:
    """Its number may be another thread's by then; and it may still be given back."""
    turn, holds = Turn(), []
    in_time(lambda: holds.append(turn.take()))
    for _ in range(20):
        with pytest.raises(DeviceError, match="not exhausted"):
            in_time(turn.take)
    assert not turn.mine
    turn.give(holds[0])
    turn.give(turn.take())


def test_others_wait_until_it_is_given_back() -> None:
    turn, order = Turn(), []

    def use(number: int) -> None:
        with turn.taken():
            order.append(number)
            time.sleep(0.01)
            order.append(number)

    threads = [threading.Thread(target=use, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(order) == 40
    assert order[::2] == order[1::2]


class Interrupt(Exception):
    """What a signal raises."""


def test_who_waits_comes_before_who_comes_again() -> None:
    """A thread that takes the turn again and again leaves it to each that waits."""
    turn, stop, turns = Turn(), threading.Event(), [0]

    def again() -> None:
        while not stop.is_set() and turns[0] < 2000:
            with turn.taken():
                turns[0] += 1
                time.sleep(0.002)

    busy = threading.Thread(target=again, daemon=True)
    busy.start()
    waited = []
    for _ in range(100):
        before = turns[0]
        with turn.taken():
            waited.append(turns[0] - before)
    stop.set()
    busy.join(30)
    assert max(waited) <= 2


def test_a_turn_is_taken_in_the_order_of_who_came() -> None:
    turn, order = Turn(), []

    def use(number: int) -> None:
        with turn.taken():
            order.append(number)

    with turn.taken():
        threads = []
        for i in range(8):
            threads.append(threading.Thread(target=use, args=(i,), daemon=True))
            threads[-1].start()
            until_waiting(turn, i + 1)
    for thread in threads:
        thread.join(30)
    assert order == list(range(8))


def test_who_waits_no_more_is_not_waited_for() -> None:
    """A thread that is interrupted as it waits, though its exception lives on."""
    turn, told = Turn(), []

    def wait() -> None:
        try:
            turn.take()
        except Interrupt as error:
            told.append(error)

    def interrupt(number: int, frame: object) -> None:
        raise Interrupt

    def hold() -> None:
        with turn.taken():
            held.set()
            free.wait(30)

    held, free, before = threading.Event(), threading.Event(), signal.getsignal(signal.SIGALRM)
    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    held.wait(30)
    signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert told
    free.set()
    holder.join(30)
    in_time(lambda: turn.give(turn.take()), 5)


def test_garbage_that_has_the_turn_gives_it_back_at_any_moment() -> None:
    """Also in the middle of a look at who has it: the collector comes when it likes."""
    turn = Turn()

    class Circle:
        pass

    def leave() -> None:
        def holding() -> Iterator[None]:
            with turn.taken():
                yield

        here: Any = Circle()
        here.itself, here.iterator = here, holding()
        next(here.iterator)

    def use() -> None:
        before = gc.get_threshold()
        try:
            for count in range(1, 20):
                gc.collect()
                gc.set_threshold(100_000)
                leave()
                gc.set_threshold(gc.get_count()[0] + count)
                for _ in range(8):
                    with contextlib.suppress(DeviceError):
                        turn.give(turn.take())
        finally:
            gc.set_threshold(*before)
            gc.collect()

    in_time(use)
    turn.give(turn.take())


def test_signals_leave_a_device_that_works() -> None:
    """An exception at any moment of a call: the next call computes."""

    def interrupt(number: int, frame: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    count = 0
    try:
        with ecsm.open(f"sim:{TOY}") as device:
            g = (0x2B, 0x66)
            want, end = device.kp(5, g), time.monotonic() + 8
            while time.monotonic() < end:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 2e-4)
                    while True:
                        device.kp(5, g)
                except Interrupt:
                    count += 1
                assert device.kp(5, g) == want
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert count > 100


def test_garbage_waits_for_nobody() -> None:
    """A device, an iterator over it that is not exhausted, and a circle around both."""

    def leave() -> None:
        device: Any = ecsm.open(f"sim:{TOY}")
        jobs: Iterator[Any] = device.as_completed([(5, (0x2B, 0x66))] * 9)
        next(jobs)
        device.jobs = jobs

    in_time(leave)
    in_time(gc.collect)


def test_a_child_process_has_no_copy_of_the_random_state() -> None:
    """It would make the parent's keys."""
    with SchemeDevice(PRESET) as device:
        device.run("seed")
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()

        def child() -> None:
            try:
                theirs.send(device.run("generate").strings)
            except DeviceError as error:
                theirs.send(str(error))

        process = context.Process(target=child)
        process.start()
        assert "parent process" in ours.recv()
        process.join()
        device.run("generate")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path / "socket", "--preset", PRESET) as made:
        yield made


def connected(server: Serving, more: str = "") -> RemoteDevice:
    device = ecsm.open(f"unix:{server.socket}{more}")
    assert isinstance(device, RemoteDevice)
    return device


def test_a_stream_that_is_given_up_before_it_begins_is_not_waited_for(server: Serving) -> None:
    """It waits behind another one, and its client loses its patience, or is interrupted."""
    with connected(server) as first, connected(server, "?timeout=1") as second:
        begun = threading.Event()

        def hold() -> None:
            for count, _ in enumerate(first.stream("sha256", message=slow(begun))):
                assert count == 0

        def slow(begun: threading.Event) -> Iterator[bytes]:
            yield b"a"
            begun.set()
            time.sleep(4)

        holder = threading.Thread(target=hold)
        holder.start()
        begun.wait(30)
        with pytest.raises(DeviceError, match="no answer"):
            list(second.stream("sha256", message=[b"b"]))
        holder.join(60)
        with connected(server) as third:
            start = time.monotonic()
            third.run("sha256", b"c")
            assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("step", "done"), [("exchange", False), ("exchange", True), ("next", False), ("next", True)]
)
def test_a_stream_that_is_interrupted_is_not_waited_for(
    server: Serving, monkeypatch: pytest.MonkeyPatch, step: str, done: bool
) -> None:
    """Before it is sent, when it is open, behind its last part, when it is answered."""
    with connected(server, "?timeout=20") as device:
        real = getattr(device, step)

        def interrupted(*given: Any) -> None:
            if done:
                real(*given)
            raise Interrupt

        start = time.monotonic()
        with monkeypatch.context() as patch:
            patch.setattr(device, step, interrupted)
            with pytest.raises(Interrupt):
                list(device.stream("sha256", message=[b"a"]))
        for message in (b"abc", bytes(70_000)):
            found = device.run("sha256", message)
            assert found.strings == (hashlib.sha256(message).digest(),)
        assert time.monotonic() - start < 15


def test_closing_a_line_wakes_who_waits_for_it(server: Serving) -> None:
    device = connected(server)
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            while True:
                device.run("sha256", bytes(20_000))
        except BaseException as error:
            errors.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.5)
    device.close()
    waiting.join(5)
    assert not waiting.is_alive()
    assert isinstance(errors[0], DeviceError)
    assert "closed" in str(errors[0])
