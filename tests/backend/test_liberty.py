# SPDX-License-Identifier: Apache-2.0
"""Areas in standard cells: what a liberty file says, what Yosys makes of it, what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ecsm.backend.liberty import cell_script, cell_table, load_cells, read_cells, synthesise_cells
from ecsm.backend.tool import YOSYS, FlowError, run
from ecsm.cli import main
from ecsm.progress import Progress
from ecsm.results.kept import RESULTS, above
from ecsm.results.record import DamagedResult
from ecsm.results.sources import sources_of

OSU = Path(__file__).parents[2] / ".cache/debian/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
TOY = "toy7-small"
needs_osu = pytest.mark.skipif(not OSU.is_file(), reason="no standard cells: .ci/fetch-debian")

PIN = "pin ({}) {{ direction : {}; {} }}"
GATE = "cell ({}) {{ area : {}; {} }}"
FLOP = """\
cell (DFF) {
  area : 9.5;
  ff (IQ, IQN) { next_state : "D"; clocked_on : "CK"; %s }
  pin (D) { direction : input; }
  pin (CK) { direction : input; clock : true; }
  %s
  pin (Q) { direction : output; function : "IQ"; }
}
"""


def gate(name: str, area: float, inputs: str, function: str) -> str:
    pins = [PIN.format(pin, "input", "") for pin in inputs]
    pins.append(PIN.format("Y", "output", f'function : "{function}";'))
    return GATE.format(name, area, " ".join(pins))


def liberty(folder: Path, *cells: str) -> Path:
    file = folder / "small.lib"
    body = "\n".join(cells)
    file.write_text(f"/* cell (NOT) {{ area : 1; }} */\nlibrary (small) {{\n{body}\n}}\n")
    return file


INV, NAND, NOR = (
    gate("INV", 1, "A", "!A"),
    gate("NAND", 2, "AB", "!(A B)"),
    gate("NOR", 2.5, "AB", "!(A+B)"),
)
GATES = (INV, NAND, NOR, gate("XOR", 4, "AB", "(A^B)"), gate("BUF", 1.5, "A", "A"))
PLAIN = FLOP % ("", "")
RESET = (FLOP % ('clear : "!RN";', "pin (RN) { direction : input; }")).replace("DFF", "DFFR")


def test_a_file_is_read(tmp_path: Path) -> None:
    cells = read_cells(liberty(tmp_path, *GATES, PLAIN, RESET))
    assert cells.name == "small"
    assert cells.areas == {
        "INV": 1,
        "NAND": 2,
        "NOR": 2.5,
        "XOR": 4,
        "BUF": 1.5,
        "DFF": 9.5,
        "DFFR": 9.5,
    }
    assert cells.flip_flops == {"DFF", "DFFR"}


def test_a_core_is_measured_and_kept(tmp_path: Path) -> None:
    """In seven kinds of cells."""
    cells = read_cells(liberty(tmp_path, *GATES, PLAIN, RESET))
    with Progress() as log:
        made = synthesise_cells(TOY, cells, log, tmp_path / "results")
    assert set(made.cells) | {"BUF"} == cells.areas.keys()
    assert made.area == sum(cells.areas[kind] * n for kind, n in made.cells.items())
    assert made.nand2 == round(made.area / 2)
    assert made.flip_flops == made.cells["DFF"] + made.cells["DFFR"]
    assert made.memory_bits == 0
    assert load_cells(TOY, tmp_path / "results") == (made, True)
    assert made.origin.command == f"ecsm synth {TOY} --liberty small.lib"


def test_memories_stay_and_their_bits_are_said(tmp_path: Path) -> None:
    """By the same commands: 64 words of 8 bits stay, 32 become flip-flops, a table gates."""
    (tmp_path / "cells.lib").write_text(liberty(tmp_path, *GATES, PLAIN, RESET).read_text())
    (tmp_path / "m.sv").write_text("""\
module m (input logic clk, we, input logic [5:0] a, input logic [7:0] d,
          output logic [7:0] q, r, t);
  logic [7:0] big [64]; logic [7:0] low [32];
  initial for (int i = 0; i < 32; i++) low[i] = '0;  // flip-flops of cells have no first value
  function automatic logic [7:0] rom(logic [5:0] i); return 8'(i * i); endfunction
  always_ff @(posedge clk) begin
    if (we) big[a] <= d;
    if (we) low[a[4:0]] <= d;
    q <= big[a]; r <= low[a[4:0]]; t <= rom(a);
  end
