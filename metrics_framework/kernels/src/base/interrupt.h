/* A long computation that asks now and then whether to go on. */

#ifndef FW_BASE_INTERRUPT_H
#define FW_BASE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool (*GoOn)(void *context);

typedef struct {
    GoOn go_on; /* may be NULL */
    void *context;
    uint64_t work; /* steps of some nanoseconds since it was last asked */
    bool stopped;
} Watch;

/* About a tenth of a second. */
static const uint64_t WORK_BETWEEN_QUESTIONS = UINT64_C(1) << 24;

static inline bool is_stopped(Watch *watch)
{
    if (watch->work >= WORK_BETWEEN_QUESTIONS) {
        watch->work = 0;
        if (watch->go_on != NULL && !watch->go_on(watch->context))
            watch->stopped = true;
    }
    return watch->stopped;
}

#endif
