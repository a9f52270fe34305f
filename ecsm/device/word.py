# SPDX-License-Identifier: Apache-2.0
"""A word engine in simulation as a device: its schemes, and no kP by itself."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.device.base import Info, NoKp
from ecsm.device.schemes import SchemeDevice
from ecsm.device.sim import describe
from ecsm.hdl.machines import Machine
from ecsm.presets.word import WordPreset


class WordDevice(NoKp, SchemeDevice):
    """The word engine of a preset."""

    def __init__(self, preset: str, log: Callable[[str], None] | None = None) -> None:
        super().__init__(preset, log=log)

    def _use(self, chosen: Machine) -> None:
        """Be another machine, which changes the address."""
        super()._use(chosen)
        self.uri = f"sim:{chosen.name}"

    def info(self) -> Info:
        """Return what the device is, with the curve that was chosen last."""
        assert isinstance(self.machine.preset, WordPreset)
        return describe(self.machine.preset, self.uri)
