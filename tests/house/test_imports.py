# SPDX-License-Identifier: Apache-2.0
"""No circle of imports is in ``ecsm/``, and few are when those in functions count."""

from __future__ import annotations

from pathlib import Path

from tests.house.imports import circles, imports, late_circles

PACKAGE = Path(__file__).parents[2] / "ecsm"
# The list may only shrink. ecsm.open is the door to all devices, and their RTL asks ecsm for its
# version.
LATE = {
    ("ecsm", "ecsm.device.opening"),
    ("ecsm.device.opening", "ecsm.soc.serial"),
}


def test_no_module_imports_itself() -> None:
    assert circles(imports(PACKAGE)) == set()


def test_imports_in_functions_that_close_a_circle_are_known() -> None:
    assert late_circles(imports(PACKAGE)) == LATE


def test_circles_are_found(tmp_path: Path) -> None:
    texts = {
        "__init__": "",
        "a": "from p import b\n",
        "b": "import p.c\ntry:\n    from p.d import x\nexcept ImportError:\n    pass\n",
        "c": "class C:\n    from p.a import y\n",
        "d": "def f():\n    if f:\n        from p.e import x, y\n",
        "e": "from p.d import f\n",
        "g": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.h\n",
        "h": "import p.g\nasync def f():\n    import p.a, os\n",
    }
    folder = tmp_path / "p"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    found = imports(folder)
    assert circles(found) == {"p.a", "p.b", "p.c"}
    assert late_circles(found) == {("p.d", "p.e")}
    assert found["p.h"].late == {"p.a"}
    assert found["p.d"].late == {"p.e"}
    assert found["p.b"].top == {"p.c", "p.d"}