endmodule
""")
    write = ["select -module m", "write_json -selected m.json"]
    commands = ["read_slang --top m m.sv", *cell_script("m"), *write]
    run(YOSYS, commands, tmp_path, tmp_path / "log", limit_s=100)
    cells = json.loads((tmp_path / "m.json").read_text())["modules"]["m"]["cells"].values()
    (memory,) = [c for c in cells if c["type"] == "$mem_v2"]
    assert [int(memory["parameters"][key], 2) for key in ("SIZE", "WIDTH")] == [64, 8]
    assert sum(c["type"] == "DFF" for c in cells) >= 32 * 8


@pytest.mark.parametrize(
    ("cells", "said"),
    [((), "is no liberty file with cells"), ((INV, NAND), "has no flip-flop")],
)
def test_a_file_that_is_of_no_use_is_refused(
    tmp_path: Path, cells: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = liberty(tmp_path, *cells)
    assert main(["synth", TOY, "--liberty", str(file), "--results", str(tmp_path / "r")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"", b"module x; endmodule"])
def test_a_file_that_is_none_is_refused(
    tmp_path: Path, text: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.lib"
    file.write_bytes(text)
    assert main(["synth", TOY, "--liberty", str(file)]) == 2
    said = capsys.readouterr().err
    assert "no liberty file" in said
    assert said.count("\n") == 1
    assert main(["synth", TOY, "--liberty", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["synth", TOY, "--liberty", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("area", ["1e999", "1.2.3", "-9.5", "e", "-1e999"])
def test_an_area_that_is_none_is_refused(
    tmp_path: Path, area: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A negative one made a core smaller, one that is too large ended in a traceback."""
    cells = (*GATES, PLAIN.replace("area : 9.5", f"area : {area}"), RESET)
    file = liberty(tmp_path, *cells)
    assert main(["synth", TOY, "--liberty", str(file), "--results", str(tmp_path / "r")]) == 2
    assert f"{file}: cell DFF has the area '{area}'" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    "text",
    [
        "pin (Z) { area : 77; direction : internal; }",
        "test_cell () { area : 77; ff (I, N) { clocked_on : A; } }",
        "// { area : 77;\n",
        'about : "{ area : 77; ff (I, N) {";',
    ],
)
def test_an_area_is_the_cells_own(tmp_path: Path, text: str) -> None:
    """That of a group in it, of a comment or of a description was taken if it came first."""
    wanted = read_cells(liberty(tmp_path, *GATES, PLAIN))
    cells = (g.replace("NAND) {", f"NAND) {{ {text}") for g in GATES)
    found = read_cells(liberty(tmp_path, *cells, PLAIN))
    assert (found.areas, found.flip_flops) == (wanted.areas, wanted.flip_flops)


def test_a_description_with_the_begin_of_a_comment_hides_no_cell(tmp_path: Path) -> None:
    about = 'about : "http://a/*";'
    found = read_cells(liberty(tmp_path, about, *GATES, PLAIN, "/* c */"))
    assert len(found.areas) == len(GATES) + 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{0}{0}", "something behind its library small"),
        ("{0}cell (A) {{ area : 9; }}", "something behind its library small"),
        ("{1}{2}}}", "more than one cell NAND"),
        ("{1}", "braces do not pair"),
        ("{0}}}", "braces do not pair"),
    ],
)
def test_areas_that_may_be_of_other_cells_are_refused(tmp_path: Path, text: str, why: str) -> None:
    """Of two cells with one name the last one's area was counted, for what was mapped to either."""
    whole = liberty(tmp_path, *GATES, PLAIN).read_text()
    cut = whole.rstrip()[:-1]
    file = tmp_path / "x.lib"
    file.write_text(text.format(whole, cut, gate("NAND", 200, "AB", "!(A B)")))
    with pytest.raises(ValueError, match=why):
        read_cells(file)


