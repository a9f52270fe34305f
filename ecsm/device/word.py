# SPDX-License-Identifier: Apache-2.0
"""A word engine in simulation as a device: its schemes, and no kP by itself."""

from __future__ import annotations

from collections.abc import Callable

from ecsm.device.base import Info, NoKp
from ecsm.device.schemes import SchemeDevice
from ecsm.device.sim import describe
from ecsm.presets.word import WordPreset


class WordDevice(NoKp, SchemeDevice):
    """The word engine of a preset."""

    def __init__(self, preset: str, log: Callable[[str], None] | None = None) -> None:
        super().__init__(preset, log=log)
        self.uri = f"sim:{self.machine.name}"

    def choose(self, curve: str) -> None:
        """Load the tables of another curve (see SchemeDevice), which changes the address."""
        try:
            super().choose(curve)
        finally:
            self.uri = f"sim:{self.machine.name}"

    def info(self) -> Info:
        """Return what the device is, with the curve that was chosen last."""
        assert isinstance(self.machine.preset, WordPreset)
        return describe(self.machine.preset, self.uri)
