/* The texts of a group, as kernels read them. */

#ifndef FW_TEXT_TEXT_GROUP_H
#define FW_TEXT_TEXT_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* The texts follow each other: summaries, references (at least one), other texts. The SPARE_BYTES after them are
   readable and writable. Kernels change the texts in place. */
typedef struct {
    unsigned char *bytes;
    const size_t *ends; /* the end of each text, relative to `bytes` */
    size_t summary_count;
    size_t reference_count;
    bool leave_one_out; /* measure without each reference in turn too; there are at least two */
} TextGroup;

#endif
