# SPDX-License-Identifier: Apache-2.0
"""Figures that others published, each with its source."""

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


@dataclass(frozen=True)
class Build:
    """One published implementation: device, clock, time of one kP, area as printed.

    ``mhz`` and ``us`` are None, ``area`` is empty where the source gives none. ``engines``: cores.
    """

    device: str
    mhz: float | None = None
    us: float | None = None
    area: str = ""
    engines: int = 1


@dataclass(frozen=True)
class Original:
    """A published design that a preset rebuilds.

    ``cycles``: of one kP; None if the source gives none. ``bit_cycles``: of one key bit, where
    the source states it. ``basis``: what kind of figure ``cycles`` is.
    """

    design: str
    cycles: int | None
    bit_cycles: int | None
    basis: str
    builds: tuple[Build, ...]
    source: str


# sect283r1 in C has only the whole encapsulation. What an encapsulation takes beside its two
# scalar multiplications is the same for all curves (five SHA-256 blocks) and can be read from the
# other two rows of the same table: 52,000 - 2 * 25,700 = 600 and 80,000 - 2 * 39,500 = 1,000.
PSEC_ENCAPSULATION = 4900
PSEC_OVERHEAD = (52_000 - 2 * 25_700, 80_000 - 2 * 39_500)
PSEC_KP = (PSEC_ENCAPSULATION - sum(PSEC_OVERHEAD) // 2) // 2

_KHAN_BUILDS = (
    Build("Virtex-5", 153, 5.10, "10,363 slices, 29,095 LUT, 6,529 FF"),
    Build("Virtex-7", 223, 3.50, "8,736 slices, 27,105 LUT, 6,529 FF"),
)
_SOC = "A. Irwansyah, ECC architectures for FPGA systems-on-chip, UTM thesis"
_PSEC = "S. Sinha Roy, D. Mukhopadhyay, PSEC-KEM report, IIT Kharagpur 2012"


_GUENEYSU = "T. Gueneysu, High Performance ECC over NIST Primes on Commercial FPGAs, ECC 2008"


def _gueneysu(bits: int, one: Build, farm: Build) -> Original:
    """Return a core of which clock and time are published: their product are the cycles."""
    assert one.mhz is not None
    assert one.us is not None
    cycles, basis = round(one.mhz * one.us), f"{one.mhz:g} MHz times {one.us:g} us"
    return Original(f"Güneysu-Paar, P-{bits}", cycles, None, basis, (one, farm), _GUENEYSU)


def _soc(m: int) -> Original:
    builds = (Build("Stratix EP1S40", 50),)
    return Original(f"SoC thesis, {m} bits", None, None, "no cycles in our text", builds, _SOC)


ORIGINALS: dict[str, Original] = {
    "cityu-ecsm": Original(
        "CityU ECSM core", 8097, None, "one kP",
        (Build("Virtex-4", 250.564, 32.3, "38,753 slices, 72,147 LUT4, 25,848 FF"),),
        "CityU ECSM IP core",
    ),
    "khan-benaissa": Original("Khan-Benaissa", 780, 4, "one kP", _KHAN_BUILDS, KHAN),
    "khan-benaissa-one": Original(
        "Khan-Benaissa, one multiplier", None, 6, "a schedule, not built", (), KHAN
    ),
    "khan-benaissa-three": Original(
        "Khan-Benaissa, three multipliers", None, 4, "a schedule, not built", (), KHAN
    ),
    "soc-163": _soc(163),
    "soc-193": _soc(193),
    "soc-233": _soc(233),
    "psec-sect283r1": Original(
        "PSEC-KEM report, sect283r1", PSEC_KP, None, "derived from 4,900 an encapsulation",
        (Build("Virtex-5", 38.4, None, "44,807 slices (all of encryption)"),), _PSEC,
    ),
    "guneysu-p224": _gueneysu(
        224, Build("Virtex-4 FX12", 487, 365, "1,580 slices, 26 DSP"),
        Build("Virtex-4 SX55, 18 cores", 372, None, "24,452 slices, 468 DSP (26.5 us a kP)", 18),
    ),
    "guneysu-p256": _gueneysu(
        256, Build("Virtex-4 FX12", 490, 495, "1,715 slices, 32 DSP"),
        Build("Virtex-4 SX55, 16 cores", 375, None, "24,574 slices, 512 DSP (40.5 us a kP)", 16),
    ),
    "psec-secp256r1": Original(
        "PSEC-KEM report, secp256r1", 39_500, None, "one kP",
        (Build("Virtex-5", 44, 900, "9,100 slices, no DSP"),), _PSEC,
    ),
    "psec-secp256k1": Original(
        "PSEC-KEM report, secp256k1", 25_700, None, "one kP",
        (Build("Virtex-5", 43, 600, "9,920 slices, no DSP"),), _PSEC,
    ),
}  # fmt: skip


def _builds(key: str, multipliers: str) -> list[Published]:
    """Return the rows of an original of which cycles, clock and time are known."""
    o = ORIGINALS[key]
    return [
        Published(o.design, multipliers, o.cycles, b.mhz, b.us, b.device, o.source)
        for b in o.builds
        if o.cycles is not None and b.mhz is not None and b.us is not None
    ]


ECSM_163: tuple[Published, ...] = (
    *_builds("cityu-ecsm", "not stated"),
    Published("cited by KB as [10]", "41-bit Karatsuba", 4050, 197, 20.56, "Virtex-4", KHAN),
    Published("cited by KB as [17]", "2 GNB, 55 bit", 3379, 262, 12.90, "Virtex-5", KHAN),
    Published("cited by KB as [12]", "55 bit", 3010, 154, 19.55, "Virtex-4", KHAN),
    Published("cited by KB as [16]", "3 serial, 55 bit", 2751, 250, 9.60, "Virtex-4", KHAN),
    Published("cited by KB as [14]", "3 cores, 82 bit", 1428, 185, 7.72, "Virtex-4", KHAN),
    Published("cited by KB as [13]", "3 serial, 81 bit", 1371, 250, 5.48, "Virtex-5", KHAN),
    Published("cited by KB as [18]", "163-bit Karatsuba", 1091, 121, 9.00, "Virtex-4", KHAN),
    *_builds("khan-benaissa", "2 full precision"),
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
