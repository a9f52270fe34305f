# SPDX-License-Identifier: Apache-2.0
"""Count the toggles in a stream of value changes (VCD, as Verilator writes it), each net once.

A net has many names: a wire, the ports that it passes, copies in arrays, slices. It counts once,
for the scope that drives it, as far as names show that scope:

- Names with the same identifier code are one net. So are bits that toggle in exactly the same
  samples, at least :data:`DISTINCT` times, and vectors of the same width with the same history.
- The deepest name of a net counts. Inputs (``*_i``) come last, because an input drives nothing.

The stream is read once, line by line, so memory grows only with the number of nets.
Source: IEEE 1800-2017, 21.7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DISTINCT = 16
"""Bits that toggle as often and always together are copies; below, it may be chance."""

Scope = tuple[str, ...]
_Words = npt.NDArray[np.uint64]


class VcdError(ValueError):
    """The stream is no VCD that this module reads."""


@dataclass
class _Signal:
    """One identifier code: its best name's scope, and where its bits are."""

    width: int
    offset: int
    scope: Scope = ()
    rank: tuple[bool, int] = (True, 0)  # input, minus depth: the least is the best
    clock: bool = False


def toggles(lines: Iterable[bytes], clock: str = "clk_i") -> dict[Scope, int]:
    """Return the toggles of each scope that drives something that toggled.

    The first sample gives the initial values. Nets with a name ``clock`` do not count. Scopes are
    paths of instances and generate blocks, the outermost first, ``TOP`` left out. Raises
    :class:`VcdError`.
    """
    stream = iter(lines)
    signals = _header(stream, clock)
    counts, histories = _changes(stream, signals)
    return _by_scope([s for s in signals.values() if not s.clock], counts, histories)


def _definitions(stream: Iterator[bytes]) -> Iterator[tuple[list[str], bytes, str, int]]:
    """Yield scope, identifier code, name and width of every variable, and consume the head."""
    scope: list[str] = []
    for line in stream:
        words = line.split()
        if not words:
            continue
        if words[0] == b"$enddefinitions":
            return
        if words[0] == b"$scope":
            scope.append(words[2].decode())
        elif words[0] == b"$upscope":
            scope.pop()
        elif words[0] == b"$var":
            yield scope, words[3], words[4].decode(), int(words[2])
    raise VcdError("the stream ends within its definitions")


def _header(stream: Iterator[bytes], clock: str) -> dict[bytes, _Signal]:
    signals: dict[bytes, _Signal] = {}
    bits = 0
    for scope, code, name, width in _definitions(stream):
        if code not in signals:
            signals[code] = _Signal(width, bits)
            bits += width
        signal = signals[code]
        inner = len(scope) > 2  # TOP and the top module: their inputs have no other driver
        rank = (inner and name.partition("[")[0].endswith("_i"), -len(scope))
        if not signal.scope or rank < signal.rank:
            signal.scope, signal.rank = tuple(scope[1:]) or tuple(scope), rank
        signal.clock |= name == clock
    return signals


def probe(lines: Iterable[bytes], names: Iterable[str]) -> Iterator[dict[str, int]]:
    """Yield the values of some signals in every sample: the same dictionary again and again.

    A name is the path below the top module, as in ``u_engine.register[0]``. Raises
    :class:`VcdError`, for a name that there is not too.
    """
    stream = iter(lines)
    wanted = set(names)
    codes: dict[bytes, list[str]] = defaultdict(list)
    for scope, code, name, _ in _definitions(stream):
        path = ".".join([*scope[2:], name])
        if len(scope) > 1 and path in wanted:
            codes[code].append(path)
            wanted.remove(path)
    if wanted:
        raise VcdError(f"no signal {min(wanted)}")
    values = {path: 0 for paths in codes.values() for path in paths}
    sampled = False
    for line in stream:
        kind = line[:1]
        if kind == b"#":
            if sampled:
                yield values
            sampled = True
            continue
        if kind == b"b":
            text, code = line[1:].split()
        elif kind in (b"0", b"1"):
            text, code = kind, line[1:].strip()
        else:
            continue
        for path in codes.get(code, ()):
            values[path] = int(text, 2)
    if sampled:
        yield values


def _changes(
    stream: Iterator[bytes], signals: dict[bytes, _Signal]
) -> tuple[npt.NDArray[np.uint32], _Words]:
    """Return how often each bit toggled, and a hash of when."""
    size = max((s.offset + s.width for s in signals.values()), default=0)
    value = np.full(size, ord("0"), np.uint8)
    count = np.zeros(size, np.uint32)
    history = np.zeros(size, np.uint64)
    random = np.random.Generator(np.random.PCG64(1))
    sample, mark = -1, np.uint64(0)
    for line in stream:
        kind = line[:1]
        if kind == b"#":
            sample += 1
            mark = random.integers(1, 1 << 63, dtype=np.uint64)
            continue
        if kind == b"b":
            text, code = line[1:].split()
        elif kind in (b"0", b"1"):
            text, code = kind, line[1:].strip()
        elif not line.strip() or kind == b"$":
            continue
        else:
            raise VcdError(f"not a value change: {line[:40]!r}")
        signal = signals.get(code)
        if signal is None:
            raise VcdError(f"no signal has the code {code!r}")
        if len(text) != signal.width:
            text = text.rjust(signal.width, b"0")
        at = slice(signal.offset, signal.offset + signal.width)
        new = np.frombuffer(text, np.uint8)
        if sample > 0 and not signal.clock:
            flip = new ^ value[at]
            count[at] += flip
            history[at] ^= flip * mark
        value[at] = new
    if sample < 0:
        raise VcdError("the stream has no sample")
    return count, history


def _by_scope(
    signals: list[_Signal], count: npt.NDArray[np.uint32], history: _Words
) -> dict[Scope, int]:
    found: dict[Scope, int] = defaultdict(int)
    weight = np.random.Generator(np.random.PCG64(2)).integers(
        1, 1 << 63, max((s.width for s in signals), default=1), dtype=np.uint64
    )
    live = [s for s in signals if count[s.offset : s.offset + s.width].any()]
    live.sort(key=lambda s: s.rank)
    if not live:
        return {}
    keys, counts = [], []
    for s in live:
        at = slice(s.offset, s.offset + s.width)
        n, h, w = count[at], history[at], weight[: s.width]
        vector = (h * w).sum(dtype=np.uint64)  # the same for vectors of the same history
        keys.append(np.where(n >= DISTINCT, h, (vector ^ w) * np.uint64(s.width * 2 + 1)))
        counts.append(n)
    key, n = np.concatenate(keys), np.concatenate(counts)
    owner = np.repeat(np.arange(len(live)), [s.width for s in live])
    key, n, owner = key[n > 0], n[n > 0], owner[n > 0]
    _, first = np.unique(key, return_index=True)  # the first of equals: the best rank
    total = np.bincount(owner[first], weights=n[first], minlength=len(live))
    for s, t in zip(live, total, strict=True):
        if t:
            found[s.scope] += int(t)
    return dict(found)
