# SPDX-License-Identifier: Apache-2.0
"""A preset and all that is compiled from it."""
