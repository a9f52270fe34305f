# SPDX-License-Identifier: Apache-2.0
"""Every package of requirements.lock has a licence that this project can live with.

What the installed packages say of themselves is judged: the licence expression, else the
classifiers, else the licence field. Permissive licences and weak copyleft are allowed. A package
with another one is in ``EXCEPTIONS`` with the reason. Nothing of any package is in our wheel.
"""

from __future__ import annotations

import re
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import cast

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "LGPL-3.0-only", "MIT",
    "MIT-0", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Identifiers of SPDX by the words of classifiers and licence fields."""
UNSAID = {"cocotb-bus": "BSD-3-Clause"}
"""Packages whose metadata has no licence, with that of their licence file."""
EXCEPTIONS = {
    "docutils": "one file, an editor's mode, is under the GPL; only twine runs the package",
    "peakrdl-ipxact": "GPL-3.0: PeakRDL asks for it; it writes IP-XACT, and what it writes is ours",
    "scapy": "GPL-2.0: cocotb-bus asks for it, and nothing here imports it",
}
LOCKED = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)


def installed(name: str) -> Message | None:
    """Return the metadata of a package, None if it is not installed."""
    try:
        return cast(Message, metadata.metadata(name))
    except metadata.PackageNotFoundError:
        return None


def licences(name: str, data: Message) -> list[str]:
    """Return the licence expressions of a package: all of them hold."""
    if expression := data.get("License-Expression"):
        return [re.sub(r" WITH [\w.-]+", "", expression)]  # an exception to a licence only allows
    said = [c.rpartition(" :: ")[2] for c in data.get_all("Classifier", []) if "License ::" in c]
    said = [word for word in said if word not in ("OSI Approved", "DFSG approved")]
    if not said:
        field = (data.get("License") or UNSAID.get(name, "none named")).strip()
        said = [field.splitlines()[0]]
    return [NAMES.get(word, word) for word in said]


def allowed(expression: str) -> bool:
    """Return whether a licence expression without parentheses is allowed."""
    return any(
        all(licence in ALLOWED for licence in choice.split(" AND "))
        for choice in expression.split(" OR ")
    )


def complaint(name: str, data: Message) -> str | None:
    """Return the line about a package whose licence is not allowed, None for others."""
    bad = [expression for expression in licences(name, data) if not allowed(expression)]
    return f"{name} {data['Version']}: {', '.join(bad)} is not allowed" if bad else None


def package(**fields: str) -> Message:
    """Return metadata with some fields."""
    data = Message()
    for name, value in {"Version": "1.0", **fields}.items():
        data[name.replace("_", "-")] = value
    return data


def test_every_locked_package_has_an_allowed_licence() -> None:
    assert len(LOCKED) > 100
    found = {name: data for name in LOCKED if (data := installed(name))}
    assert len(found) > 50
    bad = [complaint(name, data) for name, data in found.items() if name not in EXCEPTIONS]
    lines = [line for line in bad if line]
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


def test_an_exception_is_locked_and_needed() -> None:
    assert EXCEPTIONS.keys() | UNSAID.keys() <= set(LOCKED)
    for name in EXCEPTIONS:
        data = installed(name)
        assert data is None or complaint(name, data), name


def test_nothing_here_imports_what_is_only_asked_for() -> None:
    imports = re.compile(r"^\s*(?:import|from) (?:docutils|scapy)\b", re.MULTILINE)
    files = [f for part in ("ecsm", "tests") for f in (ROOT / part).rglob("*.py")]
    assert [str(f) for f in files if imports.search(f.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "data",
    [
        package(License_Expression="MIT OR GPL-3.0-only"),
        package(License_Expression="Apache-2.0 WITH LLVM-exception"),
        package(License="GPL", Classifier="License :: OSI Approved :: MIT License"),
        package(License="BSD"),
    ],
)
def test_an_allowed_licence_has_no_complaint(data: Message) -> None:
    assert complaint("some", data) is None


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (package(License_Expression="MIT AND GPL-3.0-only"), "MIT AND GPL-3.0-only"),
        (package(License_Expression="AGPL-3.0-or-later"), "AGPL-3.0-or-later"),
        (package(License="GPLv2\nand its text"), "GPLv2"),
        (package(), "none named"),
    ],
)
def test_another_licence_is_one_line(data: Message, what: str) -> None:
    assert complaint("some", data) == f"some 1.0: {what} is not allowed"
