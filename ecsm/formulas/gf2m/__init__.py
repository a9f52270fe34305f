# SPDX-License-Identifier: Apache-2.0
"""Formulas and programs over GF(2^m), as the papers write them."""
