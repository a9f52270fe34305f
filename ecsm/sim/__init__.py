# SPDX-License-Identifier: Apache-2.0
"""Compile a simulator of a core with Verilator, once, and keep it."""
