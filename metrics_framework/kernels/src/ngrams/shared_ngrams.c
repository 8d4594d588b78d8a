#include "ngrams/shared_ngrams.h"

#include <string.h>

#include "base/bits.h"
#include "base/vectors.h"

static const uint32_t NO_TOKEN = UINT32_MAX;

/* An occurrence of an n-gram. The first occurrence has the id of the n-gram. */
typedef struct {
    uint32_t text;  /* of the first occurrence: the last text with the n-gram */
    uint32_t last;  /* of the first occurrence: the last token in that text */
    uint32_t next;  /* the token of the next occurrence in a text, or NO_TOKEN */
    uint32_t count; /* the number of columns that have the token */
    uint32_t set;   /* its bits, or 0 */
    uint32_t end;   /* of its list, which starts at the end of the token before */
} Token;

/* 64-bit words that are added together: a vector if the compiler has them. */
#ifdef FW_VECTORS
enum { LANE_WORDS = 2 };
typedef uint64_t Lanes __attribute__((vector_size(LANE_WORDS * sizeof(uint64_t))));
#else
enum { LANE_WORDS = 1 };
typedef uint64_t Lanes;
#endif

/* A token has bits if at least one of MOST_COLUMNS_APART columns has it, otherwise a list. FW_SMALL_TABLES lets tests
   cover lists. */
#ifdef FW_SMALL_TABLES
enum { MOST_COLUMNS_APART = 2 };
#else
enum { MOST_COLUMNS_APART = 64 };
#endif

/* The bits of a set are read in groups, and added to a binary counter of bits. */
enum { SETS_AT_ONCE = 8, MAX_COUNTER_BITS = 32 };

static size_t lane_count(const SharedNgrams *shared)
{
    return (words_of_bits(shared->column_count) + LANE_WORDS - 1) / LANE_WORDS;
}

