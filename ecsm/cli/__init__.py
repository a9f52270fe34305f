# SPDX-License-Identifier: Apache-2.0
"""The command line: one module for each group of commands."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # that of typing takes time, in which an interrupt shows a traceback
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    try:
        from ecsm.cli import app
    except KeyboardInterrupt:  # so early that nothing has begun
        print("ecsm: interrupted", file=sys.stderr)
        return 130
    except (MemoryError, OSError) as error:  # 1 would be an invalid signature, of verify
        why = getattr(error, "strerror", None) or "there is not enough memory"
        print(f"ecsm: {why}", file=sys.stderr)
        return 2
    return app.main(argv)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    from ecsm.cli import app

    return app.parser()
