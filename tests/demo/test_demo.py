# SPDX-License-Identifier: Apache-2.0
"""The table of the demonstration: what is measured stands there, and nothing else."""

from __future__ import annotations

import hashlib
import re
import shutil

import pytest

from ecsm.cli import main
from ecsm.demo import kp as demo
from ecsm.demo import word
from ecsm.oracle import libcrypto
from ecsm.presets.table import any_preset
from ecsm.results.record import load_pnr, load_synth
from tests.schemes.model import Model

SIGNED = re.compile(
    r"whole ECDSA on secp256r1, preset word-p256, in \d,\d{3} LUTs, \d+ DSP blocks, \d+ block RAMs"
    r"( at an earlier commit)?: a signature in [\d,]{7,9} cycles, valid by openssl"
)
ROUTED, NOT_ROUTED = "b163-halving", "khan-benaissa"


@pytest.mark.parametrize("current", [True, False])
def test_a_clock_is_shown_if_it_is_of_the_rtl_as_it_is(
    current: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = load_pnr(ROUTED)
    assert kept is not None
    monkeypatch.setattr(demo, "current_digest", lambda name: kept.origin.rtl if current else None)
    assert main(["demo"]) == 0
    words = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    measured = [f"{kept.mhz:.0f}", f"{kept.us:.2f}"] if current else ["-", "-"]
    assert words[ROUTED][5:7] == measured
    assert words[NOT_ROUTED][5:7] == ["-", "-"]


def test_it_ends_with_a_signature_of_the_word_engine(capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    line, valid = word.word_line()
    assert valid
    assert SIGNED.fullmatch(line), line


@pytest.mark.parametrize("how", ["openssl", "libcrypto", "textbook"])
def test_a_wrong_signature_is_invalid(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whatever verifies it."""
    if how == "openssl":
        if shutil.which("openssl") is None:
            pytest.skip("no openssl")
    else:
        monkeypatch.setattr(shutil, "which", lambda name: None)
        if how == "textbook":
            monkeypatch.setattr(libcrypto, "knows", lambda name: False)
    model = Model(any_preset(word.PRESET).curve)
    digest = hashlib.sha256(word.MESSAGE).digest()
    r, s = model.sign(5, digest, "sha256")
    public = model.public(5)
    assert word.verified(model.curve, public, (r, s))[1]
    assert not word.verified(model.curve, public, (s, r))[1]
    assert not word.verified(model.curve, public, (r, bytes(32)))[1]
    assert not word.verified(model.curve, model.public(6), (r, s))[1]


def test_an_area_of_another_rtl_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of the whole preset, as the datasheet has it."""
    kept = load_synth(word.PRESET, "ecp5")
    assert kept is not None
    lut, dsp, bram = (kept.area[kind] for kind in ("lut", "dsp", "bram"))
    said = f", in {lut:,} LUTs, {dsp} DSP blocks, {bram} block RAMs"
    monkeypatch.setattr(word, "area_is_current", lambda preset, synth: True)
    assert word.area() == said
    monkeypatch.setattr(word, "area_is_current", lambda preset, synth: False)
    assert word.area() == f"{said} at an earlier commit"
    monkeypatch.setattr(word, "load_synth", lambda *where: None)
    assert word.area() == ""
