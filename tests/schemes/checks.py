# SPDX-License-Identifier: Apache-2.0
"""Checks that narrow and wide machines share."""

import pytest

from ecsm.device.schemes import SchemeDevice
from ecsm.status import PointNotOnCurve, SignatureInvalid
from tests.schemes.model import Model
from tests.signatures import Signature


def verify(device: SchemeDevice, model: Model, todo: list[Signature]) -> None:
    """Verify published signatures, some valid, some not."""
    assert {v.valid for v in todo} == {True, False}
    for v in todo:
        strings = [c.to_bytes(model.octets, "big") for c in v.public or ()]
        values = [i.to_bytes(model.order_octets, "big") for i in (v.r, v.s)]
        if v.valid:
            device.run(f"verify-{v.digest}", *strings, v.hashed, *values)
        else:
            with pytest.raises((SignatureInvalid, PointNotOnCurve)):
                device.run(f"verify-{v.digest}", *strings, v.hashed, *values)
