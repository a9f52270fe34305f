# SPDX-License-Identifier: Apache-2.0
"""``ecsm explore``: a grid of presets through schedule, simulation, synthesis, place and route.

The points run on Dask: a cluster of this machine's cores, or any cluster by its address (its
workers then need this package and the folder). Each point is kept when it is finished, so that an
interrupted exploration goes on where it stopped, with the same command.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from ecsm.flow.grid import Found, Grid, Work, current, explore_point, kept
from ecsm.flow.markdown import markdown_table, number
from ecsm.flow.plot import Axis, Point, Series, scatter
from ecsm.flow.progress import Progress
from ecsm.flow.results import write_text
from ecsm.presets.preset import Preset


class ExploreError(RuntimeError):
    """A cluster cannot be reached; one line."""


def table(found: Sequence[Found]) -> str:
    """Return the points as a table, fastest first: by time where it is known, then by cycles.

    Those without a clock are behind those with one, those without an area behind both.
    """

    def order(f: Found) -> tuple[bool, bool, float, bool, int, int]:
        return (f.us is None, not f.lut, f.us or 0.0, not f.cycles, f.cycles, f.lut)

    rows = [
        [f"`{f.preset}`", *("" if not n else number(n) for n in (f.cycles, f.bound)),
         *(number(n) if f.lut else "" for n in (f.lut, f.ff, f.levels)),
         "" if f.mhz is None else f"{f.mhz:.1f}", "" if f.us is None else f"{f.us:.2f}", f.failure]
        for f in sorted(found, key=order)
    ]  # fmt: skip
    head = ["point", "cycles", "bound", "LUT4", "FF", "levels", "MHz", "us", "not done, and why"]
    return markdown_table(head, rows, set(range(1, 8)))


def picture(found: Sequence[Found], title: str) -> str:
    """Return the Pareto plot: LUT4 against microseconds, or against cycles if nothing is placed."""
    placed = any(f.us is not None for f in found)
    points = [
        Point(f.lut, f.us or 0.0 if placed else f.cycles, f.preset.split("-", 2)[2], f.preset)
        for f in found
        if f.lut and (f.us is not None or not placed)
    ]
    return scatter(
        title,
        "LUT4 of the bare core on ECP5. Stairs: the Pareto front.",
        Axis("LUT4"),
        Axis("microseconds" if placed else "cycles"),
        [Series("points", points)],
        pareto=points,
    )


def explore(grid: Grid, work: Work, folder: Path, scheduler: str | None, workers: int) -> int:
    """Run what is not kept in ``folder``; write ``table.md`` and ``pareto.svg`` there.

    Both are written anew with each finished point. Returns 0, or 1 if a point was not done; the
    others are then all the same. Raises :class:`ExploreError`.
    """
    presets = list(grid.presets())
    found = {
        p.name: f
        for p in presets
        if (f := kept(folder, p.name, work)) is not None and current(p, f, folder)
    }
    todo = [p for p in presets if p.name not in found]
    broken: list[str] = []
    title = f"Exploration of {grid.curve}"
    with Progress() as progress:
        progress(f"{len(presets)} points, {len(found)} of them finished before")
        _write(found.values(), title, folder)
        if todo:
            _run(todo, work, folder, scheduler, workers, found, broken, title, progress)
    if found:
        print(table(list(found.values())))
    for line in broken:
        print(f"ecsm: {line}", file=sys.stderr)
    missing = sum(bool(f.failure) for f in found.values())
    if missing:
        print(f"ecsm: {missing} of {len(presets)} points not done, see the table", file=sys.stderr)
    return 1 if broken or missing else 0


def _write(found: Collection[Found], title: str, folder: Path) -> None:
    """Write what is known as a table and, if a point has an area, as a picture."""
    if found:
        write_text(folder / "table.md", table(list(found)) + "\n")
    if any(f.lut for f in found):
        write_text(folder / "pareto.svg", picture(list(found), title))


def _run(
    todo: Sequence[Preset],
    work: Work,
    folder: Path,
    scheduler: str | None,
    workers: int,
    found: dict[str, Found],
    broken: list[str],
    title: str,
    progress: Progress,
) -> None:
    from distributed import Client, LocalCluster, as_completed

    logging.getLogger("distributed").setLevel(logging.ERROR)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        cluster = None
        if scheduler is None:
            cluster = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=workers,
                threads_per_worker=1,
                # No dashboard; its server starts all the same, and 8787 may be another one's.
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                processes=True,
                silence_logs=logging.CRITICAL,
            )
        client = Client(cluster if scheduler is None else scheduler, timeout="20s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ExploreError(f"no Dask cluster at {scheduler}: {error}") from None
    try:
        # Retries would hide what goes wrong; a worker that dies takes its point with it.
        where = folder.resolve()
        start = progress.start if scheduler is None else None  # others have another clock
        jobs = {client.submit(explore_point, p, work, where, start, pure=False): p for p in todo}
        for done, job in enumerate(as_completed(jobs), start=1):  # type: ignore[no-untyped-call]
            name = jobs[job].name
            if job.status == "finished":
                found[name] = job.result()
                outcome = found[name].failure or f"{found[name].cycles} cycles"
                _write(found.values(), title, folder)
            else:
                outcome = f"{type(job.exception()).__name__}: {job.exception()}"
                broken.append(f"{name}: {outcome}")
            progress(f"{done} of {len(todo)}: {name}: {outcome}")
    finally:
        client.close()  # type: ignore[no-untyped-call]
        if cluster is not None:
            cluster.close()
