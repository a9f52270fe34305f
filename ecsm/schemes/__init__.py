# SPDX-License-Identifier: Apache-2.0
"""Schemes: programs of the scheme machine (rtl/scheme), and what they need."""
