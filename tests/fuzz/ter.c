/* Compares the native TER kernel with a direct transcription of its definition on random texts, also when memory runs
   out.

   ter SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "metrics/ter.h"
#include "pairs.h"

enum { MOST_WORDS = 160, MOST_TEXTS = 4, MOST_BYTES = MOST_TEXTS * MOST_WORDS * 16 };

/* ---- the definition, transcribed --------------------------------------------------------------------------------- */

typedef struct {
    int words[MOST_WORDS];
    int length;
} Words;

typedef struct {
    int distance;
    int align[MOST_WORDS];
    bool summary_errors[MOST_WORDS], reference_errors[MOST_WORDS];
} Alignment;

enum { FAR = 1000000 };

static int cost[MOST_WORDS + 1][MOST_WORDS + 1];
static char came[MOST_WORDS + 1][MOST_WORDS + 1];

static void consider(int i, int j, int value, char way)
{
    if (value < cost[i][j]) {
        cost[i][j] = value;
        came[i][j] = way;
    }
}

static void fill_cells(const Words *h, const Words *r)
{
    int n = h->length, m = r->length;
    double ratio = n ? (double)m / n : 1.0;
    int half = ratio / 2 > 25 ? (int)ceil(ratio / 2 + 25) : 25;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            cost[i][j] = i ? FAR : j;
            came[i][j] = 'l';
        }
    for (int i = 1; i <= n; i++) {
        int centre = (int)floor(i * ratio);
        int first = centre > half ? centre - half : 0;
        int end = i == n || centre + half > m + 1 ? m + 1 : centre + half;
        for (int j = first; j < end; j++) {
            if (j > 0)
                consider(i, j, cost[i - 1][j - 1] + (h->words[i - 1] != r->words[j - 1]), 'd');
            consider(i, j, cost[i - 1][j] + 1, 'u');
            if (j > 0)
                consider(i, j, cost[i][j - 1] + 1, 'l');
        }
    }
}

static int naive_distance(const Words *h, const Words *r)
{
    fill_cells(h, r);
    return cost[h->length][r->length];
}

static void naive_align(const Words *h, const Words *r, Alignment *found)
{
    found->distance = naive_distance(h, r);
    memset(found->summary_errors, true, sizeof found->summary_errors);
    memset(found->reference_errors, true, sizeof found->reference_errors);
    for (int i = h->length, j = r->length; i || j;) {
        char way = came[i][j];
        if (way != 'u')
            found->align[j - 1] = i - 1;
        if (way == 'd' && h->words[i - 1] == r->words[j - 1])
            found->summary_errors[i - 1] = found->reference_errors[j - 1] = false;
        i -= way != 'l';
        j -= way != 'u';
    }
}

static int put(int *out, const Words *h, int from, int to)
{
    int count = 0;
    for (int position = from; position < to && position < h->length; position++)
        out[count++] = h->words[position];
    return count;
}

static Words naive_moved(const Words *h, int s, int length, int t)
{
    Words moved = {{0}, h->length};
    int *out = moved.words;
    if (t < s) {
        out += put(out, h, 0, t);
        out += put(out, h, s, s + length);
        out += put(out, h, t, s);
        put(out, h, s + length, h->length);
    } else {
        int behind = t > s + length ? t : length + t;
        out += put(out, h, 0, s);
        out += put(out, h, s + length, behind);
        out += put(out, h, s, s + length);
        put(out, h, behind, h->length);
    }
    return moved;
}

typedef struct {
    int key[4];
    Words words;
} Best;

static void naive_try(const Words *h, const Words *r, int distance, int s, int length, int t, Best *best)
{
    Words moved = naive_moved(h, s, length, t);
    int key[4] = {distance - naive_distance(&moved, r), length, -s, -t};
    for (int position = 0; position < 4; position++) {
        if (key[position] < best->key[position])
            return;
        if (key[position] > best->key[position])
            break;
    }
    memcpy(best->key, key, sizeof key);
    best->words = moved;
}

