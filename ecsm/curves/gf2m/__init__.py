# SPDX-License-Identifier: Apache-2.0
"""Curves over GF(2^m) and their field: parameters and the textbook reference."""
