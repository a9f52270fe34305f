/* SPDX-License-Identifier: Apache-2.0 */
/* The schemes: each operation with its strings, in the order of docs/guide/operations.md. See ecsm.h. */

#include "ecsm.h"
#include "ecsm_block_scheme.h"

enum { DIGEST = 32, TAG = 32, MASK = 32, KEY = 32, OCTETS = 32, SIGNATURE = 64, SEMIBLOCK = 8 };
enum { DEVICE = 1 }; /* the flag of wrap: what comes is the device key */

/* How many strings a public key is: octets, or a point. */
#if defined(ECSM_OPERATION_X25519) || defined(ECSM_OPERATION_SIGN_ED25519)
enum { PUBLIC_STRINGS = 1 };
#else
enum { PUBLIC_STRINGS = 2 };
#endif

/* An operation that the block has not is asked for as a number that every block answers UNSUPPORTED.
 * Not 63: a block whose tables are loaded would drop them, and its keys. */
enum { ABSENT = 62 };
#if !defined(ECSM_OPERATION_SELF_TEST)
#define ECSM_OPERATION_SELF_TEST ABSENT
#endif
#if !defined(ECSM_OPERATION_WRAP)
#define ECSM_OPERATION_WRAP ABSENT
#define ECSM_OPERATION_UNWRAP ABSENT
#endif
#if !defined(ECSM_OPERATION_SHA256)
#define ECSM_OPERATION_SHA256 ABSENT
#endif
#if !defined(ECSM_OPERATION_SIGN_SHA256)
#define ECSM_OPERATION_SIGN_SHA256 ABSENT
#endif
#if !defined(ECSM_OPERATION_VERIFY_SHA256)
#define ECSM_OPERATION_VERIFY_SHA256 ABSENT
#endif
#if !defined(ECSM_OPERATION_ECDH)
#define ECSM_OPERATION_ECDH ABSENT
#endif
#if !defined(ECSM_OPERATION_ECIES_ENCRYPT)
#define ECSM_OPERATION_ECIES_ENCRYPT ABSENT
#endif
#if !defined(ECSM_OPERATION_ECIES_DECRYPT)
#define ECSM_OPERATION_ECIES_DECRYPT ABSENT
#endif
#if !defined(ECSM_OPERATION_ENCAPSULATE)
#define ECSM_OPERATION_ENCAPSULATE ABSENT
#endif
#if !defined(ECSM_OPERATION_DECAPSULATE)
#define ECSM_OPERATION_DECAPSULATE ABSENT
#endif
#if !defined(ECSM_OPERATION_X25519)
#define ECSM_OPERATION_X25519 ABSENT
#endif
#if !defined(ECSM_OPERATION_SIGN_ED25519)
#define ECSM_OPERATION_SIGN_ED25519 ABSENT
#endif
#if !defined(ECSM_OPERATION_VERIFY_ED25519)
#define ECSM_OPERATION_VERIFY_ED25519 ABSENT
#endif

static ecsm_status_t dropped(ecsm_out_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        volatile uint8_t *octets = out[i].octets;
        for (size_t j = 0; j < out[i].length; j++) octets[j] = 0;
        out[i].length = 0;
    }
    return ECSM_SHORT;
}

/* ecsm_run, of outputs that are as long as their places. */
static ecsm_status_t run_whole(ecsm_t *ecsm, uint32_t operation, uint32_t slot, uint32_t flags,
                               const ecsm_in_t *in, size_t in_count, ecsm_out_t *out,
                               size_t out_count)
{
    const ecsm_status_t status =
        ecsm_run(ecsm, operation, slot, flags, in, in_count, out, out_count);
    if (status != ECSM_OK) return status;
    for (size_t i = 0; i < out_count; i++)
        if (out[i].length != out[i].room) return dropped(out, out_count);
    return ECSM_OK;
}

/* Run ECSM_OPERATION_name with the arrays in and out. */
#define RUN_BY(run, name, slot, flags, in, out)                                                \
    run(ecsm, ECSM_OPERATION_##name, slot, flags, in, sizeof in / sizeof *in, out,             \
        sizeof out / sizeof *out)
