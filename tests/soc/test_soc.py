# SPDX-License-Identifier: Apache-2.0
"""Programs on the simulated system on chip, through `ecsm soc run` and the Python behind it."""

from __future__ import annotations

import io

import pytest

from ecsm.cli.app import main
from ecsm.device.base import DeviceError
from ecsm.narrow.units import UnknownUnit
from ecsm.soc.accelerators import accelerators
from ecsm.soc.firmware import image, main_of
from ecsm.soc.run import run_app
from ecsm.soc.simulation import Soc, SocTimeout
from ecsm.soc.system import system

SMALL = ["field-163", "point-163"]
LARGE = ["field-193", "field-233", "point-193", "point-233", "core-b163-fast"]
UNITS = [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]


def test_run_prints_what_the_uart_says_and_returns_the_status(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert main(["soc", "run", "hello"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"hello from RISC-V\n")


@pytest.mark.parametrize("status", [0, 3, 255, 256])
def test_exit_status_is_the_programs(status: int) -> None:
    done = run_app("echo", typed=bytes([status & 0xFF, status >> 8]), cycles=1_000_000)
    assert done.status == status
    assert done.output == bytes([status & 0xFF, status >> 8])


def test_status_that_no_shell_can_say_is_not_success(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"\x00\x01"))
    monkeypatch.setattr("sys.stdin", typed)
    assert main(["soc", "run", "echo", "--input", "--limit", "1000000"]) == 1


@pytest.mark.parametrize("coupling", ["tc", "lc"])
@pytest.mark.parametrize("name", UNITS)
def test_points_are_libcryptos(name: str, coupling: str) -> None:
    done = run_app("kp", name, coupling)
    assert done.status == 0, done.output.decode()


@pytest.mark.parametrize("name", ["point-toy7k", "core-toy7-small"])
def test_points_of_toy_curves_are_the_textbooks(name: str) -> None:
    """Units that ``ecsm soc units --toys`` lists, whose curves libcrypto does not know."""
    done = run_app("kp", name, "lc")
    assert done.status == 0, done.output.decode()
    assert b"all right" in done.output


def test_every_unit_of_a_toy_curve_has_a_system() -> None:
    every = accelerators(toys=True)
    toys = [a for a in every if "toy" in a.unit and not a.unit.startswith("axil-")]
    assert len(toys) > 20
    for a in toys:
        assert system(a.unit, a.couplings[-1]).name.startswith(a.unit)


def test_schemes_on_a_curve_that_libcrypto_does_not_know_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["soc", "run", "schemes", "--unit", "core-toy7-small"]) == 2
    assert capsys.readouterr().err.endswith("it does not know toy7a\n")


@pytest.mark.slow
def test_points_in_software_are_libcryptos() -> None:
    done = run_app("kp", coupling="software")
    assert done.status == 0, done.output.decode()


@pytest.mark.parametrize("coupling", ["tc", "lc"])
@pytest.mark.parametrize("name", UNITS[:-1])
def test_context_switch_at_any_cycle_loses_nothing(name: str, coupling: str) -> None:
    done = run_app("switch", name, coupling)
    assert done.status == 0, done.output.decode()


@pytest.mark.parametrize("coupling", ["tc", "lc"])
def test_context_switch_without_restoring_is_seen(coupling: str) -> None:
    done = run_app("switch", "field-163", coupling, defines=("SWITCH_FORGETS",))
    assert done.status == 1, "the test of context switches cannot fail"
    assert b" 0 operations wrong" not in done.output


@pytest.mark.parametrize(
    ("name", "checks", "coupling"),
    [
        pytest.param("schemes-b163-small", 50, "tc", marks=pytest.mark.slow),
        ("schemes-b163-small", 50, "lc"),
        ("schemes-word-p256", 47, "tc"),
        ("schemes-word-p256", 47, "lc"),
        ("schemes-word-prime-p256", 48, "lc"),
        ("schemes-word-prime-x25519", 23, "lc"),
        ("schemes-word-prime-ed25519", 25, "lc"),
    ],
    ids=lambda value: "" if isinstance(value, int) else value,  # costs.py knows tests by names
)
def test_libecsm_does_what_it_must(name: str, checks: int, coupling: str) -> None:
    """The same program that tests/sw/test_libecsm.py runs on the host."""
    done = run_app("api", name, coupling)
    assert done.status == 0, done.output.decode()
    right = f": 0 of {checks} checks failed".encode()
    assert done.output.count(right) == (2 if coupling == "lc" else 1)


@pytest.mark.parametrize("first", [0, 1])
def test_two_systems_end_in_any_order(first: int) -> None:
    s = system("field-163", "tc")
    memory = image(main_of("hello"), s.program)
    pair = [Soc(s.name, s.text, memory) for _ in range(2)]
    pair.pop(first).close()
    assert pair[0].run(100_000).output.startswith(b"hello")
    pair[0].close()


def test_programs_for_another_accelerator_are_refused() -> None:
    for app, name in (
        ("api", "field-163"), ("kp", "schemes-b163-small"), ("api", "axil-b163-small"),
    ):  # fmt: skip
        with pytest.raises(DeviceError, match=f"program {app} needs another accelerator"):
            run_app(app, name, "lc")
    with pytest.raises(DeviceError, match="needs an accelerator with ec-aes-decrypt, ec-aes-enc"):
        run_app("bench_block", "schemes-word-p256", "lc")
    with pytest.raises(
        DeviceError, match="schemes-b163-small has no coupling software: choose tc or lc"
    ):
        run_app("hello", "schemes-b163-small", "software")
    with pytest.raises(DeviceError, match="axil-b163-small has no coupling tc: choose lc"):
        run_app("hello", "axil-b163-small", "tc")


@pytest.mark.parametrize("coupling", ["tc", "lc"])
def test_errors_of_the_port_are_in_the_status(coupling: str) -> None:
    done = run_app("errors", "field-163", coupling)
    assert done.status == 0, done.output.decode()


def test_program_that_does_not_end_is_given_up() -> None:
    with pytest.raises(SocTimeout, match="10,000 cycles"):
        run_app("echo", cycles=10_000)


def test_unknown_program_and_unit_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DeviceError, match="no program 'nothing'"):
        run_app("nothing")
    with pytest.raises(UnknownUnit, match="no unit 'field-9': did you mean field-"):
        run_app("hello", "field-9")
    assert main(["soc", "run", "hello", "--unit", "point-P-256"]) == 2
    assert "there is no unit" in capsys.readouterr().err
