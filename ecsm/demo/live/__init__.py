# SPDX-License-Identifier: Apache-2.0
"""The live picture: one kP as the simulated core ran it, cycle by cycle, as a page."""
