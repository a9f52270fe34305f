# SPDX-License-Identifier: Apache-2.0
"""One signature after the other on Verilator's model of a scheme machine, each with one flip."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from ecsm.cores.store import design
from ecsm.evidence.campaigns.host import Reply
from ecsm.evidence.campaigns.signing import OPERATION
from ecsm.hdl.machines import machine
from ecsm.schemes.program import program
from ecsm.sim.cache import scheme_sources
from tests.rtl.cocotb_run import run

WRITABLE = Path(__file__).with_name("registers.vlt")


@dataclass(frozen=True)
class Flip:
    """A key and a digest, and the register and the cycle of a flip; no register: none."""

    key: bytes
    digest: bytes
    register: str
    cycle: int


def replies(name: str, flips: list[Flip], limit: int) -> list[Reply]:
    """Return what the machine of a preset says to each, within ``limit`` cycles."""
    s, text = scheme_sources(machine(name)), program(design(name).preset)
    asked = {
        "load": text.number("load"), "sign": text.number(OPERATION), "limit": limit,
        "flips": [asdict(f) | {"key": f.key.hex(), "digest": f.digest.hex()} for f in flips],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "asked.json"), Path(folder, "answered.json")
        request.write_text(json.dumps(asked))
        env = {"SIGNER_ASKED": str(request), "SIGNER_ANSWERED": str(answer)}
        run(s.top, [WRITABLE, *s.files], "tests.evidence.signer_cocotb", text=s.text, env=env,
            args=("--unroll-count", "1024"))  # fmt: skip
        found = json.loads(answer.read_text())
    return [
        Reply(r["status"], [bytes.fromhex(s) for s in r["strings"]], bytes.fromhex(r["rest"]),
              r["cycle"]) for r in found
    ]  # fmt: skip
