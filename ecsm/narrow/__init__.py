# SPDX-License-Identifier: Apache-2.0
"""Units on the narrow port: their functions, programs, and generated modules."""
