# SPDX-License-Identifier: Apache-2.0
"""One Device interface; the default device is the core itself, simulated."""

from ecsm.device.base import Completion, Device, DeviceError, Info, Job
from ecsm.device.opening import open_device
from ecsm.device.sim import SimDevice

__all__ = ["Completion", "Device", "DeviceError", "Info", "Job", "SimDevice", "open_device"]
