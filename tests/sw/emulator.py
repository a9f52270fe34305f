# SPDX-License-Identifier: Apache-2.0
"""C for a target, compiled and run: a function of it on an emulated CPU, registers on its bus.

The pointer to the registers is an argument of the function, so that the compiler knows nothing
about it. Every access of the CPU to them is seen with its width.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
import unicorn as uc
from _pytest.mark import ParameterSet
from unicorn import arm64_const as arm64
from unicorn import arm_const as arm
from unicorn import riscv_const as riscv
from unicorn import x86_const as x86

from ecsm.sim.cache import cache_dir

CODE, DATA, REGISTERS = 0x10000, 0x40000, 0xA000_0000
SIZE = 0x10000  # of code, and of data; the stack begins at the end of the data
RETURN = 0x8000  # where the function returns to
TIMEOUT_US = 100_000_000
WORD = 4

FLAGS = ("-std=c11", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-nostdlib",
         "-static", "-ffunction-sections", "-Wall", "-Wextra", "-Werror")  # fmt: skip
OPTIMISATIONS = ("-O0", "-O1", "-O2", "-Os")
SCRIPT = """\
ENTRY({entry})
SECTIONS
{{
  . = {base:#x};
  .text : {{ KEEP(*(.text.{entry})) *(.text .text.*) }}
  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) }}
  .data : {{ *(.data .data.* .sdata .sdata.* .bss .bss.* .sbss .sbss.*) }}
  /DISCARD/ : {{ *(.comment) *(.eh_frame*) *(.note*) *(.ARM.*) *(.riscv.attributes) }}
}}
"""
ZIG = (sys.executable, "-m", "ziglang")


@dataclass(frozen=True)
class Cpu:
    """An emulated CPU.

    ``arguments``: registers of a call's first arguments, the others are on the stack; ``link``: the
    register of the address to return to, None if it is on the stack; ``width``: octets of a word on
    the stack; ``thumb``: 1 in addresses of code.
    """

    arch: int
    mode: int
    arguments: tuple[int, ...]
    result: int
    stack: int
    link: int | None
    counter: int
    width: int = 4
    thumb: int = 0
    model: int | None = None


def _arm(model: int) -> Cpu:
    registers = (arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1, arm.UC_ARM_REG_R2, arm.UC_ARM_REG_R3)
    mode = uc.UC_MODE_THUMB | uc.UC_MODE_MCLASS
    return Cpu(uc.UC_ARCH_ARM, mode, registers, registers[0], arm.UC_ARM_REG_SP,
               arm.UC_ARM_REG_LR, arm.UC_ARM_REG_PC, thumb=1, model=model)  # fmt: skip


RV32 = Cpu(
    uc.UC_ARCH_RISCV, uc.UC_MODE_RISCV32,
    tuple(range(riscv.UC_RISCV_REG_A0, riscv.UC_RISCV_REG_A7 + 1)),
    riscv.UC_RISCV_REG_A0, riscv.UC_RISCV_REG_SP, riscv.UC_RISCV_REG_RA, riscv.UC_RISCV_REG_PC,
)  # fmt: skip
AARCH64 = Cpu(
    uc.UC_ARCH_ARM64, uc.UC_MODE_ARM,
    tuple(range(arm64.UC_ARM64_REG_X0, arm64.UC_ARM64_REG_X7 + 1)),
    arm64.UC_ARM64_REG_X0, arm64.UC_ARM64_REG_SP, arm64.UC_ARM64_REG_X30, arm64.UC_ARM64_REG_PC, 8,
)  # fmt: skip
X86_64 = Cpu(
    uc.UC_ARCH_X86, uc.UC_MODE_64,
    (x86.UC_X86_REG_RDI, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RCX,
     x86.UC_X86_REG_R8, x86.UC_X86_REG_R9),
    x86.UC_X86_REG_RAX, x86.UC_X86_REG_RSP, None, x86.UC_X86_REG_RIP, 8,
)  # fmt: skip
M0, M3, M4 = (
    _arm(model)
    for model in (arm.UC_CPU_ARM_CORTEX_M0, arm.UC_CPU_ARM_CORTEX_M3, arm.UC_CPU_ARM_CORTEX_M4)
)


@dataclass(frozen=True)
class Target:
    """A compiler with its options for a CPU.

    ``splits``: whether it splits an access to what may not be aligned.
    """

    name: str
    compiler: tuple[str, ...]
    cpu: Cpu
    splits: bool = False

    @cached_property
    def missing(self) -> bool:
        """Whether the compiler is not installed."""
        return shutil.which(self.compiler[0]) is None

    def image(
        self,
        folder: Path,
        optimise: str,
        entry: str,
        *sources: Path,
        options: Sequence[str] = (),
    ) -> bytes:
        """Compile ``sources``, which find headers in ``folder``; ``entry`` is at the beginning."""
        script, elf, image = (folder / f"{entry}.{end}" for end in ("ld", "elf", "bin"))
        script.write_text(SCRIPT.format(entry=entry, base=CODE))
        command = (*self.compiler, *FLAGS, optimise, f"-I{folder}", *options, *map(str, sources))
        _tool(*command, f"-Wl,-T,{script}", "-o", str(elf))
        _tool(*ZIG, "objcopy", "-O", "binary", str(elf), str(image))
        return image.read_bytes()


def _tool(*command: str) -> None:
    env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig")}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr


def _zig(target: str, cpu: str) -> tuple[str, ...]:
    return (*ZIG, "cc", "-target", target, f"-mcpu={cpu}", "-fno-sanitize=all")


def _targets() -> list[Target]:
    rv32, thumb = "riscv32-freestanding-none", "thumb-freestanding-eabi"
    arm64_ = "aarch64-freestanding-none"
    riscv_gcc = ("riscv64-unknown-elf-gcc", "-mabi=ilp32")
    arm_gcc = ("arm-none-eabi-gcc", "-mthumb")
    strict = "+strict_align"
    return [
        Target("rv32i", _zig(rv32, "generic_rv32"), RV32, splits=True),
        Target("rv32im", _zig(rv32, "generic_rv32+m"), RV32, splits=True),
        Target("cortex-m0", _zig(thumb, "cortex_m0"), M0, splits=True),
        Target("cortex-m3", _zig(thumb, "cortex_m3"), M3),
        Target("cortex-m4", _zig(thumb, "cortex_m4"), M4),
        Target("cortex-m4-strict", _zig(thumb, f"cortex_m4{strict}"), M4, splits=True),
        Target("aarch64", _zig(arm64_, "generic"), AARCH64),
        Target("aarch64-strict", _zig(arm64_, f"generic{strict}"), AARCH64, splits=True),
        Target("x86-64", _zig("x86_64-freestanding-none", "x86_64"), X86_64),
        Target("rv32i-gcc", (*riscv_gcc, "-march=rv32i"), RV32, splits=True),
        Target("rv32im-gcc", (*riscv_gcc, "-march=rv32im"), RV32, splits=True),
        Target("cortex-m0-gcc", (*arm_gcc, "-mcpu=cortex-m0"), M0, splits=True),
        Target("cortex-m4-gcc", (*arm_gcc, "-mcpu=cortex-m4"), M4, splits=True),
    ]


TARGETS = _targets()
"""Zig's clang comes with the project; GCC is tried where it is installed."""