static bool some(const bool *flags, int count)
{
    for (int position = 0; position < count; position++)
        if (flags[position])
            return true;
    return false;
}

static void naive_block(
    const Words *h, const Words *r, const Alignment *found, int s, int position, int length, int *examined, Best *best)
{
    int at = found->align[position], before = -2;
    if (!some(found->summary_errors + s, length) || !some(found->reference_errors + position, length)
        || (s <= at && at < s + length))
        return;
    for (int offset = -1; offset < length; offset++) {
        int t = position + offset == -1 ? 0 : found->align[position + offset] + 1;
        if (t == before)
            continue;
        before = t;
        ++*examined;
        naive_try(h, r, found->distance, s, length, t, best);
    }
}

/* Finds the best shift; returns whether it is applied. */
static bool naive_pass(const Words *h, const Words *r, const Alignment *found, int *examined, Best *best)
{
    for (int s = 0; s < h->length; s++)
        for (int position = 0; position < r->length; position++) {
            if (abs(position - s) > 50)
                continue;
            for (int length = 1; length <= 10 && s + length <= h->length && position + length <= r->length; length++) {
                if (h->words[s + length - 1] != r->words[position + length - 1])
                    break;
                naive_block(h, r, found, s, position, length, examined, best);
                if (*examined >= 1000)
                    return false;
            }
        }
    return best->key[0] > 0;
}

