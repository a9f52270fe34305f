# SPDX-License-Identifier: Apache-2.0
"""``ecsm bitstream``: from a design's name to a bitstream for a board.

Netlist and routed design are kept in the cache, each whole or not at all. So an interrupted run
goes on behind its last step, and another program for the same system needs no place and route: it
replaces the content of the memory in the routed design. A bitstream is written beside its name and
renamed. No bitstream is made of a design that does not meet its clock.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ecsm.backend import gowin, tool
from ecsm.backend.nextpnr import (
    FIXED_ICE40,
    FIXED_OPTIONS,
    PLACER,
    PLACERS,
    ROUTERS,
    attempt,
    program_of,
)
from ecsm.boards.board import MINUTES, Board
from ecsm.boards.designs import BOOT, IMAGE, TABLES_AT, BoardDesign
from ecsm.boards.netlist import (
    BoardNetlist,
    board_netlist,
    digest,
    folder_of,
    image_text,
    log_of,
    placeholder,
)
from ecsm.boards.results import Bitstream, Clock, bitstream_path
from ecsm.device.base import DeviceError
from ecsm.files import replacing
from ecsm.progress import Progress
from ecsm.results.kept import Where
from ecsm.results.record import write_json
from ecsm.results.sources import origin_of
from ecsm.signals import scratch
from ecsm.sim.cache import cache_dir, entry
from ecsm.soc.boot import boot_program
from ecsm.soc.firmware import Program, image, sources
from ecsm.soc.serial import PROGRAM

CONFIG, ROUTE, NEW_CONFIG, NEW_IMAGE = "board.config", "route.json", "new.config", "new.hex"
FIXED = {"ecp5": FIXED_OPTIONS, "ice40": FIXED_ICE40, "gowin": gowin.FIXED}
ENDINGS = {"ecp5": ".bit", "ice40": ".bin", "gowin": ".fs"}
CLOSE = 0.01  # a PLL's clock may be so far from what is asked for: the serial port bears that


class TimingFailed(tool.FlowError):
    """A routed design is slower than its clock."""


@dataclass(frozen=True)
class Content:
    """What the memory of a system holds: a name to keep, and what makes it for the system."""

    name: str
    octets: Callable[[Program, Progress], bytes]


def application(program: str = PROGRAM) -> Content:
    """Return a program: a name, or the path of a C file, which is compiled each time."""

    def octets(of: Program, log: Progress) -> bytes:
        main, others = sources(program, ())
        return image(main, of, log, others)

    return Content(program, octets)


def boot_content(public: tuple[int, int], minimum: int) -> Content:
    """Return the boot program with a public key and the least version that it starts."""
    return Content(BOOT, lambda _, log: boot_program(public, minimum, log))


@dataclass(frozen=True)
class How:
    """``seed`` and ``router`` of place and route, and the time limit of its run."""

    seed: int = 1
    router: str = "router1"
    limit_s: float = 60 * MINUTES


def bitstream(
    d: BoardDesign, how: How, folder: Path, log: Progress, root: Where, command: str,
    content: Content | None = None,
) -> Bitstream:  # fmt: skip
    """Write a bitstream to a folder, with what it is made of; keep and return the result.

    ``content``: of the memory of a system on chip, :func:`application` by default. Raises
    :class:`ecsm.backend.tool.FlowError`, :class:`TimingFailed` among them, and
    :class:`ecsm.device.base.DeviceError`.
    """
    packer = ["apycula"] if d.board.family == "gowin" else []
    where = origin_of(digest(d), command, "yosys", program_of(d.board.device), *packer)
    content = content or application()
    words = memory_words(content, d, log) if d.program else []  # before the long part
    netlist = board_netlist(d, log)
    routed = _routed(d, netlist, how, log)
    route = json.loads((routed / ROUTE).read_text(encoding="utf-8"))
    clocks = [Clock(**clock) for clock in route["clocks"]]
    _check_clocks(d, clocks)
    made = _packed(d, routed / CONFIG, words, log)
    folder.mkdir(parents=True, exist_ok=True)
    for file, octets in (
        (folder / "board.sv", d.text.encode()),
        (folder / d.board.constraints, d.board.constraint_text(d.ports).encode()),
        (tables_file(d, folder), d.tables),
        (bitstream_file(d, folder), made),
    ):
        if octets:
            with replacing(file) as out:
                out.write(octets)
    result = Bitstream(
        d.name, d.board.name, d.board.device, d.mhz, clocks, route["used"], how.seed, netlist.key,
        content.name if d.program else "", len(made), hashlib.sha256(made).hexdigest(),
        route["seconds"], route["peak_mb"], where,
    )  # fmt: skip
    write_json(bitstream_path(d.name, d.board.name, root), asdict(result))
    return result


def bitstream_file(d: BoardDesign, folder: Path) -> Path:
    """Return the file of a bitstream in a folder."""
    return folder / f"{d.name}{_ending(d.board)}"


def tables_file(d: BoardDesign, folder: Path) -> Path:
    """Return the file in a folder that goes to the flash memory."""
    return folder / f"{d.name}.tables.bin"


def loading(d: BoardDesign, folder: Path) -> list[str]:
    """Return the commands that load a bitstream. Nobody ran them."""
    commands = [f"{d.board.loader} {bitstream_file(d, folder)}"]
    if d.tables:
        commands.insert(0, f"{d.board.loader} -f -o {TABLES_AT} {tables_file(d, folder)}")
    return commands


def _ending(board: Board) -> str:
    """Return how the name of a board's bitstream ends."""
    return ENDINGS[board.family]


