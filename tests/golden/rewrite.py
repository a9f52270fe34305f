# SPDX-License-Identifier: Apache-2.0
"""``python -m tests.golden.rewrite``: compute all digests anew, keep them, list what changed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.golden.generated import PARTS, Digests, computed

KEPT = Path(__file__).with_name("digests.json")


def kept() -> dict[str, Digests]:
    """Return the digests that are kept, by group."""
    found: dict[str, Digests] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def differences(before: dict[str, Digests], now: dict[str, Digests]) -> list[str]:
    """Return a line for each digest that differs, is missing or is new: "GROUP: KIND"."""
    found = []
    for group in sorted(before.keys() | now.keys()):
        old, new = before.get(group, {}), now.get(group, {})
        kinds = sorted(k for k in old.keys() | new.keys() if old.get(k) != new.get(k))
        found += [f"{group}: {kind}" for kind in kinds]
    return found


def main() -> None:
    """Rewrite the file."""
    before = kept() if KEPT.exists() else {}
    now: dict[str, Digests] = {}
    for part in PARTS:
        now |= computed(part)
    text = json.dumps(now, indent=1, sort_keys=True)
    KEPT.write_text(f"{text}\n", encoding="utf-8")
    print("\n".join(differences(before, now)) or "nothing changed")


if __name__ == "__main__":
    main()