def parameters(targets: Iterable[Target]) -> list[ParameterSet]:
    """Return targets for parametrize; those whose compiler is not installed are skipped."""
    return [
        pytest.param(
            t, id=t.name, marks=pytest.mark.skipif(t.missing, reason=f"no {t.compiler[0]}")
        )
        for t in targets
    ]


class Machine:
    """A CPU with a program, data, and registers at REGISTERS; ``accesses``: what it did to them."""

    def __init__(
        self, cpu: Cpu, image: bytes, read: Callable[[int], int], write: Callable[[int, int], None]
    ) -> None:
        self.cpu = cpu
        self.accesses: list[tuple[str, int, int]] = []
        self._read, self._write = read, write
        self._uc = uc.Uc(cpu.arch, cpu.mode)
        if cpu.model is not None:
            self._uc.ctl_set_cpu_model(cpu.model)
        for base in (CODE, DATA):
            self._uc.mem_map(base, SIZE)
        self._uc.mem_map(RETURN & ~0xFFF, 0x1000)
        self._uc.mmio_map(REGISTERS, 0x1000, self._on_read, None, self._on_write, None)
        self._uc.mem_write(CODE, image)

    def _whole(self, kind: str, offset: int, size: int) -> bool:
        """Note an access; one that the block refuses ends the program."""
        self.accesses.append((kind, offset, size))
        if size == WORD and offset % WORD == 0:
            return True
        self._uc.emu_stop()
        return False

    def _on_read(self, _: uc.Uc, offset: int, size: int, __: object) -> int:
        return self._read(offset) if self._whole("read", offset, size) else 0

    def _on_write(self, _: uc.Uc, offset: int, size: int, value: int, __: object) -> None:
        if self._whole("write", offset, size):
            self._write(offset, value)

    def store(self, address: int, octets: bytes) -> None:
        """Write to memory."""
        self._uc.mem_write(address, octets)

    def load(self, address: int, size: int) -> bytes:
        """Read memory."""
        return bytes(self._uc.mem_read(address, size))

    def refused(self) -> list[tuple[str, int, int]]:
        """Return the accesses that are not of a whole word at its address."""
        return [a for a in self.accesses if a[2] != WORD or a[1] % WORD]

    def call(self, arguments: Sequence[int]) -> int:
        """Call the function at the beginning of the program; return its result of 32 bits.

        Raises AssertionError if it does not return: a refused access ends it.
        """
        cpu = self.cpu
        stack = list(arguments[len(cpu.arguments) :])
        if cpu.link is None:
            stack = [RETURN, *stack]
        else:
            self._uc.reg_write(cpu.link, RETURN | cpu.thumb)
        octets = b"".join(a.to_bytes(cpu.width, "little") for a in stack)
        # Aligned to 16 octets before the call, as every ABI here wants; x86 pushes after that.
        sp = DATA + SIZE - 0x100 - (cpu.width if cpu.link is None else 0)
        self._uc.mem_write(sp, octets)
        self._uc.reg_write(cpu.stack, sp)
        for register, argument in zip(cpu.arguments, arguments, strict=False):
            self._uc.reg_write(register, argument)
        self._uc.emu_start(CODE | cpu.thumb, RETURN, timeout=TIMEOUT_US)
        assert not self.refused(), f"refused: {self.refused()}"
        assert self._uc.reg_read(cpu.counter) & ~1 == RETURN, "the function does not return"
        return int(self._uc.reg_read(cpu.result)) & 0xFFFF_FFFF
