# SPDX-License-Identifier: Apache-2.0
"""Emit the engine of each family with its parameters: the one generated module of a preset."""
