# SPDX-License-Identifier: Apache-2.0
"""Many simulated runs in pieces: each is a call of its own and is kept when it is done.

A piece's content depends on the design, what is asked, and its number alone. So an interrupted
campaign goes on where it stopped, and one of more runs begins with the pieces of a shorter one.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ecsm import files
from ecsm.measure.workers import on_cluster, side_by_side
from ecsm.progress import Progress
from ecsm.results.sources import tools
from ecsm.sim.cache import cache_dir
from ecsm.sim.estimate import about

DIGEST = 32  # octets of a digest
Arrays = Mapping[str, npt.NDArray[Any]]


class CampaignError(RuntimeError):
    """A piece of a campaign was not done; one line."""


def folder(kind: str, name: str, *parts: str) -> Path:
    """Return the folder of the cache for the pieces of a campaign, which depends on ``parts``."""
    digest = hashlib.sha256("\0".join((*parts, tools("yosys")["yosys"])).encode())
    digest.update(programs(Path(__file__).parent))
    return cache_dir() / "evidence" / kind / f"{name}-{digest.hexdigest()[:16]}"


def programs(folder: Path) -> bytes:
    """Return the texts of a folder's programs: another simulator, or another test, is another one.

    What is kept of its runs is known by them.
    """
    files = (f for f in sorted(folder.glob("*.*")) if f.suffix in (".py", ".cpp", ".h"))
    return b"".join(f.read_bytes() for f in files)


def check(asked: Path, own: Path) -> None:
    """Raise ValueError unless the folder that is asked for is the one that this process would take.

    A worker of a cluster may have another ecsm, another Yosys or another processor than the caller.
    """
    if asked.name != own.name:
        raise ValueError(
            "a worker's ecsm, Yosys or number of runs at once (512 with AVX-512, 256 with AVX2,"
            " else 64) is not that of this machine"
        )


def keep(file: Path, arrays: Arrays) -> None:
    """Write arrays as a whole, and behind them a digest of the piece's name and the arrays."""
    octets = io.BytesIO()
    np.savez(octets, allow_pickle=False, **arrays)
    content = octets.getvalue()
    file.parent.mkdir(parents=True, exist_ok=True)
    files.replace(file, content + _digest(file, content))


def _digest(file: Path, content: bytes) -> bytes:
    return hashlib.sha256(file.name.encode() + b"\0" + content).digest()


def kept(file: Path) -> Arrays | None:
    """Return the arrays of a file, None if there is none, or a damaged one: it is made anew.

    A piece under another piece's name is damaged: it would count twice, or is of another kind.
    """
    try:
        octets = file.read_bytes()
    except OSError:
        return None
    content, digest = octets[:-DIGEST], octets[-DIGEST:]
    if _digest(file, content) != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def run(
    work: Callable[..., None], calls: Mapping[str, tuple[Any, ...]], where: Path,
    scheduler: str | None, workers: int, tell: Progress,
    take: Callable[[str, Arrays], Arrays] = lambda _name, piece: piece,
) -> dict[str, Arrays]:  # fmt: skip
    """Return the pieces by name; ``work(*call, file)`` makes one that is not there.

    ``take``: what is kept in memory of a piece, by its name.

    Raises :class:`CampaignError`, and :class:`ecsm.measure.workers.NoCluster`.
    """
    paths = {name: where / f"{name}.npz" for name in calls}
    found = {name: take(name, a) for name, path in paths.items() if (a := kept(path)) is not None}
    todo = {name: (*call, paths[name]) for name, call in calls.items() if name not in found}
    if found and todo:
        tell(f"{len(found)} of {len(calls)} pieces were done before")
    begin, failures = time.monotonic(), []
    if scheduler is None:
        ended = side_by_side(work, todo, workers)
    else:
        if todo:
            tell(f"{len(todo)} pieces for the workers of {scheduler}")
        ended = on_cluster(work, todo, scheduler)
    with contextlib.closing(ended):
        for done, (name, _, failure) in enumerate(ended, start=1):
            piece = kept(paths[name])
            if failure or piece is None:
                why = failure.partition("\n")[0] or "its file cannot be read"
                failures.append(f"{name}: {why}")
                continue
            found[name] = take(name, piece)
            left = (time.monotonic() - begin) / done * (len(todo) - done)
            rest = f", {about(left)} left" if done < len(todo) else ""
            tell(f"{len(found)} of {len(calls)} pieces{rest}")
    if failures:
        more = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
        raise CampaignError(f"not done: {failures[0]}{more}; the others are kept")
    return {name: found[name] for name in calls}
