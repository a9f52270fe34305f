/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: jobs, and strings word by word. See ecsm.h. */

#include "ecsm.h"
#include "ecsm_block_scheme.h"

#define AT(name) ((uint32_t)offsetof(ecsm_block_scheme_t, name))
#define BIT(name) ((uint32_t)ECSM_BLOCK_SCHEME__##name##_bm)
#define FIELD(name, word) (((word) & BIT(name)) >> ECSM_BLOCK_SCHEME__##name##_bp)
#define MOST(name) (BIT(name) >> ECSM_BLOCK_SCHEME__##name##_bp)

enum { WORD = 4, KIND_SCHEMES = 2, TABLES = 63 };

static uint32_t get(const ecsm_t *ecsm, uint32_t offset)
{
    return ecsm->hal.read(ecsm->hal.context, offset);
}

static void put(const ecsm_t *ecsm, uint32_t offset, uint32_t value)
{
    ecsm->hal.write(ecsm->hal.context, offset, value);
}

static size_t octets_of(uint32_t bits)
{
    return (bits + 7u) / 8u;
}

static void enable(const ecsm_t *ecsm)
{
    if (!ecsm->hal.wait) return;
    uint32_t bits = 0;
    if (ecsm->working) bits = BIT(INTR_ENABLE__DONE) | BIT(INTR_ENABLE__OUT_DATA);
    if (ecsm->working && ecsm->in_index < ecsm->in_count) bits |= BIT(INTR_ENABLE__IN_ROOM);
    put(ecsm, AT(INTR_ENABLE), bits);
}

ecsm_status_t ecsm_open(ecsm_t *ecsm, const ecsm_hal_t *hal)
{
    *ecsm = (ecsm_t){.hal = *hal};
    uint32_t kind = 0;
    if (get(ecsm, AT(ID)) == (uint32_t)ECSM_BLOCK_SCHEME__ID__VALUE_reset)
        kind = FIELD(VERSION__KIND, get(ecsm, AT(VERSION)));
    if (kind != KIND_SCHEMES ||
        get(ecsm, AT(OPERATIONS)) != (uint32_t)ECSM_BLOCK_SCHEME__OPERATIONS__MASK_reset)
        return ECSM_NO_DEVICE;
    ecsm->scalar_octets = octets_of(FIELD(ORDER__BITS, get(ecsm, AT(ORDER))));
    ecsm->coordinate_octets = octets_of(FIELD(SIZE__COORDINATE, get(ecsm, AT(SIZE))));
    /* The block refuses a new job until this one has ended: its answer would be taken for the new one's. */
    ecsm->working = (get(ecsm, AT(STATUS)) & (BIT(STATUS__BUSY) | BIT(STATUS__ANSWER))) != 0;
    if (!ecsm->working) return ECSM_OK;
    enable(ecsm);
    return ECSM_BUSY;
}

ecsm_status_t ecsm_start(ecsm_t *ecsm, uint32_t operation, uint32_t slot, uint32_t flags,
                         const ecsm_in_t *in, size_t in_count, ecsm_out_t *out, size_t out_count)
{
    if (ecsm->working) return ECSM_BUSY;
    if (in_count > ECSM_INPUTS) return ECSM_NO_ROOM;
    if (operation > MOST(JOB__OPERATION) || slot > MOST(JOB__SLOT) || flags > MOST(JOB__FLAGS))
        return ECSM_STATUS_UNSUPPORTED;
    for (size_t i = 0; i < in_count; i++) ecsm->in[i] = in[i];
    for (size_t i = 0; i < out_count; i++) out[i].length = 0;
    ecsm->out = out;
    ecsm->in_count = in_count;
    ecsm->out_count = out_count;
    ecsm->in_index = ecsm->in_at = ecsm->out_index = 0;
    ecsm->overflow = false;
    ecsm->working = true;
    put(ecsm, AT(JOB),
        operation << ECSM_BLOCK_SCHEME__JOB__OPERATION_bp |
            slot << ECSM_BLOCK_SCHEME__JOB__SLOT_bp | flags << ECSM_BLOCK_SCHEME__JOB__FLAGS_bp);
    put(ecsm, AT(COMMAND), BIT(COMMAND__START));
    enable(ecsm);
    return ECSM_OK;
}

/* Write as many words as there is room for. */
static void feed(ecsm_t *ecsm)
{
    if (ecsm->in_index == ecsm->in_count) return;
    for (uint32_t room = FIELD(ROOM__WORDS, get(ecsm, AT(ROOM))); room != 0; room--) {
        if (ecsm->in_index == ecsm->in_count) return;
        const ecsm_in_t *in = &ecsm->in[ecsm->in_index];
        const size_t left = in->length - ecsm->in_at;
        const size_t count = left < WORD ? left : WORD;
        uint32_t word = 0;
        for (size_t i = 0; i < count; i++)
            word |= (uint32_t)in->octets[ecsm->in_at + i] << (24u - 8u * (uint32_t)i);
        if (left > WORD) {
            put(ecsm, AT(IN_DATA), word);
            ecsm->in_at += WORD;
        } else {
            put(ecsm, AT(IN_LAST) + WORD * (uint32_t)count, word);
            ecsm->in_index++;
            ecsm->in_at = 0;
        }
    }
}

