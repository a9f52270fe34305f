/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel does for a UIO device, with a simulated block behind it: the linker puts these
 * functions in the place of those that sw/uio calls (--wrap).
 *
 * The map has no access rights, so each access of the program traps. The handler finds which it is,
 * a move of 32 bits from memory or to it, does it on the block's bus, and steps behind it. So the
 * accesses are those that the compiler made of the pointer, in width, order and count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

static uint32_t (*sim_read)(void *, uint32_t);
static void (*sim_write)(void *, uint32_t, uint32_t);
static void (*sim_wait)(void *);
static void *block;
static uint8_t *map;
static size_t mapped;
static int enabled, waits;

/* Number of a register in an instruction to its place in gregs. */
static const int places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                               REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                               REG_R12, REG_R13, REG_R14, REG_R15};

static void stop(const char *why)
{
    fprintf(stderr, "uio_kernel: %s\n", why);
    _exit(99);
}

static void trapped(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)registers[REG_RIP];
    const uint8_t *at = info->si_addr;
    unsigned rex = 0;

    (void)number;
    if (at < map || at >= map + mapped) stop("a fault elsewhere");
    if ((at - map) % 4 != 0) stop("an access that is not of a word");
    if ((*code & 0xF0) == 0x40) rex = *code++;
    if (rex & 8) stop("an access of 64 bits");
    const uint8_t operation = *code++, form = *code++;
    const unsigned mode = form >> 6, base = form & 7;
    greg_t *value = &registers[places[(form >> 3 & 7) | (rex & 4) << 1]];
    if (mode == 3) stop("no access of memory");
    const int far = base == 4 ? (mode == 0 && (*code & 7) == 5) : (mode == 0 && base == 5);
    code += (base == 4) + (mode == 1 ? 1 : mode == 2 || far ? 4 : 0);
    if (operation == 0x8B) {
        *value = (greg_t)sim_read(block, (uint32_t)(at - map));
    } else if (operation == 0x89) {
        sim_write(block, (uint32_t)(at - map), (uint32_t)*value);
    } else {
        stop("another instruction than a move of 32 bits");
    }
    registers[REG_RIP] = (greg_t)code;
}

void *__real_mmap(void *address, size_t size, int rights, int flags, int fd, off_t offset);

void *__wrap_mmap(void *address, size_t size, int rights, int flags, int fd, off_t offset)
{
    const struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    const char *path = getenv("UIO_BLOCK");
    void *library;

    (void)address, (void)fd;
    if (path == NULL || (library = dlopen(path, RTLD_NOW)) == NULL) stop("no block");
    if (rights != (PROT_READ | PROT_WRITE) || flags != MAP_SHARED || offset != 0)
        stop("a map that is not of registers");
    *(void **)&sim_read = dlsym(library, "sim_read");
    *(void **)&sim_write = dlsym(library, "sim_write");
    *(void **)&sim_wait = dlsym(library, "sim_wait");
    void *(*make)(uint32_t);
    *(void **)&make = dlsym(library, "sim_new");
    block = make(1);
    mapped = size;
    map = __real_mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sigaction(SIGSEGV, &action, NULL) != 0) stop("no handler");
    return map;
}

ssize_t __wrap_write(int fd, const void *octets, size_t count)
{
    uint32_t word;

    (void)fd;
    if (count != sizeof word) return -1;
    memcpy(&word, octets, sizeof word);
    enabled = word == 1;
    return (ssize_t)count;
}

int __wrap_poll(struct pollfd *lines, nfds_t count, int patience)
{
    if (count != 1 || patience <= 0 || !enabled) stop("a wait without an end, or for nothing");
    sim_wait(block);
    waits++;
    enabled = 0; /* the kernel disables it */
    lines->revents = POLLIN;
    return 1;
}

ssize_t __wrap_read(int fd, void *octets, size_t count)
{
    (void)fd;
    memcpy(octets, &waits, sizeof waits);
    return count == sizeof waits ? (ssize_t)count : -1;
}

__attribute__((destructor)) static void told(void)
{
    if (getenv("UIO_BLOCK") != NULL) fprintf(stderr, "waits %d\n", waits);
}
