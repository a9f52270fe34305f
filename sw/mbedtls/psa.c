/* SPDX-License-Identifier: Apache-2.0 */
/* A driver of a secure element for PSA of mbedTLS 2.28: keys in the block's slots.
 *
 * The block itself says which slots are empty. Its keys are gone when its power is, or a job that was
 * not answered: those that PSA makes are volatile. An identifier may outlive its key, so a slot that
 * one names is not given to another: it would then name the other one's key. */

#include "block.h"

#if defined(MBEDTLS_PSA_CRYPTO_SE_C)

#include "mbedtls/platform_util.h"
#include "psa/crypto_extra.h"
#include "psa/crypto_se_driver.h"

enum { POINT_OCTETS = 1 + 2 * BLOCK_OCTETS, SIGNATURE_OCTETS = 2 * BLOCK_OCTETS };
enum { UNCOMPRESSED = 0x04 };

psa_status_t ecsm_psa_error(ecsm_status_t status)
{
    switch (status) {
    case ECSM_OK:
        return PSA_SUCCESS;
    case ECSM_STATUS_COORDINATE_OUT_OF_RANGE:
    case ECSM_STATUS_POINT_NOT_ON_CURVE:
    case ECSM_STATUS_SCALAR_OUT_OF_RANGE:
    case ECSM_STATUS_LOW_ORDER_POINT:
        return PSA_ERROR_INVALID_ARGUMENT;
    case ECSM_STATUS_SIGNATURE_INVALID:
        return PSA_ERROR_INVALID_SIGNATURE;
    case ECSM_STATUS_FAULT_DETECTED:
        return PSA_ERROR_CORRUPTION_DETECTED;
    case ECSM_STATUS_UNSUPPORTED:
        return PSA_ERROR_NOT_SUPPORTED;
    case ECSM_STATUS_NO_ENTROPY:
        return PSA_ERROR_INSUFFICIENT_ENTROPY;
    case ECSM_STATUS_NO_KEY: /* as after a reset of the block */
        return PSA_ERROR_DOES_NOT_EXIST;
    case ECSM_NO_DEVICE:
    case ECSM_NO_ANSWER:
        return PSA_ERROR_COMMUNICATION_FAILURE;
    default:
        return PSA_ERROR_HARDWARE_FAILURE;
    }
}

/* End jobs with the block. */
static psa_status_t given(ecsm_status_t status)
{
    block_give();
    return ecsm_psa_error(status);
}

/* ------------------------------------------------------------------ slots */

/* A bit for each slot that a volatile identifier names. In the driver's data: that a persistent one does. */
static uint8_t named;

static void name_slot(uint8_t *names, psa_key_slot_number_t slot, bool on)
{
    const unsigned bit = 1u << slot;

    *names = (uint8_t)(on ? *names | bit : *names & ~bit);
}

static bool has_name(const void *persistent, psa_key_slot_number_t slot)
{
    return ((1u << slot) & (unsigned)(named | *(const uint8_t *)persistent)) != 0;
}

/* Of mbedTLS's psa_crypto_storage.h, in its folder "library". psa_get_key_attributes cannot be asked
 * while a key is registered. */
int psa_is_key_present_in_storage(const mbedtls_svc_key_id_t key);

/* The identifiers for which slots were named since psa_crypto_init, and a bit for each such slot.
 * mbedTLS does not say that a registration failed behind validate(), as storage may: an identifier
 * that is not in storage names no slot. */
static mbedtls_svc_key_id_t asked[ECSM_SLOTS];
static uint8_t was_asked;

static void drop_failed(void *persistent)
{
    for (uint32_t at = 0; at < ECSM_SLOTS; at++) {
        if ((was_asked & 1u << at) == 0 || psa_is_key_present_in_storage(asked[at]) != 0) continue;
        name_slot(&was_asked, at, false);
        name_slot(persistent, at, false);
    }
}

/* Whether attributes are those of a private key of the block's curve; its size may be left open. */
static bool is_ours(const psa_key_attributes_t *attributes)
{
    size_t bits = 0;
    const psa_ecc_family_t family = mbedtls_ecc_group_to_psa(block_curve(), &bits);
    const size_t wanted = psa_get_key_bits(attributes);

    return block_curve() != MBEDTLS_ECP_DP_NONE &&
           psa_get_key_type(attributes) == PSA_KEY_TYPE_ECC_KEY_PAIR(family) &&
           (wanted == 0 || wanted == bits);
}

/* Whether a slot has a key: ECSM_OK, ECSM_STATUS_NO_KEY, or another status. */
static ecsm_status_t look(ecsm_t *ecsm, uint32_t slot)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS];

    return ecsm_public(ecsm, slot, (ecsm_point_t){x, y});
}

