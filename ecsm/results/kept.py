# SPDX-License-Identifier: Apache-2.0
"""Where results are kept: in a folder of the user, which is read first, and in the package.

New results are written to the user's folder. Results that are not there are read from the package.
This module never writes to the package; ``make bench`` names the folder of a checkout.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ecsm.files import check_folder, check_writable, user_folder
from ecsm.resources import resource

RESULTS = resource("bench", "results")
"""The results of the package."""


@dataclass(frozen=True)
class Layers:
    """A file or a folder of results: it is written as ``own``, and read ``beneath`` without it."""

    own: Path
    beneath: Path

    def __truediv__(self, name: str) -> Layers:
        return Layers(self.own / name, self.beneath / name)


Where = Path | Layers
"""A file or a folder of results; a Path stands alone."""
AWhere = TypeVar("AWhere", Path, Layers, Path | Layers)
"""The same kind of place: a file in a folder of the kind."""


def written(where: Where) -> Path:
    """Return the path that is written to."""
    return where.own if isinstance(where, Layers) else where


def read(where: Where) -> Path:
    """Return the path of the file that is read, which need not exist."""
    if isinstance(where, Path):
        return where
    return where.own if where.own.exists() else where.beneath


class NoPlace(Exception):
    """No result can be kept where one is to be."""


def check(where: Where) -> None:
    """Raise :class:`NoPlace` if no result can be written there.

    As where a folder is in its place, or a file in that of its folder.
    """
    file = written(where)
    try:
        if file.parent.exists():
            check_writable(file)
        else:
            check_folder(file.parent)
    except OSError as error:
        raise NoPlace(f"{file}: {error.strerror}") from None


def above(folder: Path) -> Layers:
    """Return a folder of results that lies above those of the package."""
    return Layers(folder, RESULTS)


def own_folder() -> Path | None:
    """Return the folder of this user's results, None for a user without a home."""
    found = user_folder("XDG_DATA_HOME", ".local/share")
    return found / "results" if found else None


def known() -> Where:
    """Return the results that this user knows: the user's own, above those of the package."""
    own = own_folder()
    return above(own) if own else RESULTS
