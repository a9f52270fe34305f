/* SPDX-License-Identifier: Apache-2.0 */
/* Tries keys in slots by mbedTLS's PSA: signatures, agreement, and which slots they have. */
#include "mbedtls_use.h"

#include <sys/stat.h>

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "psa/crypto_extra.h"

enum { POINT = 65, SIGNATURE = 64 };

static psa_key_attributes_t attributes(psa_algorithm_t alg, psa_key_usage_t usage)
{
    psa_key_attributes_t made = PSA_KEY_ATTRIBUTES_INIT;
    psa_set_key_lifetime(&made, ECSM_PSA_LIFETIME);
    psa_set_key_type(&made, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
    psa_set_key_bits(&made, BLOCK_BITS);
    psa_set_key_usage_flags(&made, usage);
    psa_set_key_algorithm(&made, alg);
    return made;
}

static psa_key_attributes_t signing(psa_algorithm_t alg)
{
    return attributes(alg, PSA_KEY_USAGE_SIGN_HASH | PSA_KEY_USAGE_VERIFY_HASH);
}

static void begin(void)
{
    CHECK(ecsm_seed(&device) == ECSM_OK);
    CHECK(ecsm_mbedtls_begin(&device, MBEDTLS_ECP_DP_SECP256R1, SCRATCH) == 0);
    CHECK(ecsm_psa_register() == PSA_SUCCESS);
    CHECK(ecsm_psa_register() == PSA_ERROR_ALREADY_EXISTS);
    CHECK(psa_crypto_init() == PSA_SUCCESS);
}

static void end(void)
{
    mbedtls_psa_crypto_free();
    ecsm_mbedtls_end();
}

static psa_key_id_t imported(const psa_key_attributes_t *how, uint8_t last)
{
    uint8_t key[BLOCK_OCTETS] = {0};
    psa_key_id_t id = 0;
    key[BLOCK_OCTETS - 1] = last;
    CHECK(psa_import_key(how, key, sizeof key, &id) == PSA_SUCCESS);
    return id;
}

/* ------------------------------------------------------------------ signatures */

/* mbedTLS's software on the same public key and digest. */
static bool right(const uint8_t *point, const uint8_t *digest, size_t length, const uint8_t *signature)
{
    mbedtls_ecp_keypair pair;
    mbedtls_mpi r, s;

    mbedtls_ecp_keypair_init(&pair);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    const bool found =
        mbedtls_ecp_group_load(&pair.grp, MBEDTLS_ECP_DP_SECP256R1) == 0 &&
        mbedtls_ecp_point_read_binary(&pair.grp, &pair.Q, point, POINT) == 0 &&
        mbedtls_mpi_read_binary(&r, signature, BLOCK_OCTETS) == 0 &&
        mbedtls_mpi_read_binary(&s, signature + BLOCK_OCTETS, BLOCK_OCTETS) == 0 &&
        ecsm_software_ecdsa_verify(&pair.grp, digest, length, &pair.Q, &r, &s) == 0;
    mbedtls_ecp_keypair_free(&pair);
    mbedtls_mpi_free(&r);
    mbedtls_mpi_free(&s);
    return found;
}

static void try_signatures(psa_key_id_t key)
{
    uint8_t point[POINT], signature[SIGNATURE], digest[64];
    size_t length = 0;
    const struct {
        psa_algorithm_t hash;
        size_t length;
    } all[] = {{PSA_ALG_SHA_1, 20}, {PSA_ALG_SHA_256, 32}, {PSA_ALG_SHA_512, 64}};

    CHECK(psa_export_public_key(key, point, sizeof point, &length) == PSA_SUCCESS);
    CHECK(length == POINT);
    CHECK(psa_export_public_key(key, point, POINT - 1, &length) == PSA_ERROR_BUFFER_TOO_SMALL);
    for (size_t i = 0; i < sizeof digest; i++) digest[i] = (uint8_t)(0xF0 + i);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const psa_algorithm_t alg = PSA_ALG_ECDSA(all[i].hash);
        CHECK(psa_sign_hash(key, alg, digest, all[i].length, signature, sizeof signature,
                            &length) == PSA_SUCCESS);
        CHECK(length == SIGNATURE && right(point, digest, all[i].length, signature));
        CHECK(psa_verify_hash(key, alg, digest, all[i].length, signature, length) == PSA_SUCCESS);
        CHECK(psa_verify_hash(key, alg, digest, all[i].length, signature, length - 1) ==
              PSA_ERROR_INVALID_SIGNATURE);
        CHECK(psa_sign_hash(key, alg, digest, all[i].length, signature, SIGNATURE - 1, &length) ==
              PSA_ERROR_BUFFER_TOO_SMALL);
        CHECK(psa_sign_hash(key, alg, digest, all[i].length - 1, signature, sizeof signature,
                            &length) == PSA_ERROR_INVALID_ARGUMENT);
        memset(signature, 0, BLOCK_OCTETS);
        CHECK(psa_verify_hash(key, alg, digest, all[i].length, signature, SIGNATURE) ==
              PSA_ERROR_INVALID_SIGNATURE);
    }
}

