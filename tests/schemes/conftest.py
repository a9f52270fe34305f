# SPDX-License-Identifier: Apache-2.0
"""The presets that schemes are tested on, and a device of each."""

from collections.abc import Iterator

import pytest

from ecsm.cores.store import design
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import preset
from tests.schemes.model import Model

QUICK = (
    "b163-small",
    "b233-small",
    "b283-fast",
    "p256-fast",
    "k256-glv",
)  # the rest: make test-all
REST = (
    "k163", "k233", "b163-pipelined", "p224-small", "bp256-small", "b283-small",
    "p256-verify", "k256-verify", "p256-throughput", "k256-throughput",
)  # fmt: skip
PRESETS = [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in REST)]
SEED = bytes(range(48))  # of the random generator's test mode


def curve_name(name: str) -> str:
    """Return the name of a preset's curve."""
    return preset(name).curve.name


@pytest.fixture(scope="module", params=PRESETS)
def device(request: pytest.FixtureRequest) -> Iterator[SchemeDevice]:
    """A device, for all tests of a module."""
    with SchemeDevice(request.param) as made:
        yield made


@pytest.fixture
def model(device: SchemeDevice) -> Model:
    """The model of its curve."""
    return Model(design(device.preset.name).preset.curve)


@pytest.fixture
def fresh(device: SchemeDevice) -> SchemeDevice:
    """The device without keys, its random generator in test mode."""
    device.zeroize(reset=True)
    device.samples(SEED)
    device.run("seed-test")
    return device
