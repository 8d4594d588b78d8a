/* The n-grams that each of some texts, the rows, shares with each of other texts, the columns.

   A text is a set of *tokens*: the first occurrence of an n-gram in it, the second, and so on. The size of the
   intersection of two such sets is the number of n-grams that the texts share as multisets. For each token, the columns
   that have it are a list or, if they are many, bits. Adding up the columns of all tokens of a row counts its n-grams in
   all columns in one pass, and adds 64 bits at a time. */

#ifndef FW_NGRAMS_SHARED_NGRAMS_H
#define FW_NGRAMS_SHARED_NGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "ngrams/ngram_ids.h"

/* A text as ids of its words or characters. */
typedef struct {
    const uint32_t *units;
    size_t length;
} UnitText;

/* Initialize with {0}. */
typedef struct {
    const UnitText *rows, *columns; /* the same array if the texts are equal */
    size_t row_count, column_count;
    uint32_t unit_end; /* units are below it */
    size_t order;      /* of the n-grams indexed, 0 at first */

    NgramIds ngram_ids;
    Buffer starts;  /* size_t: where each column, and then each row, starts in `ngrams` */
    Buffer ngrams;  /* uint32_t: the id of the n-gram at each position */
    Buffer of_text; /* uint32_t: the token at each position of the columns */
    Buffer tokens;  /* Token */
    size_t token_count;
    Buffer lists; /* uint32_t: the columns of each token that has a list */
    Buffer sets;  /* Lanes: the columns of each token that has bits; set 0 is empty */
    size_t set_count;

    Buffer row_sets; /* uint32_t: the sets of a row */
    Buffer found;    /* uint32_t, by column: the result for a row */
} SharedNgrams;

void shared_ngrams_free(SharedNgrams *shared);

/* Sets the texts, which must stay in place. Returns false if out of memory, or if there are too many n-grams. */
bool shared_ngrams_open(
    SharedNgrams *shared, const UnitText *rows, size_t row_count, const UnitText *columns, size_t column_count);

/* Indexes the n-grams of the next order. Returns false if out of memory or interrupted. */
bool shared_ngrams_next_order(SharedNgrams *shared, Interrupt *interrupt);

/* Returns, by column, the number of n-grams that a row shares with it. */
const uint32_t *shared_ngrams_of_row(SharedNgrams *shared, size_t row, Interrupt *interrupt);

#endif
