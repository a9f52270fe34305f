/* SPDX-License-Identifier: Apache-2.0 */
/* Uses what test_mbedtls_size.py measures: nothing, mbedTLS (WITH_MBEDTLS), or it with a block too. */
#if defined(WITH_MBEDTLS)

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#if defined(WITH_BLOCK)
#include "ecsm_mbedtls.h"
#endif

static int random_of(void *state, unsigned char *octets, size_t length)
{
    (void)state;
    for (size_t i = 0; i < length; i++) octets[i] = (unsigned char)i;
    return 0;
}

int main(void)
{
    mbedtls_ecp_group group;
    mbedtls_ecp_point q;
    mbedtls_mpi d, r, s;
    const unsigned char digest[32] = {1};

#if defined(WITH_BLOCK)
    static ecsm_t ecsm;
    const ecsm_hal_t hal = ecsm_hal_memory(0x80000000u);
    if (ecsm_open(&ecsm, &hal) != ECSM_OK) return 1;
    if (ecsm_mbedtls_begin(&ecsm, MBEDTLS_ECP_DP_SECP256R1, 3) != 0) return 1;
#endif
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&q);
    mbedtls_mpi_init(&d);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    return mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) |
           mbedtls_ecdh_gen_public(&group, &d, &q, random_of, NULL) |
           mbedtls_ecdsa_sign(&group, &r, &s, &d, digest, sizeof digest, random_of, NULL) |
           mbedtls_ecdsa_verify(&group, digest, sizeof digest, &q, &r, &s) |
           mbedtls_ecdh_compute_shared(&group, &r, &q, &d, random_of, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
