# SPDX-License-Identifier: Apache-2.0
"""Implementations that are not ours, to compare with."""
