# SPDX-License-Identifier: Apache-2.0
"""Programs of a user's own on the system on chip, and the example to begin with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

from ecsm.boards.make import application
from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from ecsm.progress import Progress
from ecsm.resources import resource
from ecsm.soc.system import system

EXAMPLE = resource("sw", "examples") / "sign.c"
BLOCK = ("--unit", "schemes-word-p256", "--coupling", "lc")
OWN = """\
#include "soc.h"
#include "own.h"
int main(void) { int unused; soc_puts(own_text()); return OWN_STATUS; }
"""


def test_the_example_signs(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The signature that it prints is valid, of the key that it prints."""
    assert main(["soc", "run", str(EXAMPLE), *BLOCK]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    numbers = {line.split()[0]: bytes.fromhex(line.split()[1]) for line in lines}
    assert list(numbers) == ["x", "y", "r", "s"]
    x, y = (int.from_bytes(numbers[name], "big") for name in "xy")
    key = ECC.construct(curve="P-256", point_x=x, point_y=y)
    DSS.new(key, "fips-186-3").verify(SHA256.new(b"ten thousand"), numbers["r"] + numbers["s"])


def test_the_example_with_the_other_coupling_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """It would find no block at the bus's address: the default coupling is tc."""
    assert main(["soc", "run", str(EXAMPLE), "--unit", "schemes-word-p256"]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "ecsm: program sign accesses the block on the bus: --coupling lc"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, in which the command runs, with a program of two sources and a header."""
    (tmp_path / "own.c").write_text(OWN)
    (tmp_path / "own.h").write_text("const char *own_text(void);\n#define OWN_STATUS 3\n")
    (tmp_path / "text.c").write_text(
        '#include "own.h"\nconst char *own_text(void) { return "own\\n"; }\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sources_headers_and_warnings(own: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its status is the command's. A warning is told, and is no error."""
    for name in ("own.c", "-own.c", "my own.c", "a/own.c"):
        (own / name).parent.mkdir(exist_ok=True)
        (own / name).write_text(OWN)
        words = ["soc", "run", "--", name, "text.c"]
        assert main(words) == 3
        said = capfd.readouterr()
        assert said.out == "own\n"
        assert "unused variable 'unused'" in said.err


@pytest.mark.parametrize(("status", "code"), [(255, 255), (256, 1), (257, 1), (0x302, 2)])
def test_a_status_that_is_no_exit_code_is_told(
    status: int, code: int, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "it.c").write_text(f"int main(void) {{ return {status}; }}\n")
    assert main(["soc", "run", "it.c"]) == code
    told = f"ecsm: the program ended with status {status}: the exit code is {code}"
    assert (told in capsys.readouterr().err.splitlines()) == (status > 255)


def test_a_limit_is_told_in_words(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "it.c").write_text("int main(void) { for (;;) continue; }\n")
    assert main(["soc", "run", "it.c", "--limit", "5"]) == FAILED
    said = "ecsm: the program is not done after 5 cycles, and has said nothing"
    assert capsys.readouterr().err.splitlines()[-1] == said


@pytest.mark.parametrize("name", ["own.h", "own.inc", "sub/own.h", "../own.c"])
def test_what_it_includes_and_that_changed(name: str, own: Path) -> None:
    """Whatever it is called and wherever it is, an image is not of what it was before."""
    (own / "sub").mkdir()
    (own / "sub" / "own.c").write_text(f'#include "{name}"\nint main(void) {{ return STATUS; }}\n')
    (own / "sub" / "sub").mkdir()
    for status in (3, 4):
        (own / "sub" / name).write_text(f"#define STATUS {status}\n")
        assert main(["soc", "run", "sub/own.c"]) == status


@pytest.mark.parametrize("name", ["own.h", "own.inc"])
def test_what_a_bitstreams_program_includes_and_that_changed(name: str, own: Path) -> None:
    """A bitstream had the program as it was before."""
    text = f'#include "{name}"\nint main(void) {{ return STATUS; }}\n'
    (own / "it.c").write_text(text)
    program = system("schemes-word-p256", "lc").program
    images = set()
    for status in (3, 4):
        (own / name).write_text(f"#define STATUS {status}\n")
        with Progress() as log:
            images.add(application("it.c").octets(program, log))
    assert len(images) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["none.c"], "program none.c: No such file or directory"),
        (["folder.c"], "program folder.c: Is a directory"),
        (["latin.c"], "program latin.c: it is no text in UTF-8"),
        (["own.c", "text.h"], "there is no program 'text.h'"),
        (["own.c", "none.c"], "program none.c: No such file or directory"),
        (["hello", "text.c"], "program hello is of this project: it takes no sources beside it"),
        (["own"], "there is no program 'own'"), (["./own"], "there is no program './own'"),
        (["block.c"], "program block needs another accelerator: --unit schemes-word-p256"),
    ],
)  # fmt: skip
def test_what_is_no_program(
    words: list[str], why: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "folder.c").mkdir()
    (own / "latin.c").write_bytes(OWN.encode() + b"/* \xe9 */\n")
    (own / "block.c").write_text('#include "ecsm.h"\nint main(void) { return 0; }\n')
    assert main(["soc", "run", *words]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line


@pytest.mark.parametrize(
    "words", [("run", "loop.c", *BLOCK), ("boot", "image", "--public", "key.pem")]
)
def test_a_program_that_nobody_hears_has_not_ended_well(words: tuple[str, ...], own: Path) -> None:
    """As in `| head -1`: its status is not known."""
    (own / "loop.c").write_text('#include "soc.h"\nint main(void) { for (;;) soc_puts("on"); }\n')
    (own / "image").write_bytes(b"no image")
    (own / "key.pem").write_text(ECC.generate(curve="P-256").public_key().export_key(format="PEM"))
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "ecsm", "soc", *words]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert done.returncode == FAILED
    assert "Traceback" not in done.stderr


def test_what_does_not_compile(own: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The compiler says where; nothing is run."""
    (own / "own.c").write_text(OWN.replace("return OWN", "retrun OWN"))
    assert main(["soc", "run", "own.c", "text.c"]) == FAILED
    said = capfd.readouterr()
    assert said.out == ""
    assert "own.c:3:" in said.err
    assert "retrun" in said.err
