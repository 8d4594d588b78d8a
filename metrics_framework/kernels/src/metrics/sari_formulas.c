#include "metrics/sari_formulas.h"

#include <string.h>

/* Divides; 0 / 0 is `empty`. */
static inline double ratio(double part, double whole, double empty) { return whole != 0 ? part / whole : empty; }

/* Returns the F-score; 0 if precision or recall is 0. With `beta` 0 it is the precision. */
static inline double f_score(double precision, double recall, double beta)
{
    if (beta == 0)
        return precision;
    if (precision == 0 || recall == 0)
        return 0;
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall);
}

/* ---- sums over tokens of one order ------------------------------------------------------------------------------- */

/* Sums over the types of the source. With 32-bit counts the compiler vectorizes the loop. */
#define TOKEN_SUMS(name, Count)                                                                                        \
    static void name(const OrderCounts *counts, double *sums)                                                          \
    {                                                                                                                  \
        const uint32_t *restrict source = counts->source, *restrict summary = counts->summary;                         \
        const uint32_t *restrict references = counts->references;                                                      \
        Count number = (Count)counts->number, kept = 0, both_keep = 0, agreed = 0, deleted = 0, both_delete = 0;       \
        Count surplus = 0;                                                                                             \
        for (size_t type = 0; type < counts->types; type++) {                                                          \
            Count count = (Count)source[type], own = (Count)summary[type], theirs = (Count)references[type];           \
            Count max = number * count, left = number * (own < count ? own : count), gone = max - left;                \
            Count over = max > theirs ? max - theirs : 0;                                                              \
            both_keep += left < theirs ? left : theirs;                                                                \
            kept += left;                                                                                              \
            agreed += max - over;                                                                                      \
            both_delete += gone < over ? gone : over;                                                                  \
            deleted += gone;                                                                                           \
            surplus += over;                                                                                           \
        }                                                                                                              \
        sums[3] = (double)both_keep;                                                                                   \
        sums[4] = (double)kept;                                                                                        \
        sums[5] = (double)agreed;                                                                                      \
        sums[6] = (double)both_delete;                                                                                 \
        sums[7] = (double)deleted;                                                                                     \
        sums[8] = (double)surplus;                                                                                     \
    }

TOKEN_SUMS(sums_of_few, int32_t)
TOKEN_SUMS(sums_of_many, int64_t)

static void token_sums(const OrderCounts *counts, double *sums)
{
    sums[0] = counts->right;
    sums[1] = counts->added;
    sums[2] = counts->new;
    (counts->max_tokens <= INT32_MAX ? sums_of_few : sums_of_many)(counts, sums);
}

/* ---- sums over types of one order -------------------------------------------------------------------------------- */

typedef struct {
    double kept_of_summary, kept_types, kept_of_references, both_keep, deleted_of_summary, deleted_types;
    double types_of_references;         /* |L| */
    double types_deleted_by_references; /* |rS - R| */
    double kept_by_references;          /* the sum over L */
} TypeShares;

static double smaller(double a, double b) { return a < b ? a : b; }

static TypeShares type_shares(const OrderCounts *counts)
{
    TypeShares shares = {0};
    for (size_t type = 0; type < counts->types; type++) {
        double number = counts->number, count = counts->source[type], left = counts->summary[type];
        double agreed = counts->references[type];
        double max = number * count, kept = number * smaller(left, count), right = smaller(kept, agreed);
        shares.types_of_references += agreed > 0;
        shares.types_deleted_by_references += max > agreed;
        shares.kept_by_references += smaller(max, agreed);
        shares.kept_types += left > 0;
        if (right > 0) {
            shares.both_keep += right;
            shares.kept_of_summary += right / kept;
            shares.kept_of_references += right / smaller(max, agreed);
        }
        if (left < count) {
            double deleted = max - number * left;
            shares.deleted_types++;
            if (deleted > agreed)
                shares.deleted_of_summary += (deleted - agreed) / deleted;
        }
    }
    return shares;
}

static void joshua_sums(const OrderCounts *counts, double *sums)
{
    TypeShares shares = type_shares(counts);
    token_sums(counts, sums);
    sums[3] = (double)(int64_t)(1e6 * shares.kept_of_summary);
    sums[4] = (double)(int64_t)shares.kept_of_references;
    sums[5] = shares.types_of_references;
}

/* ---- formulas of sentences for one order; parts are ADD, KEEP and DELETE ----------------------------------------- */

static double added_score(const OrderCounts *counts, double empty)
{
    return f_score(ratio(counts->right, counts->added, empty), ratio(counts->right, counts->new, empty), 1);
}

static double kept_score(const TypeShares *shares)
{
    double recall = ratio(shares->kept_of_references, shares->types_of_references, 0);
    return f_score(ratio(shares->kept_of_summary, shares->kept_types, 0), recall, 1);
}

