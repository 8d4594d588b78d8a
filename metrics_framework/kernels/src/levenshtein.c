#include "levenshtein.h"

#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "masks.h"
#include "stripes.h"

/* A pair that must be worked out. Rows are of the pattern, columns of the text. */
typedef struct {
    Symbols pattern, text;
    size_t kinds;
    size_t lanes; /* that the pattern takes */
    int64_t *distance;
} Task;

/* A text that is not longer may be worked out with others; the number of bits of its length makes it their like. */
enum { LONGEST_IN_A_TEAM = 512, SIZES = 11 };

/* Pairs of some size that wait for others of that size. */
typedef struct {
    Task tasks[LANES];
    size_t count;
} Waiting;

struct Levenshtein {
    Stripes stripes;
    Alphabet alphabet;
    Waiting waiting[LANES][SIZES]; /* by lanes of a pair, less one, and by size */
    uint64_t matches[(LONGEST_IN_A_TEAM / WORD_BITS + 1) * WORD_BITS][LANES];
};

Levenshtein *levenshtein_new(GoOn go_on, void *context)
{
    Levenshtein *levenshtein = realloc(NULL, sizeof *levenshtein);
    if (levenshtein == NULL)
        return NULL;
    memset(levenshtein, 0, sizeof *levenshtein);
    levenshtein->stripes.run = team_run();
    levenshtein->stripes.watch = (Watch){go_on, context, 0, false};
    return levenshtein;
}

void levenshtein_free(Levenshtein *levenshtein)
{
    if (levenshtein == NULL)
        return;
    stripes_free(&levenshtein->stripes);
    alphabet_free(&levenshtein->alphabet);
    free(levenshtein);
}

/* Makes all symbols small numbers. */
static bool number_symbols(Levenshtein *levenshtein, Task *task)
{
    if (task->kinds > 0)
        return true;
    task->kinds = 256;
    if (task->pattern.width == 1 && task->text.width == 1)
        return true;
    if (!alphabet_translate(&levenshtein->alphabet, &task->pattern, &task->text))
        return false;
    task->kinds = (size_t)levenshtein->alphabet.used + 1;
    return true;
}

/* ---- short pairs ------------------------------------------------------------------------------------------------ */

/* Gives a pair its lanes, from `first` on. Rows above it that match nothing fill its first lane up, so that the last row
   of its last lane is its own. */
static bool place_task(Levenshtein *levenshtein, Task *task, Team *team, size_t first)
{
    Masks *masks = &levenshtein->stripes.masks;
    if (!number_symbols(levenshtein, task) || !masks_reserve(masks, task->lanes, task->kinds))
        return false;
    size_t spare = task->lanes * WORD_BITS - task->pattern.length;
    masks_set(masks, &task->pattern, spare);
    for (size_t lane = 0; lane < task->lanes; lane++) {
        for (size_t step = 0; step < lane; step++)
            levenshtein->matches[step][first + lane] = 0;
        masks_look_up(masks, lane, &task->text, levenshtein->matches + lane, first + lane);
        team->rise[first + lane] = lane > 0 ? ~UINT64_C(0) : ~low_bits((int64_t)spare);
        team->in_rise[first + lane] = lane > 0 ? 0 : ~UINT64_C(0);
        team->linked[first + lane] = lane > 0 ? ~UINT64_C(0) : 0;
    }
    masks_clear(masks, &task->pattern, spare);
    return true;
}

/* Adds what the last row of a pair rises by in the 64 steps from `start` on. */
static void add_rise(const Task *task, const Team *team, size_t last, int64_t start)
{
    int64_t delay = (int64_t)task->lanes - 1, end = (int64_t)task->text.length + delay;
    uint64_t own = low_bits(end - start) & ~low_bits(delay - start);
    *task->distance += count_bits(team->out_rise[last] & own) - count_bits(team->out_fall[last] & own);
}

