# SPDX-License-Identifier: Apache-2.0
"""Figures that others published, each with where it was read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One published scalar multiplier: cycles a kP, clock, time, and on what."""

    design: str
    multipliers: str
    cycles: int
    mhz: float
    us: float
    device: str
    source: str


KHAN = "Z. U. A. Khan, M. Benaissa, FPL 2015"
ECSM_163: tuple[Published, ...] = (
    Published(
        "CityU ECSM core", "not stated", 8097, 250.564, 32.3, "Virtex-4", "CityU ECSM IP core"
    ),
    Published("cited by KB as [10]", "41-bit Karatsuba", 4050, 197, 20.56, "Virtex-4", KHAN),
    Published("cited by KB as [17]", "2 GNB, 55 bit", 3379, 262, 12.90, "Virtex-5", KHAN),
    Published("cited by KB as [12]", "55 bit", 3010, 154, 19.55, "Virtex-4", KHAN),
    Published("cited by KB as [16]", "3 serial, 55 bit", 2751, 250, 9.60, "Virtex-4", KHAN),
    Published("cited by KB as [14]", "3 cores, 82 bit", 1428, 185, 7.72, "Virtex-4", KHAN),
    Published("cited by KB as [13]", "3 serial, 81 bit", 1371, 250, 5.48, "Virtex-5", KHAN),
    Published("cited by KB as [18]", "163-bit Karatsuba", 1091, 121, 9.00, "Virtex-4", KHAN),
    Published("Khan-Benaissa", "2 full precision", 780, 153, 5.10, "Virtex-5", KHAN),
    Published("Khan-Benaissa", "2 full precision", 780, 223, 3.50, "Virtex-7", KHAN),
    Published(
        "three multipliers",
        "3 full precision",
        450,
        159,
        2.83,
        "not stated",
        "as quoted in our aims",
    ),
)
