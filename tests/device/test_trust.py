# SPDX-License-Identifier: Apache-2.0
"""A cache that others can write to is refused; a library that they made is not loaded."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm import trust
from ecsm.device.base import DeviceError
from ecsm.sim import cache
from tests.cli.test_cli import TOY, ecsm

OTHER = 65534  # a user, and a group, that is neither root nor the one who tests
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is as it should be."""
    found = tmp_path / "around" / "cache"
    found.mkdir(parents=True)
    for place in (found, found.parent):
        place.chmod(0o755)
    monkeypatch.setenv("ECSM_CACHE", str(found))
    monkeypatch.delenv(trust.GROUP, raising=False)
    return found


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/proc/self").is_dir(), reason="of /proc, by root"
)
def test_a_cache_where_no_file_can_be_is_not_waited_for(folder: Path) -> None:
    """Nobody has the lock that cannot be made; /proc refuses all files, to root too."""
    done = ecsm("kp", "--preset", TOY, "--k", "1", env={"ECSM_CACHE": "/proc"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "the cache of cores cannot be used" in done.stderr


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group of our files has somebody else in it."""
    gid = os.getegid()
    entry = grp.struct_group((grp.getgrgid(gid).gr_name, "x", gid, ["mallory"]))
    monkeypatch.setattr(grp, "getgrgid", lambda _: entry)


def refused() -> str:
    with pytest.raises(DeviceError) as caught:
        cache.cache_dir()
    (line,) = str(caught.value).splitlines()
    return line


def test_a_cache_of_ours_is_used(folder: Path) -> None:
    assert cache.cache_dir() == folder
    assert trust.distrust(folder / "not there yet") is None


@pytest.mark.parametrize(
    ("mode", "advice"),
    [(0o777, "chmod go-w it"), (0o757, "chmod go-w it"), (0o1777, "make a folder of yours in it")],
)
def test_a_cache_that_everybody_can_write_to_is_refused(
    mode: int, advice: str, folder: Path
) -> None:
    """What everybody shares, as /tmp, is not to be shut."""
    folder.chmod(mode)
    assert refused().partition(f"other users can write to {folder}: ")[2].startswith(advice)


def test_a_cache_that_can_be_replaced_is_refused(folder: Path) -> None:
    folder.parent.chmod(0o777)
    assert f"other users can write to {folder.parent}" in refused()
    folder.parent.chmod(0o1777)  # as /tmp is
    assert cache.cache_dir() == folder


def test_links_count_as_what_they_point_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "link"))
    assert cache.cache_dir() == folder  # the link itself is followed once, here
    folder.chmod(0o777)
    assert str(folder) in refused()


def test_a_group_with_others_in_it_is_refused_unless_it_is_named(
    folder: Path, strangers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    del strangers
    folder.chmod(0o775)
    assert trust.GROUP in refused()
    monkeypatch.setenv(trust.GROUP, grp.getgrgid(os.getegid()).gr_name)
    assert cache.cache_dir() == folder
    folder.chmod(0o777)
    assert "other users can write" in refused()


def test_a_group_of_ours_alone_is_no_other_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many systems give every user such a group, and folders that it can write to."""
    gid, name = folder.stat().st_gid, pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.struct_group((name, "x", gid, [])))
    folder.chmod(0o775)
    assert cache.cache_dir() == folder


def test_a_group_that_there_is_not_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del folder
    monkeypatch.setenv(trust.GROUP, "no such group")
    assert "ECSM_GROUP names no group: 'no such group'" in refused()


@root
@pytest.mark.parametrize("around", [False, True])
def test_a_cache_of_another_user_is_refused(around: bool, folder: Path) -> None:
    place = folder.parent if around else folder
    os.chown(place, OTHER, OTHER)
    assert f"{place} belongs to another user" in refused()


def test_who_owns_a_cache_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without root: we are somebody else."""
    if os.geteuid() == 0:
        os.chown(folder, OTHER, OTHER)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    assert "belongs to another user" in refused()


def test_every_command_says_so_in_one_line(folder: Path) -> None:
    folder.chmod(0o777)
    env = {"ECSM_CACHE": str(folder)}
    for command in (
        ("kp", "--preset", TOY, "--k", "1"), ("test", TOY, "--netlist"), ("soc", "run", "hello"),
        ("keygen", "--curve", "sect163r2"),
    ):  # fmt: skip
        done = ecsm(*command, env=env)
        assert done.returncode == 1
        assert "the cache of cores is not safe: other users can write" in done.stderr
        assert not done.stdout
    assert not list(folder.iterdir())


def made(name: str = "thing-1") -> tuple[Path, int]:
    """Return a cache entry, and how often it was made for that."""
    count = 0

    def make(work: Path, done: Path) -> None:
        nonlocal count
        del work
        count += 1
        (done / "core.so").write_bytes(b"ours")

    return cache.entry(name, make), count


def forged(entry: Path) -> None:
    """Put a library there whose digest is right."""
    (entry / "core.so").write_bytes(b"forged")
    (entry / cache.DIGEST).write_text(cache._digest(entry), encoding="utf-8")


@pytest.fixture
def entry(folder: Path) -> Iterator[Path]:
    """An entry that was made, and is kept."""
    del folder
    found, count = made()
    assert count == 1
    assert made() == (found, 0)
    yield found
    assert (found / "core.so").read_bytes() == b"ours"
    assert made() == (found, 0)


def test_an_entry_that_others_can_change_is_made_anew(entry: Path) -> None:
    forged(entry)
    entry.chmod(0o777)
    assert made() == (entry, 1)


def test_a_library_that_others_can_change_is_made_anew(entry: Path) -> None:
    forged(entry)
    (entry / "core.so").chmod(0o666)
    assert made() == (entry, 1)


@pytest.mark.parametrize("what", ["", "core.so", cache.DIGEST])
def test_a_link_to_elsewhere_is_replaced(what: str, entry: Path, tmp_path: Path) -> None:
    elsewhere, name = tmp_path / "elsewhere", entry / what
    forged(entry)
    name.rename(elsewhere)
    name.symlink_to(elsewhere)
    assert made() == (entry, 1)
    assert elsewhere.exists()
    assert not name.is_symlink()


@root
@pytest.mark.parametrize("what", ["", "core.so", cache.DIGEST])
def test_what_another_user_made_is_made_anew(what: str, entry: Path) -> None:
    forged(entry)
    os.chown(entry / what, OTHER, OTHER)
    assert made() == (entry, 1)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o077])
def test_a_new_cache_is_safe_whatever_the_umask(
    mask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strangers: None
) -> None:
    del strangers
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "new" / "cache"))
    before = os.umask(mask)
    try:
        found, count = made("flow/x/thing-2")
        assert (made("flow/x/thing-2"), count) == ((found, 0), 1)
    finally:
        os.umask(before)
    for place in (found, *found.iterdir(), *found.parents[:4]):
        assert not place.stat().st_mode & 0o022, place


@root
def test_a_group_shares_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(trust.GROUP, grp.getgrgid(OTHER).gr_name)
    found, _ = made()
    for place in (found.parent, found):
        assert place.stat().st_gid == OTHER
        assert stat.S_IMODE(place.stat().st_mode) == 0o2775
    assert stat.S_IMODE(Path(f"{found}.lock").stat().st_mode) == 0o664
    os.chown(found / "core.so", OTHER, OTHER)  # whose group it is
    assert made() == (found, 0)


def test_what_is_advised_can_be_done(
    folder: Path, strangers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user whom the system has no entry of, in a folder of root that group 0 can write to."""
    del strangers
    group = grp.getgrgid(os.getegid()).gr_name
    folder.chmod(0o775)
    real = os.lstat(folder)
    owned = os.stat_result((real[0], *real[1:4], 0, *real[5:]))
    original = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda p: owned if p == folder else original(p))
    monkeypatch.setattr(os, "geteuid", lambda: 1_234_567)
    why = trust.distrust(folder)
    assert why == (
        f"other users can write to {folder}: trust everybody in its group by {trust.GROUP}={group}"
    )
    assert refused().endswith("; ECSM_CACHE can name another")
    monkeypatch.setenv(trust.GROUP, group)
    assert "other users can write" not in str(trust.distrust(folder))


def test_who_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root, this user, and with a group its members: those whose own it is, and those it lists."""
    users = {1001: ("ann", 2000), 1002: ("bob", 3000), 1003: ("eve", 3000)}

    def user(uid: int) -> pwd.struct_passwd:
        name, gid = users[uid]  # KeyError, as pwd has it
        return pwd.struct_passwd((name, "x", uid, gid, "", "/", "/bin/sh"))

    def group(name: str | int) -> grp.struct_group:
        if name not in ("keys", 2000):
            raise KeyError(name)
        return grp.struct_group(("keys", "x", 2000, ["bob"]))

    monkeypatch.setattr(pwd, "getpwuid", user)
    monkeypatch.setattr(grp, "getgrnam", group)
    monkeypatch.setattr(grp, "getgrgid", group)
    monkeypatch.setattr(os, "geteuid", lambda: 1003)
    everybody = (0, 1001, 1002, 1003, 1004)
    for name, trusted in (("", [0, 1003]), ("none", [0, 1003]), ("keys", [0, 1001, 1002, 1003])):
        monkeypatch.setenv(trust.GROUP, name)
        assert [uid for uid in everybody if trust.trusts(uid)] == trusted
