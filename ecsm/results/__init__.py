# SPDX-License-Identifier: Apache-2.0
"""What a measured result holds, of what it was measured, and where it is kept."""
