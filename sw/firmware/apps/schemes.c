/* SPDX-License-Identifier: Apache-2.0 */
/* Check schemes and what they are made of against scheme_vectors.h, which the tool writes. */
#include "schemes/schemes.h"

#include "scheme_vectors.h"
#include "soc.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static unsigned checks, failures;

static void check(const char *what, unsigned number, bool ok)
{
    checks++;
    if (ok) return;
    failures++;
    soc_puts(what);
    soc_putc(' ');
    soc_put_decimal(number);
    soc_puts(" is wrong\n");
}

static bool same(const uint8_t *found, const uint8_t *wanted, size_t octets)
{
    for (size_t i = 0; i < octets; i++) {
        if (found[i] != wanted[i]) return false;
    }
    return true;
}

static void check_symmetric(void)
{
    uint8_t found[COUNT(keys[0].key) + 1];
    for (unsigned i = 0; i < COUNT(digests); i++) {
        sha1(found, text, digests[i].octets);
        check("SHA-1", i, same(found, digests[i].sha1, SHA1_OCTETS));
        sha256(found, text, digests[i].octets);
        check("SHA-256", i, same(found, digests[i].sha256, SHA256_OCTETS));
    }
    for (unsigned i = 0; i < COUNT(ciphers); i++) {
        const size_t octets = ciphers[i].octets;
        found[octets] = 0xa5;
        aes256_ctr(found, ciphers[i].key, ciphers[i].iv, text, octets);
        check("AES", i, same(found, ciphers[i].stream, octets) && found[octets] == 0xa5);
        aes256_ctr(found, ciphers[i].key, ciphers[i].iv, found, octets);
        check("AES back", i, same(found, text, octets));
    }
    for (unsigned i = 0; i < COUNT(keys); i++) {
        const size_t octets = keys[i].octets;
        found[octets] = 0xa5;
        kdf_x963(found, octets, keys[i].z);
        check("KDF", i, same(found, keys[i].key, octets) && found[octets] == 0xa5);
    }
}

static void check_order(void)
{
    order_t r;
    for (unsigned i = 0; i < COUNT(numbers); i++) {
        order_add(&r, &numbers[i].a, &numbers[i].b);
        check("sum", i, order_equal(&r, &numbers[i].sum));
        order_multiply(&r, &numbers[i].a, &numbers[i].b);
        check("product", i, order_equal(&r, &numbers[i].product));
        order_invert(&r, &numbers[i].a);
        check("inverse", i, order_equal(&r, &numbers[i].inverse));
    }
    for (unsigned i = 0; i < COUNT(residues); i++) {
        order_reduce(&r, &residues[i].a);
        check("residue", i, order_equal(&r, &residues[i].r));
    }
    for (unsigned i = 0; i < COUNT(scalars); i++) {
        uint8_t octets[ORDER_OCTETS];
        check("range", i, order_from_octets(&r, scalars[i].octets) == scalars[i].right);
        order_to_octets(octets, &r);
        check("octets", i, same(octets, scalars[i].octets, ORDER_OCTETS));
    }
}

static bool verifies(const signature_t *signature, const public_key_t *key)
{
    return ecdsa_verify(signature, key, text, MESSAGE_OCTETS);
}

/* What is no signature of the message by the key. */
static void check_refused(void)
{
    const public_key_t *const key = &signatures[0].key;
    const signature_t *const right = &signatures[0].signature;
    signature_t wrong = *right;
    check("altered digest", 0, !ecdsa_verify(right, key, text + 1, MESSAGE_OCTETS));
    check("other key", 0, !verifies(right, &signatures[1].key));
    wrong.r[ORDER_OCTETS - 1] ^= 1;
    check("altered r", 0, !verifies(&wrong, key));
    wrong = *right;
    wrong.s[ORDER_OCTETS - 1] ^= 1;
    check("altered s", 0, !verifies(&wrong, key));
    for (unsigned i = 0; i < COUNT(scalars); i++) {
        if (scalars[i].right) continue;
        wrong = *right;
        for (unsigned j = 0; j < ORDER_OCTETS; j++) wrong.r[j] = scalars[i].octets[j];
        check("r out of range", i, !verifies(&wrong, key));
        wrong = *right;
        for (unsigned j = 0; j < ORDER_OCTETS; j++) wrong.s[j] = scalars[i].octets[j];
        check("s out of range", i, !verifies(&wrong, key));
    }
    for (unsigned i = 0; i < COUNT(bad_points); i++) {
        check("key that is none", i, !verifies(right, &bad_points[i]));
    }
    check("signature of infinity", 0, !verifies(&forged, &infinity));
    check("all is well afterwards", 0, verifies(right, key));
}

static void check_signatures(void)
{
    signature_t found;
    for (unsigned i = 0; i < COUNT(signatures); i++) {
        const bool ok =
            ecdsa_sign(&found, signatures[i].d, signatures[i].nonce, text, MESSAGE_OCTETS);
        check("signature", i,
              ok && same(found.r, signatures[i].signature.r, ORDER_OCTETS) &&
                  same(found.s, signatures[i].signature.s, ORDER_OCTETS));
        check("verification", i, verifies(&signatures[i].signature, &signatures[i].key));
    }
    for (unsigned i = 0; i < COUNT(scalars); i++) {
        const uint8_t *const bad = scalars[i].octets;
        if (scalars[i].right) continue;
        check("private key", i, !ecdsa_sign(&found, bad, signatures[0].nonce, text, 1));
        check("nonce", i, !ecdsa_sign(&found, signatures[0].d, bad, text, 1));
    }
}

static void check_encryption(void)
{
    public_key_t r;
    uint8_t out[MESSAGE_OCTETS];
    for (unsigned i = 0; i < COUNT(sealed); i++) {
        bool ok = ec_aes_encrypt(&r, out, sealed[i].ephemeral, sealed[i].iv, &sealed[i].key, text,
                                 MESSAGE_OCTETS);
        check("encryption", i,
              ok && same(r.x, sealed[i].r.x, FIELD_OCTETS) &&
                  same(r.y, sealed[i].r.y, FIELD_OCTETS) &&
                  same(out, sealed[i].stream, MESSAGE_OCTETS));
        ok = ec_aes_decrypt(out, sealed[i].d, &sealed[i].r, sealed[i].iv, sealed[i].stream,
                            MESSAGE_OCTETS);
        check("decryption", i, ok && same(out, text, MESSAGE_OCTETS));
    }
    for (unsigned i = 0; i < COUNT(bad_points); i++) {
        const public_key_t *const bad = &bad_points[i];
        check("key to encrypt to", i,
              !ec_aes_encrypt(&r, out, sealed[0].ephemeral, sealed[0].iv, bad, text, 1));
        check("R to decrypt with", i,
              !ec_aes_decrypt(out, sealed[0].d, bad, sealed[0].iv, text, 1));
    }
    for (unsigned i = 0; i < COUNT(scalars); i++) {
        const uint8_t *const bad = scalars[i].octets;
        if (scalars[i].right) continue;
        check("ephemeral scalar", i,
              !ec_aes_encrypt(&r, out, bad, sealed[0].iv, &sealed[0].key, text, 1));
        check("private key to decrypt with", i,
              !ec_aes_decrypt(out, bad, &sealed[0].r, sealed[0].iv, text, 1));
    }
}

int main(void)
{
    check_symmetric();
    check_order();
    check_signatures();
    check_refused();
    check_encryption();
    soc_put_decimal(checks);
    soc_puts(failures == 0 ? " checks: all right\n" : " checks: FAILED\n");
    return failures != 0;
}