/* RFC 6979, A.2.5, SHA-256, "sample". */
static void try_deterministic(void)
{
    static const uint8_t d[] = {0xC9, 0xAF, 0xA9, 0xD8, 0x45, 0xBA, 0x75, 0x16, 0x6B, 0x5C, 0x21,
                                0x57, 0x67, 0xB1, 0xD6, 0x93, 0x4E, 0x50, 0xC3, 0xDB, 0x36, 0xE8,
                                0x9B, 0x12, 0x7B, 0x8A, 0x62, 0x2B, 0x12, 0x0F, 0x67, 0x21};
    static const uint8_t r[] = {0xEF, 0xD4, 0x8B, 0x2A, 0xAC, 0xB6, 0xA8, 0xFD};
    uint8_t digest[BLOCK_OCTETS], signature[SIGNATURE];
    size_t length = 0;
    psa_key_id_t key = 0;
    psa_key_attributes_t how = signing(PSA_ALG_DETERMINISTIC_ECDSA(PSA_ALG_ANY_HASH));

    CHECK(psa_import_key(&how, d, sizeof d, &key) == PSA_SUCCESS);
    CHECK(psa_hash_compute(PSA_ALG_SHA_256, (const uint8_t *)"sample", 6, digest, sizeof digest,
                           &length) == PSA_SUCCESS);
    CHECK(psa_sign_hash(key, PSA_ALG_DETERMINISTIC_ECDSA(PSA_ALG_SHA_256), digest, sizeof digest,
                        signature, sizeof signature, &length) == PSA_SUCCESS);
    CHECK(memcmp(signature, r, sizeof r) == 0);
    CHECK(psa_sign_hash(key, PSA_ALG_DETERMINISTIC_ECDSA(PSA_ALG_SHA_384), digest, 48, signature,
                        sizeof signature, &length) == PSA_ERROR_NOT_SUPPORTED);
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
}

void try_psa(void)
{
    psa_key_id_t key = 0;
    uint8_t octets[POINT];
    size_t length;

    begin();
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
    CHECK(psa_generate_key(&how, &key) == PSA_SUCCESS);
    try_signatures(key);
    CHECK(psa_export_key(key, octets, sizeof octets, &length) == PSA_ERROR_NOT_PERMITTED);
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
    psa_set_key_usage_flags(&how, PSA_KEY_USAGE_EXPORT);
    key = imported(&how, 9);
    CHECK(psa_export_key(key, octets, sizeof octets, &length) == PSA_ERROR_NOT_SUPPORTED);
    CHECK(psa_destroy_key(key) == PSA_SUCCESS);
    try_deterministic();
    end();
}

/* ------------------------------------------------------------------ agreement */

