# SPDX-License-Identifier: Apache-2.0
"""Emit the one generated module of a preset, list its files, package it."""

from ecsm.hdl.emit import emit, numbering
from ecsm.hdl.files import RTL, rtl_files

__all__ = ["RTL", "emit", "numbering", "rtl_files"]
