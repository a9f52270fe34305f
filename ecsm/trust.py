# SPDX-License-Identifier: Apache-2.0
"""Whether other users can replace files of a folder: code that is loaded, a socket, keys.

This user and root are trusted, and the members of the group that ``ECSM_GROUP`` names.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GROUP = "ECSM_GROUP"
"""Names, in the environment, a group of users who trust each other."""


@dataclass(frozen=True)
class _Trusted:
    """``group``: the one of GROUP; a private group is of this user, and of nobody else."""

    group: int | None

    def owner(self, uid: int) -> bool:
        if uid in (0, os.geteuid()):
            return True
        if self.group is None:
            return False
        with suppress(KeyError):
            user = pwd.getpwuid(uid)
            return user.pw_gid == self.group or user.pw_name in grp.getgrgid(self.group).gr_mem
        return False

    def writers(self, status: os.stat_result) -> bool:
        """Whether nobody but trusted users can write to it."""
        mode = status.st_mode
        if mode & stat.S_IWOTH:
            return False
        return not mode & stat.S_IWGRP or status.st_gid == self.group or _private(status.st_gid)


def _private(gid: int) -> bool:
    """Whether a group is root's or this user's own, with nobody else in it."""
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    if any(u.pw_gid == gid and u.pw_uid not in (0, user.pw_uid) for u in pwd.getpwall()):
        return False
    own = gid == 0 or (gid == user.pw_gid and found.gr_name == user.pw_name)
    return own and set(found.gr_mem) <= {user.pw_name, "root"}


def _trusted() -> _Trusted:
    """Raise KeyError if there is no such group."""
    name = os.environ.get(GROUP)
    return _Trusted(grp.getgrnam(name).gr_gid if name else None)


def trusts(uid: int) -> bool:
    """Whether a user is trusted: this one, root, or a member of the group that GROUP names."""
    with suppress(KeyError):
        return _trusted().owner(uid)
    return uid in (0, os.geteuid())


def distrust(folder: Path) -> str | None:
    """Return why others could replace what is in a folder and how to mend it; None if they cannot.

    Every folder above it counts. In a sticky folder, such as ``/tmp``, others cannot replace our
    folder. They could create it first, so the folder itself must be ours. A folder that does not
    exist is as good as those above it: check again when it is made.
    """
    try:
        trusted = _trusted()
    except KeyError:
        return f"{GROUP} names no group: {os.environ[GROUP]!r}"
    try:
        real = Path(os.path.realpath(folder))
    except OSError as error:  # of the current folder
        return f"{folder}: {error.strerror}"
    for place in (real, *real.parents):
        try:
            status = place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"{place}: {error.strerror}"
        if not stat.S_ISDIR(status.st_mode):
            continue  # whoever wants to use it as a folder is told so
        if not trusted.owner(status.st_uid):
            return f"{place} belongs to another user, who could change what is in it"
        sticky = status.st_mode & stat.S_ISVTX and place != real
        if not sticky and not trusted.writers(status):
            return f"other users can write to {place}{_advice(status)}"
    return None


def _advice(status: os.stat_result) -> str:
    """Return what this user can do about a folder that others can write to."""
    if status.st_mode & stat.S_ISVTX and status.st_mode & stat.S_IWOTH:  # as /tmp: it is for all
        return ": make a folder of yours in it"
    ways = ["chmod go-w it"] if os.geteuid() in (0, status.st_uid) else []
    if not status.st_mode & stat.S_IWOTH:
        with suppress(KeyError):
            name = grp.getgrgid(status.st_gid).gr_name
            ways.append(f"trust everybody in its group by {GROUP}={name}")
    return f": {', or '.join(ways)}" if ways else ", and it is not yours to change"


def sound(path: Path) -> bool:
    """Whether a file or a folder, no symbolic link, is ours and no stranger can write to it.

    Raises OSError if there is none.
    """
    status, trusted = path.lstat(), _trusted()
    return (
        not stat.S_ISLNK(status.st_mode)
        and trusted.owner(status.st_uid)
        and trusted.writers(status)
    )


def make_folder(folder: Path) -> None:
    """Make a folder and those around it that are missing; only trusted users can write to them."""
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    group = _trusted().group
    for place in reversed(missing):
        place.mkdir(mode=0o755, exist_ok=True)
        open_to_group(place, group)
    folder.mkdir(exist_ok=True)  # tells of a file that is in its place


def open_to_group(folder: Path, group: int | None = None) -> None:
    """Let the trusted group, if there is one, change what is in a folder of ours."""
    if group is None:
        group = _trusted().group
    if group is not None:
        os.chown(folder, -1, group)
        folder.chmod(0o2775)
