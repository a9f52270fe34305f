# SPDX-License-Identifier: Apache-2.0
"""Find the files that the tool reads and that are not Python: ``rtl``, ``sw``, kept results.

In a checkout they are beside the package ``ecsm``. In a wheel they are inside it, in the folder
``share``, with the same names.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

SHARE = "share"
"""The folder of a wheel's package; setup.py fills it."""


def resource(*names: str) -> Path:
    """Return a file or a folder; without names the one that holds them all."""
    share = _package() / SHARE
    return (share if share.is_dir() else _package().parent).joinpath(*names)


def checkout() -> Path | None:
    """Return the folder of the checkout that this package belongs to, None in a wheel."""
    found = resource()
    return found if found == _package().parent else None


@cache
def _package() -> Path:
    return Path(str(files("ecsm"))).resolve()