void try_agreement(void)
{
    uint8_t point[POINT], secret[BLOCK_OCTETS] = {0xAA}, expected[BLOCK_OCTETS];
    size_t length = 77;
    psa_key_id_t mine = 0, peer = 0;

    begin();
    psa_key_attributes_t how = attributes(PSA_ALG_ECDH, PSA_KEY_USAGE_DERIVE);
    mine = imported(&how, 200);
    psa_set_key_lifetime(&how, PSA_KEY_LIFETIME_VOLATILE);
    CHECK(psa_generate_key(&how, &peer) == PSA_SUCCESS);
    CHECK(psa_export_public_key(peer, point, sizeof point, &length) == PSA_SUCCESS);
    CHECK(ecsm_psa_agree(peer, point, sizeof point, secret, sizeof secret, &length) ==
          PSA_ERROR_INVALID_ARGUMENT);
    CHECK(ecsm_psa_agree(mine, point, sizeof point, secret, BLOCK_OCTETS - 1, &length) ==
          PSA_ERROR_BUFFER_TOO_SMALL);
    CHECK(ecsm_psa_agree(mine, point, sizeof point - 1, secret, sizeof secret, &length) ==
          PSA_ERROR_INVALID_ARGUMENT);
    point[POINT - 1] ^= 1;
    CHECK(ecsm_psa_agree(mine, point, sizeof point, secret, sizeof secret, &length) ==
          PSA_ERROR_INVALID_ARGUMENT);
    point[POINT - 1] ^= 1;
    CHECK(secret[0] == 0xAA && length == POINT);
    CHECK(ecsm_psa_agree(mine, point, sizeof point, secret, sizeof secret, &length) == PSA_SUCCESS);
    CHECK(psa_export_public_key(mine, point, sizeof point, &length) == PSA_SUCCESS);
    CHECK(psa_raw_key_agreement(PSA_ALG_ECDH, peer, point, sizeof point, expected, sizeof expected,
                                &length) == PSA_SUCCESS);
    CHECK(memcmp(secret, expected, sizeof secret) == 0);
    CHECK(psa_destroy_key(mine) == PSA_SUCCESS);
    CHECK(ecsm_psa_agree(mine, point, sizeof point, secret, sizeof secret, &length) ==
          PSA_ERROR_INVALID_HANDLE);
    psa_key_attributes_t other = signing(PSA_ALG_ECDSA(PSA_ALG_SHA_256));
    mine = imported(&other, 3);
    CHECK(ecsm_psa_agree(mine, point, sizeof point, secret, sizeof secret, &length) ==
          PSA_ERROR_NOT_PERMITTED);
    end();
}

/* ------------------------------------------------------------------ slots */

static void try_refused(void)
{
    static const uint8_t zero[BLOCK_OCTETS];
    uint8_t large[BLOCK_OCTETS];
    psa_key_id_t key = 0;
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));

    memset(large, 0xFF, sizeof large);
    CHECK(psa_import_key(&how, zero, sizeof zero, &key) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(psa_import_key(&how, large, sizeof large, &key) == PSA_ERROR_INVALID_ARGUMENT);
    CHECK(psa_import_key(&how, large, sizeof large - 1, &key) == PSA_ERROR_INVALID_ARGUMENT);
    psa_set_key_bits(&how, 384);
    CHECK(psa_generate_key(&how, &key) == PSA_ERROR_NOT_SUPPORTED);
    psa_set_key_bits(&how, BLOCK_BITS);
    psa_set_key_type(&how, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_K1));
    CHECK(psa_generate_key(&how, &key) == PSA_ERROR_NOT_SUPPORTED);
    psa_set_key_type(&how, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
    psa_set_key_lifetime(&how, PSA_KEY_LIFETIME_FROM_PERSISTENCE_AND_LOCATION(
                                   PSA_KEY_PERSISTENCE_DEFAULT, ECSM_PSA_LOCATION));
    psa_set_key_id(&how, 5);
    CHECK(psa_generate_key(&how, &key) == PSA_ERROR_NOT_SUPPORTED);
    for (uint32_t slot = 0; slot < ECSM_SLOTS; slot++) CHECK(device_empty(slot));
}

