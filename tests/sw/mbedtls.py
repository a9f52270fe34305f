# SPDX-License-Identifier: Apache-2.0
"""sw/mbedtls compiled for tests, over the simulated block of word-p256."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.sw.library import ROOT, WORD_BLOCK, header, simulated

SOURCE = ROOT / "sw" / "mbedtls"
TRIALS = ("mbedtls_use.c", "mbedtls_alt.c", "mbedtls_psa.c")
THREADS = "-DMBEDTLS_THREADING_C -DMBEDTLS_THREADING_PTHREAD"
SUMMARY = re.compile(r"(?:PASSED|FAILED) \((\d+) / (\d+) tests \((\d+) skipped\)\)\n")
JOBS = re.compile(r"jobs of the block: (\d+)\n")


def sources() -> Path:
    """Return the folder of mbedTLS's sources, which may not be there."""
    return Path(os.environ.get("ECSM_MBEDTLS") or ROOT / ".cache" / "mbedtls").absolute()


def missing() -> str | None:
    """What sw/mbedtls cannot be built or tried without; None if all is there."""
    for tool in ("make", "cc", "openssl"):
        if shutil.which(tool) is None:
            return f"{tool} is missing"
    if not (sources() / "library" / "ecdsa.c").exists():
        return "no mbedTLS: .ci/fetch-mbedtls fetches it, ECSM_MBEDTLS names another folder"
    return None


@dataclass(frozen=True)
class Built:
    """What is compiled, in a folder, and the simulated block that it uses."""

    folder: Path
    words: tuple[str, ...]
    simulator: Path

    def make(self, target: str) -> Path:
        """Compile something of the Makefile; return where it is."""
        command = ["make", "-s", "-C", str(SOURCE), *self.words, str(self.folder / target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr
        return self.folder / target

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that finds the simulated block."""
        return {**os.environ, "ECSM_SIM": str(self.simulator)}

    def run(self, where: Path, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program in a folder."""
        return subprocess.run(
            [*words], cwd=where, env={**self.environment, **more}, capture_output=True,
            text=True, timeout=800, check=False,
        )  # fmt: skip

    def suite(self, name: str, where: Path) -> tuple[set[str], int, int]:
        """Run a suite of mbedTLS's; return what failed, how many ran, jobs of the block."""
        program = self.make(f"test_suite_{name}")
        shutil.copy(program.with_suffix(".datax"), where)
        (where / "data_files").symlink_to(sources() / "tests" / "data_files")
        done = self.run(where, program)
        found, jobs = SUMMARY.search(done.stdout), JOBS.search(done.stderr)
        assert found, done.stdout[-2000:] + done.stderr
        assert jobs, done.stderr
        failed = {
            re.sub(r"[ .]*$", "", line[: -len("FAILED")])
            for line in done.stdout.splitlines()
            if line.endswith(" FAILED")
        }
        assert len(failed) == int(found[2]) - int(found[1])
        return failed, int(found[2]) - int(found[3]), int(jobs[1])


def build(folder: Path, *variables: str) -> Built:
    """Compile the library; what is there already stays."""
    registers = folder / "block" / "registers"
    registers.mkdir(parents=True, exist_ok=True)
    name, text = header(WORD_BLOCK)
    if not (registers / name).exists():
        (registers / name).write_text(text)
    words = (f"MBEDTLS={sources()}", f"BLOCK={folder / 'block'}", f"BUILD={folder}",
             f"MORE={THREADS}", *variables)  # fmt: skip
    made = Built(folder, words, Path(simulated(WORD_BLOCK)._name))
    made.make("libmbedtls_ecsm.a")
    return made


def build_trials(made: Built, folder: Path, *flags: str) -> Path:
    """Compile the programs of tests that try it."""
    options = [f"-I{SOURCE}", f"-I{ROOT / 'sw' / 'libecsm' / 'include'}",
               f"-I{made.folder / 'block' / 'registers'}", "-isystem", str(sources() / "include"),
               '-DMBEDTLS_USER_CONFIG_FILE="ecsm_config.h"', *THREADS.split(), *flags]  # fmt: skip
    files = [str(Path(__file__).with_name(name)) for name in TRIALS]
    library = [str(made.make("simulated.o")), str(made.folder / "libmbedtls_ecsm.a")]
    command = ["cc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror",
               *options, *files, *library, "-pthread", "-ldl", "-o", "trials"]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "trials"
