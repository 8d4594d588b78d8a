#include "pairs/lane_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

typedef struct {
    int32_t code;
    int32_t key;
    int32_t limit; /* the number of points of its block that are in its prefix */
} Point;

/* A point, and the number of added points that it is compared with. */
typedef struct {
    int32_t key;
    int32_t limit;
} Query;

typedef struct {
    LanePlan *plans;
    Point *points[2]; /* in the order of blocks: before a split, and after it */
    int32_t *zeros;   /* the number of points of a block with bit 0 before each point */
    int32_t *added;   /* the keys of a block */
    Query *queries;   /* the same, by ascending limit */
} Planner;

enum { NUMBERS_OF_A_POINT = 2 * sizeof(Point) / sizeof(int32_t) + 2 + sizeof(Query) / sizeof(int32_t) };

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Returns a step with space for more points: the last one, or a new one; NULL if out of memory. */
static Step *step_for(LanePlan *plan, int32_t added, bool is_continued)
{
    Step *last = plan->step_count == 0 ? NULL : (Step *)plan->steps.data + plan->step_count - 1;
    if (last != NULL && !last->is_continued && !is_continued && last->added + added <= MAX_STEP_POINTS)
        return last;
    if (!buffer_reserve(&plan->steps, plan->step_count + 1, sizeof(Step)))
        return NULL;
    last = (Step *)plan->steps.data + plan->step_count++;
    *last = (Step){.is_continued = is_continued};
    return last;
}

/* Adds points to a step, and compares all queries up to the last added point; `before` points were added in steps before.
   Returns the number of queries. */
static size_t extend_step(
    LanePlan *plan, Step *step, const int32_t *added, int32_t count, const Query *queries, size_t query_count, int32_t before)
{
    int32_t from = step->added; /* the running sum before the added points */
    memcpy((int32_t *)plan->added.data + plan->added_count, added, (size_t)count * sizeof *added);
    ComparedPoint *compared = (ComparedPoint *)plan->compared.data + plan->compared_count;
    size_t next = 0;
    for (; next < query_count && queries[next].limit <= before + count; next++)
        compared[next] = (ComparedPoint){queries[next].key, (uint16_t)from, (uint16_t)(from + queries[next].limit - before)};
    step->added += count;
    step->compared += (int32_t)next;
    plan->added_count += (size_t)count;
    plan->compared_count += next;
    return next;
}

/* Plans the queries of the planner. */
static bool add_block(const Planner *planner, PairPlan pairs, size_t count)
{
    LanePlan *plan = &planner->plans[pairs];
    int32_t end = count == 0 ? 0 : planner->queries[count - 1].limit;
    if (!buffer_reserve(&plan->added, plan->added_count + (size_t)end, sizeof *planner->added) ||
        !buffer_reserve(&plan->compared, plan->compared_count + count, sizeof(ComparedPoint)))
        return false;
    size_t done = 0;
    for (int32_t before = 0; before < end; before += MAX_STEP_POINTS) {
        int32_t added = end - before < MAX_STEP_POINTS ? end - before : MAX_STEP_POINTS;
        Step *step = step_for(plan, added, before > 0);
        if (step == NULL)
            return false;
        step->longest = added > step->longest ? added : step->longest;
        done += extend_step(plan, step, planner->added + before, added, planner->queries + done, count - done, before);
    }
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Plans to compare each point of a block with all points of the block that are in its prefix. */
static bool add_prefixes(const Planner *planner, PairPlan pairs, const Point *block, size_t count)
{
    size_t queries = 0;
    for (size_t index = 0; index < count; index++) {
        planner->added[index] = block[index].key;
        planner->queries[queries] = (Query){block[index].key, block[index].limit};
        queries += block[index].limit > 0;
    }
    return add_block(planner, pairs, queries);
}

static size_t count_zeros(const Planner *planner, const Point *block, size_t count, int bit)
{
    int32_t zeros = 0;
    for (size_t index = 0; index < count; index++) {
        planner->zeros[index] = zeros;
        zeros += ~block[index].code >> bit & 1;
    }
    return (size_t)zeros;
}

/* Writes the points with bit 0 to `halves`, then those with bit 1, and queries of the latter; returns their number. There is
   no branch that depends on a bit, since a CPU would often predict it wrongly. */
static size_t halve(const Planner *planner, const Point *block, size_t count, int bit, size_t zeros, Point *halves)
{
    size_t queries = 0;
    for (size_t index = 0; index < count; index++) {
        Point point = block[index];
        size_t one = (size_t)(point.code >> bit & 1), low = (size_t)planner->zeros[index], high = zeros + index - low;
        int32_t below = planner->zeros[point.limit];
        planner->added[low] = point.key;
        planner->queries[queries] = (Query){point.key, below};
        queries += one & (below > 0);
        halves[low + one * (high - low)] = (Point){point.code, point.key, below + (int32_t)one * (point.limit - 2 * below)};
    }
    return queries;
}

/* Plans the comparisons of the points of a block, which agree in all bits above `bit`; `side` is where they are. */
static bool split(const Planner *planner, int side, size_t first, size_t count, int bit)
{
    const Point *block = planner->points[side] + first;
    if (count < 2)
        return true;
    if (bit < 0)
        return add_prefixes(planner, EQUAL_PAIRS, block, count);
    size_t zeros = count_zeros(planner, block, count, bit);
    if (zeros == 0 || zeros == count)
        return split(planner, side, first, count, bit - 1);
    size_t queries = halve(planner, block, count, bit, zeros, planner->points[1 - side] + first);
    return add_block(planner, LESS_PAIRS, queries) && split(planner, 1 - side, first, zeros, bit - 1) &&
           split(planner, 1 - side, first + zeros, count - zeros, bit - 1);
}

bool lane_plans_make(LanePlan *plans, const int32_t *codes, const int32_t *limits, const int32_t *keys, size_t count)
{
    int32_t *memory = calloc(count * NUMBERS_OF_A_POINT, sizeof(int32_t)), highest = 1;
    if (memory == NULL)
        return false;
    Planner planner = {.plans = plans, .points = {(Point *)memory, (Point *)memory + count}};
    planner.zeros = (int32_t *)(planner.points[1] + count);
    planner.added = planner.zeros + count;
    planner.queries = (Query *)(planner.added + count);
    for (size_t index = 0; index < count; index++) {
        planner.points[0][index] = (Point){codes[index], keys[index], limits[index]};
        highest = codes[index] > highest ? codes[index] : highest;
    }
    bool done = add_prefixes(&planner, ALL_PAIRS, planner.points[0], count) &&
                split(&planner, 0, 0, count, highest_bit((uint64_t)highest));
    free(memory);
    return done;
}

void lane_plans_free(LanePlan *plans)
{
    for (int pairs = 0; pairs < PAIR_PLANS; pairs++) {
        buffer_free(&plans[pairs].steps);
        buffer_free(&plans[pairs].added);
        buffer_free(&plans[pairs].compared);
    }
}
