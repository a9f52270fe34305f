/* SPDX-License-Identifier: Apache-2.0 */
/* libecsm's HAL of a simulated block, the file that ECSM_SIM names: "make sim" makes it. */

#include "simulated.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    void *block;
    uint32_t (*read)(void *, uint32_t);
    void (*write)(void *, uint32_t, uint32_t);
    void (*wait)(void *);
} simulated;

static uint32_t get(void *context, uint32_t offset)
{
    (void)context;
    return simulated.read(simulated.block, offset);
}

static void put(void *context, uint32_t offset, uint32_t value)
{
    (void)context;
    simulated.write(simulated.block, offset, value);
}

static void wait(void *context)
{
    (void)context;
    simulated.wait(simulated.block);
}

static void *find(void *library, const char *name)
{
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL) {
        (void)fprintf(stderr, "no simulated block: ECSM_SIM: %s\n", dlerror());
        exit(2);
    }
    return found;
}

ecsm_hal_t simulated_hal(void)
{
    const char *path = getenv("ECSM_SIM");
    void *library = dlopen(path != NULL ? path : "build/libsim.so", RTLD_NOW);
    void *(*begin)(uint32_t);

    *(void **)&begin = find(library, "sim_new"); /* as POSIX has it */
    *(void **)&simulated.read = find(library, "sim_read");
    *(void **)&simulated.write = find(library, "sim_write");
    *(void **)&simulated.wait = find(library, "sim_wait");
    simulated.block = begin(1);
    return (ecsm_hal_t){.read = get, .write = put, .wait = wait};
}
