# SPDX-License-Identifier: Apache-2.0
"""``python -m ecsm``."""

import sys

from ecsm.cli import main

sys.exit(main())