static psa_status_t allocate(psa_drv_se_context_t *context, void *persistent,
                             const psa_key_attributes_t *attributes,
                             psa_key_creation_method_t method, psa_key_slot_number_t *slot)
{
    (void)context;
    (void)method;
    if (!PSA_KEY_LIFETIME_IS_VOLATILE(psa_get_key_lifetime(attributes)) || !is_ours(attributes))
        return PSA_ERROR_NOT_SUPPORTED;
    drop_failed(persistent);
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    for (uint32_t at = 0; at < ECSM_SLOTS; at++) {
        if (at == block_key_slot() || has_name(persistent, at)) continue;
        const ecsm_status_t status = look(ecsm, at);
        if (status == ECSM_STATUS_NO_KEY) {
            *slot = at;
            return given(ECSM_OK);
        }
        if (status != ECSM_OK) return given(status);
    }
    block_give();
    return PSA_ERROR_INSUFFICIENT_STORAGE;
}

/* A slot that the caller names: an empty one for a new key; for one that is registered, which may have
 * a lifetime of its own, one that has a key. No slot gets two identifiers: who destroys one would leave
 * the other to the slot's next key. Of an identifier that is there already mbedTLS would say that it
 * has registered it, and leave it with its first slot. */
static psa_status_t validate(psa_drv_se_context_t *context, void *persistent,
                             const psa_key_attributes_t *attributes,
                             psa_key_creation_method_t method, psa_key_slot_number_t slot)
{
    const bool registered = method == PSA_KEY_CREATION_REGISTER;

    (void)context;
    if (registered == PSA_KEY_LIFETIME_IS_VOLATILE(psa_get_key_lifetime(attributes)) ||
        !is_ours(attributes))
        return PSA_ERROR_NOT_SUPPORTED;
    if (slot >= ECSM_SLOTS || slot == block_key_slot()) return PSA_ERROR_INVALID_ARGUMENT;
    drop_failed(persistent);
    if (has_name(persistent, slot) ||
        (registered && psa_is_key_present_in_storage(psa_get_key_id(attributes)) == 1))
        return PSA_ERROR_ALREADY_EXISTS;
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    const ecsm_status_t status = look(ecsm, (uint32_t)slot);
    if (registered && status == ECSM_OK) {
        asked[slot] = psa_get_key_id(attributes);
        name_slot(&was_asked, slot, true);
        name_slot(persistent, slot, true);
    }
    if (registered || (status != ECSM_OK && status != ECSM_STATUS_NO_KEY)) return given(status);
    block_give();
    return status == ECSM_OK ? PSA_ERROR_ALREADY_EXISTS : PSA_SUCCESS;
}

/* ------------------------------------------------------------------ keys */

static psa_status_t import(psa_drv_se_context_t *context, psa_key_slot_number_t slot,
                           const psa_key_attributes_t *attributes, const uint8_t *data,
                           size_t length, size_t *bits)
{
    (void)context;
    (void)attributes;
    if (length != BLOCK_OCTETS) return PSA_ERROR_INVALID_ARGUMENT;
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    const ecsm_status_t status = ecsm_load(ecsm, (uint32_t)slot, data);
    if (status == ECSM_OK) *bits = BLOCK_BITS;
    name_slot(&named, slot, status == ECSM_OK);
    return given(status);
}

static psa_status_t generate(psa_drv_se_context_t *context, psa_key_slot_number_t slot,
                             const psa_key_attributes_t *attributes, uint8_t *public_key,
                             size_t size, size_t *length)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS];

    (void)context;
    (void)attributes;
    (void)public_key; /* PSA of 2.28 asks for it later */
    (void)size;
    *length = 0;
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    const ecsm_status_t status = ecsm_keygen(ecsm, (uint32_t)slot, (ecsm_point_t){x, y});
    name_slot(&named, slot, status == ECSM_OK);
    return given(status);
}

static psa_status_t destroy(psa_drv_se_context_t *context, void *persistent,
                            psa_key_slot_number_t slot)
{
    (void)context;
    name_slot(&named, slot, false); /* whatever comes of it: mbedTLS drops the identifier */
    name_slot(persistent, slot, false);
    name_slot(&was_asked, slot, false);
    drop_failed(persistent);
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    return given(ecsm_forget(ecsm, (uint32_t)slot));
}

static psa_status_t export_public(psa_drv_se_context_t *context, psa_key_slot_number_t slot,
                                  uint8_t *data, size_t size, size_t *length)
{
    (void)context;
    if (size < POINT_OCTETS) return PSA_ERROR_BUFFER_TOO_SMALL;
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    const ecsm_status_t status =
        ecsm_public(ecsm, (uint32_t)slot, (ecsm_point_t){data + 1, data + 1 + BLOCK_OCTETS});
    if (status == ECSM_OK) {
        data[0] = UNCOMPRESSED;
        *length = POINT_OCTETS;
    }
    return given(status);
}

/* ------------------------------------------------------------------ signatures, agreement */

/* Whether the block signs so. Its nonces are those of RFC 6979 with SHA-256: right where they may be
 * any, and where they have to be those. */
static psa_status_t signs(psa_algorithm_t alg, size_t length)
{
    const psa_algorithm_t hash = PSA_ALG_SIGN_GET_HASH(alg);

    if (!PSA_ALG_IS_ECDSA(alg) ||
        (PSA_ALG_IS_DETERMINISTIC_ECDSA(alg) && hash != PSA_ALG_SHA_256))
        return PSA_ERROR_NOT_SUPPORTED;
    if (hash != 0 && hash != PSA_ALG_ANY_HASH && length != PSA_HASH_LENGTH(hash))
        return PSA_ERROR_INVALID_ARGUMENT;
    return PSA_SUCCESS;
}

