# SPDX-License-Identifier: Apache-2.0
"""ECSM: an open elliptic-curve accelerator, from the field multiplier to a simulated core.

The name is the field's own: elliptic curve scalar multiplication, kP.

>>> import ecsm
>>> with ecsm.open("sim:toy7-fast") as device:
...     device.kp(0, None) is None
True
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of typing takes time, in which an interrupt shows a traceback
if TYPE_CHECKING:
    from collections.abc import Callable

    from ecsm.device.base import Device

__version__ = "0.2.0"


def open(uri: str = "sim:b163-fast", log: Callable[[str], None] | None = None) -> Device:
    """Open a device: see :func:`ecsm.device.opening.open_device`."""
    from ecsm.device.opening import open_device

    return open_device(uri, log)
