# SPDX-License-Identifier: Apache-2.0
"""Proofs of the word engine: its slots, its walks, what depends on secrets, what is cleared."""
