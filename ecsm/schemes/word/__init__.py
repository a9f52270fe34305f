# SPDX-License-Identifier: Apache-2.0
"""Schemes as programs of the word engine."""
