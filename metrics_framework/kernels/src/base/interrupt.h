/* Lets a long computation be interrupted, for example by Ctrl-C. */

#ifndef FW_BASE_INTERRUPT_H
#define FW_BASE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool (*ShouldContinue)(void *context);

typedef struct {
    ShouldContinue should_continue; /* may be NULL */
    void *context;
    uint64_t work; /* since the last check, in steps of a few nanoseconds */
    bool interrupted;
} Interrupt;

/* About a tenth of a second. */
static const uint64_t WORK_BETWEEN_CHECKS = UINT64_C(1) << 24;

static inline bool is_interrupted(Interrupt *interrupt)
{
    if (interrupt->work >= WORK_BETWEEN_CHECKS) {
        interrupt->work = 0;
        if (interrupt->should_continue != NULL && !interrupt->should_continue(interrupt->context))
            interrupt->interrupted = true;
    }
    return interrupt->interrupted;
}

#endif
