# SPDX-License-Identifier: Apache-2.0
"""The proof that an engine over GF(2^m) answers as the formulas say."""
