/* The texts of a group, as kernels get them. */

#ifndef FW_TEXT_TEXT_GROUP_H
#define FW_TEXT_TEXT_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* The texts of a group, one behind the other: its summaries, its references (one at least), and then what else the
   kernel asks for. SPARE_BYTES behind them are readable and writable. They are changed. */
typedef struct {
    unsigned char *bytes;
    const size_t *ends; /* where each text ends, seen from `bytes` */
    size_t summary_count;
    size_t reference_count;
    bool leave_one_out; /* statistics are wanted without each reference in turn too; there are two at least */
} TextGroup;

#endif