def memory_words(content: Content, d: BoardDesign, log: Progress) -> list[int]:
    """Return the words of the memory of a system on chip."""
    assert d.program
    octets = content.octets(d.program, log)
    room = 1024 * d.program.memory
    if len(octets) > room:
        raise DeviceError(f"a program of {len(octets):,} bytes is too large for the memory")
    octets += bytes(room - len(octets))
    return [int.from_bytes(octets[i : i + 4], "little") for i in range(0, room, 4)]


def _arguments(d: BoardDesign, how: How) -> list[str]:
    """Return the arguments of nextpnr, but the names of files."""
    chosen = f"{d.board.nextpnr} {PLACERS[PLACER]} {ROUTERS[how.router]} {FIXED[d.board.family]}"
    # The rings are loops; the netlist has no other one.
    return [*chosen.split(), "--ignore-loops", "--seed", str(how.seed), "--freq", f"{d.mhz:g}"]


_FILES: Mapping[str, Callable[[str], list[str]]] = {
    "ecp5": lambda limits: ["--lpf", limits, "--textcfg", CONFIG],
    "ice40": lambda limits: ["--pcf", limits, "--asc", CONFIG],
    "gowin": lambda limits: ["--vopt", f"cst={limits}", "--write", CONFIG],
}
"""Arguments of nextpnr for the file of constraints and for the routed design."""


def _routed(d: BoardDesign, netlist: BoardNetlist, how: How, log: Progress) -> Path:
    """Return the folder with the routed design, from the cache or made anew."""
    constraints = d.board.constraint_text(d.ports)
    arguments = _arguments(d, how)
    parts = "\0".join((netlist.key, constraints, *arguments))
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    name = f"{d.name} on {d.board.name}"
    family = d.board.family

    def make(work: Path, done: Path) -> None:
        limits = work / d.board.constraints
        limits.write_text(constraints, encoding="utf-8")
        files = ["--json", netlist.json.name, *_FILES[family](limits.name)]
        failure, spent, report = attempt(
            tool.NEXTPNRS[family], [*arguments, *files],
            [netlist.json, limits], how.limit_s, log_of(d, "route"), name, log, done / CONFIG,
        )  # fmt: skip
        if failure:
            raise tool.FlowError(f"{name}: {failure}")
        found = {**_facts(report), "seconds": spent.seconds, "peak_mb": spent.peak_mb}
        (done / ROUTE).write_text(json.dumps(found), encoding="utf-8")

    return entry(f"{folder_of(d)}.routed-{key}", make)


def _facts(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of nextpnr's report."""
    clocks = [
        asdict(Clock(name, round(c["achieved"], 2), round(c["constraint"], 2)))
        for name, c in sorted(report["fmax"].items())
    ]
    used = {kind: int(n["used"]) for kind, n in report["utilization"].items() if n["used"]}
    return {"clocks": clocks, "used": used}


def _check_clocks(d: BoardDesign, clocks: Sequence[Clock]) -> None:
    """Raise :class:`TimingFailed` for a clock that is too slow, or is not the design's."""
    name = f"{d.name} on {d.board.name}"
    if not any(abs(c.wanted_mhz - d.mhz) <= CLOSE * d.mhz for c in clocks):
        found = ", ".join(f"{c.wanted_mhz:g}" for c in clocks) or "none"
        raise TimingFailed(f"{name}: no clock of {d.mhz:g} MHz: there is {found}; see --clock")
    for c in clocks:
        if c.mhz < c.wanted_mhz:
            raise TimingFailed(
                f"{name}: {c.mhz:.2f} MHz are not the {c.wanted_mhz:g} MHz of its clock: no"
                " bitstream; another --seed or a lower --clock may help"
            )


def _packed(d: BoardDesign, config: Path, words: list[int], log: Progress) -> bytes:
    """Return the bitstream of a routed design, its memory filled."""
    log(f"{d.name} on {d.board.name}: packing")
    made = f"board{_ending(d.board)}"
    cache_dir().mkdir(parents=True, exist_ok=True)
    with scratch("pack-", cache_dir()) as work:
        shutil.copyfile(config, work / CONFIG)
        source = CONFIG
        if words:
            (work / IMAGE).write_text(image_text(placeholder(len(words))), encoding="ascii")
            (work / NEW_IMAGE).write_text(image_text(words), encoding="ascii")
            options = ["-i", CONFIG, "-o", NEW_CONFIG, "-f", IMAGE, "-t", NEW_IMAGE]
            tool.run(tool.ECPBRAM, options, work, log_of(d, "image"), silent=log.again)
            source = NEW_CONFIG
        code, pack = {
            "ecp5": (tool.ECPPACK, ["--compress", source, made]),
            "ice40": (tool.ICEPACK, [source, made]),
            "gowin": (tool.GOWIN_PACK, ["-d", gowin.CHIP, "-o", made, source]),
        }[d.board.family]
        tool.run(code, pack, work, log_of(d, "pack"), silent=log.again)
        return (work / made).read_bytes()
