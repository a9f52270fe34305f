# SPDX-License-Identifier: Apache-2.0
"""The systems that are tested, and what the headers say about their cycles."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.rtl.cocotb_run import run
from tests.rtl.symmetric.tops import Aes, System, Top, sources

# sym_drbg with small numbers, so that tests meet its limits.
RESEED_LIMIT, SEED_SAMPLES, RESEED_SAMPLES, TIMEOUT, STARTUP = 4, 64, 32, 50, 100
REPETITION, WINDOW, PROPORTION = 6, 64, 17
DRBG = (
    f".ReseedLimit({RESEED_LIMIT}), .SeedSamples({SEED_SAMPLES}), .Timeout({TIMEOUT}),"
    f" .ReseedSamples({RESEED_SAMPLES}), .StartupSamples({STARTUP}), .Window({WINDOW}),"
    f" .RepetitionCutoff({REPETITION}), .ProportionCutoff({PROPORTION})"
)
SYSTEMS = {
    "32x2": System(32, 2, DRBG),
    "32x1": System(32, 1),
    "64x1": System(64, 1),
    "64x2": System(64, 2),
    "32x2, one round": System(32, 2, rounds=1),
}
REGISTERS = Path(__file__).parent / "registers.vlt"


def simulate(top: Top, module: str, **env: str) -> None:
    """Build a top and run the cocotb tests of ``tests.rtl.symmetric.module`` on it."""
    text = top.text()
    files = [REGISTERS, *sources(text)]
    run(top.name, files, f"tests.rtl.symmetric.{module}", text=text, env=env)


def simulate_system(name: str, module: str, **env: str) -> None:
    """Run the cocotb tests of ``tests.rtl.symmetric.module`` on the system ``name``."""
    simulate(SYSTEMS[name].top(), module, SYSTEM=name, **env)


def block_cycles(s: System, alg: str) -> int:
    """Return C, the cycles of a block."""
    return (64 if alg in ("sha224", "sha256") else 80) // (s.rounds or s.per_cycle) + 1


def blocks(s: System, octets: int) -> int:
    """Return n, the blocks of a message with its padding."""
    return (octets + 2 * s.word // 8) // (2 * s.word) + 1


def digest_words(s: System, alg: str) -> int:
    """Return D, the digest's words of a stream."""
    return -(-hashlib.new(alg).digest_size // (s.width // 8))


def hmac_cycles(s: System, alg: str, message: int, key: int | None = None) -> int:
    """Return the cycles from an HMAC's request to its tag, with a key of so many octets or none.

    ``message``: octets.
    """
    c, words = block_cycles(s, alg), 16 // s.per_cycle
    block = 2 * s.word
    total = 7 + digest_words(s, alg) + (blocks(s, block + message) + 2) * c
    if key is None:
        return total
    if key <= block:
        return total + words
    return total + 4 + blocks(s, key) * c + 2 * words


def lag(s: System, *parts: int) -> int:
    """Return how many words of strings of so many octets, one behind the other, fill no word.

    The last string's last word is not among them. Each costs a cycle if it is not the first of a
    block of the hash.
    """
    n, held, none = s.width // 8, 0, 0
    for octets in parts:
        for count in [n] * (octets // n) + [octets % n] * bool(octets % n):
            none += held + count < n
            held = (held + count) % n
    return none


def drbg_cycles(s: System, alg: str, op: str, seed: int = 0, octets: int = 0) -> int:
    """Return the cycles of sym_hmac_drbg from a request to done, with no additional input.

    ``seed``: octets of the seed material. The sums of docs/theory/symmetric.md.
    """
    size, d, keys = hashlib.new(alg).digest_size, digest_words(s, alg), 16 // s.per_cycle
    new_v = hmac_cycles(s, alg, size) + d
    if op == "generate":
        new_k = hmac_cycles(s, alg, size + 1) + keys + lag(s, size)
        return 1 + new_v * -(-octets // size) + new_k + new_v
    new_k = hmac_cycles(s, alg, size + 1 + seed) + keys + lag(s, size, 1)
    return 1 + 2 * new_k + 2 * new_v + (d + keys if op == "instantiate" else 0)


AES = {"1x64": Aes(1, 64), "4x32": Aes(4, 32), "2x64": Aes(2, 64)}


def aes_cycles(key: int, columns: int) -> int:
    """Return the cycles of a block with a key of so many octets, from its taking to its result."""
    return 1 + (key // 4 + 6) * (4 // columns + 1)


def simulate_aes(name: str, module: str, **env: str) -> None:
    """Run the cocotb tests of ``tests.rtl.symmetric.module`` on the AES ``name``."""
    simulate(AES[name].top(), module, AES=name, **env)
