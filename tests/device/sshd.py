# SPDX-License-Identifier: Apache-2.0
"""OpenSSH and git, for tests: an sshd of one key, the words of an ssh that logs in, a commit."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATH = f"{os.environ['PATH']}:/usr/sbin"


def need(*programs: str) -> None:
    """Skip the test without them."""
    for program in programs:
        if shutil.which(program, path=PATH) is None:
            pytest.skip(f"no {program}")


def git_signs(run: Callable[..., str], folder: Path, key: str, **more: str) -> str:
    """Let git sign an empty commit in a new repository, and verify it; return the repository.

    ``run`` runs a program. ``key``, and ``allowed``, which has it as me: files of the folder.
    """
    work = str(folder / "work")
    run("git", "init", "-q", work)
    for name, value in {
        "user.name": "me", "user.email": "me", "gpg.format": "ssh",
        "user.signingkey": str(folder / key),
        "gpg.ssh.allowedSignersFile": str(folder / "allowed"),
    }.items():  # fmt: skip
        run("git", "-C", work, "config", name, value)
    run("git", "-C", work, "commit", "-q", "--allow-empty", "-S", "-m", "signed", **more)
    assert 'Good "git" signature for me' in run("git", "-C", work, "verify-commit", "HEAD")
    return work


@contextmanager
def sshd(folder: Path, authorized: str) -> Iterator[list[str]]:
    """Run an sshd that lets the key of the file ``authorized`` in; yields the words to log in.

    It is this user's own, at a port of the loopback; no other way in is left open.
    """
    need("ssh", "sshd", "ssh-keygen")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    folder.chmod(0o700)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    if not (folder / "host").exists():
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "host"]
        subprocess.run(words, cwd=folder, check=True)
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nUsePAM no\n"
        f"PidFile none\nAuthorizedKeysFile {folder}/{authorized}\nStrictModes no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    )
    program = shutil.which("sshd", path=PATH)
    assert program is not None
    daemon = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "sshd_config")])
    user = pwd.getpwuid(os.geteuid()).pw_name
    try:
        yield ["ssh", "-F", "none", "-p", port, "-o", "BatchMode=yes",
               "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
               "-o", "ConnectionAttempts=20", f"{user}@127.0.0.1"]  # fmt: skip
    finally:
        daemon.terminate()
        daemon.wait(60)
