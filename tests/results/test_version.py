# SPDX-License-Identifier: Apache-2.0
"""A release leaves figures valid: the version that a block tells is in no digest."""

from __future__ import annotations

import pytest

import ecsm.hdl.registers as block
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.files import rtl_files
from ecsm.hdl.registers import register_rtl, unversioned
from ecsm.results.sources import digest_of

BUILDS = [("toy7-fast", False), ("toyp5-v", False), ("b163-small", True)]


def rtl(name: str, schemes: bool) -> str:
    """Return the RTL of the registers of a preset's block, for the version of the package."""
    build = Build(design(name), schemes=schemes, attach="axil")
    return "".join(register_rtl(build.registers()).values())


@pytest.mark.parametrize(("name", "schemes"), BUILDS)
def test_no_version_is_in_a_digest(
    name: str, schemes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = rtl(name, schemes)
    monkeypatch.setattr(block, "__version__", "18.52.86")
    then = rtl(name, schemes)
    changed = [
        (a.strip(), b.strip())
        for a, b in zip(now.splitlines(), then.splitlines(), strict=True)
        if a != b
    ]
    assert [b for _, b in changed] == [
        f"readback_data_var[{bits}] = 8'h{byte};"
        for bits, byte in (("7:0", "56"), ("15:8", "34"), ("23:16", "12"))
    ]
    assert digest_of(now, ()) == digest_of(then, ())


def test_all_else_is_in_it() -> None:
    text = rtl("toy7-fast", False)
    assert digest_of(text, ()) != digest_of(text.replace("8'h", "8'd", 1), ())
    assert digest_of(text, ()) != digest_of(text.replace("[31:24] = 8'h", "[31:24] = 8'h1", 1), ())
    for file in rtl_files():
        assert unversioned(source := file.read_text(encoding="utf-8")) == source