static psa_status_t sign(psa_drv_se_context_t *context, psa_key_slot_number_t slot,
                         psa_algorithm_t alg, const uint8_t *hash, size_t hash_length,
                         uint8_t *signature, size_t size, size_t *length)
{
    uint8_t digest[BLOCK_OCTETS];
    const psa_status_t can = signs(alg, hash_length);

    (void)context;
    if (can != PSA_SUCCESS) return can;
    if (size < SIGNATURE_OCTETS) return PSA_ERROR_BUFFER_TOO_SMALL;
    block_digest(digest, hash, hash_length);
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    const ecsm_status_t status =
        ecsm_sign(ecsm, (uint32_t)slot, digest, signature, signature + BLOCK_OCTETS);
    if (status == ECSM_OK) *length = SIGNATURE_OCTETS;
    return given(status);
}

static psa_status_t verify(psa_drv_se_context_t *context, psa_key_slot_number_t slot,
                           psa_algorithm_t alg, const uint8_t *hash, size_t hash_length,
                           const uint8_t *signature, size_t length)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS], digest[BLOCK_OCTETS];
    const psa_status_t can = signs(alg, hash_length);

    (void)context;
    if (can != PSA_SUCCESS) return can;
    if (length != SIGNATURE_OCTETS) return PSA_ERROR_INVALID_SIGNATURE;
    block_digest(digest, hash, hash_length);
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    ecsm_status_t status = ecsm_public(ecsm, (uint32_t)slot, (ecsm_point_t){x, y});
    if (status == ECSM_OK)
        status = ecsm_verify(ecsm, (ecsm_const_point_t){x, y}, digest, signature,
                             signature + BLOCK_OCTETS);
    if (status == ECSM_STATUS_SCALAR_OUT_OF_RANGE) status = ECSM_STATUS_SIGNATURE_INVALID;
    return given(status);
}

psa_status_t ecsm_psa_agree(mbedtls_svc_key_id_t key, const uint8_t *peer, size_t peer_length,
                            uint8_t *secret, size_t secret_size, size_t *secret_length)
{
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_key_slot_number_t slot = 0;
    uint8_t z[BLOCK_OCTETS];

    psa_status_t status = psa_get_key_attributes(key, &attributes);
    if (status != PSA_SUCCESS) return status;
    if (PSA_KEY_LIFETIME_GET_LOCATION(psa_get_key_lifetime(&attributes)) != ECSM_PSA_LOCATION ||
        psa_get_key_slot_number(&attributes, &slot) != PSA_SUCCESS)
        status = PSA_ERROR_INVALID_ARGUMENT;
    else if ((psa_get_key_usage_flags(&attributes) & PSA_KEY_USAGE_DERIVE) == 0 ||
             psa_get_key_algorithm(&attributes) != PSA_ALG_ECDH)
        status = PSA_ERROR_NOT_PERMITTED;
    psa_reset_key_attributes(&attributes);
    if (status != PSA_SUCCESS) return status;
    if (peer_length != POINT_OCTETS || peer[0] != UNCOMPRESSED) return PSA_ERROR_INVALID_ARGUMENT;
    if (secret_size < sizeof z) return PSA_ERROR_BUFFER_TOO_SMALL;
    ecsm_t *ecsm = block_take();
    if (ecsm == NULL) return ecsm_psa_error(ECSM_NO_DEVICE);
    status = given(
        ecsm_agree(ecsm, (uint32_t)slot, (ecsm_const_point_t){peer + 1, peer + 1 + BLOCK_OCTETS}, z));
    if (status != PSA_SUCCESS) return status;
    for (size_t i = 0; i < sizeof z; i++) secret[i] = z[i];
    *secret_length = sizeof z;
    mbedtls_platform_zeroize(z, sizeof z);
    return PSA_SUCCESS;
}

psa_status_t ecsm_psa_register(void)
{
    static const psa_drv_se_asymmetric_t signatures = {.p_sign = sign, .p_verify = verify};
    static const psa_drv_se_key_management_t keys = {
        .p_allocate = allocate,
        .p_validate_slot_number = validate,
        .p_import = import,
        .p_generate = generate,
        .p_destroy = destroy,
        .p_export_public = export_public,
    };
    static const psa_drv_se_t driver = {
        .hal_version = PSA_DRV_SE_HAL_VERSION,
        .persistent_data_size = sizeof named,
        .key_management = &keys,
        .asymmetric = &signatures,
    };

    const psa_status_t status = psa_register_se_driver(ECSM_PSA_LOCATION, &driver);
    if (status == PSA_SUCCESS) named = was_asked = 0; /* mbedtls_psa_crypto_free has dropped them */
    return status;
}

#else

typedef int ecsm_no_keys_in_slots; /* a source is not empty */

#endif