static void xu2016(const OrderCounts *counts, double *parts)
{
    TypeShares shares = type_shares(counts);
    parts[0] = added_score(counts, 0);
    parts[1] = kept_score(&shares);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 0);
}

static void hf(const OrderCounts *counts, double *parts)
{
    TypeShares shares = type_shares(counts);
    double recall = ratio(shares.both_keep, shares.kept_by_references, 1);
    parts[0] = added_score(counts, 1);
    parts[1] = f_score(ratio(shares.kept_of_summary, shares.kept_types, 1), recall, 1);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 1);
}

static void t2t(const OrderCounts *counts, double beta, double *parts)
{
    double keep = 0, kept = 0, to_keep = 0, delete = 0, deleted = 0, to_delete = 0;
    for (size_t type = 0; type < counts->types; type++) {
        double weight = counts->containing[type] > 0 ? (double)counts->containing[type] / counts->able : 0;
        to_keep += weight;
        to_delete += 1 - weight;
        if (counts->summary[type] > 0) {
            kept++;
            keep += weight;
        } else {
            deleted++;
            delete += 1 - weight;
        }
    }
    parts[0] = added_score(counts, 1);
    parts[1] = f_score(ratio(keep, kept, 1), ratio(keep, to_keep, 1), 1);
    parts[2] = f_score(ratio(delete, deleted, 1), ratio(delete, to_delete, 1), beta);
}

static void set_based(const OrderCounts *counts, bool intersection, double *parts)
{
    double types = (double)counts->types, both = 0, kept = 0, both_keep = 0, both_delete = 0;
    for (size_t type = 0; type < counts->types; type++) {
        both += counts->references[type] > 0;
        kept += counts->summary[type] > 0;
        both_keep += counts->summary[type] > 0 && counts->references[type] > 0;
        both_delete += counts->summary[type] == 0 && counts->references[type] == 0;
    }
    parts[0] = ratio(counts->right, counts->added, 0);
    parts[1] = f_score(ratio(both_keep, kept, 0), ratio(both_keep, intersection ? both : types + counts->new, 0), 1);
    parts[2] = f_score(ratio(both_delete, types - kept, 0), ratio(both_delete, types - both, 0), 1);
}

static void modified(const SariOptions *options, const OrderCounts *counts, double *parts)
{
    TypeShares shares = type_shares(counts);
    parts[0] = added_score(counts, 0);
    parts[1] = kept_score(&shares);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 0);
    if (!options->precision_of_deletion)
        parts[2] = f_score(parts[2], ratio(shares.deleted_of_summary, shares.types_deleted_by_references, 0), 1);
}

void sari_sums_of_order(const SariOptions *options, const OrderCounts *counts, double *sums)
{
    (options->formula == SARI_JOSHUA ? joshua_sums : token_sums)(counts, sums);
}

void sari_parts_of_order(const SariOptions *options, const OrderCounts *counts, double *parts)
{
    switch (options->formula) {
    case SARI_MODIFIED:
        modified(options, counts, parts);
        break;
    case SARI_T2T:
        t2t(counts, options->beta_for_deletion, parts);
        break;
    case SARI_HF:
        hf(counts, parts);
        break;
    case SARI_SET:
        set_based(counts, options->intersection, parts);
        break;
    default:
        xu2016(counts, parts);
    }
}

/* ---- statistics to scores ---------------------------------------------------------------------------------------- */

/* Returns the score of one operation (ADD, KEEP or DELETE) from its sums. */
static double score_of_sums(const SariOptions *options, const double *sums, bool precision_alone)
{
    double precisions = 0, recalls = 0, scores = 0;
    for (size_t order = 0; order < ORDERS; order++, sums += NUMBERS_OF_ORDER) {
        double precision = ratio(sums[0], sums[1], 0), recall = ratio(sums[0], sums[2], 0);
        precisions += precision;
        recalls += recall;
        scores += precision_alone ? precision : f_score(precision, recall, 1);
    }
    if (!options->f1_of_means)
        return scores / ORDERS;
    return precision_alone ? precisions / ORDERS : f_score(precisions / ORDERS, recalls / ORDERS, 1);
}

void sari_score_of_vector(const SariOptions *options, const double *vector, double *scores)
{
    double add, keep, delete;
    if (options->formula == SARI_SUMS) {
        add = score_of_sums(options, vector, false);
        keep = score_of_sums(options, vector + 3, false);
        delete = score_of_sums(options, vector + 6, options->precision_of_deletion);
    } else {
        add = vector[0] / vector[3];
        keep = vector[1] / vector[3];
        delete = vector[2] / vector[3];
    }
    scores[0] = 100 * ((add + keep + delete) / 3);
    scores[1] = 100 * keep;
    scores[2] = 100 * delete;
    scores[3] = 100 * add;
}
