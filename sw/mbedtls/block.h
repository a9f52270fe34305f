/* SPDX-License-Identifier: Apache-2.0 */
/* The block that mbedTLS uses: what the files of this folder have in common. */

#ifndef ECSM_MBEDTLS_BLOCK_H
#define ECSM_MBEDTLS_BLOCK_H

#include "ecsm_block_scheme.h"
#include "ecsm_mbedtls.h"
#include "mbedtls/md.h"

enum { BLOCK_OCTETS = 32, BLOCK_BITS = 256 }; /* of a number, a coordinate, a digest */

/* Whether the block is in use and has the curve. */
bool block_has(const mbedtls_ecp_group *group);
mbedtls_ecp_group_id block_curve(void); /* MBEDTLS_ECP_DP_NONE: no block is in use */
uint32_t block_key_slot(void);          /* of begin */

/* Begin and end jobs of the block. block_take: the block, NULL if none is in use; only with a block
 * block_give is called. */
ecsm_t *block_take(void);
void block_give(void);

/* The same with a private key of memory in its slot: load it, and remove it. block_key_give returns
 * `status`, or what the removal said if that was ECSM_OK. */
ecsm_status_t block_key_take(ecsm_t **ecsm, const mbedtls_mpi *d);
ecsm_status_t block_key_give(ecsm_t *ecsm, ecsm_status_t status);

/* The number that is signed of a digest of any length, as a digest of the block's: its first octets,
 * or zeros before it. */
void block_digest(uint8_t *digest, const uint8_t *octets, size_t length);

/* Numbers below 2^256 and not negative, so of BLOCK_OCTETS. False: it is another one. */
bool block_number(uint8_t *octets, const mbedtls_mpi *number);

/* mbedTLS's own functions, which mbedTLS leaves out for those in alt.c: software_*.c. */
int ecsm_software_ecdsa_sign(mbedtls_ecp_group *group, mbedtls_mpi *r, mbedtls_mpi *s,
                             const mbedtls_mpi *d, const unsigned char *digest, size_t length,
                             int (*random)(void *, unsigned char *, size_t), void *state);
int ecsm_software_ecdsa_sign_det_ext(mbedtls_ecp_group *group, mbedtls_mpi *r, mbedtls_mpi *s,
                                     const mbedtls_mpi *d, const unsigned char *digest,
                                     size_t length, mbedtls_md_type_t hash,
                                     int (*random)(void *, unsigned char *, size_t), void *state);
int ecsm_software_ecdsa_verify(mbedtls_ecp_group *group, const unsigned char *digest,
                               size_t length, const mbedtls_ecp_point *q, const mbedtls_mpi *r,
                               const mbedtls_mpi *s);
int ecsm_software_ecdh_gen_public(mbedtls_ecp_group *group, mbedtls_mpi *d, mbedtls_ecp_point *q,
                                  int (*random)(void *, unsigned char *, size_t), void *state);
int ecsm_software_ecdh_compute_shared(mbedtls_ecp_group *group, mbedtls_mpi *z,
                                      const mbedtls_ecp_point *q, const mbedtls_mpi *d,
                                      int (*random)(void *, unsigned char *, size_t), void *state);

#endif