#define RUN_WITH(name, slot, flags, in, out) RUN_BY(run_whole, name, slot, flags, in, out)
#define RUN(name, slot, in, out) RUN_WITH(name, slot, 0, in, out)
#define RUN_IN(name, slot, in)                                                                 \
    ecsm_run(ecsm, ECSM_OPERATION_##name, slot, 0, in, sizeof in / sizeof *in, NULL, 0)
#define RUN_PUBLIC(name, slot, out)                                                            \
    run_whole(ecsm, ECSM_OPERATION_##name, slot, 0, NULL, 0, out, PUBLIC_STRINGS)

static ecsm_out_t place(uint8_t *octets, size_t room)
{
    return (ecsm_out_t){.octets = octets, .room = room};
}

#define NOTHING {NULL, 0}
#define COORDINATE(v) {(v), ecsm->coordinate_octets}
#define SCALAR(v) {(v), ecsm->scalar_octets}
#define POINT(p) COORDINATE((p).x), COORDINATE((p).y)
#define PLACES(p) place((p).x, ecsm->coordinate_octets), place((p).y, ecsm->coordinate_octets)

ecsm_status_t ecsm_seed(ecsm_t *ecsm)
{
    return ecsm_run(ecsm, ECSM_OPERATION_SEED, 0, 0, NULL, 0, NULL, 0);
}

ecsm_status_t ecsm_keygen(ecsm_t *ecsm, uint32_t slot, ecsm_point_t public_key)
{
    ecsm_out_t out[] = {PLACES(public_key)};
    return RUN_PUBLIC(GENERATE, slot, out);
}

ecsm_status_t ecsm_load(ecsm_t *ecsm, uint32_t slot, const uint8_t *key)
{
    const ecsm_in_t in[] = {SCALAR(key)};
    return RUN_IN(LOAD, slot, in);
}

ecsm_status_t ecsm_forget(ecsm_t *ecsm, uint32_t slot)
{
    return ecsm_run(ecsm, ECSM_OPERATION_FORGET, slot, 0, NULL, 0, NULL, 0);
}

ecsm_status_t ecsm_self_test(ecsm_t *ecsm)
{
    return ecsm_run(ecsm, ECSM_OPERATION_SELF_TEST, 0, 0, NULL, 0, NULL, 0);
}

ecsm_status_t ecsm_public(ecsm_t *ecsm, uint32_t slot, ecsm_point_t public_key)
{
    ecsm_out_t out[] = {PLACES(public_key)};
    return RUN_PUBLIC(PUBLIC, slot, out);
}

ecsm_status_t ecsm_device_key(ecsm_t *ecsm, const uint8_t *key)
{
    const ecsm_in_t in[] = {{key, KEY}};
    return ecsm_run(ecsm, ECSM_OPERATION_WRAP, 0, DEVICE, in, sizeof in / sizeof *in, NULL, 0);
}

size_t ecsm_wrapped_octets(const ecsm_t *ecsm)
{
    return SEMIBLOCK + (ecsm->scalar_octets + SEMIBLOCK - 1) / SEMIBLOCK * SEMIBLOCK;
}

ecsm_status_t ecsm_wrap(ecsm_t *ecsm, uint32_t slot, uint8_t *wrapped)
{
    ecsm_out_t out[] = {place(wrapped, ecsm_wrapped_octets(ecsm))};
    return run_whole(ecsm, ECSM_OPERATION_WRAP, slot, 0, NULL, 0, out, sizeof out / sizeof *out);
}

ecsm_status_t ecsm_unwrap(ecsm_t *ecsm, uint32_t slot, const uint8_t *wrapped)
{
    const ecsm_in_t in[] = {{wrapped, ecsm_wrapped_octets(ecsm)}};
    return RUN_IN(UNWRAP, slot, in);
}

ecsm_status_t ecsm_sha256(ecsm_t *ecsm, const uint8_t *message, size_t length, uint8_t *digest)
{
    const ecsm_in_t in[] = {{message, length}};
    ecsm_out_t out[] = {place(digest, DIGEST)};
    return RUN(SHA256, 0, in, out);
}

ecsm_status_t ecsm_sign(ecsm_t *ecsm, uint32_t slot, const uint8_t *digest, uint8_t *r, uint8_t *s)
{
    const ecsm_in_t in[] = {{digest, DIGEST}};
    ecsm_out_t out[] = {place(r, ecsm->scalar_octets), place(s, ecsm->scalar_octets)};
    return RUN(SIGN_SHA256, slot, in, out);
}

ecsm_status_t ecsm_verify(ecsm_t *ecsm, ecsm_const_point_t public_key, const uint8_t *digest,
                          const uint8_t *r, const uint8_t *s)
{
    const ecsm_in_t in[] = {POINT(public_key), {digest, DIGEST}, SCALAR(r), SCALAR(s)};
    return RUN_IN(VERIFY_SHA256, 0, in);
}

ecsm_status_t ecsm_agree(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t peer, uint8_t *secret)
{
    const ecsm_in_t in[] = {POINT(peer)};
    ecsm_out_t out[] = {place(secret, ecsm->coordinate_octets)};
    return RUN(ECDH, slot, in, out);
}

ecsm_status_t ecsm_encrypt_with(ecsm_t *ecsm, const ecsm_ecies_t *how,
                                ecsm_const_point_t public_key, ecsm_in_t message,
                                ecsm_point_t ephemeral, ecsm_out_t *sealed, ecsm_out_t *tag)
{
    const ecsm_in_t in[] = {POINT(public_key), message, how->info1, how->info2};
    ecsm_out_t out[] = {PLACES(ephemeral), place(sealed->octets, sealed->room),
                        place(tag->octets, tag->room)};
    ecsm_status_t status = RUN_BY(ecsm_run, ECIES_ENCRYPT, 0, how->flags, in, out);
    if (status == ECSM_OK && (out[0].length != out[0].room || out[1].length != out[1].room))
        status = dropped(out, sizeof out / sizeof *out);
    sealed->length = out[2].length;
    tag->length = out[3].length;
    return status;
}

ecsm_status_t ecsm_decrypt_with(ecsm_t *ecsm, const ecsm_ecies_t *how, uint32_t slot,
                                ecsm_const_point_t ephemeral, ecsm_in_t sealed, ecsm_in_t tag,
                                ecsm_out_t *message)
{
    const ecsm_in_t in[] = {POINT(ephemeral), sealed, tag, how->info1, how->info2};
    ecsm_out_t out[] = {place(message->octets, message->room)};
    const ecsm_status_t status = RUN_BY(ecsm_run, ECIES_DECRYPT, slot, how->flags, in, out);
    message->length = out[0].length;
    return status;
}

ecsm_status_t ecsm_encrypt(ecsm_t *ecsm, ecsm_const_point_t public_key, const uint8_t *message,
                           size_t length, ecsm_point_t ephemeral, uint8_t *sealed, uint8_t *tag)
{
    const ecsm_in_t in[] = {POINT(public_key), {message, length}, NOTHING, NOTHING};
    ecsm_out_t out[] = {PLACES(ephemeral), place(sealed, length), place(tag, TAG)};
    return RUN(ECIES_ENCRYPT, 0, in, out);
}

ecsm_status_t ecsm_decrypt(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t ephemeral,
                           const uint8_t *sealed, size_t length, const uint8_t *tag,
                           uint8_t *message)
{
    const ecsm_in_t in[] = {POINT(ephemeral), {sealed, length}, {tag, TAG}, NOTHING, NOTHING};
    ecsm_out_t out[] = {place(message, length)};
    return RUN(ECIES_DECRYPT, slot, in, out);
}

ecsm_status_t ecsm_encapsulate(ecsm_t *ecsm, ecsm_const_point_t public_key, ecsm_point_t c1,
                               uint8_t *c2, uint8_t *key)
{
    const ecsm_in_t in[] = {POINT(public_key)};
    ecsm_out_t out[] = {PLACES(c1), place(c2, MASK), place(key, KEY)};
    return RUN(ENCAPSULATE, 0, in, out);
}

ecsm_status_t ecsm_decapsulate(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t c1,
                               const uint8_t *c2, uint8_t *key)
{
    const ecsm_in_t in[] = {POINT(c1), {c2, MASK}};
    ecsm_out_t out[] = {place(key, KEY)};
    return RUN(DECAPSULATE, slot, in, out);
}

ecsm_status_t ecsm_x25519(ecsm_t *ecsm, uint32_t slot, const uint8_t *u, uint8_t *secret)
{
    const ecsm_in_t in[] = {{u, OCTETS}};
    ecsm_out_t out[] = {place(secret, OCTETS)};
    return RUN(X25519, slot, in, out);
}

ecsm_status_t ecsm_ed25519_sign(ecsm_t *ecsm, uint32_t slot, uint32_t flags, const uint8_t *message,
                                size_t length, uint8_t *signature)
{
    const ecsm_in_t in[] = {{message, length}};
    ecsm_out_t out[] = {place(signature, SIGNATURE)};
    return RUN_WITH(SIGN_ED25519, slot, flags, in, out);
}

ecsm_status_t ecsm_ed25519_verify(ecsm_t *ecsm, const uint8_t *public_key, const uint8_t *signature,
                                  uint32_t flags, const uint8_t *message, size_t length)
{
    const ecsm_in_t in[] = {{public_key, OCTETS}, {signature, SIGNATURE}, {message, length}};
    return ecsm_run(ecsm, ECSM_OPERATION_VERIFY_ED25519, 0, flags, in, sizeof in / sizeof *in, NULL,
                    0);
}
