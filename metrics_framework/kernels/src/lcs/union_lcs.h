/* The words of a line that are in a longest common subsequence (LCS) with one of several other lines.
   `kernels/python/google_rouge.py` defines them. */

#ifndef FW_LCS_UNION_LCS_H
#define FW_LCS_UNION_LCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer first; /* uint32_t: by word id, 1 + the first position of the word in the other line; 0 between calls */
    Buffer mask;  /* uint32_t: by word id, 1 + the number of the mask of a word that is frequent there; 0 between calls */
    size_t kind_count; /* of both */
    Buffer next;  /* uint32_t: by position, 1 + the next position of the same word in the other line, or 0 */
    Buffer masks; /* uint64_t: of each frequent word, the bits of its positions */
    uint32_t mask_count;
    Buffer rows; /* uint64_t: for each prefix of the line, bit k is 0 if its LCS with the first k + 1 words of the other
                    line is longer than that with the first k; of long lines only those of a block */
    Buffer kept; /* uint64_t: the row before each block */
    size_t block; /* rows */
    const uint32_t *other;
    size_t other_length;
} UnionLcs;

void union_lcs_free(UnionLcs *memory);

/* Sets the other line; all word ids are below `kind_count`. Returns false if out of memory. */
bool union_lcs_set(UnionLcs *memory, const uint32_t *other, size_t length, size_t kind_count);

/* Must follow `union_lcs_set` before the next one. */
void union_lcs_clear(UnionLcs *memory);

/* Sets `marks` to 1 at the positions of an LCS of the line and the other line. Returns false if out of memory or
   interrupted. */
bool union_lcs_mark(UnionLcs *memory, const uint32_t *line, size_t length, unsigned char *marks, Interrupt *interrupt);

#endif
