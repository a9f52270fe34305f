/* SPDX-License-Identifier: Apache-2.0 */
/* TLS with a key that the block makes and keeps: an example, to be copied.
 *
 *     tls client PORT    tls server PORT
 *
 * Makes a key, writes device.csr, waits for device.crt, a certificate of it, and trusts in ca.crt.
 * A client then connects to localhost, sends a line and prints what comes back; a server waits for one
 * client with a certificate, and sends back what came. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ecsm_mbedtls.h"
#include "mbedtls/error.h"
#include "mbedtls/net_sockets.h"
#include "mbedtls/pk.h"
#include "mbedtls/ssl.h"
#include "mbedtls/x509_crt.h"
#include "mbedtls/x509_csr.h"
#include "mbedtls/psa_util.h"
#include "simulated.h"

enum { SCRATCH_SLOT = ECSM_SLOTS - 1, PEM = 2000, LINE = 100 };

typedef struct {
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    mbedtls_x509_crt ca, certificate;
    mbedtls_pk_context key;
    mbedtls_net_context listener, peer;
} tls_t;

/* ------------------------------------------------------------------ the block and its key */

static int begin(void)
{
    static ecsm_t ecsm;
    const ecsm_hal_t hal = simulated_hal(); /* yours: ecsm_hal_memory(ADDRESS) */

    ecsm_status_t status = ecsm_open(&ecsm, &hal);
    if (status == ECSM_OK) status = ecsm_seed(&ecsm); /* from the block's noise source */
    if (status != ECSM_OK) return ecsm_mbedtls_error(status);
    int error = ecsm_mbedtls_begin(&ecsm, MBEDTLS_ECP_DP_SECP256R1, SCRATCH_SLOT);
    if (error == 0) error = ecsm_mbedtls_self_test(0);
    if (error == 0) error = ecsm_psa_register() != PSA_SUCCESS;
    if (error == 0) error = psa_crypto_init() != PSA_SUCCESS;
    return error;
}

static int make_key(mbedtls_pk_context *pk, psa_key_id_t *key)
{
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;

    psa_set_key_lifetime(&attributes, ECSM_PSA_LIFETIME);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1));
    psa_set_key_bits(&attributes, 256);
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_SIGN_HASH);
    psa_set_key_algorithm(&attributes, PSA_ALG_ECDSA(PSA_ALG_ANY_HASH));
    if (psa_generate_key(&attributes, key) != PSA_SUCCESS) return 1;
    return mbedtls_pk_setup_opaque(pk, *key);
}

static int request(mbedtls_pk_context *key)
{
    mbedtls_x509write_csr csr;
    unsigned char pem[PEM];

    mbedtls_x509write_csr_init(&csr);
    mbedtls_x509write_csr_set_md_alg(&csr, MBEDTLS_MD_SHA256);
    mbedtls_x509write_csr_set_key(&csr, key);
    int error = mbedtls_x509write_csr_set_subject_name(&csr, "CN=localhost");
    if (error == 0)
        error = mbedtls_x509write_csr_pem(&csr, pem, sizeof pem, mbedtls_psa_get_random,
                                          MBEDTLS_PSA_RANDOM_STATE);
    mbedtls_x509write_csr_free(&csr);
    FILE *file = error == 0 ? fopen("device.csr", "w") : NULL;
    if (file == NULL) return error != 0 ? error : 1;
    error = fputs((char *)pem, file) < 0;
    return fclose(file) != 0 ? 1 : error;
}

/* ------------------------------------------------------------------ TLS */

