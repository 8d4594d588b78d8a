#include "sari_formulas.h"

#include <string.h>

#include "formulas.h"

/* ---- one order: sums over tokens -------------------------------------------------------------------------------- */

static double least(double a, double b) { return a < b ? a : b; }

static void count_added(const Context *context, double *right, double *added)
{
    *right = *added = 0;
    for (size_t index = 0; index < context->summary_types.count; index++) {
        const Tally *tally = &context->tallies[context->summary_types.grams[index]];
        *added += tally->source == 0;
        *right += tally->source == 0 && tally->references > 0;
    }
}

static void token_sums(const Context *context, double *sums)
{
    memset(sums, 0, NUMBERS_OF_ORDER * sizeof *sums);
    count_added(context, &sums[0], &sums[1]);
    sums[2] = context->new;
    for (size_t index = 0; index < context->source_types.count; index++) {
        const Tally *tally = &context->tallies[context->source_types.grams[index]];
        uint64_t number = context->number, references = tally->references, most = number * tally->source;
        uint64_t left = number * (tally->summary < tally->source ? tally->summary : tally->source);
        uint64_t deleted = most - left, surplus = most > references ? most - references : 0;
        sums[3] += (double)(left < references ? left : references);
        sums[4] += (double)left;
        sums[5] += (double)(most - surplus);
        sums[6] += (double)(deleted < surplus ? deleted : surplus);
        sums[7] += (double)deleted;
        sums[8] += (double)surplus;
    }
}

/* ---- one order: sums over types --------------------------------------------------------------------------------- */

typedef struct {
    double kept_of_summary, kept_types, kept_of_references, both_keep, deleted_of_summary, deleted_types;
    double types_of_references;         /* |L| */
    double types_deleted_by_references; /* |rS - R| */
    double kept_by_references;          /* the sum of L */
} TypeShares;

static TypeShares type_shares(const Context *context)
{
    TypeShares shares = {0};
    for (size_t index = 0; index < context->source_types.count; index++) {
        const Tally *tally = &context->tallies[context->source_types.grams[index]];
        double number = context->number, count = tally->source, left = tally->summary, agreed = tally->references;
        double most = number * count, kept = number * least(left, count), right = least(kept, agreed);
        shares.types_of_references += agreed > 0;
        shares.types_deleted_by_references += most > agreed;
        shares.kept_by_references += least(most, agreed);
        shares.kept_types += left > 0;
        if (right > 0) {
            shares.both_keep += right;
            shares.kept_of_summary += right / kept;
            shares.kept_of_references += right / least(most, agreed);
        }
        if (left < count) {
            double deleted = most - number * left;
            shares.deleted_types++;
            if (deleted > agreed)
                shares.deleted_of_summary += (deleted - agreed) / deleted;
        }
    }
    return shares;
}

static void joshua_sums(const Context *context, double *sums)
{
    TypeShares shares = type_shares(context);
    token_sums(context, sums);
    sums[3] = (double)(int64_t)(1e6 * shares.kept_of_summary);
    sums[4] = (double)(int64_t)shares.kept_of_references;
    sums[5] = shares.types_of_references;
}

/* ---- one order: formulas of sentences; parts are ADD, KEEP and DELETE ------------------------------------------- */

static double added_score(const Context *context, double right, double added, double empty)
{
    return f_score(ratio(right, added, empty), ratio(right, context->new, empty), 1);
}

static double kept_score(const TypeShares *shares)
{
    double recall = ratio(shares->kept_of_references, shares->types_of_references, 0);
    return f_score(ratio(shares->kept_of_summary, shares->kept_types, 0), recall, 1);
}

static void xu2016(const Context *context, double *parts)
{
    TypeShares shares = type_shares(context);
    double right, added;
    count_added(context, &right, &added);
    parts[0] = added_score(context, right, added, 0);
    parts[1] = kept_score(&shares);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 0);
}

static void hf(const Context *context, double *parts)
{
    TypeShares shares = type_shares(context);
    double right, added, recall = ratio(shares.both_keep, shares.kept_by_references, 1);
    count_added(context, &right, &added);
    parts[0] = added_score(context, right, added, 1);
    parts[1] = f_score(ratio(shares.kept_of_summary, shares.kept_types, 1), recall, 1);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 1);
}

static void t2t(const Context *context, double beta, double *parts)
{
    double keep = 0, kept = 0, to_keep = 0, delete = 0, deleted = 0, to_delete = 0, right, added;
    for (size_t index = 0; index < context->source_types.count; index++) {
        const Tally *tally = &context->tallies[context->source_types.grams[index]];
        double weight = tally->containing > 0 ? (double)tally->containing / context->able : 0;
        to_keep += weight;
        to_delete += 1 - weight;
        if (tally->summary > 0) {
            kept++;
            keep += weight;
        } else {
            deleted++;
            delete += 1 - weight;
        }
    }
    count_added(context, &right, &added);
    parts[0] = added_score(context, right, added, 1);
    parts[1] = f_score(ratio(keep, kept, 1), ratio(keep, to_keep, 1), 1);
    parts[2] = f_score(ratio(delete, deleted, 1), ratio(delete, to_delete, 1), beta);
}

static void set_based(const Context *context, bool intersection, double *parts)
{
    double types = (double)context->source_types.count, both = 0, kept = 0, both_keep = 0, both_delete = 0;
    double right, added;
    for (size_t index = 0; index < context->source_types.count; index++) {
        const Tally *tally = &context->tallies[context->source_types.grams[index]];
        both += tally->references > 0;
        kept += tally->summary > 0;
        both_keep += tally->summary > 0 && tally->references > 0;
        both_delete += tally->summary == 0 && tally->references == 0;
    }
    count_added(context, &right, &added);
    parts[0] = ratio(right, added, 0);
    parts[1] = f_score(ratio(both_keep, kept, 0), ratio(both_keep, intersection ? both : types + context->new, 0), 1);
    parts[2] = f_score(ratio(both_delete, types - kept, 0), ratio(both_delete, types - both, 0), 1);
}

static void modified(const SariOptions *options, const Context *context, double *parts)
{
    TypeShares shares = type_shares(context);
    double right, added;
    count_added(context, &right, &added);
    parts[0] = added_score(context, right - context->left_over, added, 0);
    parts[1] = kept_score(&shares);
    parts[2] = ratio(shares.deleted_of_summary, shares.deleted_types, 0);
    if (!options->precision_of_deletion)
        parts[2] = f_score(parts[2], ratio(shares.deleted_of_summary, shares.types_deleted_by_references, 0), 1);
}

void sari_sums_of_order(const SariOptions *options, const Context *context, double *sums)
{
    (options->formula == SARI_JOSHUA ? joshua_sums : token_sums)(context, sums);
}

void sari_parts_of_order(const SariOptions *options, const Context *context, double *parts)
{
    switch (options->formula) {
    case SARI_MODIFIED:
        modified(options, context, parts);
        break;
    case SARI_T2T:
        t2t(context, options->beta_for_deletion, parts);
        break;
    case SARI_HF:
        hf(context, parts);
        break;
    case SARI_SET:
        set_based(context, options->intersection, parts);
        break;
    default:
        xu2016(context, parts);
    }
}

/* ---- from statistics to scores ---------------------------------------------------------------------------------- */

/* Makes one score of the sums of an operation: ADD, KEEP or DELETE. */
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
