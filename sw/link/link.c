/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>

struct ecsm_link {
    ecsm_link_t *next; /* of all links */
    pthread_mutex_t turn;
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    char group[ECSM_LINK_GROUP]; /* whose members are trusted, or empty */
    int fd;
    pid_t process; /* that connected: a child must not speak over its parent's connection */
    unsigned epoch;
    uint32_t tag;
    uint64_t slots; /* bit i: slot i has a key */
    ecsm_receiver_t receiver;
    ecsm_info_t info;
    char texts[ECSM_LINK_ROOM]; /* of info */
    char why[ECSM_LINK_TEXT];
    uint8_t body[ECSM_FRAME_BODY(ECSM_LINK_ROOM)];
    uint8_t line[ECSM_FRAME_LINE(ECSM_LINK_INPUT)];
};

/* All links of the process. A thread that has a turn when another one forks is not in the child,
 * where the turn would never be given back: every turn is made anew there. */
static ecsm_link_t *links;
static pthread_mutex_t links_turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t links_once = PTHREAD_ONCE_INIT;

static void take_links(void) { (void)pthread_mutex_lock(&links_turn); }

static void give_links(void) { (void)pthread_mutex_unlock(&links_turn); }

static void in_child(void) {
    for (ecsm_link_t *link = links; link != NULL; link = link->next)
        (void)pthread_mutex_init(&link->turn, NULL);
    give_links();
}

static void watch_forks(void) { (void)pthread_atfork(take_links, give_links, in_child); }

static void add_link(ecsm_link_t *link) {
    (void)pthread_once(&links_once, watch_forks);
    take_links();
    link->next = links;
    links = link;
    give_links();
}

static void remove_link(const ecsm_link_t *link) {
    ecsm_link_t **at = &links;

    take_links();
    while (*at != link) at = &(*at)->next;
    *at = link->next;
    give_links();
}

static const char *const statuses[] = {
    "ok", "a coordinate is out of range", "the point is not on the curve",
    "the scalar is out of range", "the point has low order", "the signature is invalid",
    "authentication failed", "a fault was detected", "the device is busy: all its key slots are used",
    "the device has no such operation", "the device has no entropy", "the key is not in the device",
};

__attribute__((format(printf, 3, 4)))
static int fail(ecsm_link_t *link, int code, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(link->why, sizeof link->why, format, arguments);
    va_end(arguments);
    return code;
}

static void disconnect(ecsm_link_t *link) {
    if (link->fd >= 0) (void)close(link->fd);
    link->fd = -1;
}

static int gone(ecsm_link_t *link, const char *why) {
    disconnect(link);
    return fail(link, ECSM_GONE, "%s: %s", link->path, why);
}

static int stranger(ecsm_link_t *link, const char *why) {
    (void)gone(link, why);
    return ECSM_STRANGER;
}

ecsm_link_t *ecsm_link_new(const char *path, const char *group) {
    ecsm_link_t *link = calloc(1, sizeof *link);

    if (link == NULL) return NULL;
    if (strlen(path) >= sizeof link->path || strlen(group) >= sizeof link->group ||
        pthread_mutex_init(&link->turn, NULL) != 0) {
        free(link);
        return NULL;
    }
    memcpy(link->path, path, strlen(path) + 1);
    memcpy(link->group, group, strlen(group) + 1);
    link->fd = -1;
    add_link(link);
    return link;
}

void ecsm_link_free(ecsm_link_t *link) {
    if (link == NULL) return;
    remove_link(link);
    if (link->process == getpid()) disconnect(link);
    (void)pthread_mutex_destroy(&link->turn);
    OPENSSL_cleanse(link, sizeof *link);
    free(link);
}

int ecsm_links_new(const char *paths, const char *group, ecsm_link_t *made[ECSM_LINKS]) {
    int count = 0;

    while (*paths != 0) {
        char path[sizeof(((ecsm_link_t *)NULL)->path) + 1];
        const size_t length = strcspn(paths, ":");
        ecsm_link_t *link = NULL;
        const int most = (int)(length < sizeof path ? length : sizeof path);
        (void)snprintf(path, sizeof path, "%.*s", most, paths);
        if (length > 0 && count < ECSM_LINKS) link = ecsm_link_new(path, group);
        if (link != NULL) made[count++] = link;
        if (length > 0 && link == NULL) {
            while (count > 0) ecsm_link_free(made[--count]);
            return -1;
        }
        paths += length;
        paths += *paths == ':';
    }
    return count;
}

