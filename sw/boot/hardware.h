/* SPDX-License-Identifier: Apache-2.0 */
/* The digest and the verification of an image by the block of registers, through libecsm. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "ecsm.h"
#include "soc.h"

typedef ecsm_status_t boot_verdict_t;
#define BOOT_RIGHT ECSM_OK
#define BOOT_WRONG ECSM_NO_DEVICE

static ecsm_t boot_block;

static inline bool boot_open(void)
{
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
    return ecsm_open(&boot_block, &hal) == ECSM_OK;
}

static inline bool boot_digest(const uint8_t *octets, uint32_t count, uint8_t *digest)
{
    return ecsm_sha256(&boot_block, octets, count, digest) == ECSM_OK;
}

static inline boot_verdict_t boot_verify(const uint8_t *x, const uint8_t *y, const uint8_t *digest,
                                         const uint8_t *r, const uint8_t *s)
{
    return ecsm_verify(&boot_block, (ecsm_const_point_t){x, y}, digest, r, s);
}

#endif
