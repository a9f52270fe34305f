/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A HAL over a UIO device of Linux (the kernel's Documentation/driver-api/uio-howto).
 *
 *   mmap, offset 0      the registers, from the beginning of a page on
 *   write of 1          enables the interrupt, which the kernel disables when it has come
 *   poll, read          wait for it, and take its count
 *
 * The line is level-triggered: an interrupt that is pending when it is enabled comes at once, so
 * none is lost between two calls.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE

#include "ecsm_uio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MS = 100 }; /* then libecsm looks itself: a line that is not connected is no end */

static uint32_t read_register(void *context, uint32_t offset) {
    const ecsm_uio_t *uio = context;

    return uio->registers[offset / sizeof(uint32_t)];
}

static void write_register(void *context, uint32_t offset, uint32_t value) {
    const ecsm_uio_t *uio = context;

    uio->registers[offset / sizeof(uint32_t)] = value;
}

static void wait_line(void *context) {
    const ecsm_uio_t *uio = context;
    const uint32_t enable = 1;
    uint32_t count;
    struct pollfd line = {.fd = uio->fd, .events = POLLIN};

    if (write(uio->fd, &enable, sizeof enable) != (ssize_t)sizeof enable) return;
    if (poll(&line, 1, WAIT_MS) == 1) (void)!read(uio->fd, &count, sizeof count);
}

int ecsm_uio_open(ecsm_uio_t *uio, const char *path, size_t size, ecsm_hal_t *hal) {
    int error = 0;
    void *map;

    uio->fd = open(path, O_RDWR | O_CLOEXEC);
    if (uio->fd < 0) return errno;
    if (flock(uio->fd, LOCK_EX | LOCK_NB) != 0) {
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    } else {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, uio->fd, 0);
        if (map == MAP_FAILED) error = errno == EINVAL ? ENODEV : errno;
    }
    if (error != 0) {
        (void)close(uio->fd);
        uio->fd = -1;
        return error;
    }
    uio->registers = map;
    uio->size = size;
    *hal = (ecsm_hal_t){
        .read = read_register, .write = write_register, .wait = wait_line, .context = uio};
    return 0;
}

void ecsm_uio_close(ecsm_uio_t *uio) {
    if (uio->fd < 0) return;
    (void)munmap((void *)(uintptr_t)uio->registers, uio->size);
    (void)close(uio->fd);
    uio->fd = -1;
}
