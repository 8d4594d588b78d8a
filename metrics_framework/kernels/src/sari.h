/* The statistics of SARI. `kernels/python/sari.py` and `sari_formulas.py` define them and say what S, P, R and r are;
   `metrics/sari.py` defines how sums become scores. */

#ifndef FW_SARI_H
#define FW_SARI_H

#include "cutting.h"
#include "kernel.h"

typedef enum { SARI_SUMS, SARI_JOSHUA, SARI_XU2016, SARI_MODIFIED, SARI_T2T, SARI_HF, SARI_SET } SariFormula;

typedef struct {
    CuttingRules rules, source_rules, cased_rules; /* of summaries and references, the source, and SARI_MODIFIED's cased one */
    SariFormula formula;
    bool f1_of_means;           /* SARI_SUMS: precision and recall are averaged over the orders first */
    bool precision_of_deletion; /* SARI_SUMS, SARI_MODIFIED: DELETE is a precision, else an F1 */
    bool intersection;          /* SARI_SET: recall of KEEP divides by the intersection, else by the union */
    double beta_for_deletion;   /* SARI_T2T */
} SariOptions;

/* Behind summaries and references come the source and, for SARI_MODIFIED, the cased source. Returns NULL where there is
   not so much memory. */
Kernel *sari_new(SariOptions options);

#endif
