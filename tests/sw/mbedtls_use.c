/* SPDX-License-Identifier: Apache-2.0 */
/* Tries sw/mbedtls on a simulated block: mbedtls_use TRIAL. Prints what is not as it must be. */
#include "mbedtls_use.h"

#include <pthread.h>
#include <stdlib.h>

#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/error.h"
#include "mbedtls/pk.h"
#include "mbedtls/platform.h"
#include "mbedtls/platform_util.h"
#include "mbedtls/psa_util.h"

#define AT(name) ((uint32_t)offsetof(ecsm_block_scheme_t, name))

device_faults_t faults;
ecsm_t device;
int failures;
static ecsm_hal_t hal;
static uint32_t operation;

static uint32_t altered_read(void *context, uint32_t offset)
{
    const uint32_t word = hal.read(context, offset);
    if (offset == AT(STATUS) && faults.dead) return 0;
    if (offset == AT(OUT_DATA)) return word ^ faults.flip;
    if (offset != AT(STATUS) || !(word & ECSM_BLOCK_SCHEME__STATUS__ANSWER_bm) ||
        operation == ECSM_OPERATION_LOAD || operation == ECSM_OPERATION_FORGET)
        return word;
    return word | faults.code << ECSM_BLOCK_SCHEME__STATUS__CODE_bp;
}

static void altered_write(void *context, uint32_t offset, uint32_t value)
{
    if (offset == AT(JOB)) operation = value & 63u;
    hal.write(context, offset, value);
}

void device_open(void)
{
    hal = simulated_hal();
    const ecsm_hal_t altered = {altered_read, altered_write, hal.wait, hal.context};
    CHECK(ecsm_open(&device, &altered) == ECSM_OK);
}

bool device_empty(uint32_t slot)
{
    uint8_t x[BLOCK_OCTETS], y[BLOCK_OCTETS];
    return ecsm_public(&device, slot, (ecsm_point_t){x, y}) == ECSM_STATUS_NO_KEY;
}

int some_random(void *state, unsigned char *octets, size_t length)
{
    (void)state;
    for (size_t i = 0; i < length; i++) octets[i] = (unsigned char)rand();
    return 0;
}

/* ------------------------------------------------------------------ statuses, beginning, end */

static void try_begin(void)
{
    const mbedtls_ecp_group_id none = MBEDTLS_ECP_DP_NONE, right = MBEDTLS_ECP_DP_SECP256R1;
    CHECK(ecsm_mbedtls_self_test(0) == 1);
    CHECK(ecsm_mbedtls_begin(NULL, right, SCRATCH) == MBEDTLS_ERR_ECP_BAD_INPUT_DATA);
    CHECK(ecsm_mbedtls_begin(&device, right, ECSM_SLOTS) == MBEDTLS_ERR_ECP_BAD_INPUT_DATA);
    CHECK(ecsm_mbedtls_begin(&device, none, SCRATCH) == MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE);
    const mbedtls_ecp_group_id others[] = {MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_ECP_DP_SECP256K1,
                                           MBEDTLS_ECP_DP_BP256R1, MBEDTLS_ECP_DP_CURVE25519};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(ecsm_mbedtls_begin(&device, others[i], SCRATCH) ==
              MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE);
    CHECK(device_empty(SCRATCH));
    faults.code = ECSM_STATUS_FAULT_DETECTED;
    CHECK(ecsm_mbedtls_begin(&device, right, SCRATCH) == MBEDTLS_ERR_ERROR_CORRUPTION_DETECTED);
    faults.code = 0;
    CHECK(device_empty(SCRATCH));
    faults.dead = true;
    CHECK(ecsm_mbedtls_begin(&device, right, SCRATCH) == MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED);
    faults.dead = false;
    ecsm_zeroize(&device);
    CHECK(ecsm_mbedtls_begin(&device, right, SCRATCH) == 0);
    CHECK(ecsm_mbedtls_begin(&device, right, SCRATCH) == MBEDTLS_ERR_ECP_BAD_INPUT_DATA);
    CHECK(ecsm_mbedtls_self_test(1) == 0);
    faults.flip = 1;
    CHECK(ecsm_mbedtls_self_test(1) == 1);
    faults.flip = 0;
}

