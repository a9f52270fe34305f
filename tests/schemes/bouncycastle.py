# SPDX-License-Identifier: Apache-2.0
"""Bouncy Castle as the other party: ``java/Peer.java``, one process for many requests."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

JAR = Path("/usr/share/java/bcprov.jar")
PROGRAM = Path(__file__).with_name("java") / "Peer.java"
HINT = "needs a JDK and Bouncy Castle: .ci/install-bouncycastle installs them"


def available() -> bool:
    """Whether there is Bouncy Castle, and a Java that runs a source file."""
    return JAR.exists() and shutil.which("javac") is not None


class Peer:
    """The other party on a curve; points are pairs of strings as the device has them."""

    def __init__(self, process: subprocess.Popen[str], curve: str) -> None:
        self._process = process
        self._curve = curve

    def _ask(self, *words: str | bytes) -> bytes | None:
        line = [w if isinstance(w, str) else w.hex() or "-" for w in words]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(line[0], self._curve, *line[1:], file=self._process.stdin, flush=True)
        said = self._process.stdout.readline().strip()
        assert said, "Bouncy Castle does not answer"
        if said == "refused":
            return None
        return b"" if said == "-" else bytes.fromhex(said)

    def ecies(
        self,
        seal: bool,
        options: tuple[str, str, str, str],
        d: int,
        point: tuple[bytes, bytes],
        text: bytes,
        infos: tuple[bytes, bytes] = (b"", b""),
    ) -> bytes | None:
        """Seal: what is sealed with its tag behind it. Open: the message. None if it refuses.

        ``options``: primitive, cipher, hash of the KDF, of the MAC. ``d``: of the ephemeral key, or
        the own; ``point``: the other one's.
        """
        verb = "seal" if seal else "open"
        return self._ask(verb, *options, f"{d:x}", b"\x04" + b"".join(point), text, *infos)

    def ec_aes(
        self, primitive: str, d: int, point: tuple[bytes, bytes], iv: bytes, text: bytes
    ) -> bytes | None:
        """EC-AES, both ways."""
        return self._ask("ec-aes", primitive, f"{d:x}", b"\x04" + b"".join(point), iv, text)

    def ecmqv(self, own: tuple[int, int], others: tuple[tuple[bytes, bytes], ...]) -> bytes | None:
        """The shared secret; static keys first."""
        points = (b"\x04" + b"".join(point) for point in others)
        return self._ask("ecmqv", *(f"{d:x}" for d in own), *points)


@contextmanager
def peer(curve: str) -> Iterator[Peer]:
    """Run the other party."""
    command = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(JAR), str(PROGRAM)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Peer(process, curve)
        assert process.stdin is not None
        process.stdin.close()
