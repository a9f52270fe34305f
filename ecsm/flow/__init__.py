# SPDX-License-Identifier: Apache-2.0
"""What the commands do: demonstration, checks of the RTL, generated documents."""