void try_errors(void)
{
    static const struct {
        ecsm_status_t status;
        int error;
        psa_status_t psa;
    } all[] = {
        {ECSM_STATUS_COORDINATE_OUT_OF_RANGE, MBEDTLS_ERR_ECP_INVALID_KEY, PSA_ERROR_INVALID_ARGUMENT},
        {ECSM_STATUS_POINT_NOT_ON_CURVE, MBEDTLS_ERR_ECP_INVALID_KEY, PSA_ERROR_INVALID_ARGUMENT},
        {ECSM_STATUS_SIGNATURE_INVALID, MBEDTLS_ERR_ECP_VERIFY_FAILED, PSA_ERROR_INVALID_SIGNATURE},
        {ECSM_STATUS_FAULT_DETECTED, MBEDTLS_ERR_ERROR_CORRUPTION_DETECTED,
         PSA_ERROR_CORRUPTION_DETECTED},
        {ECSM_STATUS_BUSY, MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED, PSA_ERROR_HARDWARE_FAILURE},
        {ECSM_STATUS_UNSUPPORTED, MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE, PSA_ERROR_NOT_SUPPORTED},
        {ECSM_STATUS_NO_ENTROPY, MBEDTLS_ERR_ECP_RANDOM_FAILED, PSA_ERROR_INSUFFICIENT_ENTROPY},
        {ECSM_STATUS_NO_KEY, MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED, PSA_ERROR_DOES_NOT_EXIST},
    };
    mbedtls_ecp_group group;
    mbedtls_ecp_point q;
    mbedtls_mpi d, r, s;
    static const uint8_t digest[BLOCK_OCTETS] = {1};

    try_begin();
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&q);
    mbedtls_mpi_init(&d);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    CHECK(mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) == 0);
    CHECK(mbedtls_mpi_lset(&d, 5) == 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        faults.code = all[i].status;
        CHECK(ecsm_mbedtls_error(all[i].status) == all[i].error);
        CHECK(ecsm_psa_error(all[i].status) == all[i].psa);
        CHECK(mbedtls_ecdsa_sign(&group, &r, &s, &d, digest, sizeof digest, some_random, NULL) ==
              all[i].error);
        CHECK(r.n == 0 && s.n == 0);
        CHECK(mbedtls_ecdh_compute_shared(&group, &r, &group.G, &d, some_random, NULL) ==
              all[i].error);
        CHECK(r.n == 0);
        faults.code = 0;
        CHECK(device_empty(SCRATCH));
    }
    faults.dead = true;
    CHECK(mbedtls_ecdh_gen_public(&group, &r, &q, some_random, NULL) ==
          MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED);
    CHECK(r.n == 0);
    faults.dead = false;
    ecsm_zeroize(&device);
    ecsm_mbedtls_end();
    CHECK(mbedtls_ecdsa_sign(&group, &r, &s, &d, digest, sizeof digest, some_random, NULL) == 0);
    mbedtls_ecp_group_free(&group);
    mbedtls_ecp_point_free(&q);
    mbedtls_mpi_free(&d);
    mbedtls_mpi_free(&r);
    mbedtls_mpi_free(&s);
}

/* ------------------------------------------------------------------ threads */

static void *verify_some(void *context)
{
    static const uint8_t digest[BLOCK_OCTETS] = {7};
    mbedtls_ecdsa_context key;
    unsigned char signature[MBEDTLS_ECDSA_MAX_LEN];
    size_t length = 0;
    intptr_t wrong = 0;

    (void)context;
    mbedtls_ecdsa_init(&key);
    wrong += mbedtls_ecdsa_genkey(&key, MBEDTLS_ECP_DP_SECP256R1, some_random, NULL) != 0;
    for (int i = 0; i < 3; i++) {
        wrong += mbedtls_ecdsa_write_signature(&key, MBEDTLS_MD_SHA256, digest, sizeof digest,
                                               signature, &length, some_random, NULL) != 0;
        wrong += mbedtls_ecdsa_read_signature(&key, digest, sizeof digest, signature, length) != 0;
    }
    mbedtls_ecdsa_free(&key);
    return (void *)wrong;
}

void try_threads(void)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    void *wrong;

    CHECK(ecsm_mbedtls_begin(&device, MBEDTLS_ECP_DP_SECP256R1, SCRATCH) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, verify_some, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], &wrong) == 0);
        CHECK(wrong == NULL);
    }
    ecsm_mbedtls_end();
}

/* ------------------------------------------------------------------ what is left in memory */

/* Signs and agrees with the key of the file key.pem, and writes the secret to the file secret. */
void try_secrets(void)
{
    mbedtls_pk_context key;
    mbedtls_mpi z;
    static const uint8_t digest[BLOCK_OCTETS] = {7};
    unsigned char signature[MBEDTLS_ECDSA_MAX_LEN], secret[BLOCK_OCTETS];
    size_t length = 0;

    CHECK(ecsm_mbedtls_begin(&device, MBEDTLS_ECP_DP_SECP256R1, SCRATCH) == 0);
    mbedtls_pk_init(&key);
    mbedtls_mpi_init(&z);
    CHECK(mbedtls_pk_parse_keyfile(&key, "key.pem", NULL) == 0);
    mbedtls_ecp_keypair *pair = mbedtls_pk_ec(key);
    CHECK(mbedtls_pk_sign(&key, MBEDTLS_MD_SHA256, digest, sizeof digest, signature, &length,
                          some_random, NULL) == 0);
    CHECK(mbedtls_ecdh_compute_shared(&pair->grp, &z, &pair->Q, &pair->d, some_random, NULL) == 0);
    CHECK(mbedtls_mpi_write_binary(&z, secret, sizeof secret) == 0);
    FILE *file = fopen("secret", "wb");
    CHECK(file != NULL);
    (void)setvbuf(file, NULL, _IONBF, 0);
    CHECK(fwrite(secret, 1, sizeof secret, file) == sizeof secret && fclose(file) == 0);
    mbedtls_platform_zeroize(secret, sizeof secret);
    mbedtls_mpi_free(&z);
    mbedtls_pk_free(&key);
    ecsm_mbedtls_end();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } trials[] = {
        {"errors", try_errors}, {"alt", try_alt},         {"psa", try_psa},
        {"slots", try_slots},   {"agreement", try_agreement}, {"threads", try_threads},
        {"secrets", try_secrets},
    };
    for (size_t i = 0; argc == 2 && i < sizeof trials / sizeof *trials; i++) {
        if (strcmp(argv[1], trials[i].name) != 0) continue;
        device_open();
        trials[i].run();
        return failures != 0;
    }
    return 2;
}
