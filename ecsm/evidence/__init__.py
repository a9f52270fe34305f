# SPDX-License-Identifier: Apache-2.0
"""Evidence of what a core computes and of what it shows: proofs on its netlists."""
