# SPDX-License-Identifier: Apache-2.0
"""gf2m_form against its formula: see form_cocotb.py for what is asserted."""

from __future__ import annotations

import random

import pytest

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import field_sources, run
from tests.rtl.common.tops import Form, form_group_top, forms_to_json, random_form


def check(forms: list[Form]) -> None:
    run(
        "form_group",
        [rtl_file("gf2m_engine_pkg"), *field_sources(), rtl_file("gf2m_form")],
        "tests.rtl.gf2m.form_cocotb",
        text=form_group_top(forms),
        env={"FORMS": forms_to_json(forms)},
        optimise="-O0",
    )


@pytest.mark.parametrize("m", [2, 7, 33])
def test_random_terms_and_maps(m: int) -> None:
    rng = random.Random(m)
    matrix = tuple(rng.getrandbits(m) for _ in range(m))
    corners = [
        Form(m, 0, 1, ((0, 0, 0),), (matrix,)),  # one term, the identity; the map unused
        Form(m, 0, 1, ((0, 1, 0),), (matrix,)),  # one term, one map
        Form(m, 3, 2, ((0, 0, 0), (1, 1, 1)), (matrix,)),  # a sink without terms: zero
        Form(m, 0, 2, ((0, 0, 1), (0, 0, 1)), (matrix,)),  # a term twice: it cancels itself
        Form(m, 200, 2, ((200, 1, 1), (200, 0, 1), (199, 0, 0)), (matrix,)),
    ]
    check(
        [*corners, *(random_form(m, rng.randint(1, 4), rng.randint(1, 9), rng) for _ in range(9))]
    )
