/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated block with a noise source. On a machine of your own ecsm_hal_memory takes its place. */

#ifndef ECSM_SIMULATED_H
#define ECSM_SIMULATED_H

#include "ecsm_hal.h"

/* Begin with a block. Without one the program ends with a line that says why. */
ecsm_hal_t simulated_hal(void);

#endif
