/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to a device server (ecsm serve), shared by the threads of a process. A job, or a few
 * that belong together, stand between ecsm_link_begin and ecsm_link_end.
 */
#ifndef ECSM_LINK_H
#define ECSM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecsm_frame.h"

enum {
    ECSM_LINKS = 8,         /* that a list has, at most */
    ECSM_LINK_ROOM = 8192,  /* octets of an answer's strings, at most */
    ECSM_LINK_INPUT = 2304, /* octets of a request's, at most */
    ECSM_LINK_TIMEOUT_S = 600,
    ECSM_LINK_SLOTS = 64,   /* key slots of a connection */
    ECSM_LINK_TEXT = 160,
    ECSM_LINK_GROUP = 64    /* of a group's name, with its end */
};

/* Statuses of a device that callers tell apart. */
enum {
    ECSM_COORDINATE_OUT_OF_RANGE = 1,
    ECSM_POINT_NOT_ON_CURVE = 2,
    ECSM_SCALAR_OUT_OF_RANGE = 3,
    ECSM_LOW_ORDER_POINT = 4,
    ECSM_SIGNATURE_INVALID = 5,
    ECSM_BUSY = 8,
    ECSM_NO_KEY = 11
};

/* A result below zero: why there is no status of the device. */
enum {
    ECSM_GONE = -1,
    ECSM_REFUSED = -2,
    ECSM_UNKNOWN = -3,
    ECSM_STRANGER = -4 /* the server is of another user, or another version: it is not used */
};

typedef struct ecsm_link ecsm_link_t;

/* What answers INFO; the texts are the link's until it connects anew. */
typedef struct {
    const char *preset;
    const char *curve;
    const char *operations; /* by number, a space between them */
    const char *keys;       /* likewise */
} ecsm_info_t;

/* Return a link to the socket at `path`, which is not connected yet; NULL without memory. The server
 * must be this user's or root's, or a user's who is in `group`, if that is not empty. */
ecsm_link_t *ecsm_link_new(const char *path, const char *group);
void ecsm_link_free(ecsm_link_t *link);
const char *ecsm_link_path(const ecsm_link_t *link);

/* Make a link of each path in a list with ':' between them. Returns how many, or -1 if they are too
 * many, one is too long or there is no memory: then there are none. */
int ecsm_links_new(const char *paths, const char *group, ecsm_link_t *made[ECSM_LINKS]);

/* Wait for the turn, and connect if need be. Returns 0, or ECSM_GONE, ECSM_REFUSED, ECSM_STRANGER;
 * the turn is the caller's in each case, and ecsm_link_end gives it back. */
int ecsm_link_begin(ecsm_link_t *link);
void ecsm_link_end(ecsm_link_t *link);

/* What the server has described itself as; within a turn. */
const ecsm_info_t *ecsm_link_info(const ecsm_link_t *link);

/* The number of a name in a list of ecsm_info_t, or -1. */
int ecsm_link_find(const char *list, const char *name);

/* How often the link has connected: keys in slots are lost with a connection. */
unsigned ecsm_link_epoch(const ecsm_link_t *link);

/* A slot that no key has, 1 or more, or 0 if there is none; and back with it. Within a turn. */
unsigned ecsm_link_slot(ecsm_link_t *link);
void ecsm_link_slot_free(ecsm_link_t *link, unsigned slot);

/* Run an operation. `out`, if it is not NULL, has the answer's strings until the next call. Returns
 * the device's status, 0 if all is well, or ECSM_GONE, ECSM_REFUSED, ECSM_UNKNOWN (an operation
 * that the device has not). */
int ecsm_link_run(ecsm_link_t *link, const char *operation, unsigned slot,
                  const ecsm_string_t *strings, size_t count, ecsm_frame_t *out);

/* Why the last call failed, in words; within a turn. */
const char *ecsm_link_why(const ecsm_link_t *link);

#endif
