# SPDX-License-Identifier: Apache-2.0
"""A wrong name is answered with the names near it, in one form, and a command lists them all."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from ecsm.cli import keys, main
from ecsm.cli.common import USAGE
from ecsm.curves import CURVES, Curve, UnknownCurveError, binary_curve, curve
from ecsm.device.base import DeviceError
from ecsm.device.opening import open_device
from ecsm.hdl.machines import machine
from ecsm.names import nearest, no_such
from ecsm.narrow.units import unit
from ecsm.presets.table import UnknownPreset, any_preset, preset, presets_of
from ecsm.report.docs import DocsError, table
from ecsm.schemes.program import program
from ecsm.soc.accelerators import AXIL, SCHEMES, accelerators
from ecsm.soc.headers import COUPLINGS
from ecsm.soc.run import run_app
from ecsm.soc.system import system


def test_three_names_at_most_are_suggested_the_nearest_first() -> None:
    known = [f"b163-{end}" for end in ("balanced", "fast", "fasten", "faster", "fat")]
    assert nearest("B163-FAST", known) == ["b163-fast", "b163-fat", "b163-faster"]
    assert (
        no_such("core", "b163-fas", [*known, "b", "c"], "see")
        == "there is no core 'b163-fas': did you mean b163-fast, b163-fat or b163-faster?"
        " see shows all"
    )


def test_a_name_like_none_points_to_the_list() -> None:
    assert no_such("core", "?", "abcdefg", "see") == "there is no core '?': see shows all"


def test_few_names_are_listed() -> None:
    assert no_such("end", "up", ["a", "b", "c"], "see") == "there is no end 'up': choose a, b or c"
    assert no_such("end", "up", ["a"], "see") == "there is no end 'up': choose a"


LIST, UNITS, CURVE_LIST = "ecsm list --all", "ecsm soc units", "ecsm curves"
CORES = "core-b163-fast, core-b283-fast or core-b233-fast"
SMALL = "schemes-b163-small, schemes-b283-small or schemes-b233-small"
WRONG = [
    ("kp --preset", "preset", "b163-fas", "b163-fast, b283-fast or b233-fast", LIST),
    ("build", "preset", "word-p265", "word-p256, word-up5k or word-k256", LIST),
    (
        "serve --socket s --preset",
        "preset",
        "wordp256",
        "word-p256, word-k256 or word-p256-none",
        LIST,
    ),
    ("schedule", "preset", "B571-FAST", "b163-fast, p521-fast or b283-fast", LIST),
    ("soc run kp --unit", "unit", "feild-163", "field-163, field-193 or field-sect163r2", UNITS),
    (
        "soc run kp --unit",
        "unit",
        "core-b163-fas",
        "core-b163-fast, core-b283-fast or core-b233-fast",
        UNITS,
    ),
    ("soc run kp --unit", "unit", "scheme-b163-small", SMALL, UNITS),
    ("soc run api --unit", "unit", "schemes-b163-smal", SMALL, UNITS),
    ("soc place", "unit", "feild-163", "field-163, field-193 or field-sect163r2", UNITS),
    ("units", "unit", "sha265", "sha256 or sha512", "ecsm units --help"),
    ("list --curve", "curve", "P-257", "P-256, P-224 or P-521", CURVE_LIST),
    ("explore --curve", "curve", "B-164", "B-163, B-571 or B-409", CURVE_LIST),
]


def test_a_curve_has_its_usual_names() -> None:
    names = {
        "secp256r1": "prime256v1 PRIME256V1 P-256 p256 NIST-P-256 nistp256 SECP256R1",
        "secp384r1": "P-384 nistp384", "secp521r1": "P-521 nistp521", "secp224r1": "P-224 nistp224",
        "sect163k1": "K-163 k163 nistk163", "sect163r2": "B-163 nistb163 NIST-B-163",
        "sect571r1": "B-571 nistb571", "curve25519": "X25519 x25519",
    }  # fmt: skip
    for name, others in names.items():
        assert {curve(other).name for other in others.split()} == {name}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "soc run kpp",
            "there is no program 'kpp': did you mean kp? ecsm soc run --help shows all",
        ),
        ("soc run kp --unit axil-b163-small", "axil-b163-small has no coupling tc: choose lc"),
        (
            "soc run hello --unit schemes-word-p256 --coupling software",
            "schemes-word-p256 has no coupling software: choose tc or lc",
        ),
        ("soc run api", "program api needs another accelerator: --unit schemes-word-p256"),
        ("soc serial schemes-nope", "there is no unit 'schemes-nope'"),
        ("soc run hello --unit schemes-x25519", "curve25519 is no Weierstrass curve"),
    ],
)
def test_a_system_that_there_is_not_is_a_wrong_call(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), *(["--coupling", "lc"] if "x25519" in command else [])]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ecsm: {said}")
    assert "toy" not in line


@pytest.mark.parametrize(
    "command",
    ["kp --preset", "kp --engines 2 --preset", "test", "solve",
     "info --engines 2 --preset", "energy"],
)  # fmt: skip
def test_a_word_engine_is_refused_where_kp_is_wanted(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "word-p256"]) == USAGE
    said = capsys.readouterr().err
    assert said.startswith("ecsm: word-p256 has schemes and no kP port: ecsm sign, verify, ecdh, ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "demo echeque --preset",
            "word-p256 has no EC-AES, which an e-cheque is sealed with, no masks, or no key files",
        ),
        ("demo ecies --preset", "word-p256 has no demo-encrypt"),
        ("build --wide", "word-p256 has no SHA-384 and no SHA-512"),
        ("build --engines 2", "--engines: word-p256 is one engine; farms are of cores"),
        ("build --attach stream", "--attach stream is of cores and farms, not of --schemes"),
        ("soc run hello --coupling lc --unit axil-", "there is no unit 'axil-word-p256'"),
    ],
)
def test_what_a_word_engine_has_not(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    *words, last = command.split()
    names = [f"{last}word-p256"] if last.endswith("-") else [last, "word-p256"]
    assert main([*words, *names]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ecsm: {said}")


def test_a_list_has_word_engines(capsys: pytest.CaptureFixture[str]) -> None:
    """In each list, with "-" for what is of kP; described without being made."""
    for options in ([], ["--all"], ["--curve", "P-256"]):
        assert main(["list", *options]) == 0
        row = next(r for r in capsys.readouterr().out.splitlines() if r.startswith("word-p256 "))
        assert "secp256r1" in row
        assert " -  ECDSA" in row
    assert main(["list", "--json"]) == 0
    rows = {row["preset"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows["word-k256"]["curve"], rows["word-k256"]["cycles"]) == ("secp256k1", None)
    assert main(["info", "--preset", "word-k256"]) == 0
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (said["curve"], said["registers"], said["cycles"]) == ("secp256k1", "-", "-")
    assert main(["info", "--preset", "word-k256", "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert (info["registers"], info["cycles"], info["engines"]) == (None, None, 1)


def test_an_address_is_complained_of_as_it_was_given() -> None:
    with pytest.raises(
        UnknownPreset, match=r"^there is no preset 'nope': ecsm list --all shows all$"
    ):
        open_device("soc:nope")
    with pytest.raises(UnknownPreset, match="no preset 'b163-smal': did you mean b163-small"):
        open_device("soc:b163-smal")


def test_a_table_of_units_has_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soc", "units", "--toys"]) == 0
    head, *rows, _ = capsys.readouterr().out.splitlines()
    at = [head.index(name) for name in ("curve", "couplings", "about")]
    for row in rows:
        assert all(row[i - 1] == " " != row[i] for i in at), row


@pytest.mark.parametrize(("command", "what", "name", "near", "see"), WRONG)
def test_a_command_suggests_names(
    command: str, what: str, name: str, near: str, see: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), name]) == USAGE
    said = capsys.readouterr().err
    assert said == f"ecsm: there is no {what} {name!r}: did you mean {near}? {see} shows all\n"


def test_a_preset_of_another_engine_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["energy", "p256-fast"]) == USAGE
    why = "p256-fast is over a prime field; this is for a ladder over GF(2^m)"
    assert capsys.readouterr().err == f"ecsm: {why}: ecsm list --all shows all\n"


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("sgin", "command 'sgin': did you mean sign? ecsm --help shows all"),
        ("soc rnu", "command 'rnu': did you mean run? ecsm soc --help shows all"),
        ("demo echeck", "demo 'echeck': choose kp, ecies, echeque or live"),
        ("sign --digest md5", "digest 'md5': choose sha1, sha224, sha256, sha384 or sha512"),
        ("synth b163-fast --target stratix", "target 'stratix': choose ecp5, "),
    ],
)
def test_a_wrong_choice_suggests_names(
    command: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == USAGE
    assert f": there is no {complaint}" in capsys.readouterr().err


def test_other_look_ups_suggest_names() -> None:
    with pytest.raises(DeviceError, match="no program 'kpp': did you mean kp"):
        run_app("kpp")
    with pytest.raises(DeviceError, match="no coupling 'xc': choose tc, lc or software"):
        system("field-163", "xc")
    with pytest.raises(UnknownCurveError, match=r"no binary curve 'P-256': ecsm curves shows all"):
        binary_curve("P-256")
    with pytest.raises(DocsError, match="no table 'routd': did you mean routed"):
        table("routd")
    with pytest.raises(KeyError, match="no operation 'sing-sha256': did you mean sign-sha256, "):
        program(preset("b163-small")).number("sing-sha256")


def test_soc_units_lists_what_a_system_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soc", "units", "--json"]) == 0
    rows = {row["unit"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [a.unit for a in accelerators(toys=True)]
    for name, row in rows.items():
        if name.startswith(SCHEMES):
            of = machine(name.removeprefix(SCHEMES))
            assert of.program.operations, "there are schemes"
            assert (row["curve"], row["couplings"]) == (of.curve.name, ["tc", "lc"])
        elif name.startswith(AXIL):
            core = preset(name.removeprefix(AXIL))
            assert (row["curve"], row["couplings"]) == (core.curve.name, ["lc"])
        else:
            assert (row["curve"], row["couplings"]) == (unit(name).curve.name, list(COUPLINGS))
    assert len({row["about"] for row in rows.values()}) > 40
    assert main(["soc", "units"]) == 0
    out = capsys.readouterr().out
    shown = [re.split(r" {2,}", line) for line in out.splitlines()]
    assert ["field-163", "sect163r1", "tc, lc, software"] in [row[:3] for row in shown]
    small = next(row for row in shown if row[0] == "schemes-b163-small")
    assert small[1:3] == ["sect163r2", "tc, lc"]
    assert small[3].startswith("schemes")
    field = next(row for row in shown if row[0] == "field-163")
    assert field[3].startswith("field operations")
    assert "toy" not in out


def test_curves_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curves", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["curve"] for row in rows] == [c.name for c in CURVES]
    p256 = next(row for row in rows if row["curve"] == "secp256r1")
    assert p256["aliases"] == ["P-256", "prime256v1"]
    assert "p256-fast" in p256["presets"]
    assert all(curve(alias).name == row["curve"] for row in rows for alias in row["aliases"])
    assert main(["curves"]) == 0
    out = capsys.readouterr().out
    assert "secp256r1        GF(p), p of 256 bits " in out
    assert "toy" not in out
    shown = {line.split()[0]: re.split(r" {2,}", line) for line in out.splitlines()}
    assert shown["sect163r2"][2:4] == ["80", str(len(presets_of(curve("B-163"))))]
    assert {row["curve"]: row["security_bits"] for row in rows}["sect163r2"] == 80


def test_who_lists_the_presets_of_a_weak_curve_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--curve", "K-163"]) == 0
    shown = capsys.readouterr()
    assert shown.err == (
        "ecsm: sect163k1 has about 80 bits of security: for compatibility, not for new designs\n"
    )
    assert "k163" in shown.out
    assert main(["list", "--curve", "P-256"]) == 0
    assert capsys.readouterr().err == ""


class _Textbook:
    """A device with one key, whose public key is the generator."""

    def __init__(self, c: Curve) -> None:
        self.curve = c

    def run(self, operation: str, *_: bytes) -> SimpleNamespace:
        assert operation in ("load", "public")
        x, y = self.curve.generator
        octets = self.curve.octets
        return SimpleNamespace(strings=(x.to_bytes(octets, "big"), y.to_bytes(octets, "big")))


def test_who_makes_a_key_of_a_weak_curve_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, beside the key and not in it."""
    monkeypatch.setattr(keys, "scheme_device", lambda _, c, *__: nullcontext(_Textbook(c)))
    told = "ecsm: sect163r2 has about 80 bits of security: for compatibility, not for new designs\n"
    for name, wanted in (("B-163", told), ("P-256", "")):
        assert main(["keygen", "--curve", name, "-o", str(tmp_path / name)]) == 0
        shown = capsys.readouterr()
        assert (shown.out, shown.err) == ("", wanted)
    assert main(["keygen", "--curve", "B-163"]) == 0
    assert "security" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["self-test", "--device", ""], "no device ''"),
        (["self-test", "--preset", "word-p256", "--device", "unix:none"], "takes no --preset"),
        (["self-test", "--preset", ""], "there is no preset ''"),
        (["keygen", "--curve", "P-256", "--preset", ""], "there is no preset ''"),
        (["demo", "--preset", ""], "there is no preset ''"),
        (["demo", "ecies", "--preset", ""], "there is no preset ''"),
        (["demo", "echeque", "--preset", ""], "there is no preset ''"),
        (["demo", "live", "--preset", ""], "there is no preset ''"),
    ],
)
def test_an_address_or_a_name_that_is_empty_is_no_default(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script's variable that is not set: another core would compute, and say that it is well."""
    assert main(words) == USAGE
    said = capsys.readouterr()
    assert complaint in said.err
    assert not said.out


@pytest.mark.parametrize("name", [5, None, b"toy7-fast", ["toy7-fast"]])
def test_a_preset_that_is_no_text(name: object) -> None:
    with pytest.raises(TypeError, match="a preset is a name, not "):
        any_preset(name)  # type: ignore[arg-type]
