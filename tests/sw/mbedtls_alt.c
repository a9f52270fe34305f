/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the functions in mbedTLS's places: numbers at the borders, and what has to be refused, as
 * mbedTLS's software refuses it. */
#include "mbedtls_use.h"

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/hmac_drbg.h"

typedef struct {
    mbedtls_ecp_group group;
    mbedtls_ecp_point q, other;
    mbedtls_mpi d, r, s, r2, s2;
} numbers_t;

/* The hook's error and the software's on a key; the same signature verifies in both. */
static void try_key(numbers_t *n, const mbedtls_mpi *d)
{
    static const uint8_t digest[64] = {0xFE, 0xDC};
    const size_t lengths[] = {0, 1, 20, 31, 32, 33, 48, 64};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int error =
            mbedtls_ecdsa_sign(&n->group, &n->r, &n->s, d, digest, lengths[i], some_random, NULL);
        CHECK(error == ecsm_software_ecdsa_sign(&n->group, &n->r2, &n->s2, d, digest, lengths[i],
                                                some_random, NULL));
        if (error != 0) return;
        CHECK(mbedtls_ecp_mul(&n->group, &n->q, d, &n->group.G, some_random, NULL) == 0);
        CHECK(ecsm_software_ecdsa_verify(&n->group, digest, lengths[i], &n->q, &n->r, &n->s) == 0);
        CHECK(mbedtls_ecdsa_verify(&n->group, digest, lengths[i], &n->q, &n->r2, &n->s2) == 0);
    }
}

/* The same error for a public key in both, and the same secret. */
static void try_point(numbers_t *n, const mbedtls_ecp_point *q)
{
    static const uint8_t digest[BLOCK_OCTETS] = {3};

    const int error =
        mbedtls_ecdh_compute_shared(&n->group, &n->r, q, &n->d, some_random, NULL);
    CHECK(error == ecsm_software_ecdh_compute_shared(&n->group, &n->r2, q, &n->d, some_random, NULL));
    if (error == 0) CHECK(mbedtls_mpi_cmp_mpi(&n->r, &n->r2) == 0);
    CHECK(mbedtls_mpi_lset(&n->r, 3) == 0 && mbedtls_mpi_lset(&n->s, 4) == 0);
    const int verified = mbedtls_ecdsa_verify(&n->group, digest, sizeof digest, q, &n->r, &n->s);
    CHECK(verified == (error != 0 ? error : MBEDTLS_ERR_ECP_VERIFY_FAILED));
    CHECK(device_empty(SCRATCH));
}

static void try_points(numbers_t *n)
{
    mbedtls_ecp_point *p = &n->other;

    CHECK(mbedtls_mpi_lset(&n->d, 77) == 0);
    try_point(n, &n->group.G);
    CHECK(mbedtls_ecp_set_zero(p) == 0);
    try_point(n, p);
    CHECK(mbedtls_ecp_copy(p, &n->group.G) == 0 && mbedtls_mpi_sub_int(&p->Y, &p->Y, 1) == 0);
    try_point(n, p); /* not on the curve */
    CHECK(mbedtls_ecp_copy(p, &n->group.G) == 0);
    CHECK(mbedtls_mpi_sub_mpi(&p->Y, &n->group.P, &p->Y) == 0);
    try_point(n, p); /* -G */
    p->Y.s = -1;
    try_point(n, p);
    CHECK(mbedtls_mpi_add_mpi(&p->Y, &n->group.P, &n->group.G.Y) == 0);
    try_point(n, p); /* G, but for a multiple of p */
    CHECK(mbedtls_ecp_copy(p, &n->group.G) == 0);
    CHECK(mbedtls_mpi_copy(&p->X, &n->group.P) == 0);
    try_point(n, p);
    CHECK(mbedtls_ecp_copy(p, &n->group.G) == 0 && mbedtls_mpi_lset(&p->Z, 2) == 0);
    try_point(n, p);
}

static void try_keys(numbers_t *n)
{
    const mbedtls_mpi *order = &n->group.N;

    for (int i = 0; i <= 1; i++) { /* 0, 1; n - 1, n; -1 */
        CHECK(mbedtls_mpi_lset(&n->d, i) == 0);
        try_key(n, &n->d);
        CHECK(mbedtls_mpi_sub_int(&n->d, order, i) == 0);
        try_key(n, &n->d);
    }
    CHECK(mbedtls_mpi_lset(&n->d, -1) == 0);
    try_key(n, &n->d);
    CHECK(mbedtls_mpi_copy(&n->d, order) == 0 && mbedtls_mpi_shift_l(&n->d, 9) == 0);
    try_key(n, &n->d);
    CHECK(device_empty(SCRATCH));
}

