# SPDX-License-Identifier: Apache-2.0
"""Proofs of the arithmetic over prime fields, on netlists of words."""
