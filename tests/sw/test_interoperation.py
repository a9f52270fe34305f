# SPDX-License-Identifier: Apache-2.0
"""PSEC-KEM between the software and the simulated cores, both ways."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.device.schemes import SchemeDevice
from ecsm.measure.psec_kem import CORES
from ecsm.schemes.encoding import Key, public_pem, read_key
from ecsm.status import AuthenticationFailed
from tests.sw.conftest import Run, needed

WAYS = ((), ("--affine",))


@pytest.fixture(scope="module", params=CORES.values())
def device(request: pytest.FixtureRequest) -> Iterator[SchemeDevice]:
    needed()
    with SchemeDevice(request.param) as made:
        yield made


@pytest.fixture
def fresh(device: SchemeDevice) -> SchemeDevice:
    """The device without keys, its random generator seeded by noise."""
    device.zeroize(reset=True)
    device.run("seed")
    return device


def test_hardware_opens_what_software_made(fresh: SchemeDevice, psec_kem: Run) -> None:
    c = fresh.curve
    x, y = fresh.run("generate").strings
    public = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    Path("pub.pem").write_bytes(public_pem(Key(c, None, public)))
    for way in WAYS:
        psec_kem("encap", *way, "--to", "pub.pem", "-o", "c", "--secret", "k")
        capsule = Path("c").read_bytes()
        strings = capsule[1:33], capsule[33:65], capsule[65:]
        assert fresh.run("decapsulate", *strings).strings == (Path("k").read_bytes(),)
        wrong = strings[2][:-1] + bytes([strings[2][-1] ^ 1])
        with pytest.raises(AuthenticationFailed):
            fresh.run("decapsulate", *strings[:2], wrong)


def test_software_opens_what_hardware_made(fresh: SchemeDevice, psec_kem: Run) -> None:
    psec_kem("keygen", "--curve", fresh.curve.name, "-o", "key.pem", "--public", "pub.pem")
    x, y = read_key(Path("pub.pem").read_bytes()).point
    for way in WAYS:
        *capsule, key = fresh.run("encapsulate", x, y).strings
        Path("c").write_bytes(b"\x04" + b"".join(capsule))
        psec_kem("decap", *way, "--key", "key.pem", "--secret", "k", "c")
        assert Path("k").read_bytes() == key
    bad = bytearray(Path("c").read_bytes())
    bad[random.Random(1).randrange(65, 97)] ^= 16
    Path("c").write_bytes(bad)
    assert "rejected" in psec_kem("decap", "--key", "key.pem", "--secret", "k2", "c", code=1)


def test_command_lines(fresh: SchemeDevice, psec_kem: Run) -> None:
    """`ecsm encap` to the software's key, `ecsm decap` of the software's capsule, by files."""
    core = ["--preset", fresh.machine.name]
    psec_kem("keygen", "--curve", fresh.curve.name, "-o", "key.pem", "--public", "pub.pem")
    assert main(["encap", *core, "--to", "pub.pem", "-o", "c", "--secret", "k1"]) == 0
    psec_kem("decap", "--key", "key.pem", "--secret", "k2", "c")
    assert Path("k1").read_bytes() == Path("k2").read_bytes()
    psec_kem("encap", "--to", "pub.pem", "-o", "c", "--secret", "k3")
    assert main(["decap", *core, "--key", "key.pem", "--secret", "k4", "c"]) == 0
    assert Path("k3").read_bytes() == Path("k4").read_bytes()
