# SPDX-License-Identifier: Apache-2.0
"""Many simulated runs of a netlist: leakage and faults."""
