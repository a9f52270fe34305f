/* SPDX-License-Identifier: Apache-2.0 */
/* What libecsm must do over any HAL: every function with answers that are known, every refusal. */

#ifndef API_H
#define API_H

#include "ecsm.h"

/* Run all; `say` is given the name of each check that fails. Returns how many did; api_checks is how
 * many there were. The block must have a noise source and no seed, and its keys are lost. */
unsigned api_test(const ecsm_hal_t *hal, void (*say)(const char *));

extern unsigned api_checks;

#endif
