# SPDX-License-Identifier: Apache-2.0
"""Formulas and programs over GF(p), as the papers write them."""
