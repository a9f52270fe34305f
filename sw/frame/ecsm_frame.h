/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames between a host and a device that is elsewhere, over a socket or a serial line, as
 * ecsm/device/frame.py describes them. C11, freestanding, without allocation: for hosts and for
 * firmware. Strings are not copied: they stay in the buffer that a frame was received in.
 */
#ifndef ECSM_FRAME_H
#define ECSM_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ECSM_FRAME_VERSION 1u
#define ECSM_FRAME_REQUEST 0x51u
#define ECSM_FRAME_ANSWER 0x41u
#define ECSM_FRAME_MORE 0x4du      /* of a stream: the next part of a request's last string */
#define ECSM_FRAME_PART 0x50u      /* of a stream: what comes out before the answer */
#define ECSM_FRAME_OPEN 1u         /* in the word of a request or of MORE: more follows */
#define ECSM_FRAME_STRINGS 8u      /* in a frame, at most */
#define ECSM_FRAME_OCTETS 65536u   /* in all its strings, at most */
#define ECSM_FRAME_HANDLES 128u    /* slots from here on are keys with a name */
#define ECSM_FRAME_BODY(octets) (12u + 4u * ECSM_FRAME_STRINGS + (octets) + 4u)
/* Octets on the line of a frame whose strings have so many, at most: every one escaped. */
#define ECSM_FRAME_LINE(octets) (2u * ECSM_FRAME_BODY(octets) + 2u)

#define ECSM_ASK_INFO 64u

#define ECSM_LINK_BAD_REQUEST 64u
#define ECSM_LINK_DAMAGED 65u
#define ECSM_LINK_FAILED 66u
#define ECSM_LINK_RESET 67u
#define ECSM_LINK_CLOSING 68u
#define ECSM_LINK_SILENT 69u

/* A string that somebody else holds. */
typedef struct {
    const uint8_t *octets;
    size_t length;
} ecsm_string_t;

/* word: a request's slot << 24 | flags << 16; an answer's cycles. */
typedef struct {
    uint8_t kind;
    uint8_t code;
    uint8_t count;
    uint32_t tag;
    uint32_t word;
    ecsm_string_t strings[ECSM_FRAME_STRINGS];
} ecsm_frame_t;

/* Write a frame, flags included, to `line` of `room` octets. Returns how many, or 0 for a frame
 * beyond the limits or a room too small; then nothing in `line` counts. */
size_t ecsm_frame_write(const ecsm_frame_t *frame, uint8_t *line, size_t room);

/* A receiver, over a buffer of the caller's for one frame's body: ECSM_FRAME_BODY(octets). */
typedef struct {
    uint8_t *buffer;
    size_t room;
    size_t used;
    uint8_t state;
} ecsm_receiver_t;

typedef enum {
    ECSM_FRAME_NONE,    /* go on */
    ECSM_FRAME_READY,   /* a frame is there, until the next octet is taken */
    ECSM_FRAME_DAMAGED  /* what came between two flags is none; the next frame will be right */
} ecsm_received_t;

/* Begin, or forget what has come of a frame. */
void ecsm_receiver_init(ecsm_receiver_t *receiver, uint8_t *buffer, size_t room);

/* Take an octet; `frame` is written if one is ready. */
ecsm_received_t ecsm_receive(ecsm_receiver_t *receiver, uint8_t octet, ecsm_frame_t *frame);

/* CRC-32 of octets behind those of which it was `crc`; 0 to begin. */
uint32_t ecsm_crc32(uint32_t crc, const uint8_t *octets, size_t length);

#ifdef __cplusplus
}
#endif

#endif
