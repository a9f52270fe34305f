/* SPDX-License-Identifier: Apache-2.0 */
#include "ecsm_frame.h"

enum { FLAG = 0x7E, ESCAPE = 0x7D, FLIP = 0x20, HEAD = 12, CRC = 4 };
enum { HUNTING, WITHIN, ESCAPED, BROKEN };

uint32_t ecsm_crc32(uint32_t crc, const uint8_t *octets, size_t length) {
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= octets[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1u ? 0xEDB88320u : 0u);
    }
    return ~crc;
}

static uint32_t word_of(const uint8_t *octets) {
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 |
           octets[3];
}

static void octets_of(uint32_t word, uint8_t *octets) {
    for (int i = 0; i < 4; i++) octets[i] = (uint8_t)(word >> (24 - 8 * i));
}

/* A line that is being written; once it is full, it stays so. */
typedef struct {
    uint8_t *line;
    size_t room, used;
    uint32_t crc;
} writer_t;

static void put_raw(writer_t *w, uint8_t octet) {
    if (w->used < w->room) w->line[w->used] = octet;
    w->used++;
}

static void put(writer_t *w, const uint8_t *octets, size_t length) {
    w->crc = ecsm_crc32(w->crc, octets, length);
    for (size_t i = 0; i < length; i++) {
        uint8_t octet = octets[i];
        if (octet == FLAG || octet == ESCAPE) {
            put_raw(w, ESCAPE);
            octet ^= FLIP;
        }
        put_raw(w, octet);
    }
}

static void put_word(writer_t *w, uint32_t word) {
    uint8_t octets[4];
    octets_of(word, octets);
    put(w, octets, sizeof octets);
}

size_t ecsm_frame_write(const ecsm_frame_t *frame, uint8_t *line, size_t room) {
    writer_t w = {.line = line, .room = room};
    const uint8_t head[4] = {ECSM_FRAME_VERSION, frame->kind, frame->code, frame->count};
    size_t octets = 0;

    if (frame->count > ECSM_FRAME_STRINGS) return 0;
    for (size_t i = 0; i < frame->count; i++) {
        if (frame->strings[i].length > ECSM_FRAME_OCTETS - octets) return 0;
        octets += frame->strings[i].length;
    }
    put_raw(&w, FLAG);
    put(&w, head, sizeof head);
    put_word(&w, frame->tag);
    put_word(&w, frame->word);
    for (size_t i = 0; i < frame->count; i++) {
        put_word(&w, (uint32_t)frame->strings[i].length);
        put(&w, frame->strings[i].octets, frame->strings[i].length);
    }
    put_word(&w, w.crc);
    put_raw(&w, FLAG);
    return w.used <= room ? w.used : 0;
}

/* Find the frame in a body. Returns 0 if it is none. */
static int parse(const uint8_t *body, size_t length, ecsm_frame_t *frame) {
    size_t at = HEAD;

    if (length < HEAD + CRC) return 0;
    length -= CRC;
    if (ecsm_crc32(0, body, length) != word_of(body + length)) return 0;
    if (body[0] != ECSM_FRAME_VERSION || body[3] > ECSM_FRAME_STRINGS) return 0;
    if (body[1] != ECSM_FRAME_REQUEST && body[1] != ECSM_FRAME_ANSWER &&
        body[1] != ECSM_FRAME_MORE && body[1] != ECSM_FRAME_PART)
        return 0;
    frame->kind = body[1];
    frame->code = body[2];
    frame->count = body[3];
    frame->tag = word_of(body + 4);
    frame->word = word_of(body + 8);
    for (size_t i = 0; i < frame->count; i++) {
        if (length - at < 4) return 0;
        const uint32_t octets = word_of(body + at);
        at += 4;
        if (length - at < octets) return 0;
        frame->strings[i] = (ecsm_string_t){.octets = body + at, .length = octets};
        at += octets;
    }
    return at == length;
}

void ecsm_receiver_init(ecsm_receiver_t *receiver, uint8_t *buffer, size_t room) {
    *receiver = (ecsm_receiver_t){.buffer = buffer, .room = room, .state = HUNTING};
}

ecsm_received_t ecsm_receive(ecsm_receiver_t *r, uint8_t octet, ecsm_frame_t *frame) {
    if (octet == FLAG) {
        const uint8_t state = r->state;
        const size_t used = r->used;
        r->used = 0;
        r->state = WITHIN;
        if (state == HUNTING || (state == WITHIN && used == 0)) return ECSM_FRAME_NONE;
        if (state != WITHIN || !parse(r->buffer, used, frame)) return ECSM_FRAME_DAMAGED;
        return ECSM_FRAME_READY;
    }
    switch (r->state) {
    case WITHIN:
        if (octet == ESCAPE) {
            r->state = ESCAPED;
            return ECSM_FRAME_NONE;
        }
        break;
    case ESCAPED:
        r->state = octet == ESCAPE ? BROKEN : WITHIN;
        octet ^= FLIP;
        break;
    default: /* hunting, or broken: the next flag ends it */
        return ECSM_FRAME_NONE;
    }
    if (r->used == r->room) {
        r->state = BROKEN;
        return ECSM_FRAME_NONE;
    }
    r->buffer[r->used++] = octet;
    return ECSM_FRAME_NONE;
}
