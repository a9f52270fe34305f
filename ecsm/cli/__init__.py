# SPDX-License-Identifier: Apache-2.0
"""The command line, one module a group of commands."""

from ecsm.cli.app import main, parser

__all__ = ["main", "parser"]
