# SPDX-License-Identifier: Apache-2.0
"""Programs of several users: a server of one user, clients of another, in a folder for both."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.device.serving import Serving, serving
from tests.sw.provider import P256, Openssl

WORKER = "www-data"  # Debian's
SERVER = "games"  # a user of every Debian, in a group of its own


def as_user(name: str) -> tuple[str, ...]:
    """Return the words that run a program as another user, who is a worker's fellow."""
    user, worker = pwd.getpwnam(name), pwd.getpwnam(WORKER)
    return ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}",
            f"--groups={worker.pw_gid}", "--inh-caps=-all", "--bounding-set=-all")  # fmt: skip


def lacking() -> str:
    """Say why there cannot be several users; "" if there can."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return "only root can be several users"
    try:
        program = "import ecsm, os, sys; os.stat(sys.argv[1] + '/.')"
        tried = (*as_user(SERVER), sys.executable, "-c", program, tempfile.gettempdir())
    except KeyError as error:
        return f"no such user: {error}"
    if subprocess.run(tried, capture_output=True, check=False).returncode:
        return "no other user can run this Python, or has no temporary folder"
    return ""


@contextmanager
def common_folder() -> Iterator[Path]:
    """A folder that other users can enter, which pytest's are not."""
    made = Path(tempfile.mkdtemp(prefix="ecsm-users-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def key_and_certificate(folder: Path, module: Path) -> Openssl:
    """Make web.pem and web.crt, and the provider where every user can read it."""
    copy = folder / "ecsm.so"
    shutil.copy(module, copy)
    openssl = Openssl(folder, copy, str(folder / "device" / "socket"), f"group = {SERVER}\n")
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", P256, "-out", "web.pem", ours=False)
    openssl("req", "-x509", "-key", "web.pem", "-subj", "/CN=localhost", "-days", "30",
            "-addext", "subjectAltName=DNS:localhost", "-out", "web.crt", ours=False)  # fmt: skip
    return openssl


@contextmanager
def served(folder: Path, user: str) -> Iterator[Serving]:
    """A device of another user; the worker's group may connect. Yields it when it serves."""
    place = folder / "device"
    for name in (place, folder / "cache", folder / "home"):
        name.mkdir(mode=0o755, exist_ok=True)
        shutil.chown(name, user)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path),
           "ECSM_CACHE": str(folder / "cache"), "HOME": str(folder / "home")}  # fmt: skip
    shutil.chown(folder / "web.pem", user)
    key = f"--key=web={folder / 'web.pem'}"
    words = ("--preset", "word-p256", "--group", WORKER, key)
    with serving(place / "socket", *words, before=as_user(user), env=env) as server:
        yield server
