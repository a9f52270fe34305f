# SPDX-License-Identifier: Apache-2.0
"""Curves from files: what is taken, and what is refused with which words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from ecsm.curves import curve
from ecsm.curves.own import BadCurve, read_curve
from ecsm.presets.table import any_preset

# FRP256v1, of the French Republic's Journal officiel of 16 October 2011.
FRP256 = """
name = "frp256v1"
p = "0xF1FD178C0B3AD58F10126DE8CE42435B3961ADBCABC8CA6DE8FCF353D86E9C03"
a = "0xF1FD178C0B3AD58F10126DE8CE42435B3961ADBCABC8CA6DE8FCF353D86E9C00"
b = "0xEE353FCA5428A9300D4ABA754A44C00FDFEC0C9AE4B1A1803075ED967B7BB73F"
x = "0xB6B3D4C356C139EB31183D4749D423958C27D2DCAF98B70164C97A2DD98F5CFF"
y = "0x6142E0F7C8B204911F9271F0F3ECEF8C2701C307E8E4C9E183115A1554062CFB"
n = "0xF1FD178C0B3AD58F10126DE8CE42435B53DC67E140D2BF941FFDD459C6D655E1"
"""
P = "0xF1FD178C0B3AD58F10126DE8CE42435B3961ADBCABC8CA6DE8FCF353D86E9C03"
N = "0xF1FD178C0B3AD58F10126DE8CE42435B53DC67E140D2BF941FFDD459C6D655E1"


def read(folder: Path, text: str | bytes) -> str:
    """Return what is said of a file, "" if it is taken."""
    file = folder / "mine.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    said = ""
    try:
        read_curve(file)
    except BadCurve as error:
        said = str(error)
    assert not said or said.startswith(str(file))
    assert "\n" not in said
    return said


def test_a_curve_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, FRP256) == ""
    c = read_curve(tmp_path / "mine.toml")
    assert (c.name, hex(c.p).upper().replace("X", "x"), c.h) == ("frp256v1", P, 1)
    assert c.contains(c.generator)
    assert c.mul(c.n, c.generator) is None


def p256(name: str, changed: Mapping[str, int] | None = None) -> str:
    """Return P-256 by another name, in decimal numbers; ``changed``: those that are others."""
    return renamed("P-256", name, changed)


def renamed(of: str, name: str, changed: Mapping[str, int] | None = None) -> str:
    """Return the file of a known curve by another name."""
    known = curve(of)
    assert known.generator is not None
    values = {"p": known.q, **known.coefficients, "x": known.generator[0],
              "y": known.generator[1], "n": known.n, **(changed or {})}  # fmt: skip
    return f'name = "{name}"\n' + "".join(f'{key} = "{v}"\n' for key, v in values.items())


def test_numbers_may_be_decimal(tmp_path: Path) -> None:
    assert read(tmp_path, p256("again")) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (FRP256, "", "and nothing else"),
        ("name = ", "nam = ", "and nothing else"),
        ('name = "frp256v1"', 'name = ""', "1 to 16 letters"),
        ('name = "frp256v1"', "name = 7", "1 to 16 letters"),
        ('name = "frp256v1"', 'name = "a\\u0007"', "1 to 16 letters"),
        ('name = "frp256v1"', f'name = "{"a" * 17}"', "1 to 16 letters"),
        (f'p = "{P}"', "p = 17", "p is a number as a text"),
        (f'p = "{P}"', 'p = "0x"', "p is a number as a text"),
        (f'p = "{P}"', 'p = "-3"', "p is a number as a text"),
        (f'p = "{P}"', 'p = "1_000"', "p is a number as a text"),
        (f'p = "{P}"', f'p = "{"9" * 5000}"', "p is a number as a text"),
        (f'p = "{P}"', 'p = "0x1F"', "p has 5 bits"),
        (f'p = "{P}"', f'p = "{P}{"0" * 70}"', "p has 536 bits"),
        (f'p = "{P}"', f'p = "{P[:-1]}5"', "p is no prime"),
        (f'a = "{P[:-1]}0"', f'a = "{P}"', "not below p"),
        (f'n = "{N}"', f'n = "{N[:-1]}2"', "n is no prime"),
        (f'n = "{N}"', f'n = "{P}"', "n is p"),
        (f'n = "{N}"', 'n = "65537"', "a cofactor"),
        ('y = "0x61', 'y = "0x71', "not on the curve"),
        # Only digits of ASCII, without sign, space and underscore.
        (f'n = "{N}"', f'n = "\u0660{int(N, 16)}"', "n is a number as a text"),
        (f'n = "{N}"', f'n = "0x\uff10{N[2:]}"', "n is a number as a text"),
        (f'n = "{N}"', f'n = "+{N}"', "n is a number as a text"),
        (f'n = "{N}"', f'n = " {N}"', "n is a number as a text"),
        (f'n = "{N}"', f'n = "{N}\\n"', "n is a number as a text"),
        # A name goes into comments of C, YAML and lists with spaces between.
        ('name = "frp256v1"', 'name = "a*/ x"', "1 to 16 letters"),
        ('name = "frp256v1"', 'name = "a b"', "1 to 16 letters"),
        ('name = "frp256v1"', 'name = "-a"', "1 to 16 letters"),
        ('name = "frp256v1"', "name = 'a\"b'", "1 to 16 letters"),
        ('name = "frp256v1"', 'name = "fr\u00e9"', "1 to 16 letters"),
        # Keys of a known curve must not be taken to another one.
        ('name = "frp256v1"', 'name = "secp256r1"', "is the name of another curve"),
        ('name = "frp256v1"', 'name = "p256"', "is the name of another curve"),
        ('name = "frp256v1"', 'name = "NIST-P-256"', "is the name of another curve"),
        ('name = "frp256v1"', 'name = "sect163r2"', "is the name of another curve"),
    ],
)
def test_what_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in FRP256
    assert said in read(tmp_path, FRP256.replace(old, new))


def test_files_that_are_no_toml(tmp_path: Path) -> None:
    assert "is no TOML" in read(tmp_path, "p = ")
    assert "is no TOML" in read(tmp_path, b"\xff\xfe")
    assert "octets at most" in read(tmp_path, "#" * 70_000)
    for text in (
        "p = " + "[" * 9_000,
        "p = " + "{a = " * 2_000,
        "p = " + "9" * 5_000,
        "p = -1" + "0" * 5_000,
        "p = 2026-13-45",
        'p = "\\ud800"',
    ):
        assert "is no TOML" in read(tmp_path, text), text[:20]
    with pytest.raises(BadCurve, match="No such file"):
        read_curve(tmp_path / "none")
    with pytest.raises(BadCurve, match="Is a directory"):
        read_curve(tmp_path)


def test_a_name_of_many_parts_takes_no_time(tmp_path: Path) -> None:
    """The parser's time for such a name grows with its square."""
    begun = time.monotonic()
    assert read(tmp_path, ".".join("a" * 30_000) + " = 1") != ""
    assert read(tmp_path, ".".join("a" * 2_000) + " = 1") != ""
    assert time.monotonic() - begun < 5


