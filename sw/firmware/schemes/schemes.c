/* SPDX-License-Identifier: Apache-2.0 */
#include "schemes.h"

#include "octets.h"

_Static_assert(8 * SHA1_OCTETS < ORDER_BITS, "a digest is below the order");

static const point_t generator = {{GENERATOR_X}, {GENERATOR_Y}, false};

static bool element_from_octets(gf2m_t *r, const uint8_t octets[FIELD_OCTETS])
{
    octets_to_words(r->w, FIELD_WORDS, octets, FIELD_OCTETS);
    return r->w[FIELD_WORDS - 1] >> FIELD_BITS % 32 == 0;
}

/* Whether it is on the curve is looked at by what computes with it, but for (0, 0), which is not,
 * and stands for infinity at a unit. */
static bool point_from_octets(point_t *p, const public_key_t *key)
{
    p->infinity = false;
    if (!element_from_octets(&p->x, key->x) || !element_from_octets(&p->y, key->y)) return false;
    return !gf2m_is_zero(&p->x) || !gf2m_is_zero(&p->y);
}

static bool multiply(point_t *r, const order_t *k, const point_t *p)
{
    gf2m_t scalar;
    order_scalar(&scalar, k);
    return curve_multiply(r, &scalar, p);
}

static void digest(order_t *e, const uint8_t *message, size_t octets)
{
    uint8_t hashed[SHA1_OCTETS];
    sha1(hashed, message, octets);
    octets_to_words(e->w, ORDER_WORDS, hashed, SHA1_OCTETS);
}

bool ecdsa_sign(signature_t *signature, const uint8_t key[ORDER_OCTETS],
                const uint8_t nonce[ORDER_OCTETS], const uint8_t *message, size_t octets)
{
    order_t d, k, e, r, s;
    point_t p;
    if (!order_from_octets(&d, key) || !order_from_octets(&k, nonce)) return false;
    if (!multiply(&p, &k, &generator) || p.infinity) return false;
    order_reduce(&r, &p.x);
    digest(&e, message, octets);
    order_multiply(&s, &r, &d);
    order_add(&s, &s, &e);
    order_invert(&k, &k);
    order_multiply(&s, &s, &k);
    order_to_octets(signature->r, &r);
    order_to_octets(signature->s, &s);
    return !order_is_zero(&r) && !order_is_zero(&s);
}

bool ecdsa_verify(const signature_t *signature, const public_key_t *key, const uint8_t *message,
                  size_t octets)
{
    order_t r, s, u, v;
    point_t p, q;
    if (!order_from_octets(&r, signature->r) || !order_from_octets(&s, signature->s)) return false;
    if (!point_from_octets(&q, key)) return false;
    digest(&u, message, octets);
    order_invert(&s, &s);
    order_multiply(&u, &u, &s);
    order_multiply(&v, &r, &s);
    if (!multiply(&q, &v, &q) || !multiply(&p, &u, &generator)) return false;
    if (!curve_add(&p, &p, &q) || p.infinity) return false;
    order_reduce(&v, &p.x);
    return order_equal(&v, &r);
}

void kdf_x963(uint8_t *key, size_t octets, const uint8_t z[FIELD_OCTETS])
{
    uint8_t hashed[SHA256_OCTETS], input[FIELD_OCTETS + 4];
    for (unsigned i = 0; i < FIELD_OCTETS; i++) input[i] = z[i];
    for (uint32_t counter = 1; octets > 0; counter++) {
        octets_store(input + FIELD_OCTETS, counter);
        sha256(hashed, input, sizeof input);
        const size_t now = octets < SHA256_OCTETS ? octets : SHA256_OCTETS;
        for (size_t i = 0; i < now; i++) key[i] = hashed[i];
        key += now;
        octets -= now;
    }
}

/* Whether n P is infinity: of another point k P would say something of k. */
static bool in_group(const point_t *p)
{
    static const gf2m_t n = {ORDER};
    point_t r;
    return curve_multiply(&r, &n, p) && r.infinity;
}

/* The key of k P. */
static bool shared_key(uint8_t key[AES_KEY_OCTETS], const order_t *k, const public_key_t *with)
{
    point_t p;
    uint8_t z[FIELD_OCTETS];
    if (!point_from_octets(&p, with) || !in_group(&p) || !multiply(&p, k, &p)) return false;
    octets_of_words(z, FIELD_OCTETS, p.x.w);
    kdf_x963(key, AES_KEY_OCTETS, z);
    return true;
}

bool ec_aes_encrypt(public_key_t *r, uint8_t *stream, const uint8_t ephemeral[ORDER_OCTETS],
                    const uint8_t iv[AES_BLOCK_OCTETS], const public_key_t *key,
                    const uint8_t *message, size_t octets)
{
    order_t k;
    point_t p;
    uint8_t secret[AES_KEY_OCTETS];
    if (!order_from_octets(&k, ephemeral) || !shared_key(secret, &k, key)) return false;
    if (!multiply(&p, &k, &generator) || p.infinity) return false;
    octets_of_words(r->x, FIELD_OCTETS, p.x.w);
    octets_of_words(r->y, FIELD_OCTETS, p.y.w);
    aes256_ctr(stream, secret, iv, message, octets);
    return true;
}

bool ec_aes_decrypt(uint8_t *message, const uint8_t key[ORDER_OCTETS], const public_key_t *r,
                    const uint8_t iv[AES_BLOCK_OCTETS], const uint8_t *stream, size_t octets)
{
    order_t d;
    uint8_t secret[AES_KEY_OCTETS];
    if (!order_from_octets(&d, key) || !shared_key(secret, &d, r)) return false;
    aes256_ctr(message, secret, iv, stream, octets);
    return true;
}
