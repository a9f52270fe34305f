# SPDX-License-Identifier: Apache-2.0
"""Demonstrations: one kP, ECIES, electronic cheques, the live picture of a core."""
