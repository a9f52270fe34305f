# SPDX-License-Identifier: Apache-2.0
"""The live picture: one kP as the simulated core ran it, cycle by cycle, in a page of its own."""
