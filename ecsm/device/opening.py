# SPDX-License-Identifier: Apache-2.0
"""Open a device by its address."""

from __future__ import annotations

import re
from collections.abc import Callable

from ecsm.device.base import Device, NoDevice


def open_device(uri: str = "sim:b163-fast", log: Callable[[str], None] | None = None) -> Device:
    """Open a device by its address.

    ``sim:PRESET`` is the preset's core in simulation, ``sim:PRESET*N`` a farm of N of them, 1 to
    64; a word engine has ``run`` and ``stream`` alone. The first opening of a preset compiles its
    core, and its first ``run`` its schemes; ``log`` receives progress. Later ones use the cache.

    ``unix:PATH`` is a device server's socket (``ecsm serve``), ``serial:PATH`` a serial port of
    115,200 baud; these have ``run`` alone. Options follow the path, as in
    ``serial:/dev/ttyUSB0?baud=921600&timeout=5``; ``timeout`` is the most seconds of a job.
    ``soc:PRESET`` is the schemes of a preset on the simulated system on chip, over its serial port.
    Raises :class:`DeviceError`, :class:`NoDevice` if there is none, or
    :class:`ecsm.presets.table.UnknownPreset`.
    """
    if not isinstance(uri, str):
        raise TypeError("the address of a device is a text")
    scheme, _, rest = uri.partition(":")
    if rest and scheme == "sim":
        return _simulated(uri, rest, log)
    if rest and scheme in ("unix", "serial"):
        return _remote(uri, scheme, rest)
    if rest and scheme == "soc":
        from ecsm.soc.serial import SocDevice

        return SocDevice(rest, log)
    raise _no_device(uri)


def _remote(uri: str, scheme: str, rest: str) -> Device:
    from ecsm.device.remote import TIMEOUT_S, RemoteDevice
    from ecsm.device.transport import BAUD, Line, SerialLine, UnixLine

    path, mark, text = rest.partition("?")
    options = dict(option.partition("=")[::2] for option in text.split("&")) if mark else {}
    known = {"timeout": (TIMEOUT_S[scheme], 6)} | (
        {"baud": (BAUD, 8)} if scheme == "serial" else {}
    )
    numbers: dict[str, int] = {}
    if unknown := [name for name in options if name not in known]:
        raise NoDevice(f"{uri}: there is no option {unknown[0]!r}, only {', '.join(known)}")
    for name, (default, digits) in known.items():
        value = options.get(name, str(default))
        if not re.fullmatch(rf"[1-9][0-9]{{0,{digits - 1}}}", value):
            raise NoDevice(f"{uri}: option {name} is a number of 1 to {digits} digits")
        numbers[name] = int(value)
    line: Line = UnixLine(path) if scheme == "unix" else SerialLine(path, numbers["baud"])
    return RemoteDevice(line, numbers["timeout"])


def _simulated(uri: str, rest: str, log: Callable[[str], None] | None) -> Device:
    from ecsm.device.sim import SimDevice
    from ecsm.hdl.farm import MOST_ENGINES
    from ecsm.presets.word import is_word_engine

    if is_word_engine(rest):
        from ecsm.device.word import WordDevice

        return WordDevice(rest, log)
    name, star, count = rest.partition("*")
    farm = not star or bool(re.fullmatch("[0-9]{1,4}", count) and 1 <= int(count) <= MOST_ENGINES)
    if not name or not farm:
        raise _no_device(uri)
    return SimDevice(name, log, engines=int(count or 1))


def _no_device(uri: str) -> NoDevice:
    from ecsm.hdl.farm import MOST_ENGINES

    return NoDevice(
        f"no device {uri!r}: the address is sim:PRESET, as in sim:b163-fast, or sim:PRESET*N"
        f" for a farm of N engines, at most {MOST_ENGINES}; unix:PATH; serial:PATH; or soc:PRESET"
    )
