# SPDX-License-Identifier: Apache-2.0
"""ssh-keygen, git, curl and Python's ssl of a user who cannot read the key, which another one has.

The same programs as the user of the server: tests/device/test_agent.py, test_provider_files.py.
"""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm.schemes.encoding import reference_pem
from tests.device.serving import serving
from tests.device.sshd import git_signs, need
from tests.sw.provider import PYTHON_SERVER, Openssl
from tests.sw.test_provider_tls import listening
from tests.sw.users import (
    SERVER,
    WORKER,
    as_user,
    common_folder,
    key_and_certificate,
    lacking,
    served,
)


class Worker:
    """Programs of the worker, who has a folder of its own in the common one."""

    def __init__(self, folder: Path, openssl: Openssl) -> None:
        self.common, self.openssl = folder, openssl
        self.home = folder / "worker"
        self.home.mkdir()
        shutil.copy(folder / "web.crt", self.home)
        (self.home / "name.pem").write_bytes(reference_pem("web"))
        for place in (self.home, *self.home.iterdir()):
            shutil.chown(place, WORKER)
        self.env = {**openssl.environment(), "HOME": str(self.home), "ECSM_GROUP": SERVER,
                    "PYTHONPATH": os.pathsep.join(sys.path)}  # fmt: skip

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*as_user(WORKER), *words], cwd=self.home, env=self.env | more, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300,
        )  # fmt: skip

    def __call__(self, *words: str, **more: str) -> str:
        done = self.run(*words, **more)
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def worker(ecsm_so: Path) -> Iterator[Worker]:
    if why := lacking():
        pytest.skip(why)
    with common_folder() as folder:
        openssl = key_and_certificate(folder, ecsm_so)
        with served(folder, SERVER):
            yield Worker(folder, openssl)


@pytest.fixture(scope="module")
def agent(worker: Worker) -> Iterator[dict[str, str]]:
    """An agent of the worker's own, over the other user's server; ssh's variable."""
    need("ssh-add", "ssh-keygen", "git")
    place, at = worker.home / "agent", f"unix:{worker.common / 'device' / 'socket'}"
    before = as_user(WORKER)
    with serving(place, "--device", at, command="agent", before=before, env=worker.env):
        more = {"SSH_AUTH_SOCK": str(place)}
        line = worker("ssh-add", "-L", **more).strip()
        (worker.home / "web.line").write_text(line + "\n")
        (worker.home / "allowed").write_text(f"me {line}\n")
        yield more


def test_it_cannot_read_the_key(worker: Worker) -> None:
    assert "Permission denied" in worker.run("cat", str(worker.common / "web.pem")).stdout


def test_ssh_keygen_signs_a_file(worker: Worker, agent: dict[str, str]) -> None:
    worker("sh", "-c", "echo ten pounds > m")
    worker("ssh-keygen", "-Y", "sign", "-f", "web.line", "-n", "file", "m", **agent)
    verify = "ssh-keygen -Y verify -f allowed -I me -n file -s m.sig < "
    assert "Good" in worker("sh", "-c", verify + "m")
    assert "incorrect signature" in worker.run("sh", "-c", verify + "allowed").stdout


def test_git_signs_a_commit(worker: Worker, agent: dict[str, str]) -> None:
    git_signs(worker, worker.home, "web.line", **agent)


def test_a_server_in_python(worker: Worker) -> None:
    process = subprocess.Popen(
        [*as_user(WORKER), sys.executable, "-c", PYTHON_SERVER], cwd=worker.home, env=worker.env,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        context = ssl.create_default_context(cafile=str(worker.common / "web.crt"))
        with (
            socket.create_connection(("127.0.0.1", port), 120) as line,
            context.wrap_socket(line, server_hostname="localhost") as s,
        ):
            assert s.recv(100) == b"from a device"
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_client_certificate_of_curl(worker: Worker) -> None:
    need("curl")
    if "OpenSSL/3" not in worker("curl", "--version"):
        pytest.skip("curl is linked with another library")
    site = worker.openssl
    site("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", "peer.pem", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-out", "peer.crt", ours=False)  # fmt: skip
    words = ("-cert", "peer.crt", "-key", "peer.pem", "-Verify", "1", "-CAfile", "web.crt")
    with listening(site, *words, "-verify_return_error", ours=False) as port:
        url = ("curl", "-s", "--cacert", str(worker.common / "peer.crt"),
               f"https://localhost:{port}/")  # fmt: skip
        assert worker.run(*url).returncode != 0  # without a certificate
        assert "HTTP/1.0 200" in worker(*url, "-i", "--cert", "web.crt", "--key", "name.pem")