void shared_ngrams_free(SharedNgrams *shared)
{
    ngram_ids_free(&shared->ngram_ids);
    Buffer *buffers[] = {
        &shared->starts, &shared->ngrams, &shared->of_text, &shared->tokens,
        &shared->lists,  &shared->sets,   &shared->row_sets, &shared->found,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool are_equal(const UnitText *texts, const UnitText *others, size_t count)
{
    for (size_t index = 0; index < count; index++) {
        size_t length = texts[index].length;
        if (length != others[index].length)
            return false;
        if (length > 0 && memcmp(texts[index].units, others[index].units, length * sizeof *texts->units) != 0)
            return false;
    }
    return true;
}

/* Adds where texts start to `starts`; returns the number of all units so far. */
static size_t add_texts(SharedNgrams *shared, const UnitText *texts, size_t count, size_t first, size_t size, size_t *longest)
{
    size_t *starts = (size_t *)shared->starts.data + first;
    for (size_t index = 0; index < count; index++) {
        size_t length = texts[index].length;
        starts[index] = size;
        size += length;
        *longest = length > *longest ? length : *longest;
        for (size_t position = 0; position < length; position++)
            if (texts[index].units[position] >= shared->unit_end)
                shared->unit_end = texts[index].units[position] + 1;
    }
    return size;
}

bool shared_ngrams_open(
    SharedNgrams *shared, const UnitText *rows, size_t row_count, const UnitText *columns, size_t column_count)
{
    size_t longest = 0, of_columns, size;
    shared->columns = columns;
    shared->column_count = column_count;
    shared->rows = row_count == column_count && are_equal(rows, columns, row_count) ? columns : rows;
    shared->row_count = row_count;
    shared->unit_end = 0;
    shared->order = 0;
    if (!buffer_reserve(&shared->starts, row_count + column_count, sizeof(size_t)))
        return false;
    of_columns = size = add_texts(shared, columns, column_count, 0, 0, &longest);
    if (shared->rows != columns)
        size = add_texts(shared, rows, row_count, column_count, size, &longest);
    if (size > INT32_MAX || !buffer_clear(&shared->ngrams, size + 1, sizeof(uint32_t)))
        return false;
    return buffer_reserve(&shared->of_text, of_columns + 1, sizeof(uint32_t))
        && buffer_reserve(&shared->row_sets, longest + SETS_AT_ONCE, sizeof(uint32_t))
        && buffer_reserve(&shared->found, lane_count(shared) * LANE_WORDS * WORD_BITS, sizeof(uint32_t));
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static uint32_t *ngrams_of(const SharedNgrams *shared, size_t text)
{
    return (uint32_t *)shared->ngrams.data + ((const size_t *)shared->starts.data)[text];
}

static size_t ngrams_in(const SharedNgrams *shared, const UnitText *text) { return ngram_count(text->length, shared->order); }

/* Replaces the n-grams of the order before by those of this order. Those that no column has become NO_NGRAM. */
static bool extend_ngrams(SharedNgrams *shared, Interrupt *interrupt)
{
    size_t total = 0;
    for (size_t index = 0; index < shared->column_count; index++)
        total += ngrams_in(shared, &shared->columns[index]);
    if (!ngram_ids_reset(&shared->ngram_ids, total, 0, shared->unit_end))
        return false;
    for (size_t index = 0; index < shared->column_count; index++) {
        size_t count = ngrams_in(shared, &shared->columns[index]);
        interrupt->work += 8 * count;
        if (is_interrupted(interrupt) || !ngram_ids_reserve(&shared->ngram_ids, count, interrupt))
            return false;
        assign_ngram_ids(
            &shared->ngram_ids, ngrams_of(shared, index), shared->columns[index].units + shared->order - 1, count);
    }
    for (size_t index = 0; shared->rows != shared->columns && index < shared->row_count; index++) {
        size_t count = ngrams_in(shared, &shared->rows[index]);
        interrupt->work += 8 * count;
        if (is_interrupted(interrupt))
            return false;
        find_ngram_ids(
            &shared->ngram_ids, ngrams_of(shared, shared->column_count + index), shared->rows[index].units + shared->order - 1,
            count);
    }
    return true;
}

/* Returns the token of the next occurrence of an n-gram in a text; a new one is added if `adds`. Returns NO_TOKEN if there
   is none, or no memory for it. */
static inline uint32_t next_token(SharedNgrams *shared, uint32_t ngram, uint32_t text, bool adds)
{
    Token *tokens = shared->tokens.data, *first = &tokens[ngram];
    if (first->text != text) {
        first->text = text;
        return first->last = ngram;
    }
    if (first->last == NO_TOKEN)
        return NO_TOKEN;
    uint32_t next = tokens[first->last].next;
    if (next == NO_TOKEN && adds) {
        if (!buffer_reserve(&shared->tokens, shared->token_count + 1, sizeof(Token)))
            return NO_TOKEN;
        tokens = shared->tokens.data;
        next = (uint32_t)shared->token_count++;
        tokens[next] = (Token){.next = NO_TOKEN};
        tokens[tokens[ngram].last].next = next;
    }
    return tokens[ngram].last = next;
}

/* Finds the tokens of the columns, and counts the columns of each. */
static bool find_tokens(SharedNgrams *shared, Interrupt *interrupt)
{
    uint32_t *of_text = shared->of_text.data;
    shared->token_count = shared->ngram_ids.used;
    if (!buffer_reserve(&shared->tokens, shared->token_count + 1, sizeof(Token)))
        return false;
    for (size_t index = 0; index < shared->token_count; index++)
        ((Token *)shared->tokens.data)[index] = (Token){.text = UINT32_MAX, .next = NO_TOKEN};
    for (size_t index = 0; index < shared->column_count; index++) {
        const uint32_t *ngrams = ngrams_of(shared, index);
        size_t start = ((const size_t *)shared->starts.data)[index], count = ngrams_in(shared, &shared->columns[index]);
        for (size_t position = 0; position < count; position++) {
            uint32_t token = next_token(shared, ngrams[position], (uint32_t)index, true);
            if (token == NO_TOKEN)
                return false;
            of_text[start + position] = token;
            ((Token *)shared->tokens.data)[token].count++;
        }
        interrupt->work += 4 * count;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

/* ---- columns of tokens ------------------------------------------------------------------------------------------- */

/* Decides which tokens have bits, lists, or neither: where rows and columns are the same texts, a text alone has a token
   in common with no other. */
static bool reserve_columns(SharedNgrams *shared)
{
    Token *tokens = shared->tokens.data;
    bool is_square = shared->rows == shared->columns;
    uint32_t listed = 0;
    shared->set_count = 1;
    for (size_t index = 0; index < shared->token_count; index++) {
        uint32_t count = tokens[index].count;
        bool is_set = count > 1 && (uint64_t)count * MOST_COLUMNS_APART >= shared->column_count;
        tokens[index].set = is_set ? (uint32_t)shared->set_count++ : 0;
        tokens[index].end = listed; /* for now the start, which adding columns moves to the end */
        listed += is_set || (is_square && count == 1) ? 0 : count;
    }
    return buffer_reserve(&shared->lists, listed + 1, sizeof(uint32_t))
        && buffer_clear(&shared->sets, shared->set_count * lane_count(shared), LANE_WORDS * sizeof(uint64_t));
}

static bool add_columns(SharedNgrams *shared, Interrupt *interrupt)
{
    Token *tokens = shared->tokens.data;
    uint32_t *lists = shared->lists.data;
    size_t words = lane_count(shared) * LANE_WORDS;
    bool is_square = shared->rows == shared->columns;
    for (size_t column = 0; column < shared->column_count; column++) {
        const uint32_t *of_text = (const uint32_t *)shared->of_text.data + ((const size_t *)shared->starts.data)[column];
        size_t count = ngrams_in(shared, &shared->columns[column]);
        for (size_t position = 0; position < count; position++) {
            Token *token = &tokens[of_text[position]];
            if (token->set > 0)
                set_bit((uint64_t *)shared->sets.data + token->set * words, column);
            else if (!is_square || token->count > 1)
                lists[token->end++] = (uint32_t)column;
        }
        interrupt->work += 4 * count;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

bool shared_ngrams_next_order(SharedNgrams *shared, Interrupt *interrupt)
{
    shared->order++;
    if (!extend_ngrams(shared, interrupt) || !find_tokens(shared, interrupt) || !reserve_columns(shared)
        || !add_columns(shared, interrupt))
        return false;
    for (size_t index = 0; index < shared->ngram_ids.used; index++)
        ((Token *)shared->tokens.data)[index].text = UINT32_MAX; /* rows are numbered like columns */
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Adds two bits to a third: `sum` becomes the lower bit of the result. Returns the upper bit. */
static inline Lanes add_bits(Lanes *sum, Lanes one, Lanes other)
{
    Lanes either = one ^ other, upper = (one & other) | (*sum & either);
    *sum ^= either;
    return upper;
}

/* Returns one lane of a set, given the lane of set 0. */
static inline Lanes lane_of_set(const uint64_t *lane, size_t lanes, uint32_t set)
{
    Lanes bits;
    memcpy(&bits, lane + set * lanes * LANE_WORDS, sizeof bits);
    return bits;
}

/* Counts for each bit of a lane the sets that have it, as a binary number: the bits of `counters`. */
static void count_sets(const SharedNgrams *shared, size_t count, size_t lane, size_t bits, Lanes *counters)
{
    const uint32_t *sets = shared->row_sets.data;
    size_t lanes = lane_count(shared);
    const uint64_t *of_empty = (const uint64_t *)shared->sets.data + lane * LANE_WORDS;
    Lanes ones = {0}, twos = {0}, fours = {0};
    for (size_t index = 0; index < count; index += SETS_AT_ONCE, sets += SETS_AT_ONCE) {
        Lanes in[SETS_AT_ONCE];
        for (size_t position = 0; position < SETS_AT_ONCE; position++)
            in[position] = lane_of_set(of_empty, lanes, sets[position]);
        Lanes first = add_bits(&ones, in[0], in[1]), second = add_bits(&ones, in[2], in[3]);
        Lanes four = add_bits(&twos, first, second);
        first = add_bits(&ones, in[4], in[5]);
        second = add_bits(&ones, in[6], in[7]);
        Lanes carry = add_bits(&fours, four, add_bits(&twos, first, second));
        for (size_t bit = 3; bit < bits; bit++) {
            Lanes before = counters[bit];
            counters[bit] = before ^ carry;
            carry &= before;
        }
    }
    counters[0] = ones;
    counters[1] = twos;
    counters[2] = fours;
}

/* Returns 8 bits as the lowest bits of 8 bytes. */
static inline uint64_t spread_bits(uint64_t bits)
{
    uint64_t apart = (bits & 0xff) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return (apart + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Adds the binary numbers of 64 columns. */
static void add_counters(const uint64_t *counters, size_t bits, size_t step, uint32_t *found)
{
    for (unsigned start = 0; start < WORD_BITS; start += 8)
        for (size_t base = 0; base < bits; base += 8) {
            uint64_t bytes = 0;
            for (size_t bit = base; bit < bits && bit < base + 8; bit++)
                bytes |= spread_bits(counters[bit * step] >> start) << (bit - base);
            for (unsigned column = 0; column < 8; column++)
                found[start + column] += (uint32_t)(bytes >> 8 * column & 0xff) << base;
        }
}

static void add_sets(SharedNgrams *shared, size_t count)
{
    uint32_t *sets = shared->row_sets.data;
    size_t bits = 3;
    while (count >> bits > 0)
        bits++;
    memset(sets + count, 0, SETS_AT_ONCE * sizeof *sets); /* the empty set fills the last group */
    for (size_t lane = 0; lane < lane_count(shared); lane++) {
        Lanes counters[MAX_COUNTER_BITS];
        uint64_t words[MAX_COUNTER_BITS * LANE_WORDS];
        memset(counters, 0, bits * sizeof *counters);
        count_sets(shared, count, lane, bits, counters);
        memcpy(words, counters, bits * sizeof *counters);
        for (size_t word = 0; word < LANE_WORDS; word++)
            add_counters(
                words + word, bits, LANE_WORDS,
                (uint32_t *)shared->found.data + (lane * LANE_WORDS + word) * WORD_BITS);
    }
}

/* Adds the columns of a token that has a list. */
static inline void add_list(const SharedNgrams *shared, uint32_t token, uint32_t *found)
{
    const Token *tokens = shared->tokens.data;
    const uint32_t *lists = shared->lists.data;
    for (uint32_t index = token == 0 ? 0 : tokens[token - 1].end; index < tokens[token].end; index++)
        found[lists[index]]++;
}

const uint32_t *shared_ngrams_of_row(SharedNgrams *shared, size_t row, Interrupt *interrupt)
{
    const Token *tokens = shared->tokens.data;
    uint32_t *found = shared->found.data, *sets = shared->row_sets.data;
    size_t count = ngrams_in(shared, &shared->rows[row]), used = 0;
    bool is_square = shared->rows == shared->columns;
    size_t start = ((const size_t *)shared->starts.data)[is_square ? row : shared->column_count + row];
    const uint32_t *ngrams = (const uint32_t *)(is_square ? shared->of_text.data : shared->ngrams.data) + start;
    memset(found, 0, lane_count(shared) * LANE_WORDS * WORD_BITS * sizeof *found);
    for (size_t position = 0; position < count; position++) {
        uint32_t token = ngrams[position];
        if (!is_square && token != NO_NGRAM)
            token = next_token(shared, token, (uint32_t)row, false);
        if (token == NO_TOKEN)
            continue;
        sets[used] = tokens[token].set;
        used += tokens[token].set > 0;
        add_list(shared, token, found);
    }
    add_sets(shared, used);
    if (is_square)
        found[row] = (uint32_t)count;
    interrupt->work += 4 * count * (1 + lane_count(shared)) + shared->column_count;
    return found;
}
