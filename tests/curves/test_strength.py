# SPDX-License-Identifier: Apache-2.0
"""Bits of security, against the tables of SEC 2, SP 800-57 and RFC 7748."""

from __future__ import annotations

import pytest

from ecsm.curves import CURVES, curve
from ecsm.curves.strength import only_compatible, security_bits

PUBLISHED = {
    # SEC 2, version 1, tables 1 and 3: "strength"
    "sect163k1": 80, "sect163r1": 80, "sect163r2": 80, "sect193r1": 96, "sect193r2": 96,
    "sect233k1": 112, "sect233r1": 112, "sect283k1": 128, "sect283r1": 128, "sect409k1": 192,
    "sect409r1": 192, "sect571k1": 256, "sect571r1": 256, "secp224r1": 112, "secp256k1": 128,
    "secp256r1": 128, "secp384r1": 192, "secp521r1": 256,
    "curve25519": 128,  # RFC 7748, section 7
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_levels_are_those_that_are_published(name: str) -> None:
    assert security_bits(curve(name)) == PUBLISHED[name]


def test_no_curve_is_called_stronger_than_pollards_rho_leaves_it() -> None:
    """Curve25519's order is 2^252 and a little: 126 bits, which everybody calls 128."""
    assert all(2 * security_bits(c) <= c.n.bit_length() + 3 for c in CURVES)


def test_curves_below_112_bits_are_for_compatibility() -> None:
    real = [c for c in CURVES if not c.name.startswith("toy")]
    weak = {c.name for c in real if only_compatible(c)}
    assert weak == {name for name, bits in PUBLISHED.items() if bits < 112}
    assert only_compatible(curve("B-163")) == (
        "sect163r2 has about 80 bits of security: for compatibility, not for new designs"
    )
    assert only_compatible(curve("P-256")) == ""
