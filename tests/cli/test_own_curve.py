# SPDX-License-Identifier: Apache-2.0
"""Curves from files on the command line: what takes them, and what refuses them in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.common import USAGE
from tests.curves.test_own import FRP256, p256, renamed
from tests.schemes.test_word_tables import DENSE

PRESET = "word-prime:mine.toml"


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A curve's file in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "mine.toml"
    file.write_text(FRP256)
    return file


@pytest.mark.parametrize(
    "command",
    [
        f"serve --socket s --preset {PRESET}", f"soc serial schemes-{PRESET}", f"synth {PRESET}",
        f"synth word-p256 {PRESET}", f"pnr {PRESET}", f"leak {PRESET}", f"fault schemes-{PRESET}",
    ],
)  # fmt: skip
def test_what_cannot_name_it_refuses_it(
    command: str, capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    """Nothing is begun and nothing is left behind."""
    assert main(command.split()) == USAGE
    said = capsys.readouterr().err
    assert said.startswith("ecsm: ")
    assert said.count("\n") == 1
    assert list(mine.parent.iterdir()) == [mine]


def test_a_file_without_a_name_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """It was the current folder."""
    assert main(["info", "--preset", "word-prime:"]) == USAGE
    assert capsys.readouterr().err == "ecsm: word-prime: takes the file of a curve behind it\n"


def test_keys_of_a_known_curve_are_not_for_another_one(
    capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    """A file that calls another curve P-256 would make signatures that are none."""
    assert main(["keygen", "--curve", "P-256", "-o", "key.pem"]) == 0
    Path("message").write_text("pay")
    for name in ("secp256r1", "P-256"):
        mine.write_text(FRP256.replace("frp256v1", name))
        for command in (
            ["sign", "--key", "key.pem", "--preset", PRESET, "-o", "signature", "message"],
            ["serve", "--preset", PRESET, "--socket", "s", "--key", "web=key.pem"],
        ):
            assert main(command) == USAGE
            assert "is the name of another curve" in capsys.readouterr().err
    assert not Path("signature").exists()
    mine.write_text(p256("P-256"))
    assert main(["sign", "--key", "key.pem", "--preset", PRESET, "-o", "sig", "message"]) == 0
    assert main(["verify", "--key", "key.pem", "--signature", "sig", "message"]) == 0


@pytest.mark.parametrize("name", DENSE)
def test_a_curve_with_a_long_program(
    name: str, capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    mine.write_text(DENSE[name])
    assert main(["schedule", PRESET]) == 0
    assert main(["build", PRESET, "-o", "made"]) == 0
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["self-test --preset {}", "schemes {}", "lint {}", "build {}", "build {} --attach axil"],
)
def test_a_curve_that_an_engine_has_no_place_for_is_refused(
    command: str, capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    """``word-up5k`` takes tables, but not those of numbers of seven words."""
    mine.write_text(renamed("P-224", "mine"))
    assert main(command.format("word-up5k:mine.toml").split()) == USAGE
    said = capsys.readouterr().err
    assert said.startswith("ecsm: ")
    assert "word-up5k:mine.toml" in said
    assert said.count("\n") == 1
    assert list(mine.parent.iterdir()) == [mine]