static int naive_edits(Words h, const Words *r)
{
    static Alignment found;
    static Best best;
    int made = 0, examined = 0;
    if (r->length == 0)
        return h.length;
    for (;; made++) {
        naive_align(&h, r, &found);
        memset(&best, 0, sizeof best);
        if (!naive_pass(&h, r, &found, &examined, &best))
            return made + found.distance;
        h = best.words;
    }
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static int random_word(int kinds) { return (int)chance((uint32_t)kinds); }

static int random_length(void)
{
    uint32_t size = chance(1000);
    return (int)chance(size < 965 ? 10 : size < 998 ? 34 : MOST_WORDS);
}

/* Makes a summary from a reference by shifts and substitutions. */
static Words random_rewriting(const Words *from, int kinds)
{
    Words to = *from;
    for (uint32_t turn = chance(5); turn > 0 && to.length > 1; turn--) {
        int s = (int)chance((uint32_t)to.length), length = 1 + (int)chance(12);
        int t = (int)chance((uint32_t)to.length);
        if (s + length <= to.length && (t < s || t + length <= to.length))
            to = naive_moved(&to, s, length, t);
    }
    for (uint32_t turn = chance(2 + (uint32_t)to.length / 3); turn > 0 && to.length > 0; turn--)
        to.words[chance((uint32_t)to.length)] = random_word(2 * kinds);
    if (to.length > 2 && chance(2))
        to.length -= (int)chance(3);
    return to;
}

static Words random_words(int kinds)
{
    Words made = {{0}, random_length()};
    for (int position = 0; position < made.length; position++)
        made.words[position] = random_word(kinds);
    return made;
}

/* Writes words as a text of letters, some longer than 8 bytes, separated by any whitespace. */
static size_t write_text(const Words *words, unsigned char *out)
{
    size_t size = 0;
    for (int position = 0; position < words->length; position++) {
        int word = words->words[position];
        do
            out[size++] = "\t \x1c\n"[chance(4)];
        while (chance(8) == 0 && size < 2);
        out[size++] = (unsigned char)((chance(2) ? 'a' : 'A') + word % 26);
        out[size++] = (unsigned char)(0x80 + word / 26);
        if (word % 16 == 0)
            size += (size_t)sprintf((char *)out + size, "tail-tail");
    }
    return size;
}

/* ---- a group ----------------------------------------------------------------------------------------------------- */

typedef struct {
    Words texts[MOST_TEXTS];
    unsigned char *bytes;
    size_t ends[MOST_TEXTS];
    TextGroup group;
} Case;

static void make_case(Case *made)
{
    static const int KINDS[] = {1, 2, 3, 6, 20, 100, 1000};
    int kinds = KINDS[chance(7)], count = 2 + (int)chance(MOST_TEXTS - 1);
    static unsigned char written[MOST_BYTES];
    size_t size = 0;
    for (int index = 0; index < count; index++) {
        bool is_new = index == 0 || chance(4) == 0;
        made->texts[index] = is_new ? random_words(kinds) : random_rewriting(&made->texts[0], kinds);
        size += write_text(&made->texts[index], written + size);
        made->ends[index] = size;
    }
    made->bytes = malloc(size + SPARE_BYTES); /* exactly the size promised, so that a sanitizer finds reads beyond it */
    memcpy(made->bytes, written, size);
    size_t summaries = 1 + chance((uint32_t)count - 1);
    made->group = (TextGroup){made->bytes, made->ends, summaries, (size_t)count - summaries, (size_t)count - summaries > 1};
}

/* Returns the edits of a summary to the closest reference but one, and writes the length of the references. */
static int least_edits(const Case *made, size_t summary, size_t left_out, int *length)
{
    int least = FAR;
    *length = 0;
    for (size_t index = 0; index < made->group.reference_count; index++) {
        if (index == left_out)
            continue;
        const Words *reference = &made->texts[made->group.summary_count + index];
        int edits = naive_edits(made->texts[summary], reference);
        least = edits < least ? edits : least;
        *length += reference->length;
    }
    return least;
}

/* Compares the statistics of a summary with all references and without each; returns the number of pairs. */
static long check_summary(const Case *made, size_t summary, const double *vectors, long number)
{
    size_t references = made->group.reference_count, variants = references > 1 ? references : 0;
    for (size_t variant = 0; variant <= variants; variant++, vectors += 2) {
        int length, least = least_edits(made, summary, variant - 1, &length);
        double mean = length / (double)(references - (variant > 0));
        if (vectors[0] != least || vectors[1] != mean) {
            fprintf(stderr, "group %ld: %g edits of %g words, expected %d of %g\n", number, vectors[0], vectors[1], least, mean);
            exit(1);
        }
    }
    return (long)references;
}

static Outcome measure_all(Kernel *kernel, const Case *made, double *vectors)
{
    Outcome outcome = kernel->open(kernel, &made->group);
    for (size_t summary = 0; outcome == DONE && summary < made->group.summary_count; summary++)
        outcome = kernel->measure(kernel, summary, vectors + summary * 2 * (MOST_TEXTS + 1));
    return outcome;
}

/* Scores a group with allocations that fail: the kernel must stay usable. */
static void starve(const Case *made, double *vectors)
{
    Kernel *kernel = ter_new(&(TerOptions){.no_punct = chance(2) != 0});
    allocations_left = (long)chance(40);
    Outcome outcome = measure_all(kernel, made, vectors);
    allocations_left = -1;
    if (outcome == OUT_OF_MEMORY && measure_all(kernel, made, vectors) != DONE)
        exit(1);
    kernel->free(kernel);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0, starved = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = ter_new(&(TerOptions){0});
    for (long number = 0; number < groups; number++) {
        static Case made;
        double vectors[MOST_TEXTS * 2 * (MOST_TEXTS + 1)];
        make_case(&made);
        check_pairs(kernel, &made.group, number);
        if (measure_all(kernel, &made, vectors) != DONE)
            return 1;
        for (size_t summary = 0; summary < made.group.summary_count; summary++)
            pairs += check_summary(&made, summary, vectors + summary * 2 * (MOST_TEXTS + 1), number);
        if (number % 16 == 0) {
            starve(&made, vectors);
            starved++;
        }
        free(made.bytes);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition; memory failed in %ld more\n", groups, pairs, starved);
    return 0;
}