/* Read the words there are: no more than a queue has, as a bus without a block reads ones for ever. */
static void drain(ecsm_t *ecsm)
{
    for (uint32_t words = MOST(OUT__WORDS); words != 0; words--) {
        const uint32_t info = get(ecsm, AT(OUT));
        if (FIELD(OUT__WORDS, info) == 0) return;
        const uint32_t word = get(ecsm, AT(OUT_DATA));
        const uint32_t count = FIELD(OUT__OCTETS, info);
        if (ecsm->out_index == ecsm->out_count) {
            ecsm->overflow = true;
            continue;
        }
        ecsm_out_t *out = &ecsm->out[ecsm->out_index];
        for (uint32_t i = 0; i < count; i++) {
            if (i == WORD || out->length == out->room) {
                ecsm->overflow = true;
                break;
            }
            out->octets[out->length++] = (uint8_t)(word >> (24u - 8u * i));
        }
        if (info & BIT(OUT__LAST)) ecsm->out_index++;
    }
}

static void forget_outputs(ecsm_t *ecsm)
{
    for (size_t i = 0; i < ecsm->out_count; i++) {
        volatile uint8_t *octets = ecsm->out[i].octets;
        for (size_t j = 0; j < ecsm->out[i].length; j++) octets[j] = 0;
        ecsm->out[i].length = 0;
    }
}

static ecsm_status_t finish(ecsm_t *ecsm, ecsm_status_t status)
{
    ecsm->working = false;
    enable(ecsm);
    if (status != ECSM_OK) forget_outputs(ecsm);
    return status;
}

ecsm_status_t ecsm_step(ecsm_t *ecsm)
{
    if (!ecsm->working) return ECSM_BUSY;
    if (ecsm->hal.wait) put(ecsm, AT(INTR_STATE), get(ecsm, AT(INTR_STATE)));
    const uint32_t status = get(ecsm, AT(STATUS)); /* before the words: all came before an answer */
    if (!(status & (BIT(STATUS__BUSY) | BIT(STATUS__ANSWER))))
        return finish(ecsm, ECSM_NO_ANSWER); /* zeroized by someone else */
    drain(ecsm);
    if (status & BIT(STATUS__ANSWER)) {
        ecsm->cycles = get(ecsm, AT(CYCLES));
        put(ecsm, AT(COMMAND), BIT(COMMAND__ACKNOWLEDGE));
        const ecsm_status_t code = FIELD(STATUS__CODE, status);
        return finish(ecsm, code != ECSM_OK ? code : ecsm->overflow ? ECSM_NO_ROOM : ECSM_OK);
    }
    const size_t before = ecsm->in_index;
    feed(ecsm);
    if (before != ecsm->in_count && ecsm->in_index == ecsm->in_count) enable(ecsm);
    return ECSM_PENDING;
}

ecsm_status_t ecsm_run(ecsm_t *ecsm, uint32_t operation, uint32_t slot, uint32_t flags,
                       const ecsm_in_t *in, size_t in_count, ecsm_out_t *out, size_t out_count)
{
    ecsm_status_t status =
        ecsm_start(ecsm, operation, slot, flags, in, in_count, out, out_count);
    if (status != ECSM_OK) return status;
    for (uint32_t steps = 1;; steps++) {
        status = ecsm_step(ecsm);
        if (status != ECSM_PENDING) return status;
        if (ecsm->steps != 0 && steps == ecsm->steps) break;
        if (ecsm->hal.wait) ecsm->hal.wait(ecsm->hal.context);
    }
    ecsm_zeroize(ecsm);
    return ECSM_NO_ANSWER;
}

void ecsm_zeroize(ecsm_t *ecsm)
{
    put(ecsm, AT(COMMAND), BIT(COMMAND__ZEROIZE));
    if (ecsm->working) (void)finish(ecsm, ECSM_NO_ANSWER);
}

ecsm_status_t ecsm_load_tables(ecsm_t *ecsm, const ecsm_tables_t *tables)
{
    const ecsm_in_t in[] = {{tables->octets, tables->length}};
    const ecsm_status_t status = ecsm_run(ecsm, TABLES, 0, 0, in, 1, NULL, 0);
    if (status != ECSM_OK) return status;
    ecsm->scalar_octets = tables->scalar_octets;
    ecsm->coordinate_octets = tables->coordinate_octets;
    return ECSM_OK;
}
