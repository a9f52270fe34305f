# SPDX-License-Identifier: Apache-2.0
"""Programs of the word engine: walks of words, and the formulas put in order."""
