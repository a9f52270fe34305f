# SPDX-License-Identifier: Apache-2.0
"""A package's driver with arguments that are no job, at every port; run by test_cocotb.py."""

from __future__ import annotations

import hashlib
from array import array
from typing import Any

import cocotb
import numpy as np
import pytest

from ecsm.hdl.ecsm_cocotb import EcsmError, start


async def core(dut: Any, package: Any) -> None:
    """A number that is cut, or goes into the place of another one, would make another job."""
    port = await start(dut, package)
    bits, fits = 1 << package.SCALAR_BITS, 1 << package.COORDINATE_BITS
    wrong: list[tuple[Any, ...]] = [
        (bits, None), (-1, None), (1, None, bits), (1, None, 0, 16), (1, None, 0, 0x100),
        (1, (fits, 0)), (1, (0, fits)), (1, (-1, 0)), (1, (1, 2, 3)), (1, ()),
    ]  # fmt: skip
    if package.SCALARS == 1:
        wrong.append((1, None, 1))
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"more than|kP alone|values to unpack") as refused:
            await port.multiply(*arguments)
        assert f"{bits:#x}" not in str(refused.value)  # a scalar
    with pytest.raises(TypeError):
        await port.multiply(1.5, None)
    assert (await port.multiply(5, None)).status == "OK"
    if package.SCALARS == 2:  # NumPy's integers have 64 bits, and are shifted
        ours, numpy = [await port.multiply(t(3), None, t(2)) for t in (int, np.int64)]
        assert ours.point is not None
        assert numpy == ours


async def schemes(dut: Any, package: Any) -> None:
    """Keys stay where they are."""
    port = await start(dut, package)
    for kind, operation, how in (
        (EcsmError, "none", {}), (ValueError, 64, {}), (ValueError, -1, {}),
        (EcsmError, "forget", {"slot": 255}), (ValueError, "forget", {"slot": 256}),
        (ValueError, "forget", {"slot": -1}), (ValueError, "forget", {"flags": 256}),
        (TypeError, "forget", {"slot": 0.5}),
    ):  # fmt: skip
        with pytest.raises(kind):
            await port.run(operation, **how)
    for string in ("abc", 3, None, [1, 2]):
        with pytest.raises(TypeError):
            await port.run("sha256", string)
    (digest,) = (await port.run("sha256", array("H", [1, 2]))).strings  # by its octets
    assert digest == hashlib.sha256(array("H", [1, 2])).digest()
    assert (await port.run("forget")).status == "OK"


@cocotb.test()
async def what_is_no_job_is_refused(dut: Any) -> None:
    import ecsm_package  # type: ignore[import-not-found]  # of the package that is tried

    await (schemes if ecsm_package.SCHEMES else core)(dut, ecsm_package)
