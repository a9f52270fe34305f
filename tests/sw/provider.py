# SPDX-License-Identifier: Apache-2.0
"""sw/provider compiled for tests, and the openssl command that is configured with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "sw" / "provider"
P256, P384, B163 = (f"ec_paramgen_curve:{name}" for name in ("P-256", "P-384", "B-163"))
VALGRIND = (
    "valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite,possible",
    "--errors-for-leak-kinds=definite,possible", "--error-exitcode=99",
)  # fmt: skip
PREFER = "default_properties = ?provider=ecsm\n"
CONFIG = """\
openssl_conf = init
[init]
providers = providers
alg_section = algorithms
[providers]
default = default_provider
ecsm = ecsm_provider
[default_provider]
activate = 1
[ecsm_provider]
activate = 1
module = {module}
{settings}
[algorithms]
{algorithms}
[req]
distinguished_name = name
[name]
"""


def missing() -> str | None:
    """What the provider cannot be built or tried without; None if all is there."""
    for tool in ("make", "cc", "openssl"):
        if shutil.which(tool) is None:
            return f"{tool} is missing"
    text = "#include <openssl/core_dispatch.h>\n"
    if subprocess.run(["cc", "-E", "-"], input=text, text=True, capture_output=True).returncode:
        return "openssl/core_dispatch.h is missing: .ci/install-libraries installs it on Debian"
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout
    return None if version.startswith("OpenSSL 3.") else "openssl is not of version 3"


def build(folder: Path, *variables: str) -> Path:
    """Compile the provider."""
    command = ["make", "-s", "-C", str(SOURCE), f"BUILD={folder}", *variables]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder / "ecsm.so"


def compile_user(source: Path, folder: Path) -> Path:
    """Compile a program of one file that uses libcrypto."""
    made = folder / source.stem
    flags = ("-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", "-g")
    subprocess.run(["cc", *flags, "-o", made, source, "-lcrypto"], check=True)
    return made


PYTHON_SERVER = """
import socket, ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("web.crt", "name.pem")
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    line, _ = listener.accept()
    with context.wrap_socket(line, server_side=True) as s:
        s.sendall(b"from a device")
"""
"""Sends a line by TLS, with web.crt and the key that name.pem names; prints its port first."""


class Openssl:
    """The openssl command in a folder, with the provider and a device server's socket."""

    def __init__(self, folder: Path, module: Path, sockets: str, settings: str = "") -> None:
        self.folder = folder
        self.config = folder / "openssl.cnf"
        socket = f"socket = {sockets}\n" if sockets else ""
        self.config.write_text(
            CONFIG.format(module=module, settings=socket + settings, algorithms=PREFER)
        )

    def file(self, name: str, octets: bytes) -> None:
        """Write a file in the folder."""
        (self.folder / name).write_bytes(octets)

    def environment(self, ours: bool = True) -> dict[str, str]:
        """Return the environment of a command; ``ours``: the provider is there."""
        found = {k: v for k, v in os.environ.items() if k != "ECSM_SOCKET"}
        plain = self.folder / "plain.cnf"
        plain.write_text("[req]\ndistinguished_name = name\n[name]\n")
        return {**found, "OPENSSL_CONF": str(self.config if ours else plain)}

    def run(
        self, *words: str, ours: bool = True, given: bytes = b"", before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the command, ``before`` it perhaps another one."""
        return subprocess.run(
            [*before, "openssl", *words], cwd=self.folder, input=given, capture_output=True,
            env=self.environment(ours), timeout=300, check=False,
        )  # fmt: skip

    def __call__(self, *words: str, ours: bool = True, given: bytes = b"") -> bytes:
        """Run the command; return what it prints."""
        done = self.run(*words, ours=ours, given=given)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def fails(self, *words: str) -> str:
        """Run the command, which must fail as commands fail; return what it complains of."""
        done = self.run(*words)
        assert done.returncode == 1, done
        return done.stderr.decode()
