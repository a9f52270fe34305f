/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of schemes and of what they are made of, strings in memory before and after. */
#include "measure.h"
#include "scheme_vectors.h"
#include "schemes/schemes.h"

/* In memory that the compiler knows nothing of when a measurement begins. */
uint8_t message[MESSAGE_OCTETS], stream[MESSAGE_OCTETS], hashed[SHA1_OCTETS];
order_t a, b, r;
signature_t signature;
public_key_t point;

static bool same(const uint8_t *found, const uint8_t *wanted, unsigned octets)
{
    unsigned differ = 0;
    for (unsigned i = 0; i < octets; i++) differ |= found[i] ^ wanted[i];
    return differ == 0;
}

int main(void)
{
    bool ok = true;
    for (unsigned i = 0; i < MESSAGE_OCTETS; i++) message[i] = text[i];
    a = numbers[0].a;
    b = numbers[0].b;
    measure_begin();
    MEASURE("sha1", sha1(hashed, message, MESSAGE_OCTETS));
    MEASURE("aes_ctr",
            aes256_ctr(stream, ciphers[0].key, ciphers[0].iv, message, MESSAGE_OCTETS));
    ok &= same(stream, ciphers[0].stream, MESSAGE_OCTETS);
    MEASURE("order_multiply", order_multiply(&r, &a, &b));
    ok &= order_equal(&r, &numbers[0].product);
    MEASURE("order_invert", order_invert(&r, &a));
    ok &= order_equal(&r, &numbers[0].inverse);
    MEASURE("ecdsa_sign", ok &= ecdsa_sign(&signature, signatures[0].d, signatures[0].nonce,
                                           message, MESSAGE_OCTETS));
    ok &= same(signature.r, signatures[0].signature.r, ORDER_OCTETS);
    ok &= same(signature.s, signatures[0].signature.s, ORDER_OCTETS);
    MEASURE("ecdsa_verify",
            ok &= ecdsa_verify(&signature, &signatures[0].key, message, MESSAGE_OCTETS));
    MEASURE("ec_aes_encrypt",
            ok &= ec_aes_encrypt(&point, stream, sealed[0].ephemeral, sealed[0].iv, &sealed[0].key,
                                 message, MESSAGE_OCTETS));
    ok &= same(point.x, sealed[0].r.x, FIELD_OCTETS) && same(point.y, sealed[0].r.y, FIELD_OCTETS);
    ok &= same(stream, sealed[0].stream, MESSAGE_OCTETS);
    MEASURE("ec_aes_decrypt", ok &= ec_aes_decrypt(message, sealed[0].d, &point, sealed[0].iv,
                                                   stream, MESSAGE_OCTETS));
    ok &= same(message, text, MESSAGE_OCTETS);
    return ok ? 0 : 1;
}