static int64_t now_ms(void) {
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Wait until the socket is ready. Returns 0 when the time is over, also if there are octets. */
static int ready(const ecsm_link_t *link, short event, int64_t deadline) {
    for (;;) {
        struct pollfd p = {.fd = link->fd, .events = event};
        const int64_t left = deadline - now_ms();
        const int found = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (found > 0) return 1;
        if (found == 0) return 0;
        if (errno != EINTR) return 1; /* what is wrong shows when it is used */
    }
}

/* Whether a connection that nothing is under way on has ended: there is something to be read. */
static bool has_ended(const ecsm_link_t *link) {
    struct pollfd p = {.fd = link->fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

static int send_all(ecsm_link_t *link, const uint8_t *octets, size_t length, int64_t deadline) {
    while (length > 0) {
        if (!ready(link, POLLOUT, deadline)) return gone(link, "it takes no requests");
        const ssize_t sent = send(link->fd, octets, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (sent < 0) return gone(link, strerror(errno));
        octets += sent;
        length -= (size_t)sent;
    }
    return 0;
}

/* Receive the answer to the request with the link's tag. */
static int answer_of(ecsm_link_t *link, ecsm_frame_t *answer, int64_t deadline) {
    for (;;) {
        uint8_t octet;
        uint8_t piece[512];
        if (!ready(link, POLLIN, deadline)) return gone(link, "no answer in time");
        const ssize_t got = recv(link->fd, piece, sizeof piece, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got < 0) return gone(link, strerror(errno));
        if (got == 0) return gone(link, "the server closed the connection");
        for (ssize_t i = 0; i < got; i++) {
            octet = piece[i];
            switch (ecsm_receive(&link->receiver, octet, answer)) {
            case ECSM_FRAME_NONE:
                break;
            case ECSM_FRAME_DAMAGED:
                OPENSSL_cleanse(piece, sizeof piece);
                return gone(link, "an answer was damaged");
            case ECSM_FRAME_READY:
                if (answer->kind != ECSM_FRAME_ANSWER || answer->tag != link->tag) break;
                OPENSSL_cleanse(piece, sizeof piece);
                /* A request is sent when the answer to the one before has come: this one ends it. */
                return i + 1 == got ? 0 : gone(link, "octets came behind an answer");
            }
        }
        OPENSSL_cleanse(piece, sizeof piece);
    }
}

static int exchange(ecsm_link_t *link, uint8_t code, unsigned slot, const ecsm_string_t *strings,
                    size_t count, ecsm_frame_t *answer) {
    const int64_t deadline = now_ms() + (int64_t)ECSM_LINK_TIMEOUT_S * 1000;
    ecsm_frame_t asked = {
        .kind = ECSM_FRAME_REQUEST, .code = code, .count = (uint8_t)count,
        .word = (uint32_t)slot << 24,
    };
    int result;

    if (count > ECSM_FRAME_STRINGS) return fail(link, ECSM_REFUSED, "too many strings");
    if (count > 0) memcpy(asked.strings, strings, count * sizeof *strings);
    asked.tag = ++link->tag == 0 ? ++link->tag : link->tag;
    const size_t length = ecsm_frame_write(&asked, link->line, sizeof link->line);
    if (length == 0) return fail(link, ECSM_REFUSED, "the strings are too long");
    result = send_all(link, link->line, length, deadline);
    OPENSSL_cleanse(link->line, length);
    if (result != 0) return result;
    result = answer_of(link, answer, deadline);
    if (result != 0) return result;
    switch (answer->code) {
    case ECSM_LINK_BAD_REQUEST:
        return fail(link, ECSM_REFUSED, "%s: the server takes no such request", link->path);
    case ECSM_LINK_FAILED:
        return fail(link, ECSM_GONE, "%s: the device failed", link->path);
    case ECSM_LINK_CLOSING:
        return gone(link, "the server is being closed");
    default:
        break;
    }
    if (answer->code >= sizeof statuses / sizeof *statuses)
        return gone(link, "an answer of no known status");
    if (answer->code != 0)
        (void)fail(link, 0, "%s: %s", link->path, statuses[answer->code]);
    return answer->code;
}

/* Ask what the server is, and keep it. */
static int describe(ecsm_link_t *link) {
    ecsm_frame_t answer;
    const char **const fields[] = {NULL, &link->info.preset, &link->info.curve,
                                   &link->info.operations, &link->info.keys};
    char *at = link->texts;
    const int result = exchange(link, ECSM_ASK_INFO, 0, NULL, 0, &answer);

    if (result != 0) return result < 0 ? result : ECSM_REFUSED;
    if (answer.count != 5 || answer.strings[0].length != 1 || answer.strings[0].octets[0] != '1')
        return stranger(link, "a server of another version");
    for (size_t i = 1; i < 5; i++) {
        const ecsm_string_t s = answer.strings[i];
        /* The texts fit: they came out of a body of ECSM_LINK_ROOM with 4 octets before each. */
        if (s.length >= (size_t)(link->texts + sizeof link->texts - at) ||
            memchr(s.octets, 0, s.length) != NULL)
            return stranger(link, "a server that describes itself as nothing known");
        memcpy(at, s.octets, s.length);
        at[s.length] = 0;
        *fields[i] = at;
        at += s.length + 1;
    }
    return 0;
}

/* Whether a user has a group as its own, or is in its list. */
static bool is_member(uid_t uid, const char *name) {
    char texts[2][ECSM_LINK_ROOM];
    struct group group, *has_group = NULL;
    struct passwd user, *has_user = NULL;

    if (getgrnam_r(name, &group, texts[0], sizeof texts[0], &has_group) != 0 ||
        getpwuid_r(uid, &user, texts[1], sizeof texts[1], &has_user) != 0 || has_group == NULL ||
        has_user == NULL)
        return false;
    for (char *const *one = group.gr_mem; *one != NULL; one++)
        if (strcmp(*one, user.pw_name) == 0) return true;
    return user.pw_gid == group.gr_gid;
}

/* As ecsm/trust.py: this user and root are trusted, and the members of the group. */
static bool trusts(const ecsm_link_t *link, uid_t uid) {
    return uid == 0 || uid == geteuid() || (link->group[0] != 0 && is_member(uid, link->group));
}

/* Connect; wait while more connections than it has room for wait for the server. */
static int reach(const ecsm_link_t *link) {
    const struct timeval most = {.tv_sec = ECSM_LINK_TIMEOUT_S};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int result;

    memcpy(address.sun_path, link->path, sizeof address.sun_path);
    if (setsockopt(link->fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) != 0) return -1;
    do result = connect(link->fd, (struct sockaddr *)&address, sizeof address);
    while (result != 0 && errno == EINTR);
    return result;
}

static int connect_it(ecsm_link_t *link) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;

    link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->fd < 0 || reach(link) != 0)
        return gone(link, errno == EAGAIN ? "it takes no connections" : strerror(errno));
    if (getsockopt(link->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
        !trusts(link, peer.uid))
        return stranger(link, "the server is another user's: no key for it");
    link->process = getpid();
    link->epoch++;
    link->slots = 1; /* slot 0 is of the turn's */
    ecsm_receiver_init(&link->receiver, link->body, sizeof link->body);
    const int result = describe(link);
    if (result != 0) disconnect(link); /* without a description it is none */
    return result;
}

int ecsm_link_begin(ecsm_link_t *link) {
    (void)pthread_mutex_lock(&link->turn);
    if (link->fd >= 0 && (link->process != getpid() || has_ended(link))) disconnect(link);
    return link->fd >= 0 ? 0 : connect_it(link);
}

void ecsm_link_end(ecsm_link_t *link) {
    OPENSSL_cleanse(link->body, sizeof link->body);
    (void)pthread_mutex_unlock(&link->turn);
}

const char *ecsm_link_path(const ecsm_link_t *link) { return link->path; }

const ecsm_info_t *ecsm_link_info(const ecsm_link_t *link) { return &link->info; }

unsigned ecsm_link_epoch(const ecsm_link_t *link) { return link->epoch; }

const char *ecsm_link_why(const ecsm_link_t *link) { return link->why; }

int ecsm_link_find(const char *list, const char *name) {
    const size_t length = strlen(name);

    for (int number = 0; length > 0 && *list != 0; number++) {
        const size_t word = strcspn(list, " ");
        if (word == length && memcmp(list, name, length) == 0) return number;
        list += word;
        list += strspn(list, " ");
    }
    return -1;
}

unsigned ecsm_link_slot(ecsm_link_t *link) {
    for (unsigned slot = 1; slot < ECSM_LINK_SLOTS; slot++) {
        if ((link->slots >> slot & 1) == 0) {
            link->slots |= UINT64_C(1) << slot;
            return slot;
        }
    }
    return 0;
}

void ecsm_link_slot_free(ecsm_link_t *link, unsigned slot) {
    link->slots &= ~(UINT64_C(1) << slot);
}

int ecsm_link_run(ecsm_link_t *link, const char *operation, unsigned slot,
                  const ecsm_string_t *strings, size_t count, ecsm_frame_t *out) {
    ecsm_frame_t unused;

    if (link->fd < 0) return ECSM_GONE; /* since a call before this one in the turn */
    const int number = ecsm_link_find(link->info.operations, operation);
    if (number < 0 || number > 63)
        return fail(link, ECSM_UNKNOWN, "%s: the device has no %s", link->path, operation);
    return exchange(link, (uint8_t)number, slot, strings, count, out == NULL ? &unused : out);
}