static int configure(tls_t *tls, int role)
{
    static const mbedtls_ecp_group_id curves[] = {MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_NONE};
    const int stream = MBEDTLS_SSL_TRANSPORT_STREAM;

    int error = mbedtls_ssl_config_defaults(&tls->config, role, stream, MBEDTLS_SSL_PRESET_DEFAULT);
    if (error == 0) error = mbedtls_x509_crt_parse_file(&tls->ca, "ca.crt");
    if (error == 0) error = mbedtls_x509_crt_parse_file(&tls->certificate, "device.crt");
    if (error != 0) return error;
    mbedtls_ssl_conf_ca_chain(&tls->config, &tls->ca, NULL);
    mbedtls_ssl_conf_authmode(&tls->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_curves(&tls->config, curves); /* mbedTLS would take a longer one, in software */
    mbedtls_ssl_conf_rng(&tls->config, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
    error = mbedtls_ssl_conf_own_cert(&tls->config, &tls->certificate, &tls->key);
    if (error == 0) error = mbedtls_ssl_setup(&tls->ssl, &tls->config);
    if (error == 0) error = mbedtls_ssl_set_hostname(&tls->ssl, "localhost");
    mbedtls_ssl_set_bio(&tls->ssl, &tls->peer, mbedtls_net_send, mbedtls_net_recv, NULL);
    return error;
}

static int meet(tls_t *tls, int role, const char *port)
{
    if (role == MBEDTLS_SSL_IS_CLIENT)
        return mbedtls_net_connect(&tls->peer, "localhost", port, MBEDTLS_NET_PROTO_TCP);
    const int error = mbedtls_net_bind(&tls->listener, "localhost", port, MBEDTLS_NET_PROTO_TCP);
    return error != 0 ? error : mbedtls_net_accept(&tls->listener, &tls->peer, NULL, 0, NULL);
}

/* A line to the server, and the one that it sends back; or the client's, sent back. */
static int talk(tls_t *tls, int role)
{
    static const char text[] = "ten pounds\n";
    unsigned char line[LINE] = "";

    int count = 1;
    if (role == MBEDTLS_SSL_IS_CLIENT)
        count = mbedtls_ssl_write(&tls->ssl, (const unsigned char *)text, sizeof text - 1);
    size_t length = 0;
    while (count > 0 && length < LINE - 1 && memchr(line, '\n', length) == NULL) {
        count = mbedtls_ssl_read(&tls->ssl, line + length, LINE - 1 - length);
        if (count > 0) length += (size_t)count;
    }
    if (count <= 0) return count != 0 ? count : 1;
    if (role == MBEDTLS_SSL_IS_SERVER) count = mbedtls_ssl_write(&tls->ssl, line, length);
    if (count <= 0) return count;
    printf("%s %s\n%s", mbedtls_ssl_get_version(&tls->ssl), mbedtls_ssl_get_ciphersuite(&tls->ssl),
           (char *)line);
    return mbedtls_ssl_close_notify(&tls->ssl);
}

static int run(tls_t *tls, int role, const char *port, psa_key_id_t *key)
{
    int error = begin();
    if (error == 0) error = make_key(&tls->key, key);
    if (error == 0) error = request(&tls->key);
    if (error != 0) return error;
    while (access("device.crt", R_OK) != 0) (void)usleep(100000);
    error = configure(tls, role);
    if (error == 0) error = meet(tls, role, port);
    if (error == 0) error = mbedtls_ssl_handshake(&tls->ssl);
    return error != 0 ? error : talk(tls, role);
}

int main(int argc, char **argv)
{
    static tls_t tls;
    psa_key_id_t key = 0;

    const bool server = argc == 3 && strcmp(argv[1], "server") == 0;
    if (argc != 3 || (!server && strcmp(argv[1], "client") != 0)) {
        (void)fputs("tls client PORT, or tls server PORT\n", stderr);
        return 2;
    }
    mbedtls_ssl_init(&tls.ssl);
    mbedtls_ssl_config_init(&tls.config);
    mbedtls_x509_crt_init(&tls.ca);
    mbedtls_x509_crt_init(&tls.certificate);
    mbedtls_pk_init(&tls.key);
    mbedtls_net_init(&tls.listener);
    mbedtls_net_init(&tls.peer);
    const int error = run(&tls, server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT, argv[2], &key);
    mbedtls_ssl_free(&tls.ssl);
    mbedtls_ssl_config_free(&tls.config);
    mbedtls_x509_crt_free(&tls.ca);
    mbedtls_x509_crt_free(&tls.certificate);
    mbedtls_pk_free(&tls.key);
    mbedtls_net_free(&tls.listener);
    mbedtls_net_free(&tls.peer);
    (void)psa_destroy_key(key);
    mbedtls_psa_crypto_free();
    ecsm_mbedtls_end();
    if (error != 0) {
        char text[LINE];
        mbedtls_strerror(error, text, sizeof text);
        (void)fprintf(stderr, "tls: %s (%d)\n", text, error);
    }
    return error != 0;
}
