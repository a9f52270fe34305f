# SPDX-License-Identifier: Apache-2.0
"""The program of the engine for point halving: a loop placed by hand, a tail that is solved."""