/* A key that came into its slot by another way gets a name. */
static void try_registered(void)
{
    uint8_t digest[BLOCK_OCTETS] = {1}, signature[SIGNATURE], key[BLOCK_OCTETS] = {4};
    size_t length;
    psa_key_id_t other = 0;
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));

    psa_set_key_lifetime(&how, PSA_KEY_LIFETIME_FROM_PERSISTENCE_AND_LOCATION(
                                   PSA_KEY_PERSISTENCE_DEFAULT, ECSM_PSA_LOCATION));
    psa_set_key_id(&how, 5);
    psa_set_key_slot_number(&how, 2);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_ERROR_DOES_NOT_EXIST);
    CHECK(ecsm_load(&device, 2, key) == ECSM_OK);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_SUCCESS);
    CHECK(psa_sign_hash(5, PSA_ALG_ECDSA(PSA_ALG_SHA_256), digest, sizeof digest, signature,
                        sizeof signature, &length) == PSA_SUCCESS);
    ecsm_zeroize(&device);
    CHECK(psa_sign_hash(5, PSA_ALG_ECDSA(PSA_ALG_SHA_256), digest, sizeof digest, signature,
                        sizeof signature, &length) == PSA_ERROR_DOES_NOT_EXIST);
    psa_set_key_lifetime(&how, ECSM_PSA_LIFETIME);
    CHECK(ecsm_seed(&device) == ECSM_OK);
    CHECK(psa_generate_key(&how, &other) == PSA_ERROR_ALREADY_EXISTS);
    CHECK(psa_destroy_key(5) == PSA_SUCCESS);
    CHECK(psa_generate_key(&how, &other) == PSA_SUCCESS);
    CHECK(psa_destroy_key(other) == PSA_SUCCESS);
}

/* No slot gets a second identifier, and no identifier a second slot: either would name another key
 * later. What is refused leaves the slot as it was. */
static void try_registered_twice(void)
{
    uint8_t key[BLOCK_OCTETS] = {4};
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
    const psa_key_id_t made = imported(&how, 9);
    psa_key_id_t other = 0;

    psa_set_key_lifetime(&how, PSA_KEY_LIFETIME_FROM_PERSISTENCE_AND_LOCATION(
                                   PSA_KEY_PERSISTENCE_DEFAULT, ECSM_PSA_LOCATION));
    psa_set_key_id(&how, 5);
    psa_set_key_slot_number(&how, 0);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_ERROR_ALREADY_EXISTS); /* it is `made` */
    CHECK(ecsm_load(&device, 1, key) == ECSM_OK && ecsm_load(&device, 2, key) == ECSM_OK);
    psa_set_key_slot_number(&how, 1);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_SUCCESS);
    psa_set_key_slot_number(&how, 2);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_ERROR_ALREADY_EXISTS);
    psa_set_key_id(&how, 6);
    psa_set_key_slot_number(&how, 1);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_ERROR_ALREADY_EXISTS);
    CHECK(psa_destroy_key(made) == PSA_SUCCESS && psa_destroy_key(5) == PSA_SUCCESS);
    CHECK(ecsm_forget(&device, 2) == ECSM_OK);
    how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
    psa_set_key_slot_number(&how, 2);
    CHECK(psa_generate_key(&how, &other) == PSA_SUCCESS && psa_destroy_key(other) == PSA_SUCCESS);
}

/* Storage that fails in the middle of a registration: the slot has no name then, and can get one. A
 * folder stands where mbedTLS writes a file aside, which removes it as it fails. */
