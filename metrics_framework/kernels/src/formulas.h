/* Formulas of scores; the same steps as in Python, so that the last bit is the same. */

#ifndef FW_FORMULAS_H
#define FW_FORMULAS_H

/* Divides, where nothing of nothing is `empty`. */
static inline double ratio(double part, double whole, double empty) { return whole != 0 ? part / whole : empty; }

/* Returns the weighted harmonic mean, precision alone for `beta` 0; it is 0 where one of both is. */
static inline double f_score(double precision, double recall, double beta)
{
    if (beta == 0)
        return precision;
    if (precision == 0 || recall == 0)
        return 0;
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall);
}

#endif
