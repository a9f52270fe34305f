# SPDX-License-Identifier: Apache-2.0
"""One caller of a device at a time; others wait. A caller that no longer exists loses the turn."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager


class DeviceError(RuntimeError):
    """The device cannot be opened or does not answer."""


class NoDevice(DeviceError):
    """No device fits the call: none is at the address, or none can do what the call asks."""


class Hold:
    """The owner of the turn, or of a place among those who wait for it.

    The turn is free when this is given back or garbage.
    """

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.done = threading.Lock()
        self.done.acquire()

    def end(self) -> None:
        """Wake who waits for its end."""
        if self.done.locked():
            self.done.release()


class Turn:
    """The turn of a device. Each use holds it by an object of its own, not by its thread's number.

    Who came first has it first. An exception at any point, such as that of a signal, never leaves
    the turn locked. The lock inside may be taken twice by a thread: wherever that is, garbage may
    be collected which gives the turn back.
    """

    _LOOK_S = 0.1  # between looks whether the holder is gone

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holder: weakref.ref[Hold] | None = None
        self._waiting: list[weakref.ref[Hold]] = []  # who came first is the first one

    def _held(self) -> Hold | None:
        return None if self._holder is None else self._holder()

    @property
    def mine(self) -> bool:
        """Whether this thread has the turn."""
        hold = self._held()
        return hold is not None and hold.thread is threading.current_thread()

    def take(self, wait: bool = True) -> Hold:
        """Wait for the turn, and return what holds it.

        Raises DeviceError if an iterator of this thread, or of one that has ended, holds it: it
        might be waited for without an end. Without ``wait``, also if another thread holds it.
        """
        hold = Hold()
        own = weakref.ref(hold)
        try:
            while True:
                with self._lock:
                    other = self._held()
                    first = self._first(hold) if wait and other is None else None
                    if other is None and first is None:
                        self._wait_no_more(own)
                        self._holder = own
                        return hold
                    if wait and own not in self._waiting:
                        self._waiting.append(own)
                if other is not None:
                    self._check(other, hold, wait)
                before = other or first
                assert before is not None
                done = before.done
                del other, first, before
                if done.acquire(timeout=self._LOOK_S):
                    done.release()
        except BaseException:
            self._wait_no_more(own)
            self.give(hold)
            raise

    @staticmethod
    def _check(other: Hold, hold: Hold, wait: bool) -> None:
        if other.thread is hold.thread or not other.thread.is_alive():
            raise DeviceError("an iterator over the device is not exhausted: close it first")
        if not wait:
            raise DeviceError("another thread uses the device")

    def _first(self, hold: Hold) -> Hold | None:
        """Return who came first of those who wait, None if that is ``hold``.

        Whose thread has ended is passed over, and so is whoever waits in this thread: this call has
        interrupted it, by a signal's handler.
        """
        for place in self._waiting:
            other = place()
            if other is hold:
                return None
            if other is not None and other.thread is not hold.thread and other.thread.is_alive():
                return other
        return None

    def _wait_no_more(self, own: weakref.ref[Hold]) -> None:
        """Take a place, and those of who is gone, from those that are waited for."""
        with self._lock:
            self._waiting = [place for place in self._waiting if place is not own and place()]

    def give(self, hold: Hold) -> None:
        """Give the turn back."""
        with self._lock:
            if self._held() is hold:
                self._holder = None
        hold.end()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take the turn for a block."""
        hold = self.take()
        try:
            yield
        finally:
            self.give(hold)
