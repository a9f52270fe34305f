# SPDX-License-Identifier: Apache-2.0
"""Curves over GF(p), and the models of how the RTL computes with residues."""
