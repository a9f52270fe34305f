# SPDX-License-Identifier: Apache-2.0
"""Where evidence is kept.

``prove/PRESET.json``, ``leak/PRESET.VARY.json`` (traces that are cut:
``leak/PRESET.VARY.DIGITS.json``) and ``fault/PRESET.MODE.json``.
"""

from __future__ import annotations

from ecsm.results.kept import AWhere


def prove_path(preset: str, root: AWhere) -> AWhere:
    """Return where it is kept what was proven of a preset."""
    return root / "prove" / f"{preset}.json"


def leak_path(preset: str, vary: str, root: AWhere, digits: int = 0) -> AWhere:
    """Return where it is kept what a preset's changes tell; ``digits``: where its traces end."""
    return root / "leak" / f"{preset}.{vary}{f'.{digits}' * bool(digits)}.json"


def fault_path(preset: str, mode: str, root: AWhere) -> AWhere:
    """Return where it is kept what faults do to a preset."""
    return root / "fault" / f"{preset}.{mode}.json"
