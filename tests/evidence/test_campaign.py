# SPDX-License-Identifier: Apache-2.0
"""Pieces of a campaign: made once, kept whole, made anew if damaged."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

from ecsm.cli import main
from ecsm.cli.common import FAILED
from ecsm.evidence.campaigns import fault, leak
from ecsm.evidence.campaigns import pieces as pieces_module
from ecsm.evidence.campaigns.pieces import Arrays, CampaignError, folder, keep, kept, run
from ecsm.measure.workers import NoCluster
from ecsm.progress import Progress
from tests.evidence.pieces import LOG, make

ROOT = Path(__file__).parents[2]


def campaign(where: Path, scheduler: str | None = None, **kinds: str) -> dict[str, Arrays]:
    """Run a campaign of pieces of these kinds; each has a number of its own."""
    where.mkdir(exist_ok=True)
    calls = {name: (kind, len(name)) for name, kind in kinds.items()}
    return run(make, calls, where, scheduler, 2, Progress())


def made(where: Path) -> list[str]:
    """Return the pieces that were made since the last look."""
    log = where / LOG
    found = sorted(log.read_text().split()) if log.exists() else []
    log.unlink(missing_ok=True)
    return found


def test_pieces_are_made_once_and_a_longer_campaign_has_them(tmp_path: Path) -> None:
    first = campaign(tmp_path, a="x", bb="x")
    assert made(tmp_path) == ["a", "bb"]
    assert [len(first[name]["numbers"]) for name in first] == [1, 2]
    more = campaign(tmp_path, ccc="x", bb="x", a="x")
    assert made(tmp_path) == ["ccc"]
    assert list(more) == ["ccc", "bb", "a"], "in the order in which they are asked for"
    assert (more["bb"]["numbers"] == first["bb"]["numbers"]).all()
    assert list(campaign(tmp_path, a="x")) == ["a"]
    assert made(tmp_path) == []


def test_an_interrupted_campaign_goes_on(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from tests.evidence.test_campaign import campaign\n"
        f"campaign(Path({str(tmp_path)!r}), a='x', bb='stay', ccc='stay', dddd='x')"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE)
    log = tmp_path / LOG
    while not log.exists() or len(log.read_text().split()) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert made(tmp_path) == ["a", "bb", "ccc"]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["a.npz"], "nothing else is left"
    found = campaign(tmp_path, a="x", bb="x", ccc="x", dddd="x")
    assert made(tmp_path) == ["bb", "ccc", "dddd"]
    assert [len(found[n]["numbers"]) for n in found] == [1, 2, 3, 4]


def _array(_: bytes) -> bytes:
    octets = io.BytesIO()
    np.save(octets, np.arange(3))
    return octets.getvalue()


def _pickle(_: bytes) -> bytes:
    octets = io.BytesIO()
    np.savez(octets, numbers=np.array([{}], dtype=object))
    return octets.getvalue()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda octets: octets[:-1],
    "half": lambda octets: octets[: len(octets) // 2],
    "longer": lambda octets: octets + b"\0",
    "empty": lambda _: b"",
    "NUL": lambda octets: bytes(len(octets)),
    "text": lambda _: b"{}",
    "one array": _array,
    "objects": _pickle,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_no_piece(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    file = tmp_path / "piece.npz"
    keep(file, {"numbers": np.arange(5)})
    file.write_bytes(damage(file.read_bytes()))
    assert kept(file) is None


def test_damaged_pieces_are_made_anew(tmp_path: Path) -> None:
    campaign(tmp_path, a="x", bb="x", ccc="x")
    whole = (tmp_path / "bb.npz").read_bytes()
    (tmp_path / "bb.npz").write_bytes(whole[:-1])
    (tmp_path / "ccc.npz").write_bytes(b"")
    made(tmp_path)
    found = campaign(tmp_path, a="x", bb="x", ccc="x")
    assert made(tmp_path) == ["bb", "ccc"]
    assert [len(piece["numbers"]) for piece in found.values()] == [1, 2, 3]
    assert (tmp_path / "bb.npz").read_bytes() == whole


def test_no_damage_of_an_octet_is_overlooked(tmp_path: Path) -> None:
    file = tmp_path / "piece.npz"
    keep(file, {"numbers": np.arange(5)})
    whole = file.read_bytes()
    for at in range(len(whole)):
        for bit in (1, 128):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            assert kept(file) is None, at
        file.write_bytes(whole[:at])
        assert kept(file) is None, at
    file.write_bytes(whole)
    found = kept(file)
    assert found is not None
    assert found["numbers"].tolist() == [0, 1, 2, 3, 4]


def test_a_piece_under_another_name_is_no_piece(tmp_path: Path) -> None:
    """It would be counted twice."""
    campaign(tmp_path, a="x", bb="x")
    shutil.copyfile(tmp_path / "a.npz", tmp_path / "bb.npz")
    made(tmp_path)
    found = campaign(tmp_path, a="x", bb="x")
    assert made(tmp_path) == ["bb"]
    assert [len(piece["numbers"]) for piece in found.values()] == [1, 2]


def test_no_file_and_a_folder_are_no_piece(tmp_path: Path) -> None:
    assert kept(tmp_path) is None
    assert kept(tmp_path / "none" / "piece.npz") is None


def test_objects_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        keep(tmp_path / "piece.npz", {"numbers": np.array([{}], dtype=object)})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("fail", "bb: ValueError: not 2"),
        ("die", "bb: its process ended with status -9"),
        ("nothing", "bb: its file cannot be read"),
    ],
)
def test_a_piece_that_fails_is_one_line_and_the_others_are_kept(
    kind: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(CampaignError) as failed:
        campaign(tmp_path, a="x", bb=kind, ccc="x")
    assert str(failed.value) == f"not done: {why}; the others are kept"
    assert made(tmp_path) == ["a", "bb", "ccc"]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["a.npz", "ccc.npz"]


def test_several_that_fail_are_counted(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match=r"and 2 more; the others are kept$"):
        campaign(tmp_path, a="fail", bb="fail", ccc="fail")


def test_a_cluster_gives_the_same(tmp_path: Path) -> None:
    local = campaign(tmp_path / "local", a="x", bb="y")
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        far = campaign(tmp_path / "far", cluster.scheduler_address, a="x", bb="y")
        assert made(tmp_path / "far") == ["a", "bb"]
        with pytest.raises(CampaignError, match=r"^not done: ccc: ValueError: not 3; the others"):
            campaign(tmp_path / "far", cluster.scheduler_address, a="x", bb="y", ccc="fail")
        assert made(tmp_path / "far") == ["ccc"]
    files = [
        (tmp_path / side / f"{n}.npz").read_bytes() for side in ("local", "far") for n in local
    ]
    assert files[:2] == files[2:]
    assert list(far) == list(local)


@pytest.mark.parametrize(
    "address",
    ["a-host-without-port", "", "other://host:1", "tls://127.0.0.1:1", "ucx://127.0.0.1:1",
     "tcp://[::1"],
)  # fmt: skip
def test_no_cluster_is_said(address: str, tmp_path: Path) -> None:
    """Each of Dask's transports has errors of its own."""
    with pytest.raises(NoCluster, match=re.escape(f"no Dask cluster at {address}: ")):
        campaign(tmp_path, address, a="x")


