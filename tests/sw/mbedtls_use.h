/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs that try sw/mbedtls have in common. */
#ifndef MBEDTLS_USE_H
#define MBEDTLS_USE_H

#include <stdio.h>
#include <string.h>

#include "block.h"
#include "simulated.h"

enum { SCRATCH = ECSM_SLOTS - 1 };

/* What the HAL does to a status, for device_open. */
typedef struct {
    uint32_t code;   /* answered in the place of OK, but for LOAD and FORGET; 0: as it is */
    bool dead;       /* nothing is going on, ever */
    uint32_t flip;   /* in each word that comes out */
} device_faults_t;

extern device_faults_t faults;
extern ecsm_t device;

/* Count a check that fails, and print it. */
extern int failures;
#define CHECK(what)                                                                              \
    do {                                                                                         \
        if (!(what)) {                                                                           \
            failures++;                                                                          \
            (void)printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                              \
        }                                                                                        \
    } while (0)

void device_open(void);
bool device_empty(uint32_t slot);
int some_random(void *state, unsigned char *octets, size_t length);

void try_errors(void);
void try_alt(void);
void try_psa(void);
void try_agreement(void);
void try_slots(void);
void try_threads(void);
void try_secrets(void);

#endif
