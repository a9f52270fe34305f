# SPDX-License-Identifier: Apache-2.0
"""Which packages a wheel has; all else is in pyproject.toml.

``ecsm.share`` is this folder: what the tool reads of it is that package's data, and is in the wheel
where :mod:`ecsm.resources` looks for it.
"""

from __future__ import annotations

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

SHARE = "ecsm.share"


class Build(build_py):
    """Leave this file out: the package has data and no modules."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return a package's modules."""
        if package == SHARE:
            return []
        found: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return found


setup(
    packages=[*find_packages(include=["ecsm*"]), SHARE],
    package_dir={SHARE: "."},
    cmdclass={"build_py": Build},
)
