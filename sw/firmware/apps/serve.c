/* SPDX-License-Identifier: Apache-2.0 */
/* The device at the end of a serial line: frames (sw/frame) in, operations of the block, frames out.
 *
 * Slots are the block's own. A frame that came damaged is told so, and so is a reset, which is how this
 * program begins: keys of before are gone. SERVE_DIVISOR: clock cycles of a bit on the line, unless
 * those of reset. serve.h is generated: what the device is, and how many
 * strings each operation takes. */
#include "serve.h"
#include "block.h"
#include "ecsm.h"
#include "ecsm_block_scheme.h"
#include "ecsm_frame.h"
#include "soc.h"
#if defined(SERVE_TABLES)
#include "ecsm_tables.h"
#endif

enum {
    ROOM = 2200,        /* octets of the strings of a request, and of each string of an answer */
    OUTPUTS = 4,
    PATIENCE = 4000000, /* steps of a job: a verification of 512 bits may take 31 million cycles */
    SLOT_AT = 24,
    FLAGS_AT = 16
};

static uint8_t body[ECSM_FRAME_BODY(ROOM)], line[ECSM_FRAME_LINE(OUTPUTS * ROOM)];
static uint8_t octets[OUTPUTS][ROOM];
static ecsm_t ecsm;

static void clear(uint8_t *at, size_t length)
{
    for (size_t i = 0; i < length; i++) at[i] = 0;
}

/* Send what is in `line` and clear it on the way: after the last octet the host may ask at once. */
static void send(size_t length)
{
    for (size_t i = 0; i < length; i++) {
        soc_putc((char)line[i]);
        line[i] = 0;
    }
}

static void notice(uint8_t code)
{
    const ecsm_frame_t frame = {.kind = ECSM_FRAME_ANSWER, .code = code};
    send(ecsm_frame_write(&frame, line, sizeof line));
}

static void describe(ecsm_frame_t *answer)
{
    static const char *const texts[] = SERVE_INFO;
    answer->count = sizeof texts / sizeof texts[0];
    for (unsigned i = 0; i < answer->count; i++) {
        size_t length = 0;
        while (texts[i][length] != '\0') length++;
        answer->strings[i] = (ecsm_string_t){(const uint8_t *)texts[i], length};
    }
}

/* The code of a request that the block is not asked, or ECSM_OK. */
static uint8_t refused(const ecsm_frame_t *asked)
{
    static const uint8_t inputs[] = SERVE_INPUTS;
    if (asked->kind != ECSM_FRAME_REQUEST || asked->tag == 0) return ECSM_LINK_BAD_REQUEST;
    if (asked->code >= sizeof inputs || asked->code == SERVE_HIDDEN ||
        inputs[asked->code] == SERVE_NONE)
        return ECSM_STATUS_UNSUPPORTED;
    if (asked->word >> SLOT_AT >= SERVE_SLOTS || (asked->word & 0xffffu) != 0 ||
        asked->count != inputs[asked->code])
        return ECSM_LINK_BAD_REQUEST;
    return ECSM_OK;
}

static void work(const ecsm_frame_t *asked, ecsm_frame_t *answer)
{
    ecsm_in_t in[ECSM_FRAME_STRINGS];
    ecsm_out_t out[OUTPUTS];
    for (unsigned i = 0; i < asked->count; i++)
        in[i] = (ecsm_in_t){asked->strings[i].octets, asked->strings[i].length};
    for (unsigned i = 0; i < OUTPUTS; i++)
        out[i] = (ecsm_out_t){.octets = octets[i], .room = ROOM};
    const ecsm_status_t status =
        ecsm_run(&ecsm, asked->code, asked->word >> SLOT_AT, asked->word >> FLAGS_AT & 0xffu, in,
                 asked->count, out, OUTPUTS);
    if (status >= ECSM_NO_DEVICE) { /* the driver's: nothing that a request may lead to */
        ecsm_zeroize(&ecsm);
        (void)ecsm_seed(&ecsm);
        answer->code = ECSM_LINK_FAILED;
        return;
    }
    answer->code = (uint8_t)status;
    answer->word = ecsm.cycles;
    if (status != ECSM_OK) return;
    while (answer->count < ecsm.out_index) {
        const ecsm_out_t *o = &out[answer->count];
        answer->strings[answer->count++] = (ecsm_string_t){o->octets, o->length};
    }
}

static void answer_to(const ecsm_frame_t *asked)
{
    ecsm_frame_t answer = {.kind = ECSM_FRAME_ANSWER, .tag = asked->tag};
    if (asked->kind == ECSM_FRAME_REQUEST && asked->code == ECSM_ASK_INFO) {
        describe(&answer);
    } else {
        answer.code = refused(asked);
        if (answer.code == ECSM_OK) work(asked, &answer);
    }
    const size_t length = ecsm_frame_write(&answer, line, sizeof line);
    for (unsigned i = 0; i < OUTPUTS; i++) clear(octets[i], ROOM);
    clear(body, sizeof body);
    send(length);
}

int main(void)
{
#if defined(BLOCK_TC)
    const ecsm_hal_t hal = ecsm_hal_custom();
#else
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
#endif
    ecsm_receiver_t receiver;
    ecsm_frame_t asked;
#if defined(SERVE_DIVISOR)
    soc_write(SOC_UART_DIVISOR, SERVE_DIVISOR);
#endif
    const ecsm_status_t opened = ecsm_open(&ecsm, &hal);
    if (opened != ECSM_OK && opened != ECSM_BUSY) return 1;
    ecsm_zeroize(&ecsm); /* of before there is no key, and no job */
    ecsm.steps = PATIENCE;
#if defined(SERVE_TABLES)
    if (ecsm_load_tables(&ecsm, &ecsm_tables) != ECSM_OK) return 2;
#endif
    (void)ecsm_seed(&ecsm); /* without a seed an operation that needs one says so */
    ecsm_receiver_init(&receiver, body, sizeof body);
    notice(ECSM_LINK_RESET);
    for (;;) {
        const ecsm_received_t got = ecsm_receive(&receiver, (uint8_t)soc_getc(), &asked);
        if (got == ECSM_FRAME_DAMAGED) notice(ECSM_LINK_DAMAGED);
        if (got == ECSM_FRAME_READY) answer_to(&asked);
    }
}