static void try_nothing(numbers_t *n)
{
    const int bad = MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    static const uint8_t digest[BLOCK_OCTETS];
    mbedtls_ecp_group *g = &n->group;

    CHECK(mbedtls_ecdsa_sign(g, NULL, &n->s, &n->d, digest, 32, some_random, NULL) == bad);
    CHECK(mbedtls_ecdsa_sign(g, &n->r, &n->s, &n->d, NULL, 32, some_random, NULL) == bad);
    CHECK(mbedtls_ecdsa_verify(g, digest, 32, NULL, &n->r, &n->s) == bad);
    CHECK(mbedtls_ecdh_gen_public(g, &n->d, &n->q, NULL, NULL) == bad);
    CHECK(mbedtls_ecdh_compute_shared(g, NULL, &g->G, &n->d, some_random, NULL) == bad);
}

/* Nonces of RFC 6979 are those of the hash that is asked for, whatever the digest's length. */
static void try_nonces(numbers_t *n)
{
    static const uint8_t digest[BLOCK_OCTETS] = {7};
    const mbedtls_md_type_t hashes[] = {MBEDTLS_MD_SHA1, MBEDTLS_MD_SHA256, MBEDTLS_MD_SHA512};

    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        for (size_t length = 20; length <= sizeof digest; length += 4) {
            CHECK(mbedtls_ecdsa_sign_det_ext(&n->group, &n->r, &n->s, &n->d, digest, length,
                                             hashes[i], some_random, NULL) == 0);
            ecsm_mbedtls_end();
            CHECK(mbedtls_ecdsa_sign_det_ext(&n->group, &n->r2, &n->s2, &n->d, digest, length,
                                             hashes[i], some_random, NULL) == 0);
            CHECK(ecsm_mbedtls_begin(&device, MBEDTLS_ECP_DP_SECP256R1, SCRATCH) == 0);
            CHECK(mbedtls_mpi_cmp_mpi(&n->r, &n->r2) == 0 && mbedtls_mpi_cmp_mpi(&n->s, &n->s2) == 0);
        }
}

/* Curves that the block has not: software, with or without a block. */
static void try_another_curve(numbers_t *n)
{
    static const uint8_t digest[48] = {9};
    mbedtls_ecp_group_free(&n->group);
    CHECK(mbedtls_ecp_group_load(&n->group, MBEDTLS_ECP_DP_SECP384R1) == 0);
    CHECK(mbedtls_ecdh_gen_public(&n->group, &n->d, &n->q, some_random, NULL) == 0);
    CHECK(mbedtls_ecdsa_sign(&n->group, &n->r, &n->s, &n->d, digest, 48, some_random, NULL) == 0);
    CHECK(mbedtls_ecdsa_verify(&n->group, digest, 48, &n->q, &n->r, &n->s) == 0);
    CHECK(mbedtls_ecdh_compute_shared(&n->group, &n->r, &n->q, &n->d, some_random, NULL) == 0);
}

void try_alt(void)
{
    numbers_t n;
    mbedtls_mpi *const all[] = {&n.d, &n.r, &n.s, &n.r2, &n.s2};

    CHECK(ecsm_mbedtls_begin(&device, MBEDTLS_ECP_DP_SECP256R1, SCRATCH) == 0);
    mbedtls_ecp_group_init(&n.group);
    mbedtls_ecp_point_init(&n.q);
    mbedtls_ecp_point_init(&n.other);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mbedtls_mpi_init(all[i]);
    CHECK(mbedtls_ecp_group_load(&n.group, MBEDTLS_ECP_DP_SECP256R1) == 0);
    CHECK(mbedtls_ecdh_gen_public(&n.group, &n.d, &n.q, some_random, NULL) == 0);
    CHECK(mbedtls_ecp_check_pub_priv(&(mbedtls_ecp_keypair){n.group, n.d, n.q},
                                     &(mbedtls_ecp_keypair){n.group, n.d, n.q}) == 0);
    try_nothing(&n);
    try_nonces(&n);
    try_keys(&n);
    try_points(&n);
    try_another_curve(&n);
    mbedtls_ecp_group_free(&n.group);
    mbedtls_ecp_point_free(&n.q);
    mbedtls_ecp_point_free(&n.other);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mbedtls_mpi_free(all[i]);
    ecsm_mbedtls_end();
}
