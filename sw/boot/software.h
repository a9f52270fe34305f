/* SPDX-License-Identifier: Apache-2.0 */
/* The same in software, to compare: BearSSL's, which is not of this project. */
#ifndef SOFTWARE_H
#define SOFTWARE_H

#include <stdbool.h>
#include <string.h>

#include "bearssl_ec.h"
#include "bearssl_hash.h"

typedef uint32_t boot_verdict_t;
#define BOOT_RIGHT 0x5aa5c33cu
#define BOOT_WRONG 0xa55a3cc3u

static inline bool boot_open(void)
{
    return true;
}

static inline bool boot_digest(const uint8_t *octets, uint32_t count, uint8_t *digest)
{
    br_sha256_context context;
    br_sha256_init(&context);
    br_sha256_update(&context, octets, count);
    br_sha256_out(&context, digest);
    return true;
}

static inline boot_verdict_t boot_verify(const uint8_t *x, const uint8_t *y, const uint8_t *digest,
                                         const uint8_t *r, const uint8_t *s)
{
    uint8_t point[1 + 2 * BOOT_OCTETS] = {4}, raw[2 * BOOT_OCTETS];
    const br_ec_public_key key = {BR_EC_secp256r1, point, sizeof point};
    memcpy(point + 1, x, BOOT_OCTETS);
    memcpy(point + 1 + BOOT_OCTETS, y, BOOT_OCTETS);
    memcpy(raw, r, BOOT_OCTETS);
    memcpy(raw + BOOT_OCTETS, s, BOOT_OCTETS);
    return br_ecdsa_i31_vrfy_raw(&br_ec_p256_m31, digest, BOOT_OCTETS, &key, raw, sizeof raw) == 1
               ? BOOT_RIGHT
               : BOOT_WRONG;
}

#endif
