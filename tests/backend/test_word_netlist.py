# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist of a word engine does what its RTL does, registers in hard blocks too."""

from __future__ import annotations

import json

import pytest

from ecsm.backend import cell_models, synth
from ecsm.backend.cells import MODEL_FLAGS, yosys_models
from ecsm.backend.netlist import cells
from ecsm.device import schemes
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress
from ecsm.results.sources import word_sources
from ecsm.sim.cache import SCHEME_WRAPPER, Sources
from ecsm.status import SignatureInvalid
from tests.schemes.conftest import SEED

PRESETS = ("word-p256", "word-prime-p256", "word-dual-b163", "word-full-b163")
DIGEST = bytes(range(32))


def answers(device: SchemeDevice) -> list[object]:
    """Return the strings, statuses and cycles of some operations."""
    found: list[object] = []

    def run(operation: str, *strings: bytes, slot: int = 0) -> tuple[bytes, ...]:
        result = device.run(operation, *strings, slot=slot)
        found.append((operation, result.strings, result.cycles))
        return result.strings

    device.samples(SEED)
    run("seed-test")
    run("load", (7).to_bytes(-(-device.curve.n.bit_length() // 8), "big"), slot=1)
    run("generate")
    own = run("public")
    run("ecdh", *device.run("public", slot=1).strings)
    signed = run("sign-sha256", DIGEST)
    run("verify-sha256", *own, DIGEST, *signed)
    run("sha256", bytes(100))
    for digest in {"sha1", "sha512"} & {*device.operations}:
        run(digest, bytes(200))
    if "ecies-encrypt" in device.operations:
        sealed = run("ecies-encrypt", *own, bytes(40), b"", b"")
        run("ecies-decrypt", *sealed, b"", b"")
    with pytest.raises(SignatureInvalid) as refused:
        device.run("verify-sha256", *own, DIGEST[::-1], *signed)
    return [*found, str(refused.value)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_the_netlist_of_a_word_engine_is_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = WORD_PRESETS[name]
    with SchemeDevice(name) as rtl:
        wanted = answers(rtl)
    with Progress() as progress:
        made = synth.netlist(word_sources(preset), "ecp5", progress)
    (module,) = json.loads(made.json.read_text(encoding="utf-8"))["modules"].values()
    outside = {
        name
        for name, c in module["cells"].items()
        if c["type"] == "DP16KD"
        and "OUTREG" not in (c["parameters"]["REGMODE_A"], c["parameters"]["REGMODE_B"])
    }
    # The program's words stay a while; a word of the table is 0 where it has none; AES has octets.
    without = ("u_control", "constants", "u_aes")
    assert all(any(part in name for part in without) for name in outside)
    assert 0 < len(outside) < cells(module)["DP16KD"]
    text = made.verilog.read_text(encoding="utf-8")
    cell_models.check(text)
    gates = Sources(
        f"{name}-cells", preset.module, cell_models.verilog() + text, yosys_models(),
        MODEL_FLAGS, ("-O1",), wrapper=SCHEME_WRAPPER,
    )  # fmt: skip
    monkeypatch.setattr(schemes, "scheme_sources", lambda *_: gates)
    with SchemeDevice(name) as netlist:
        assert answers(netlist) == wanted
