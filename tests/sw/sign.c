/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver of libecsm does, through an address that the compiler knows nothing about. */
#include "ecsm.h"

ecsm_status_t sign(uintptr_t base, const uint8_t *key, const uint8_t *digest, uint8_t *r, uint8_t *s);

ecsm_status_t sign(uintptr_t base, const uint8_t *key, const uint8_t *digest, uint8_t *r, uint8_t *s)
{
    const ecsm_hal_t hal = ecsm_hal_memory(base);
    ecsm_t ecsm;
    ecsm_status_t status = ecsm_open(&ecsm, &hal);
    if (status == ECSM_OK) status = ecsm_load(&ecsm, 1, key);
    if (status == ECSM_OK) status = ecsm_sign(&ecsm, 1, digest, r, s);
    return status;
}
