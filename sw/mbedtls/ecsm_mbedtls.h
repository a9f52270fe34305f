/* SPDX-License-Identifier: Apache-2.0 */
/* mbedTLS 2.28 with ECDSA and ECDH on a block, by libecsm, and with keys in the block's slots.
 *
 * Call ecsm_mbedtls_begin first. From then on mbedTLS computes in the block on the block's curve, and
 * in software on others. For keys that stay in the block: ecsm_psa_register, then psa_crypto_init.
 *
 * With MBEDTLS_THREADING_C several threads may use mbedTLS at once: each job of the block has a lock.
 * PSA of mbedTLS 2.28 itself is for one thread. Between begin and end the ecsm_t is not for others. */

#ifndef ECSM_MBEDTLS_H
#define ECSM_MBEDTLS_H

#include "ecsm.h"
#include "mbedtls/ecp.h"
#include "psa/crypto.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slots of a block. */
enum { ECSM_SLOTS = 4 };

/* Let mbedTLS use a block that ecsm_open has found, whose curve is `curve`, of an order of 256 bits.
 * `slot` is for private keys that are in memory: they are in it while the block works with them. A key
 * that is there before is lost.
 * A known answer tells whether the block has the curve.
 *
 * 0; MBEDTLS_ERR_ECP_BAD_INPUT_DATA: there is no such slot, no block, or one is in use;
 * MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE: mbedTLS has not the curve, its order is of another size, or
 * the block computes on another curve; those of the block. */
int ecsm_mbedtls_begin(ecsm_t *ecsm, mbedtls_ecp_group_id curve, uint32_t slot);

/* Everything in software from now on. Keys in slots stay there. psa_destroy_key before it: after it that
 * gives PSA_ERROR_COMMUNICATION_FAILURE, the identifier is gone, and only ecsm_forget empties the slot. */
void ecsm_mbedtls_end(void);

/* Signatures and secrets of the block against those of mbedTLS's software, and what has to be
 * refused. With `verbose` it prints as mbedTLS's own self-tests do. 0, or 1 if something is wrong. */
int ecsm_mbedtls_self_test(int verbose);

/* A status of libecsm as an error of mbedTLS. */
int ecsm_mbedtls_error(ecsm_status_t status);

#if defined(MBEDTLS_PSA_CRYPTO_SE_C)

/* Where keys are that stay in the block: a location of PSA, 1 to 255, and its lifetime. */
#if !defined(ECSM_PSA_LOCATION)
#define ECSM_PSA_LOCATION ((psa_key_location_t)1)
#endif
#define ECSM_PSA_LIFETIME                                                                        \
    PSA_KEY_LIFETIME_FROM_PERSISTENCE_AND_LOCATION(PSA_KEY_PERSISTENCE_VOLATILE, ECSM_PSA_LOCATION)

/* Register the driver, before each psa_crypto_init. Errors: those of psa_register_se_driver. */
psa_status_t ecsm_psa_register(void);

/* ECDH of a key in the block, whose algorithm is PSA_ALG_ECDH and whose usage PSA_KEY_USAGE_DERIVE: in
 * mbedTLS 2.28 psa_raw_key_agreement takes no such key. `peer` and the secret are as there.
 *
 * PSA_ERROR_INVALID_ARGUMENT: the key is none of the block, or the peer is no point of the curve;
 * PSA_ERROR_NOT_PERMITTED: the key is for something else; PSA_ERROR_BUFFER_TOO_SMALL; those of
 * psa_get_key_attributes and of the block. Without PSA_SUCCESS the secret is not written. */
psa_status_t ecsm_psa_agree(mbedtls_svc_key_id_t key, const uint8_t *peer, size_t peer_length,
                            uint8_t *secret, size_t secret_size, size_t *secret_length);

/* A status of libecsm as one of PSA. */
psa_status_t ecsm_psa_error(ecsm_status_t status);

#endif

#ifdef __cplusplus
}
#endif

#endif
