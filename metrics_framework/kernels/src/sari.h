/* The statistics of SARI. `kernels/python/sari.py` and `sari_formulas.py` define them and say what S, P, R and r are;
   `metrics/sari.py` defines how sums become scores. */

#ifndef FW_SARI_H
#define FW_SARI_H

#include "cutting.h"
#include "kernel.h"

typedef enum { SARI_SUMS, SARI_JOSHUA, SARI_XU2016, SARI_MODIFIED, SARI_T2T, SARI_HF, SARI_SET } SariFormula;

typedef struct {
    SariFormula formula;
    bool lowercase;
    Cut tokenization, source_tokenization;
    bool single_spaces;         /* texts are split at each space after 13a, too */
    bool f1_of_means;           /* SARI_SUMS: precision and recall are averaged over the orders first */
    bool precision_of_deletion; /* SARI_SUMS, SARI_MODIFIED: DELETE is a precision, else an F1 */
    bool intersection;          /* SARI_SET: recall of KEEP divides by the intersection, else by the union */
    double beta_for_deletion;   /* SARI_T2T */
} SariOptions;

/* Behind summaries and references come the source and, for SARI_MODIFIED, the cased source. Returns NULL if out
   of memory. */
Kernel *sari_new(const SariOptions *options);

#endif
