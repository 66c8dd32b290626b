/* desk.h - where the program meets a user's code in its own process: memory that both see.
 *
 * Each side counts its turns there, and waits until the count of the other one has come so far. To
 * wake another processor takes tens of microseconds. So who waits looks for about as long before
 * he sleeps, but only while the other one is on another processor: on the same one he would be in
 * the way. Where looking was in vain, it is tried less and less often. Who sleeps says so, and the
 * other one sends a byte; that the other one has died shows at the socket, too.
 *
 * This file stands alone: the program around a user's function holds its text. */
#ifndef CT_FOREIGN_DESK_H
#define CT_FOREIGN_DESK_H

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

enum { CT_DESK_CALLER, CT_DESK_CALLED };
enum { CT_DESK_LOOK = 50000, CT_DESK_RAREST = 8 }; /* nanoseconds; one look in 2^8 waits */

typedef enum ct_desk_end { CT_DESK_READY, CT_DESK_LATE, CT_DESK_GONE } ct_desk_end;

typedef struct ct_desk {
    _Atomic uint32_t turns[2], asleep[2], processor[2];
    double numbers[]; /* time and inputs, outputs */
} ct_desk;

typedef struct ct_seat {
    ct_desk *desk;
    int side, socket;
    uint32_t misses, blind; /* looks in vain; waits that are still to be made without a look */
} ct_seat;

static inline bool ct_desk_is_ready(const ct_seat *s, uint32_t turn)
{
    return atomic_load(&s->desk->turns[!s->side]) == turn;
}

static inline void ct_desk_breathe(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static inline bool ct_desk_look(ct_seat *s, uint32_t turn)
{
    struct timespec start, now;
    if (s->blind) {
        s->blind--;
        return false;
    }
    if (atomic_load(&s->desk->processor[!s->side]) == (uint32_t)sched_getcpu())
        return false;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int i = 0; i < 16; i++, ct_desk_breathe())
            if (ct_desk_is_ready(s, turn)) {
                s->misses = 0;
                return true;
            }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < CT_DESK_LOOK);
    s->misses += s->misses < CT_DESK_RAREST;
    s->blind = (1u << s->misses) - 1;
    return false;
}

/* Sleeps until the other one's turn has come; how long at most is a setting of the socket. */
static inline ct_desk_end ct_desk_sleep(const ct_seat *s, uint32_t turn)
{
    char bytes[16];
    for (;;) {
        atomic_store(&s->desk->asleep[s->side], 1);
        if (ct_desk_is_ready(s, turn))
            return CT_DESK_READY;
        ssize_t got = recv(s->socket, bytes, sizeof bytes, 0);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return CT_DESK_LATE;
        if (got == 0 || (got < 0 && errno != EINTR))
            return CT_DESK_GONE;
    }
}

static inline ct_desk_end ct_desk_wait(ct_seat *s, uint32_t turn)
{
    if (ct_desk_is_ready(s, turn) || ct_desk_look(s, turn))
        return CT_DESK_READY;
    ct_desk_end end = ct_desk_sleep(s, turn);
    atomic_store(&s->desk->asleep[s->side], 0);
    return end;
}

/* A turn of this side is done; the numbers have been written before. */
static inline void ct_desk_tell(ct_seat *s, uint32_t turn)
{
    atomic_store(&s->desk->processor[s->side], (uint32_t)sched_getcpu());
    atomic_store(&s->desk->turns[s->side], turn);
    if (atomic_exchange(&s->desk->asleep[!s->side], 0))
        (void)!send(s->socket, "", 1, MSG_NOSIGNAL);
}

#endif
