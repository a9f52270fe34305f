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
    """The owner of the turn. The turn is free when this is given back or garbage."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.done = threading.Lock()
        self.done.acquire()


class Turn:
    """The turn of a device. Each use holds it by an object of its own, not by its thread's number.

    An exception at any point, such as that of a signal, never leaves the turn locked.
    """

    _LOOK_S = 0.1  # between looks whether the holder is gone

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: weakref.ref[Hold] | None = None

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
        while True:
            with self._lock:
                other = self._held()
                if other is None:
                    self._holder = weakref.ref(hold)
                    return hold
            if other.thread is hold.thread or not other.thread.is_alive():
                raise DeviceError("an iterator over the device is not exhausted: close it first")
            if not wait:
                raise DeviceError("another thread uses the device")
            done = other.done
            del other
            if done.acquire(timeout=self._LOOK_S):
                done.release()

    def give(self, hold: Hold) -> None:
        """Give the turn back."""
        with self._lock:
            if self._held() is hold:
                self._holder = None
        if hold.done.locked():
            hold.done.release()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take the turn for a block."""
        hold = self.take()
        try:
            yield
        finally:
            self.give(hold)
