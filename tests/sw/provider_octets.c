/* SPDX-License-Identifier: Apache-2.0
 *
 * What a key of X25519 and of Ed25519 must not do, and parameters that have no effect: a line for each, the
 * question and what libcrypto returned. Both keys are generated, by the provider that is preferred. */
#include <stdio.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

static const char *const kinds[] = {"X25519", "ED25519"};

static void say(const char *kind, const char *what, int got)
{
    printf("%s %s %s\n", kind, what, got > 0 ? "yes" : "no");
}

int main(void)
{
    char text[] = "Ed25519ph";
    OSSL_PARAM given[] = {OSSL_PARAM_construct_utf8_string("instance", text, 0),
                          OSSL_PARAM_construct_end()};
    for (size_t i = 0; i < 2; i++) {
        EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, kinds[i]);
        EVP_MD_CTX *md = EVP_MD_CTX_new();
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        if (key == NULL || md == NULL || ctx == NULL) return 1;
        say(kinds[i], "can sign", EVP_PKEY_can_sign(key));
        say(kinds[i], "signs", EVP_DigestSignInit_ex(md, NULL, NULL, NULL, NULL, key, NULL));
        say(kinds[i], "verifies", EVP_DigestVerifyInit_ex(md, NULL, NULL, NULL, NULL, key, NULL));
        say(kinds[i], "derives", EVP_PKEY_derive_init(ctx));
        say(kinds[i], "signs with it", EVP_DigestSignInit_ex(md, NULL, NULL, NULL, NULL, key, given));
        say(kinds[i], "verifies with it",
            EVP_DigestVerifyInit_ex(md, NULL, NULL, NULL, NULL, key, given));
        say(kinds[i], "derives with it", EVP_PKEY_derive_init_ex(ctx, given));
        EVP_PKEY_CTX_free(ctx);
        EVP_MD_CTX_free(md);
        EVP_PKEY_free(key);
    }
    return 0;
}
