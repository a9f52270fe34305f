# SPDX-License-Identifier: Apache-2.0
"""sw/uio on a simulated block, access by access; what the kernel does is in uio_kernel.c."""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

from ecsm.hdl.build import Build
from tests.docs import guide
from tests.sw.library import BLOCK, FLAGS, LIBRARY, ROOT, WORD_BLOCK, headers, simulated

PAGE = ROOT / "docs" / "guide" / "uio.md"
MESSAGE = b"ten thousand"
WRAPPED = ("mmap", "write", "poll", "read")

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="decodes x86-64")


def made(folder: Path, optimised: str, *more: str, block: Build = WORD_BLOCK) -> Path:
    """Compile the example; ``more``: sources and options beside."""
    program = folder / "linux_sign"
    sources = [
        ROOT / "sw" / "examples" / "linux_sign.c", ROOT / "sw" / "uio" / "ecsm_uio.c",
        LIBRARY / "src" / "driver.c", LIBRARY / "src" / "schemes.c",
    ]  # fmt: skip
    command = ["cc", *FLAGS, optimised, f"-I{ROOT / 'sw' / 'uio'}", *headers(folder, block)]
    subprocess.run([*command, *map(str, sources), *more, "-o", str(program)], check=True)
    return program


def kernel(folder: Path) -> list[str]:
    """Compile the kernel's part; return what the linker takes."""
    made = folder / "uio_kernel.o"
    source = str(Path(__file__).with_name("uio_kernel.c"))
    subprocess.run(["cc", "-std=c11", "-c", source, "-o", str(made)], check=True)
    return [str(made), *(f"-Wl,--wrap={name}" for name in WRAPPED), "-ldl"]


def run(program: Path, device: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [str(program), str(device)]
    env = {**os.environ, **more}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_the_example_signs_on_a_simulated_block(tmp_path: Path, optimised: str) -> None:
    """Each access is one word; a job is waited for by the interrupt."""
    program = made(tmp_path, optimised, *kernel(tmp_path))
    (device := tmp_path / "uio0").touch()
    done = run(program, device, UIO_BLOCK=simulated(WORD_BLOCK)._name)
    assert done.returncode == 0, done.stderr
    lines = (line.split() for line in done.stdout.splitlines())
    n = {name: int(digits, 16) for name, digits in lines}
    key = ECC.construct(curve="P-256", point_x=n["x"], point_y=n["y"])
    signature = n["r"].to_bytes(32, "big") + n["s"].to_bytes(32, "big")
    DSS.new(key, "fips-186-3").verify(SHA256.new(MESSAGE), signature)
    found = re.fullmatch(r"waits (\d+)\n", done.stderr)
    assert found
    assert int(found[1]) > 10


def test_the_example_refuses_a_block_of_other_lengths(tmp_path: Path) -> None:
    """Its numbers would not fit into those of the program."""
    program = made(tmp_path, "-O2", *kernel(tmp_path), block=BLOCK)
    (device := tmp_path / "uio0").touch()
    done = run(program, device, UIO_BLOCK=simulated(BLOCK)._name)
    assert (done.returncode, done.stdout) == (1, "")
    assert "status 16\n" in done.stderr


def test_what_cannot_be_had_is_told(tmp_path: Path) -> None:
    program, device = made(tmp_path, "-O2"), tmp_path / "uio0"
    assert run(program, device).stderr == f"{device}: No such file or directory\n"
    device.touch()
    with device.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = run(program, device)
        assert (done.returncode, done.stderr) == (1, f"{device}: Device or resource busy\n")
    no_map = run(program, Path("/dev/null"))
    assert (no_map.returncode, no_map.stderr) == (1, "/dev/null: No such device\n")
    assert subprocess.run([program], capture_output=True).returncode == 2


def test_the_page_works_as_written(tmp_path: Path) -> None:
    work = guide.copy_package(tmp_path)
    for name in ("libecsm", "uio", "examples"):
        shutil.copytree(ROOT / "sw" / name, work / "sw" / name, dirs_exist_ok=True)
    assert guide.follow(PAGE, work) >= 3