@pytest.mark.parametrize(
    "command", ["leak toy7-small", "fault toy7-small", "explore --curve sect163r2 -o points"]
)
def test_no_cluster_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert main([*command.split(), "--scheduler", "tls://127.0.0.1:1"]) == FAILED
    assert capsys.readouterr().err.splitlines()[-1].startswith("ecsm: no Dask cluster at ")


def test_the_folder_tells_what_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    found = {folder("leak", "toy", *parts) for parts in (("a", "b"), ("ab", ""), ("a", "c"), ())}
    assert len(found) == 4
    assert all(f.parent == Path(os.path.realpath(tmp_path)) / "evidence" / "leak" for f in found)


def test_another_yosys_has_pieces_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its netlists have other bits; pieces of both would be added up."""
    monkeypatch.setenv("ECSM_CACHE", str(tmp_path))
    before = folder("leak", "toy")
    monkeypatch.setattr(pieces_module, "tools", lambda _: {"yosys": "another"})
    assert folder("leak", "toy") != before


def test_a_worker_with_another_number_of_runs_makes_no_piece(pieces: Path) -> None:
    """Its batches would have the numbers, and so the inputs, of other pieces' batches."""
    asked = pieces / "a caller's digest, and 512"
    complaint = r"a worker's ecsm, Yosys or number of runs at once"
    plan = leak.Plan("toy7-small", "scalar", 1, 0, 1)
    with pytest.raises(ValueError, match=complaint):
        leak.piece(plan, "pilot", 0, asked, asked / "pilot.npz")
    of_faults = fault.Plan("toy7-small", "flip", 1)
    with pytest.raises(ValueError, match=complaint):
        fault.piece(of_faults, 0, asked / "faults-0.npz")
    assert not pieces.exists()
