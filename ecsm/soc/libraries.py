# SPDX-License-Identifier: Apache-2.0
"""Libraries in C that are not of this project, for programs on the system on chip.

Debian's source packages have them, and ``.ci/fetch-NAME`` takes them out. What is here is the part
that a program on P-256 needs. BearSSL's curves are in constant time; mbedTLS computes in the block.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ecsm.device.base import NoDevice
from ecsm.resources import resource

LIBC = resource("sw", "firmware") / "libc"
"""The part of a C library that they need."""
MBEDTLS_SW = resource("sw", "mbedtls")


@dataclass(frozen=True)
class Library:
    """One of them, below a folder: that of a variable of the environment, else in ``.cache``.

    ``header``: a program that includes it takes the library; ``proof``: a file that it has;
    ``sources``: patterns of files, ``includes``: folders; ``joined``: what is compiled with them,
    ``own``: this project's sources on top of it; ``flags``: of all these.
    """

    title: str
    header: str
    proof: str
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    joined: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The variable that names another folder."""
        return f"ECSM_{self.title.upper()}"

    def folder(self) -> Path:
        """Return where it is. Raises NoDevice."""
        name = self.title.lower()
        found = Path(os.environ.get(self.variable) or f".cache/{name}").absolute()
        if not (found / self.proof).is_file():
            raise NoDevice(
                f"no {self.title} in {found}: .ci/fetch-{name} fetches it, "
                f"{self.variable} names another folder"
            )
        return found

    def files(self) -> list[Path]:
        """Return the files of its sources, and what is compiled with them. Raises NoDevice."""
        here = self.folder()
        theirs = [file for pattern in self.sources for file in sorted(here.glob(pattern))]
        return [*theirs, *self.joined]

    def places(self) -> list[Path]:
        """Return the folders of headers. Raises NoDevice."""
        here = self.folder()
        ours = sorted({file.parent for file in self.joined})
        return [*(here / name for name in self.includes), *ours]


BEARSSL = Library(
    "BearSSL",
    "bearssl_ec.h",
    "inc/bearssl_ec.h",
    (
        "src/codec/ccopy.c", "src/codec/dec32be.c", "src/codec/enc32be.c",
        "src/ec/ec_p256_m31.c", "src/ec/ec_secp*r1.c",
        "src/ec/ecdsa_i31_bits.c", "src/ec/ecdsa_i31_sign_raw.c", "src/ec/ecdsa_i31_vrfy_raw.c",
        "src/hash/sha2small.c", "src/int/i31_*.c", "src/int/i32_div32.c", "src/mac/hmac.c",
        "src/rand/hmac_drbg.c",
    ),
    ("inc", "src"),
)  # fmt: skip
_MBEDTLS = ("asn1parse", "asn1write", "bignum", "constant_time", "ecdh", "ecdsa", "ecp",
            "ecp_curves", "hmac_drbg", "md", "memory_buffer_alloc", "platform", "platform_util",
            "sha256")  # fmt: skip
MBEDTLS = Library(
    "mbedTLS",
    "ecsm_mbedtls.h",
    "library/ecdsa.c",
    tuple(f"library/{name}.c" for name in _MBEDTLS),
    ("include", "library"),
    joined=tuple(MBEDTLS_SW / f"software_{name}.c" for name in ("ecdh", "ecdsa")),
    own=(*(MBEDTLS_SW / f"{name}.c" for name in ("alt", "block", "self_test")), LIBC / "divide.c"),
    flags=('-DMBEDTLS_CONFIG_FILE="soc_config.h"', "-ffunction-sections", "-Wl,--gc-sections"),
)
LIBRARIES = (BEARSSL, MBEDTLS)
