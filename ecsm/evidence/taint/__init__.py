# SPDX-License-Identifier: Apache-2.0
"""What a netlist's bits may depend on, cycle by cycle: see README.md."""
