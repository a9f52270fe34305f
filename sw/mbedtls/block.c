/* SPDX-License-Identifier: Apache-2.0 */
/* The block that mbedTLS uses: one at a time, with a lock where there are threads. */

#include "block.h"

#include <string.h>

#include "mbedtls/error.h"
#include "mbedtls/platform.h"
#include "mbedtls/platform_util.h"
#if defined(MBEDTLS_THREADING_C)
#include "mbedtls/threading.h"
#endif

static struct {
    ecsm_t *ecsm;
    mbedtls_ecp_group_id curve;
    uint32_t slot;
#if defined(MBEDTLS_THREADING_C)
    mbedtls_threading_mutex_t lock;
#endif
} used;

int ecsm_mbedtls_error(ecsm_status_t status)
{
    switch (status) {
    case ECSM_OK:
        return 0;
    case ECSM_STATUS_COORDINATE_OUT_OF_RANGE:
    case ECSM_STATUS_POINT_NOT_ON_CURVE:
    case ECSM_STATUS_SCALAR_OUT_OF_RANGE:
    case ECSM_STATUS_LOW_ORDER_POINT:
        return MBEDTLS_ERR_ECP_INVALID_KEY;
    case ECSM_STATUS_SIGNATURE_INVALID:
        return MBEDTLS_ERR_ECP_VERIFY_FAILED;
    case ECSM_STATUS_FAULT_DETECTED:
        return MBEDTLS_ERR_ERROR_CORRUPTION_DETECTED;
    case ECSM_STATUS_UNSUPPORTED:
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    case ECSM_STATUS_NO_ENTROPY:
        return MBEDTLS_ERR_ECP_RANDOM_FAILED;
    default: /* a key that someone else removed; statuses of the driver */
        return MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
    }
}

/* Whether 1 G of the block is mbedTLS's G. */
static int has_curve(ecsm_t *ecsm, const mbedtls_ecp_group *group, uint32_t slot)
{
    static const uint8_t one[BLOCK_OCTETS] = {[BLOCK_OCTETS - 1] = 1};
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS], right[2 * BLOCK_OCTETS];

    if (!block_number(right, &group->G.X) || !block_number(right + BLOCK_OCTETS, &group->G.Y))
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    ecsm_status_t status = ecsm_load(ecsm, slot, one);
    if (status != ECSM_OK) return ecsm_mbedtls_error(status);
    status = ecsm_public(ecsm, slot, (ecsm_point_t){x, y});
    const ecsm_status_t forgotten = ecsm_forget(ecsm, slot);
    if (status == ECSM_OK) status = forgotten;
    if (status != ECSM_OK) return ecsm_mbedtls_error(status);
    const bool same = memcmp(x, right, sizeof x) == 0 && memcmp(y, right + sizeof x, sizeof y) == 0;
    return same ? 0 : MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
}

int ecsm_mbedtls_begin(ecsm_t *ecsm, mbedtls_ecp_group_id curve, uint32_t slot)
{
    mbedtls_ecp_group group;

    if (ecsm == NULL || used.ecsm != NULL || slot >= ECSM_SLOTS)
        return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    mbedtls_ecp_group_init(&group);
    int error = mbedtls_ecp_group_load(&group, curve);
    if (error == 0 && (group.nbits != BLOCK_BITS || group.pbits != BLOCK_BITS ||
                       ecsm->scalar_octets != BLOCK_OCTETS ||
                       ecsm->coordinate_octets != BLOCK_OCTETS))
        error = MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    if (error == 0) error = has_curve(ecsm, &group, slot);
    mbedtls_ecp_group_free(&group);
    if (error != 0) return error;
#if defined(MBEDTLS_THREADING_C)
    mbedtls_mutex_init(&used.lock);
#endif
    used.ecsm = ecsm;
    used.curve = curve;
    used.slot = slot;
    return 0;
}

void ecsm_mbedtls_end(void)
{
    if (used.ecsm == NULL) return;
#if defined(MBEDTLS_THREADING_C)
    mbedtls_mutex_free(&used.lock);
#endif
    used.ecsm = NULL;
}

mbedtls_ecp_group_id block_curve(void)
{
    return used.ecsm != NULL ? used.curve : MBEDTLS_ECP_DP_NONE;
}

uint32_t block_key_slot(void)
{
    return used.slot;
}

bool block_has(const mbedtls_ecp_group *group)
{
    return group != NULL && used.ecsm != NULL && group->id == used.curve;
}

ecsm_t *block_take(void)
{
    if (used.ecsm == NULL) return NULL;
#if defined(MBEDTLS_THREADING_C)
    if (mbedtls_mutex_lock(&used.lock) != 0) return NULL;
#endif
    return used.ecsm;
}

void block_give(void)
{
#if defined(MBEDTLS_THREADING_C)
    (void)mbedtls_mutex_unlock(&used.lock);
#endif
}

ecsm_status_t block_key_take(ecsm_t **ecsm, const mbedtls_mpi *d)
{
    uint8_t key[BLOCK_OCTETS];

    ecsm_status_t status = ECSM_STATUS_SCALAR_OUT_OF_RANGE;
    if (!block_number(key, d)) return status;
    *ecsm = block_take();
    status = *ecsm != NULL ? ecsm_load(*ecsm, used.slot, key) : ECSM_NO_DEVICE;
    mbedtls_platform_zeroize(key, sizeof key);
    if (*ecsm != NULL && status != ECSM_OK) block_give();
    return status;
}

ecsm_status_t block_key_give(ecsm_t *ecsm, ecsm_status_t status)
{
    const ecsm_status_t forgotten = ecsm_forget(ecsm, used.slot);
    block_give();
    return status != ECSM_OK ? status : forgotten;
}

void block_digest(uint8_t *digest, const uint8_t *octets, size_t length)
{
    const size_t taken = length < BLOCK_OCTETS ? length : BLOCK_OCTETS;

    memset(digest, 0, BLOCK_OCTETS - taken);
    if (taken != 0) memcpy(digest + BLOCK_OCTETS - taken, octets, taken);
}

bool block_number(uint8_t *octets, const mbedtls_mpi *number)
{
    return mbedtls_mpi_cmp_int(number, 0) >= 0 &&
           mbedtls_mpi_write_binary(number, octets, BLOCK_OCTETS) == 0;
}
