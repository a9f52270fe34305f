# SPDX-License-Identifier: Apache-2.0
"""The presets that schemes are tested on, and a device of each."""

from collections.abc import Iterator

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import any_preset, preset
from ecsm.presets.word import WORD_PRESETS
from ecsm.schemes.machine import NARROW
from tests.schemes.model import Model

QUICK = (
    "b163-small",
    "b163-compact-full",
    "b233-small",
    "p256-fast",
    "p256-fast-full",
    "k256-glv",
    "word-p256",
    "word-p256-none",
    "word-k256",
    "word-prime",
    "word-dual-b163",
    "word-full-b163",
)  # the rest: make test-all
REST = (
    "k163", "k233", "b163-pipelined", "p224-small", "bp256-small", "b283-small",
    "b283-fast",
    "b163-small-full", "b233-small-full", "k256-fast-full", "p256-small-full",
    "p256-verify", "k256-verify", "p256-throughput", "k256-throughput",
    *(name for name, p in WORD_PRESETS.items() if name not in QUICK and p.weierstrass),
)  # fmt: skip
PRESETS = [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in REST)]
SEED = bytes(range(48))  # of the random generator's test mode


def curve_name(name: str) -> str:
    """Return the name of a preset's curve."""
    return any_preset(name).curve.name


def hashes(name: str) -> tuple[str, ...]:
    """Return the hashes that a machine has."""
    return WORD_PRESETS[name].hashes if name in WORD_PRESETS else NARROW


WHOLE = pytest.mark.only(device=lambda name: name not in WORD_PRESETS or WORD_PRESETS[name].full)
"""A test of operations that most word engines have not."""


def masked(name: str) -> bool:
    """Whether a machine is around a masked core: it draws masks for all that it does."""
    return name not in WORD_PRESETS and preset(name).random_bits > 0


DRAWN = pytest.mark.only(device=lambda name: not masked(name))
"""A test of what is drawn, and when, by a machine that draws no masks (test_masked.py)."""


@pytest.fixture(scope="module", params=PRESETS)
def device(request: pytest.FixtureRequest) -> Iterator[SchemeDevice]:
    """A device, for all tests of a module."""
    with SchemeDevice(request.param) as made:
        yield made


@pytest.fixture
def model(device: SchemeDevice) -> Model:
    """The model of its curve."""
    return Model(device.curve)


@pytest.fixture
def fresh(device: SchemeDevice) -> SchemeDevice:
    """The device without keys, its random generator in test mode."""
    device.zeroize(reset=True)
    device.samples(SEED)
    device.run("seed-test")
    return device
