/* Remembers the stems of words: most words of a text have occurred before. */

#ifndef FW_TEXT_STEM_CACHE_H
#define FW_TEXT_STEM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "text/word_keys.h"

/* A stemmer replaces a word by its stem, which is not longer; it returns the length of the stem. */
typedef size_t (*Stemmer)(unsigned char *letters, size_t length);

typedef struct {
    WordKey word, stem; /* both 0 if there is none */
} CachedStem;

/* The logarithm of the number of stems: few at first, because a call may score a single pair of texts. */
enum { MIN_CACHE_BITS = 8, MAX_CACHE_BITS = 13 };

/* For one stemmer. The stem of a word is at one of two adjacent indices, of which the first is that of the word that was
   added last. Initialize with {0}. */
typedef struct {
    Buffer stems; /* CachedStem */
    unsigned bits;
    size_t misses;
} StemCache;

static inline CachedStem *entries_of(const StemCache *cache, const WordKey *word)
{
    return (CachedStem *)cache->stems.data + 2 * (hash_of_two((HashSeed){0, 1}, word->head, word->tail) >> (65 - cache->bits));
}

/* Creates the table; later enlarges it if many words were missing. Returns false if out of memory. */
static inline bool stem_cache_prepare(StemCache *cache)
{
    bool is_first = cache->bits == 0;
    bool is_small = cache->misses > (size_t)1 << cache->bits >> 2 && cache->bits < MAX_CACHE_BITS;
    if (!is_first && !is_small)
        return true;
    StemCache larger = {.bits = is_first ? MIN_CACHE_BITS : cache->bits + 2};
    if (larger.bits > MAX_CACHE_BITS)
        larger.bits = MAX_CACHE_BITS;
    if (!buffer_clear(&larger.stems, (size_t)1 << larger.bits, sizeof(CachedStem)))
        return false;
    const CachedStem *stems = cache->stems.data;
    for (size_t index = 0; !is_first && index < (size_t)1 << cache->bits; index++) {
        CachedStem *entries = entries_of(&larger, &stems[index].word);
        entries[entries[0].word.head != 0] = stems[index];
    }
    buffer_free(&cache->stems);
    *cache = larger;
    return true;
}

/* Adds a word as the first of its two entries. */
static inline void add_stem(StemCache *cache, Stemmer stemmer, const WordKey *word, CachedStem *entries)
{
    unsigned char letters[2 * STORED_BYTES];
    put_eight_bytes(letters, word->head);
    put_eight_bytes(letters + 8, word->tail);
    entries[1] = entries[0];
    entries[0] = (CachedStem){*word, key_of(letters, stemmer(letters, length_of_key(word)))};
    cache->misses++;
}

/* Returns the stem of a word of at most STORED_BYTES bytes, after `stem_cache_prepare`. */
static inline const WordKey *stem_of(StemCache *cache, Stemmer stemmer, const WordKey *word)
{
    CachedStem *entries = entries_of(cache, word);
    if (same_key(&entries[0].word, word))
        return &entries[0].stem;
    if (same_key(&entries[1].word, word))
        return &entries[1].stem;
    add_stem(cache, stemmer, word, entries);
    return &entries[0].stem;
}

static inline void stem_cache_free(StemCache *cache) { buffer_free(&cache->stems); }

#endif
