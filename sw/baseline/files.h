// SPDX-License-Identifier: Apache-2.0
//
// Files, and keys in PEM: PKCS #8 or SEC 1 and SubjectPublicKeyInfo, as openssl and ecsm have them.
// Every function says in one line what is wrong, on standard error, and returns false then.
#ifndef PSEC_KEM_FILES_H
#define PSEC_KEM_FILES_H

#include <stddef.h>

#include "curve.h"

// Let libcrypto clear all memory that it frees; before anything else of libcrypto is called.
bool clear_what_is_freed(void);

// Say what is wrong and return false.
bool complain(const char *where, const char *what);

// Read all of a file, "-" is standard input; fails if it has more than `most` octets.
bool read_file(const char *path, uint8_t *octets, size_t most, size_t *length);

// Write a file, "-" is standard output; one of a secret is a new one, for its owner alone.
bool write_file(const char *path, const uint8_t *octets, size_t length, bool secret);

// Read a key of either curve. Fails for an encrypted one, for a scalar that is not in 1 .. n - 1
// and for a point that is not on the curve.
bool read_private(const char *path, const curve **c, number *d);
bool read_public(const char *path, const curve **c, point *w);

// Write d and its public key w, to no file that is there, or w alone.
bool write_private(const char *path, const curve *c, const number *d, const point *w);
bool write_public(const char *path, const curve *c, const point *w);

#endif
