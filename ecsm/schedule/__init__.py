# SPDX-License-Identifier: Apache-2.0
"""Solve where and when every operation of a program happens, and turn that into microcode."""
