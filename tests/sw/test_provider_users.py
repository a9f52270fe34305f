# SPDX-License-Identifier: Apache-2.0
"""The provider in a program with more rights than its user."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sw.users import WORKER, as_user, common_folder, lacking


@pytest.fixture
def folder() -> Iterator[Path]:
    if why := lacking():
        pytest.skip(why)
    with common_folder() as made:
        yield made


def test_a_program_with_more_rights_asks_no_environment(folder: Path, ecsm_so: Path) -> None:
    """Whoever starts a set-user-ID program does not say which server gets its keys."""
    found = shutil.which("openssl")
    assert found is not None
    tool = folder / "tool"
    shutil.copy(found, tool)
    shutil.copy(ecsm_so, folder / "ecsm.so")
    env = {"ECSM_SOCKET": str(folder / "nothing"), "ECSM_GROUP": WORKER}
    words = [*as_user(WORKER), str(tool), "storeutl", "-provider-path", str(folder),
             "-provider", "default", "-provider", "ecsm", "ecsm:web"]  # fmt: skip
    said = []
    for mode in (0o755, 0o4755):
        tool.chmod(mode)
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        said.append(done.stderr)
    assert "nothing: No such file or directory" in said[0]
    assert "give its socket in the configuration" in said[1]
