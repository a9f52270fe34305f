# SPDX-License-Identifier: Apache-2.0
"""BearSSL, a TLS library in C whose curves are in constant time: software that is measured.

Its sources are not of this project: ``.ci/fetch-bearssl`` takes them out of Debian's package. What
is here is the part that a program on P-256 needs, for a CPU that multiplies 32 bits.
"""

from __future__ import annotations

import os
from pathlib import Path

from ecsm.device.base import NoDevice

VARIABLE = "ECSM_BEARSSL"
HEADER = "bearssl_ec.h"
SOURCES = (
    "src/codec/ccopy.c", "src/codec/dec32be.c", "src/codec/enc32be.c",
    "src/ec/ec_p256_m31.c", "src/ec/ec_secp*r1.c",
    "src/ec/ecdsa_i31_bits.c", "src/ec/ecdsa_i31_sign_raw.c", "src/ec/ecdsa_i31_vrfy_raw.c",
    "src/hash/sha2small.c", "src/int/i31_*.c", "src/int/i32_div32.c", "src/mac/hmac.c",
    "src/rand/hmac_drbg.c",
)  # fmt: skip
"""Files below its folder that a program on P-256 is compiled with."""
INCLUDES = ("inc", "src")
STRING = """/* SPDX-License-Identifier: Apache-2.0 */
/* What BearSSL takes from the C library: no program here has one. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

static inline void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    if (d <= s) return memcpy(to, from, size);
    while (size-- > 0) d[size] = s[size];
    return to;
}

static inline int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *p = a, *q = b;
    for (; size > 0 && *p == *q; size--, p++, q++) {}
    return size > 0 ? *p - *q : 0;
}

static inline size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0) size++;
    return size;
}

#endif
"""


def folder() -> Path:
    """Return where the sources are: ECSM_BEARSSL, else .cache/bearssl. Raises NoDevice."""
    found = Path(os.environ.get(VARIABLE) or ".cache/bearssl").absolute()
    if not (found / "inc" / HEADER).is_file():
        raise NoDevice(
            f"no BearSSL in {found}: .ci/fetch-bearssl fetches it, {VARIABLE} names another folder"
        )
    return found


def sources() -> list[Path]:
    """Return the files of :data:`SOURCES`. Raises NoDevice."""
    here = folder()
    return [file for pattern in SOURCES for file in sorted(here.glob(pattern))]


def includes() -> list[Path]:
    """Return the folders of its headers. Raises NoDevice."""
    here = folder()
    return [here / name for name in INCLUDES]