def test_areas_that_are_too_large_together_are_refused(tmp_path: Path) -> None:
    cells = read_cells(liberty(tmp_path, *GATES, PLAIN.replace("9.5", "1.7e308"), RESET))
    with Progress() as log, pytest.raises(FlowError, match="too large"):
        synthesise_cells(TOY, cells, log, tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_nand_without_an_area_is_refused(tmp_path: Path) -> None:
    """The area of one is what NAND2 equivalents are counted in."""
    cells = read_cells(liberty(tmp_path, INV, gate("NAND", 0, "AB", "!(A B)"), *GATES[2:], PLAIN))
    with Progress() as log, pytest.raises(FlowError, match="NAND of two inputs has no area"):
        synthesise_cells(TOY, cells, log, tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_forms_that_yosys_takes(tmp_path: Path) -> None:
    """A cell on one line, no semicolon at the end of a line, a comment in another encoding."""
    wanted = read_cells(liberty(tmp_path, *GATES, PLAIN, RESET))
    file = liberty(tmp_path, *GATES, " ".join(PLAIN.split()), RESET.replace("9.5;", "9.5"))
    file.write_bytes("/* areas in \u00b5m\u00b2 */\n".encode("latin-1") + file.read_bytes())
    found = read_cells(file)
    assert (found.areas, found.flip_flops) == (wanted.areas, wanted.flip_flops)
    with Progress() as log:
        assert synthesise_cells(TOY, found, log, tmp_path / "results").flip_flops > 0


def test_a_file_is_read_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a pipe, ``--liberty <(zcat cells.lib.gz)``, can be; and no longer than can be."""
    octets = liberty(tmp_path, *GATES, PLAIN, RESET).read_bytes()
    ends = os.pipe()
    os.write(ends[1], octets)
    os.close(ends[1])
    name = f"/dev/fd/{ends[0]}"
    assert main(["synth", TOY, "--liberty", name, "--results", str(tmp_path / "r")]) == 0
    os.close(ends[0])
    assert load_cells(TOY, above(tmp_path / "r"))[1]
    capsys.readouterr()
    monkeypatch.setattr("ecsm.backend.liberty._MOST", 1 << 20)
    assert main(["synth", TOY, "--liberty", "/dev/zero"]) == 2
    assert "too long" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--target", "cmos"], ["--engines", "2"], ["--attach", "axil"]])
def test_other_options_are_refused(
    tmp_path: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = liberty(tmp_path, INV, NAND, PLAIN)
    assert main(["synth", TOY, "--liberty", str(file), *option]) == 2
    assert "--liberty is of bare cores" in capsys.readouterr().err


def test_a_cell_that_is_not_there_is_named_and_nothing_is_kept(tmp_path: Path) -> None:
    """A core has flip-flops with a reset."""
    cells = read_cells(liberty(tmp_path, *GATES, PLAIN))
    with Progress() as log, pytest.raises(FlowError):
        synthesise_cells(TOY, cells, log, tmp_path / "results")
    assert not (tmp_path / "results").exists()


@needs_osu
def test_areas_are_those_that_yosys_reads(tmp_path: Path) -> None:
    """One of each cell of Debian's library, summed by Yosys."""
    cells = read_cells(OSU)
    assert len(cells.areas) > 30
    (tmp_path / "cells.lib").write_bytes(OSU.read_bytes())
    used = sorted(cells.areas)
    body = "".join(f"{name} u{i} ();\n" for i, name in enumerate(used))
    (tmp_path / "m.v").write_text(f"module m;\n{body}endmodule\n")
    commands = ["read_verilog m.v", "tee -o stat.json stat -json -liberty cells.lib"]
    run(YOSYS, commands, tmp_path, tmp_path / "log", limit_s=60)
    found = json.loads((tmp_path / "stat.json").read_text())["modules"]["\\m"]
    assert found["area"] == pytest.approx(sum(cells.areas.values()))
    assert cells.flip_flops == {name for name in used if name.startswith("DFF")}


@needs_osu
def test_a_toy_in_debians_cells_is_of_the_size_of_its_gates(tmp_path: Path) -> None:
    """The same flip-flops as in an FPGA; gates are within a third of the project's own count."""
    with Progress() as log:
        made = synthesise_cells(TOY, read_cells(OSU), log, tmp_path)
    assert made.library == "osu018_stdcells"
    assert made.area == 24 * made.nand2 or abs(made.area / 24 - made.nand2) <= 0.5
    assert made.cycles == sources_of(TOY).cycles


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"preset": TOY}, f"it is of {TOY}"), ({"cycles": 0}, "no core has these cycles"),
        ({"nand2": -1}, "no core has these cycles"), ({"area": -0.5}, "no core has these cycles"),
        ({"flip_flops": 10**9}, "its flip-flops are not of its cells"), ({"cells": {}}, "its flip"),
    ],
)  # fmt: skip
def test_an_edited_area_is_damaged(edit: dict[str, object], why: str, tmp_path: Path) -> None:
    """That of another preset was in the table as one of an earlier commit."""
    file = tmp_path / "liberty" / "b163-small.json"
    file.parent.mkdir()
    kept = json.loads((RESULTS / "liberty" / file.name).read_text())
    file.write_text(json.dumps(kept | edit))
    with pytest.raises(DamagedResult, match=why):
        cell_table(tmp_path)


def test_the_table_says_what_is_not_measured(tmp_path: Path) -> None:
    assert cell_table(tmp_path).count("not measured") == 3