def test_a_long_order_takes_no_time(tmp_path: Path) -> None:
    """Whether a number of thousands of bits is a prime takes many seconds; its length, none."""
    begun = time.process_time()
    said = read(tmp_path, FRP256.replace(f'n = "{N}"', f'n = "{2**3217 - 1:#x}"'))
    assert "n is not the number of points" in said
    assert time.process_time() - begun < 2


def test_a_known_name_with_the_curve_that_has_it(tmp_path: Path) -> None:
    for name in ("secp256r1", "P-256"):
        assert read(tmp_path, p256(name)) == ""


def test_a_known_name_with_another_generator(tmp_path: Path) -> None:
    """Such a curve has other signatures."""
    known = curve("P-256")
    assert known.generator is not None
    x, y = known.mul(2, known.generator) or (0, 0)
    assert "another curve" in read(tmp_path, p256("P-256", {"x": x, "y": y}))
    assert read(tmp_path, p256("twice", {"x": x, "y": y})) == ""


def test_a_singular_curve(tmp_path: Path) -> None:
    text = FRP256
    for key, value in (("a", "0"), ("b", "0")):
        start = text.index(f"{key} = ")
        text = text[:start] + f'{key} = "{value}"' + text[text.index("\n", start) :]
    assert "is singular" in read(tmp_path, text)


def test_another_prime_is_not_the_order(tmp_path: Path) -> None:
    """One in the interval of Hasse."""
    from Crypto.Util.number import isPrime

    n = int(N, 16) + 2
    while not isPrime(n):
        n += 2
    assert "n is not the order" in read(tmp_path, FRP256.replace(N, hex(n)))


def test_a_supersingular_curve(tmp_path: Path) -> None:
    """y^2 = x^3 + b with p = 2 modulo 3 has p + 1 points: never a prime number, so a cofactor."""
    text = FRP256.replace(f'a = "{P[:-1]}0"', 'a = "0"')
    assert read(tmp_path, text) != ""


def test_presets_of_files(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(FRP256)
    assert any_preset(f"word-prime:{file}").curve == read_curve(file)
    with pytest.raises(BadCurve, match="word-prime takes a file"):
        any_preset(f"word-p256:{file}")
    with pytest.raises(BadCurve, match="No such file"):
        any_preset(f"word-prime:{file}.toml")


@pytest.mark.parametrize("name", ["a\nb.toml", "a\tb.toml", "a\udcff.toml"])
def test_a_files_name_that_no_text_can_have(name: str, tmp_path: Path) -> None:
    """A package names it in comments, which a line's end would end."""
    (tmp_path / name).write_text(FRP256)
    with pytest.raises(BadCurve, match="printable"):
        any_preset(f"word-prime:{tmp_path / name}")
