# SPDX-License-Identifier: Apache-2.0
"""Domain parameters of curves of RFC 5639, whose primes are random and have no sparse form.

Source: RFC 5639 (2010), 3.4. Checked by ``tests/curves/gfp/test_sec2.py`` against libcrypto and
by their mathematics.
"""

from ecsm.curves.gfp.weierstrass import PrimeCurve

BRAINPOOL_CURVES: tuple[PrimeCurve, ...] = (
    PrimeCurve(
        "brainpoolP256r1",
        0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377,
        a=0x7D5A0975FC2C3057EEF67530417AFFE7FB8055C126DC5C6CE94A4B44F330B5D9,
        b=0x26DC5C6CE94A4B44F330B5D9BBD77CBF958416295CF7E1CE6BCCDC18FF8C07B6,
        generator=(
            0x8BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262,
            0x547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997,
        ),
        n=0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7,
        h=1,
    ),
)
"""All of them, by size."""
