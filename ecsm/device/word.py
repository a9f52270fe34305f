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
        assert isinstance(self.machine.preset, WordPreset)
        self._preset = self.machine.preset
        self.uri = f"sim:{preset}"

    def info(self) -> Info:
        """Return what the device is."""
        return describe(self._preset, self.uri)
