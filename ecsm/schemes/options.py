# SPDX-License-Identifier: Apache-2.0
"""Options of operations: the flags of a request, an octet, by operation."""

from __future__ import annotations

HEDGED = 1
"""Of signing: random octets follow the nonce's seed."""
GIVEN = 1
"""Of encapsulation, in test mode: the host gives r."""
COFACTOR = 1
"""Of encryption: the cofactor Diffie-Hellman primitive, not the plain one."""
