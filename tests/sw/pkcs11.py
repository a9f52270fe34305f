# SPDX-License-Identifier: Apache-2.0
"""sw/pkcs11 compiled for tests, and programs that are given it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "sw" / "pkcs11"
HEADERS = ("-I/usr/include/p11-kit-1",)


def missing(*programs: str) -> str | None:
    """What the module cannot be built or tried without; None if all is there."""
    for tool in ("make", "cc", "openssl", *programs):
        if shutil.which(tool) is None:
            return f"{tool} is missing"
    text = "#include <openssl/evp.h>\n#include <p11-kit/pkcs11.h>\n"
    command = ["cc", "-E", *HEADERS, "-"]
    if subprocess.run(command, input=text, text=True, capture_output=True).returncode:
        return "p11-kit/pkcs11.h is missing: .ci/install-libraries installs it on Debian"
    return None


def build(folder: Path, *variables: str) -> Path:
    """Compile the module."""
    command = ["make", "-s", "-C", str(SOURCE), f"BUILD={folder}", *variables]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder / "libecsm_pkcs11.so"


class Module:
    """The module with device servers' sockets, in a folder for programs that use it."""

    def __init__(self, folder: Path, path: Path, sockets: str, group: str = "") -> None:
        self.folder, self.path = folder, path
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ECSM_")}
        self.environment = {**kept, "LC_ALL": "C"}
        if sockets:
            self.environment["ECSM_SOCKET"] = sockets
        if group:
            self.environment["ECSM_GROUP"] = group

    def run(
        self, *words: str | Path, before: tuple[str, ...] = (), given: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program that has the module's server in its environment."""
        return subprocess.run(
            [*before, *words], cwd=self.folder, env=self.environment, input=given,
            capture_output=True, timeout=300, check=False,
        )  # fmt: skip

    def __call__(self, *words: str | Path, given: bytes = b"") -> str:
        """Run a program, which must end well; return what it prints."""
        done = self.run(*words, given=given)
        assert done.returncode == 0, (words, done)
        return done.stdout.decode()

    def tool(self, *words: str) -> str:
        """Run pkcs11-tool with the module; return what it prints."""
        return self("pkcs11-tool", "--module", self.path, *words)

    def fails(self, *words: str) -> str:
        """Run pkcs11-tool, which must fail; return what it complains of."""
        done = self.run("pkcs11-tool", "--module", self.path, *words)
        assert done.returncode == 1, done
        return done.stderr.decode()
