# SPDX-License-Identifier: Apache-2.0
"""Which packages a wheel has; all else is in pyproject.toml.

``ecsm.share`` is this folder: what the tool reads of it is that package's data, and is in the wheel
where :mod:`ecsm.resources` looks for it.
"""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["ecsm*"]), "ecsm.share"], package_dir={"ecsm.share": "."})