static void try_failed_registration(void)
{
    static const char aside[] = "tempfile.psa_its";
    uint8_t key[BLOCK_OCTETS] = {4};
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));

    psa_set_key_lifetime(&how, PSA_KEY_LIFETIME_FROM_PERSISTENCE_AND_LOCATION(
                                   PSA_KEY_PERSISTENCE_DEFAULT, ECSM_PSA_LOCATION));
    psa_set_key_id(&how, 5);
    psa_set_key_slot_number(&how, 1);
    CHECK(ecsm_load(&device, 1, key) == ECSM_OK);
    CHECK(mkdir(aside, 0700) == 0);
    CHECK(mbedtls_psa_register_se_key(&how) != PSA_SUCCESS);
    psa_set_key_id(&how, 6);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_SUCCESS);
    psa_set_key_id(&how, 5);
    CHECK(mbedtls_psa_register_se_key(&how) == PSA_ERROR_ALREADY_EXISTS); /* it is 6 */
    CHECK(psa_destroy_key(6) == PSA_SUCCESS && device_empty(1));
}

/* An identifier whose key the block has lost is not that of another key. */
static void try_lost(void)
{
    uint8_t digest[BLOCK_OCTETS] = {1}, signature[SIGNATURE];
    size_t length;
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
    const psa_key_id_t lost = imported(&how, 7);

    CHECK(!device_empty(0));
    ecsm_zeroize(&device);
    CHECK(ecsm_seed(&device) == ECSM_OK);
    const psa_key_id_t other = imported(&how, 8);
    CHECK(device_empty(0) && !device_empty(1));
    CHECK(psa_sign_hash(lost, PSA_ALG_ECDSA(PSA_ALG_SHA_256), digest, sizeof digest, signature,
                        sizeof signature, &length) == PSA_ERROR_DOES_NOT_EXIST);
    CHECK(psa_destroy_key(lost) == PSA_SUCCESS && psa_destroy_key(other) == PSA_SUCCESS);
}

void try_slots(void)
{
    psa_key_id_t keys[ECSM_SLOTS] = {0};
    psa_key_attributes_t how = signing(PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));

    begin();
    try_refused();
    for (int i = 0; i < SCRATCH; i++) {
        keys[i] = imported(&how, (uint8_t)(i + 1));
        CHECK(!device_empty((uint32_t)i));
    }
    CHECK(psa_generate_key(&how, &keys[SCRATCH]) == PSA_ERROR_INSUFFICIENT_STORAGE);
    CHECK(psa_destroy_key(keys[1]) == PSA_SUCCESS);
    CHECK(device_empty(1) && !device_empty(0) && !device_empty(2));
    psa_set_key_slot_number(&how, 0);
    CHECK(psa_generate_key(&how, &keys[1]) == PSA_ERROR_ALREADY_EXISTS);
    psa_set_key_slot_number(&how, SCRATCH);
    CHECK(psa_generate_key(&how, &keys[1]) == PSA_ERROR_INVALID_ARGUMENT);
    psa_set_key_slot_number(&how, 1);
    CHECK(psa_generate_key(&how, &keys[1]) == PSA_SUCCESS);
    CHECK(!device_empty(1));
    for (int i = 0; i < SCRATCH; i++) CHECK(psa_destroy_key(keys[i]) == PSA_SUCCESS);
    try_registered();
    try_registered_twice();
    try_failed_registration();
    try_lost();
    psa_set_key_slot_number(&how, 0);
    ecsm_zeroize(&device); /* and not seeded again */
    CHECK(psa_generate_key(&how, &keys[0]) == PSA_ERROR_INSUFFICIENT_ENTROPY);
    CHECK(ecsm_seed(&device) == ECSM_OK);
    keys[0] = imported(&how, 1);
    ecsm_mbedtls_end();
    CHECK(psa_destroy_key(keys[0]) == PSA_ERROR_COMMUNICATION_FAILURE);
    CHECK(!device_empty(0) && ecsm_forget(&device, 0) == ECSM_OK);
    end();
}
