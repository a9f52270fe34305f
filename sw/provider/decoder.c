/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that name a key of the device server, for programs that take a key as a file:
 *
 *     -----BEGIN ECSM KEY-----   PEM, in it a UTF8String of DER: ecsm:NAME
 *     DAhlY3NtOndlYg==
 *     -----END ECSM KEY-----
 *
 * Two decoders in a row: of PEM to DER, where libcrypto's own takes no name but those it knows; of
 * DER to the key. What is not of this form is left to other decoders.
 */
#include "provider.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/params.h>
#include <openssl/pem.h>

#define LABEL "ECSM KEY"

enum { UTF8_STRING = 0x0c, MOST = sizeof ECSM_SCHEME - 1 + ECSM_MOST_NAME };

/* The context of a decoder is the provider's. */
static void *new_context(void *provider) { return provider; }

static void free_context(void *context) { (void)context; }

static BIO *input_of(const ecsm_provider_t *provider, OSSL_CORE_BIO *core) {
    return BIO_new_from_core_bio(provider->soft, core);
}

static int pem_to_der(void *context, OSSL_CORE_BIO *core, int selection, OSSL_CALLBACK *callback,
                      void *argument, OSSL_PASSPHRASE_CALLBACK *passphrase,
                      void *passphrase_argument) {
    BIO *in = input_of(context, core);
    char *label = NULL, *header = NULL, structure[] = "ecsm";
    unsigned char *data = NULL;
    long length = 0;
    int good = 1, type = OSSL_OBJECT_PKEY;

    (void)selection;
    (void)passphrase;
    (void)passphrase_argument;
    if (in == NULL) return 0;
    if (PEM_read_bio(in, &label, &header, &data, &length) > 0 && strcmp(label, LABEL) == 0) {
        OSSL_PARAM params[] = {
            OSSL_PARAM_int(OSSL_OBJECT_PARAM_TYPE, &type),
            OSSL_PARAM_utf8_string(OSSL_OBJECT_PARAM_DATA_STRUCTURE, structure,
                                   sizeof structure - 1),
            OSSL_PARAM_octet_string(OSSL_OBJECT_PARAM_DATA, data, (size_t)length),
            OSSL_PARAM_END,
        };
        good = callback(params, argument);
    }
    OPENSSL_free(label);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, (size_t)length); /* it may have been a key of another form */
    BIO_free(in);
    return good;
}

/* Read a name; 1 if all there is to read is one. */
static int read_name(BIO *in, char name[ECSM_MOST_NAME + 1]) {
    const size_t scheme = strlen(ECSM_SCHEME);
    unsigned char octets[2 + MOST + 1];
    size_t length = 0, more;

    while (length < sizeof octets && BIO_read_ex(in, octets + length, sizeof octets - length, &more))
        length += more;
    if (length <= 2 + scheme || length > 2 + MOST || octets[0] != UTF8_STRING ||
        octets[1] != length - 2 || memcmp(octets + 2, ECSM_SCHEME, scheme) != 0 ||
        memchr(octets + 2, 0, length - 2) != NULL)
        return 0;
    length -= 2 + scheme;
    memcpy(name, octets + 2 + scheme, length);
    name[length] = 0;
    return 1;
}

static int der_to_key(void *context, OSSL_CORE_BIO *core, int selection, OSSL_CALLBACK *callback,
                      void *argument, OSSL_PASSPHRASE_CALLBACK *passphrase,
                      void *passphrase_argument) {
    char name[ECSM_MOST_NAME + 1];
    ecsm_key_t *key = NULL;
    BIO *in = input_of(context, core);
    int good = 1;

    (void)selection;
    (void)passphrase;
    (void)passphrase_argument;
    if (in == NULL) return 0;
    if (read_name(in, name)) {
        key = ecsm_key_of_name(context, name);
        good = key != NULL && ecsm_key_give(key, callback, argument);
    }
    BIO_free(in);
    return good;
}

const OSSL_DISPATCH ecsm_pem_decoder[] = {
    {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_DECODER_DECODE, (void (*)(void))pem_to_der},
    {0, NULL},
};

const OSSL_DISPATCH ecsm_name_decoder[] = {
    {OSSL_FUNC_DECODER_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_DECODER_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_DECODER_DECODE, (void (*)(void))der_to_key},
    {OSSL_FUNC_DECODER_EXPORT_OBJECT, (void (*)(void))ecsm_key_export_reference},
    {0, NULL},
};
