/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers: what the block computes, against mbedTLS's software on the same numbers, through the
 * functions that mbedTLS itself calls. */

#include "block.h"

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/platform.h"

enum { PEER_KEY = 7, POINTS = 3, NUMBERS = 8 };

typedef struct {
    mbedtls_ecp_group group;
    mbedtls_ecp_point points[POINTS];
    mbedtls_mpi numbers[NUMBERS];
    uint8_t digest[BLOCK_OCTETS], state;
} known_t;

#define EACH(array, function)                                                                    \
    for (size_t i = 0; i < sizeof(array) / sizeof *(array); i++) function(&(array)[i])

/* No randomness is wanted: it blinds numbers that are known to everybody. */
static int counter(void *state, unsigned char *octets, size_t length)
{
    for (size_t i = 0; i < length; i++) octets[i] = (unsigned char)++*(uint8_t *)state;
    return 0;
}

/* mbedTLS's signature by this key, as it has to be; without RFC 6979 in mbedTLS, a right one. */
static bool same_signature(known_t *n, const mbedtls_mpi *d, const mbedtls_ecp_point *q,
                           const mbedtls_mpi *r, const mbedtls_mpi *s)
{
    const size_t length = sizeof n->digest;
#if defined(MBEDTLS_ECDSA_DETERMINISTIC)
    mbedtls_mpi *right_r = &n->numbers[6], *right_s = &n->numbers[7];
    (void)q;
    return ecsm_software_ecdsa_sign_det_ext(&n->group, right_r, right_s, d, n->digest, length,
                                            MBEDTLS_MD_SHA256, counter, &n->state) == 0 &&
           mbedtls_mpi_cmp_mpi(r, right_r) == 0 && mbedtls_mpi_cmp_mpi(s, right_s) == 0;
#else
    (void)d;
    return ecsm_software_ecdsa_verify(&n->group, n->digest, length, q, r, s) == 0;
#endif
}

/* Return the check that failed, NULL if none did. */
static const char *checked(known_t *n)
{
    mbedtls_ecp_group *group = &n->group;
    mbedtls_ecp_point *q = &n->points[0], *peer = &n->points[1], *off = &n->points[2];
    mbedtls_mpi *d = &n->numbers[0], *e = &n->numbers[1], *r = &n->numbers[2], *s = &n->numbers[3];
    mbedtls_mpi *z = &n->numbers[4], *right_z = &n->numbers[5];
    const size_t length = sizeof n->digest;

    for (size_t i = 0; i < length; i++) n->digest[i] = (uint8_t)(0xA5 ^ i);
    if (mbedtls_ecp_group_load(group, block_curve()) != 0 ||
        mbedtls_mpi_sub_int(d, &group->N, 12345) != 0 || mbedtls_mpi_lset(e, PEER_KEY) != 0 ||
        mbedtls_ecp_mul(group, q, d, &group->G, counter, &n->state) != 0 ||
        mbedtls_ecp_mul(group, peer, e, &group->G, counter, &n->state) != 0 ||
        mbedtls_ecp_copy(off, q) != 0 || mbedtls_mpi_sub_int(&off->Y, &off->Y, 1) != 0)
        return "software";
    if (mbedtls_ecdsa_sign(group, r, s, d, n->digest, length, counter, &n->state) != 0 ||
        !same_signature(n, d, q, r, s))
        return "sign";
    if (mbedtls_ecdsa_verify(group, n->digest, length, q, r, s) != 0) return "verify";
    n->digest[0] ^= 1;
    if (mbedtls_ecdsa_verify(group, n->digest, length, q, r, s) != MBEDTLS_ERR_ECP_VERIFY_FAILED)
        return "a signature of something else";
    if (mbedtls_ecdh_compute_shared(group, z, peer, d, counter, &n->state) != 0 ||
        ecsm_software_ecdh_compute_shared(group, right_z, q, e, counter, &n->state) != 0 ||
        mbedtls_mpi_cmp_mpi(z, right_z) != 0)
        return "agree";
    if (mbedtls_ecdh_compute_shared(group, z, off, d, counter, &n->state) !=
        MBEDTLS_ERR_ECP_INVALID_KEY)
        return "a point that is none";
    return NULL;
}

int ecsm_mbedtls_self_test(int verbose)
{
    known_t n;

    if (block_curve() == MBEDTLS_ECP_DP_NONE) {
        if (verbose) mbedtls_printf("  ECSM: no block is in use\n");
        return 1;
    }
    n.state = 0;
    mbedtls_ecp_group_init(&n.group);
    EACH(n.points, mbedtls_ecp_point_init);
    EACH(n.numbers, mbedtls_mpi_init);
    const char *failed = checked(&n);
    mbedtls_ecp_group_free(&n.group);
    EACH(n.points, mbedtls_ecp_point_free);
    EACH(n.numbers, mbedtls_mpi_free);
    if (verbose && failed == NULL) mbedtls_printf("  ECSM: passed\n");
    if (verbose && failed != NULL) mbedtls_printf("  ECSM: %s: failed\n", failed);
    return failed != NULL;
}
