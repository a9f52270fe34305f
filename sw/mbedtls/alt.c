/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of mbedTLS that the block does: on its curve there, on others by mbedTLS's software.
 * What the block refuses is refused, and not tried in software. */

#include "block.h"

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/hmac_drbg.h"
#include "mbedtls/platform_util.h"

typedef int random_t(void *, unsigned char *, size_t);

/* Whether a number is in 1 .. order - 1. */
static bool below_order(const mbedtls_ecp_group *group, const mbedtls_mpi *number)
{
    return mbedtls_mpi_cmp_int(number, 1) >= 0 && mbedtls_mpi_cmp_mpi(number, &group->N) < 0;
}

/* The coordinates of a public key; the block tells whether they are of a point of the curve. */
static bool coordinates(const mbedtls_ecp_point *point, uint8_t *x, uint8_t *y)
{
    return mbedtls_mpi_cmp_int(&point->Z, 1) == 0 && block_number(x, &point->X) &&
           block_number(y, &point->Y);
}

/* The block's nonces are those of RFC 6979 with SHA-256. mbedTLS asks for those of a hash by such a
 * generator of its own, which has no entropy: software makes those of another hash. */
static bool other_nonce(size_t length, random_t *random, const void *state)
{
#if defined(MBEDTLS_HMAC_DRBG_C)
    const mbedtls_hmac_drbg_context *generator = state;

    return random == mbedtls_hmac_drbg_random && generator != NULL &&
           generator->f_entropy == NULL &&
           (length != BLOCK_OCTETS ||
            mbedtls_md_get_type(generator->md_ctx.md_info) != MBEDTLS_MD_SHA256);
#else
    (void)length;
    (void)random;
    (void)state;
    return false;
#endif
}

int mbedtls_ecdsa_sign(mbedtls_ecp_group *group, mbedtls_mpi *r, mbedtls_mpi *s,
                       const mbedtls_mpi *d, const unsigned char *digest, size_t length,
                       random_t *random, void *state)
{
    uint8_t number[BLOCK_OCTETS], octets[2 * BLOCK_OCTETS];
    ecsm_t *ecsm;

    if (!block_has(group) || other_nonce(length, random, state))
        return ecsm_software_ecdsa_sign(group, r, s, d, digest, length, random, state);
    if (r == NULL || s == NULL || d == NULL || (digest == NULL && length != 0))
        return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    if (!below_order(group, d)) return MBEDTLS_ERR_ECP_INVALID_KEY;
    block_digest(number, digest, length);
    ecsm_status_t status = block_key_take(&ecsm, d);
    if (status == ECSM_OK) {
        status = ecsm_sign(ecsm, block_key_slot(), number, octets, octets + BLOCK_OCTETS);
        status = block_key_give(ecsm, status);
    }
    if (status != ECSM_OK) return ecsm_mbedtls_error(status);
    const int error = mbedtls_mpi_read_binary(r, octets, BLOCK_OCTETS);
    return error != 0 ? error : mbedtls_mpi_read_binary(s, octets + BLOCK_OCTETS, BLOCK_OCTETS);
}

int mbedtls_ecdsa_verify(mbedtls_ecp_group *group, const unsigned char *digest, size_t length,
                         const mbedtls_ecp_point *q, const mbedtls_mpi *r, const mbedtls_mpi *s)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS], number[BLOCK_OCTETS], octets[2 * BLOCK_OCTETS];

    if (!block_has(group)) return ecsm_software_ecdsa_verify(group, digest, length, q, r, s);
    if (q == NULL || r == NULL || s == NULL || (digest == NULL && length != 0))
        return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    if (!below_order(group, r) || !below_order(group, s) || !block_number(octets, r) ||
        !block_number(octets + BLOCK_OCTETS, s))
        return MBEDTLS_ERR_ECP_VERIFY_FAILED;
    if (!coordinates(q, x, y)) return MBEDTLS_ERR_ECP_INVALID_KEY;
    block_digest(number, digest, length);
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_mbedtls_error(ECSM_NO_DEVICE);
    const ecsm_status_t status =
        ecsm_verify(ecsm, (ecsm_const_point_t){x, y}, number, octets, octets + BLOCK_OCTETS);
    block_give();
    return ecsm_mbedtls_error(status);
}

int mbedtls_ecdh_gen_public(mbedtls_ecp_group *group, mbedtls_mpi *d, mbedtls_ecp_point *q,
                            random_t *random, void *state)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS];
    ecsm_t *ecsm;

    if (!block_has(group)) return ecsm_software_ecdh_gen_public(group, d, q, random, state);
    if (d == NULL || q == NULL || random == NULL) return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    int error = mbedtls_ecp_gen_privkey(group, d, random, state);
    if (error != 0) return error;
    ecsm_status_t status = block_key_take(&ecsm, d);
    if (status == ECSM_OK) {
        status = ecsm_public(ecsm, block_key_slot(), (ecsm_point_t){x, y});
        status = block_key_give(ecsm, status);
    }
    error = ecsm_mbedtls_error(status);
    if (error == 0) error = mbedtls_mpi_read_binary(&q->X, x, sizeof x);
    if (error == 0) error = mbedtls_mpi_read_binary(&q->Y, y, sizeof y);
    if (error == 0) error = mbedtls_mpi_lset(&q->Z, 1);
    if (error != 0) mbedtls_mpi_free(d);
    return error;
}

int mbedtls_ecdh_compute_shared(mbedtls_ecp_group *group, mbedtls_mpi *z,
                                const mbedtls_ecp_point *q, const mbedtls_mpi *d, random_t *random,
                                void *state)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS], secret[BLOCK_OCTETS];
    ecsm_t *ecsm;

    if (!block_has(group))
        return ecsm_software_ecdh_compute_shared(group, z, q, d, random, state);
    if (z == NULL || q == NULL || d == NULL) return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    if (!below_order(group, d) || !coordinates(q, x, y)) return MBEDTLS_ERR_ECP_INVALID_KEY;
    ecsm_status_t status = block_key_take(&ecsm, d);
    if (status == ECSM_OK) {
        status = ecsm_agree(ecsm, block_key_slot(), (ecsm_const_point_t){x, y}, secret);
        status = block_key_give(ecsm, status);
    }
    int error = ecsm_mbedtls_error(status);
    if (error == 0) error = mbedtls_mpi_read_binary(z, secret, sizeof secret);
    mbedtls_platform_zeroize(secret, sizeof secret);
    return error;
}
