/* The statistics of SARI. `kernels/python/sari.py` and `sari_formulas.py` define them, and S, P, R and r;
   `metrics/sari.py` defines the scores of sums. */

#ifndef FW_METRICS_SARI_H
#define FW_METRICS_SARI_H

#include "metrics/kernel.h"
#include "text/tokenize.h"

typedef enum { SARI_SUMS, SARI_JOSHUA, SARI_XU2016, SARI_MODIFIED, SARI_T2T, SARI_HF, SARI_SET } SariFormula;

typedef struct {
    SariFormula formula;
    bool lowercase;
    Tokenization tokenization, source_tokenization;
    bool single_spaces;         /* a text without words has one empty word, also with TOKENIZER_13A */
    bool f1_of_means;           /* SARI_SUMS: precision and recall are averaged over the orders before F1 */
    bool precision_of_deletion; /* SARI_SUMS, SARI_MODIFIED: DELETE is a precision instead of an F1 */
    bool intersection;          /* SARI_SET: the recall of KEEP divides by the intersection instead of the union */
    double beta_for_deletion;   /* SARI_T2T */
} SariOptions;

/* The other texts of a group are the source and, for SARI_MODIFIED, the cased source. Returns NULL if out of memory. */
Kernel *sari_new(const SariOptions *options);

#endif
