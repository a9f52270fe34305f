# SPDX-License-Identifier: Apache-2.0
"""Run calls side by side: in processes of this machine, or on a Dask cluster.

On this machine each call has a process of its own that returns its result over a pipe. No process
opens a socket or writes into a shared folder. If a process dies, only its own call fails. All
processes end when the caller ends, however it ends.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

R = TypeVar("R")
Ended = Generator[tuple[str, R | None, str], None, None]
"""Calls as they end: name, what it returned, or why nothing was."""


class NoCluster(RuntimeError):
    """A cluster cannot be reached; one line."""


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _answer(pipe: Connection, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    result, failure = None, ""
    try:
        result = work(*arguments)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    pipe.send((result, failure))


def _started(
    work: Callable[..., object], arguments: tuple[Any, ...]
) -> tuple[Connection, SpawnProcess]:
    """Start a process that an interrupt from the terminal does not reach: we end it."""
    context = get_context("spawn")
    resource_tracker.ensure_running()  # with the first process: that would take the mask away
    near, far = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(far, work, arguments), daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        far.close()
    return near, process


def side_by_side(
    work: Callable[..., R], calls: Mapping[str, tuple[Any, ...]], most: int
) -> Ended[R]:
    """Yield each call's name with its result, or None and why there is none, as they end.

    ``calls``: arguments by name; at most ``most`` of them run at once. Closing the iterator ends
    those that run.
    """
    waiting = list(calls.items())
    running: dict[Connection, tuple[str, SpawnProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < most:
                name, arguments = waiting.pop(0)
                pipe, process = _started(work, arguments)
                running[pipe] = name, process
            ready = set(wait(list(running)))
            for pipe in [p for p in running if p in ready]:
                name, process = running.pop(pipe)
                try:
                    result, failure = pipe.recv()
                except EOFError:
                    process.join()
                    result, failure = None, f"its process ended with status {process.exitcode}"
                pipe.close()
                process.join()
                yield name, result, failure
    finally:
        for pipe, (_, process) in running.items():
            process.terminate()
            process.join()
            pipe.close()


def on_cluster(
    work: Callable[..., R], calls: Mapping[str, tuple[Any, ...]], scheduler: str
) -> Ended[R]:
    """Do the same as :func:`side_by_side` on a Dask cluster. Raises :class:`NoCluster`."""
    from distributed import Client, as_completed

    for name in ("distributed", "distributed.client"):  # what fails is said by the calls
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout="20s")  # type: ignore[no-untyped-call]
    except Exception as error:  # each transport has its own
        raise NoCluster(f"no Dask cluster at {scheduler}: {error}") from None
    try:
        # Retries would hide what goes wrong; a worker that dies takes its call with it.
        jobs = {client.submit(work, *c, pure=False): name for name, c in calls.items()}
        for job in as_completed(jobs):  # type: ignore[no-untyped-call]
            if job.status == "finished":
                yield jobs[job], job.result(), ""
            else:
                why = job.exception()
                lost = "the cluster has gone, or has dropped the call"
                yield jobs[job], None, f"{type(why).__name__}: {why}" if why else lost
    finally:
        client.close()  # type: ignore[no-untyped-call]