static bool run_waiting(Levenshtein *levenshtein, Waiting *waiting)
{
    Team team = {0};
    size_t lanes = waiting->tasks[0].lanes, steps = 0;
    for (size_t index = 0; index < waiting->count; index++) {
        Task *task = &waiting->tasks[index];
        if (!place_task(levenshtein, task, &team, index * lanes))
            return false;
        *task->distance = (int64_t)task->pattern.length;
        steps = task->text.length > steps ? task->text.length : steps;
    }
    steps += lanes - 1;
    for (size_t start = 0; start < steps; start += WORD_BITS) {
        size_t count = steps - start < WORD_BITS ? steps - start : WORD_BITS;
        levenshtein->stripes.run(&team, (const uint64_t(*)[LANES])levenshtein->matches + start, count);
        for (size_t index = 0; index < waiting->count; index++)
            add_rise(&waiting->tasks[index], &team, (index + 1) * lanes - 1, (int64_t)start);
    }
    levenshtein->stripes.watch.work += 4 * steps;
    waiting->count = 0;
    return true;
}

/* Returns the number of bits of a length. */
static size_t size_of(size_t length)
{
    size_t size = 0;
    for (size_t step = 8; step > 0; step /= 2) {
        size_t more = length >> step > 0 ? step : 0;
        size += more;
        length >>= more;
    }
    return size + length;
}

static bool add_waiting(Levenshtein *levenshtein, const Task *task)
{
    Waiting *waiting = &levenshtein->waiting[task->lanes - 1][size_of(task->text.length)];
    waiting->tasks[waiting->count++] = *task;
    return waiting->count < LANES / task->lanes || run_waiting(levenshtein, waiting);
}

static bool run_all_waiting(Levenshtein *levenshtein)
{
    for (size_t lanes = 0; lanes < LANES; lanes++)
        for (size_t size = 0; size < SIZES; size++) {
            Waiting *waiting = &levenshtein->waiting[lanes][size];
            if (waiting->count > 0 && !run_waiting(levenshtein, waiting))
                return false;
        }
    return true;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static size_t work_of(const Symbols *pattern, const Symbols *text)
{
    return words_of_bits(pattern->length) * text->length;
}

/* Finds what is left when both sides have lost what they have in common; makes that side the pattern that has less work. */
static Task task_of(const LevenshteinPair *pair, int64_t *distance)
{
    Task task = {pair->summary, pair->reference, pair->kinds, 0, distance};
    cut_common(&task.pattern, &task.text);
    if (work_of(&task.text, &task.pattern) < work_of(&task.pattern, &task.text)) {
        Symbols pattern = task.text;
        task.text = task.pattern;
        task.pattern = pattern;
    }
    task.lanes = words_of_bits(task.pattern.length);
    return task;
}

static LevenshteinOutcome run_alone(Levenshtein *levenshtein, Task *task)
{
    if (!number_symbols(levenshtein, task))
        return LEVENSHTEIN_NO_MEMORY;
    switch (stripes_distance(&levenshtein->stripes, &task->pattern, &task->text, task->kinds, task->distance)) {
    case STRIPES_NO_MEMORY:
        return LEVENSHTEIN_NO_MEMORY;
    case STRIPES_STOPPED:
        return LEVENSHTEIN_STOPPED;
    default:
        return LEVENSHTEIN_DONE;
    }
}

static LevenshteinOutcome add_task(Levenshtein *levenshtein, Task *task)
{
    if (task->pattern.length == 0 || task->text.length == 0) {
        *task->distance = (int64_t)(task->pattern.length + task->text.length);
        return LEVENSHTEIN_DONE;
    }
    if (task->lanes > LANES || task->text.length > LONGEST_IN_A_TEAM)
        return run_alone(levenshtein, task);
    return add_waiting(levenshtein, task) ? LEVENSHTEIN_DONE : LEVENSHTEIN_NO_MEMORY;
}

LevenshteinOutcome levenshtein_distances(
    Levenshtein *levenshtein, const LevenshteinPair *pairs, size_t count, int64_t *distances)
{
    memset(levenshtein->waiting, 0, sizeof levenshtein->waiting); /* memory may have failed before */
    LevenshteinOutcome outcome = LEVENSHTEIN_DONE;
    for (size_t index = 0; outcome == LEVENSHTEIN_DONE && index < count; index++) {
        Task task = task_of(&pairs[index], &distances[index]);
        outcome = add_task(levenshtein, &task);
        if (is_stopped(&levenshtein->stripes.watch))
            outcome = LEVENSHTEIN_STOPPED;
    }
    if (outcome == LEVENSHTEIN_DONE && !run_all_waiting(levenshtein))
        outcome = LEVENSHTEIN_NO_MEMORY;
    return outcome;
}
