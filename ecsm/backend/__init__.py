# SPDX-License-Identifier: Apache-2.0
"""Tools behind the RTL: lint, synthesis, place and route, floorplan, netlists."""
