/* Remembers the stems of words: most words of a text have occurred before. */

#ifndef FW_TEXT_STEM_CACHE_H
#define FW_TEXT_STEM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "text/word_keys.h"

typedef struct {
    WordKey word, stem; /* both 0 if there is none */
} CachedStem;

/* The stems of NLTK. That of a word is at one of two adjacent indices, of which the first is that of the word that was
   added last. */
typedef struct {
    Buffer stems; /* CachedStem */
    unsigned bits;
    size_t misses;
} StemCache;

/* Returns the cache of an earlier call, or a new one if there is none that is not in use; NULL if out of memory. */
StemCache *stem_cache_take(void);

/* Keeps a cache for later calls. Nothing happens if it is NULL. */
void stem_cache_return(StemCache *cache);

/* Enlarges the table if many words were missing. Returns false if out of memory. */
bool stem_cache_prepare(StemCache *cache);

/* Adds a word as the first of its two entries. */
void stem_cache_add(StemCache *cache, const WordKey *word, CachedStem *entries);

static inline CachedStem *stem_cache_entries(const StemCache *cache, const WordKey *word)
{
    return (CachedStem *)cache->stems.data + 2 * (hash_of_two((HashSeed){0, 1}, word->head, word->tail) >> (65 - cache->bits));
}

/* Returns the stem of a word of at most STORED_BYTES bytes, after `stem_cache_prepare`. */
static inline const WordKey *stem_of(StemCache *cache, const WordKey *word)
{
    CachedStem *entries = stem_cache_entries(cache, word);
    if (same_key(&entries[0].word, word))
        return &entries[0].stem;
    if (same_key(&entries[1].word, word))
        return &entries[1].stem;
    stem_cache_add(cache, word, entries);
    return &entries[0].stem;
}

#endif
