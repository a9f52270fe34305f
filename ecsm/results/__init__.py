# SPDX-License-Identifier: Apache-2.0
"""What a measured result contains, which design it is of, and where it is kept."""
