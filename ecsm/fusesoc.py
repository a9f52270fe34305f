# SPDX-License-Identifier: Apache-2.0
"""The FuseSoC generator ``ecsm``: what ``ecsm build`` makes, where a core file asks for it.

FuseSoC runs this file with the path of a YAML file that names the core to be made and its
parameters (``ecsm/fusesoc.core`` lists them), in the folder that the core goes to. In a core file,
with this project as a library of FuseSoC (``docs/integrate/core.md`` does it)::

    filesets:
      rtl:
        depend: [ecsm:tools:generator]
    generate:
      signer:
        generator: ecsm
        parameters: {preset: word-p256, attach: axil}

The hand-written RTL comes from the library, so two generated cores in a design share it.
``python -m ecsm.fusesoc`` prints the folder that is the library.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # the folder of ecsm on the path, and not that of this file
    sys.path[0] = str(Path(__file__).resolve().parents[1])
try:
    import yaml  # type: ignore[import-untyped]

    from ecsm.hdl.build import Build
    from ecsm.hdl.library import generated_core
    from ecsm.hdl.machines import subject
    from ecsm.resources import checkout
except ModuleNotFoundError as missing:
    sys.exit(f"ecsm: {sys.executable} has no {missing.name}: pip install ecsm pyyaml")

_TYPES = {
    "preset": str, "attach": str, "engines": int, "schemes": bool, "wide": bool,
    "unprotected": bool,
}  # fmt: skip


_VLNV = re.compile(r"[\w.-]+|[\w.-]*:[\w.-]*:[\w.-]+(:[\w.-]*)?", re.ASCII)


def build_of(parameters: dict[str, Any]) -> Build:
    """Return what the parameters ask for; ValueError for what is none, or does not go together."""
    for name, value in parameters.items():
        if name not in _TYPES:
            raise ValueError(f"{name}: parameters are {', '.join(_TYPES)}")
        if type(value) is not _TYPES[name]:
            raise ValueError(f"{name}: {value!r} is no {_TYPES[name].__name__}")
    if "preset" not in parameters:
        raise ValueError("the parameter preset is missing: a name of ecsm list")
    others = dict(parameters)
    taken = others.pop("unprotected", False)
    build = Build(subject(others.pop("preset")), **others)
    if taken and not build.schemes:
        raise ValueError("unprotected is of schemes: true, and this core has none around it")
    if not taken:
        build.check_protection("unprotected: true")
    return build


def _asked(file: Path) -> tuple[dict[str, Any], str]:
    """Return the parameters and the core's name of a generator's file; ValueError if it is none."""
    try:
        asked = yaml.safe_load(file.read_text(encoding="utf-8"))
        parameters, vlnv = asked["parameters"] or {}, asked["vlnv"]
    except (ValueError, yaml.YAMLError, TypeError, KeyError, RecursionError):
        raise ValueError(f"{file} is no YAML file of a generator, with parameters, vlnv") from None
    if not isinstance(parameters, dict) or not isinstance(vlnv, str):
        raise ValueError(f"{file}: parameters are names with values, and vlnv is a text")
    if not _VLNV.fullmatch(vlnv):
        raise ValueError(f"{file}: {vlnv!r} is no vlnv, VENDOR:LIBRARY:NAME:VERSION")
    return parameters, vlnv


def main(arguments: list[str]) -> int:
    """Write the core that a YAML file asks for; return the exit code.

    Without a file: print the folder that FuseSoC takes for a library.
    """
    if not arguments:
        print(checkout() or Path(__file__).resolve().parent)
        return 0
    if len(arguments) > 1 or not Path(arguments[0]).is_file():
        print("ecsm: FuseSoC runs this with the YAML file of a generator", file=sys.stderr)
        return 2
    try:
        parameters, vlnv = _asked(Path(arguments[0]))
        files = generated_core(build_of(parameters), vlnv)
    except (ValueError, KeyError) as error:
        print(f"ecsm: {error.args[0]}", file=sys.stderr)
        return 2
    try:
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        print(f"ecsm: {Path.cwd() / name}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
