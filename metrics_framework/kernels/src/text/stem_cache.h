/* Remembers the stems of words: most words of a text have occurred before. */

#ifndef FW_TEXT_STEM_CACHE_H
#define FW_TEXT_STEM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "text/word_ids.h"

/* A stemmer replaces a word by its stem, which is not longer; it returns the length of the stem. */
typedef size_t (*Stemmer)(unsigned char *letters, size_t length);

/* A word of at most STORED_BYTES bytes, none of them 0, and its stem. */
typedef struct {
    uint64_t head, tail; /* of the word, as in StoredWord; 0 if there is none */
    unsigned char stem[STORED_BYTES];
    size_t stem_length;
} CachedStem;

/* The logarithm of the number of stems: few at first, because a call may score a single pair of texts. */
enum { MIN_CACHE_BITS = 8, MAX_CACHE_BITS = 12, MISSES_PER_STEM = 2 };

/* For one stemmer. Initialize with {0}. */
typedef struct {
    Buffer stems; /* CachedStem */
    unsigned bits;
    size_t misses;
} StemCache;

/* Creates the table; later enlarges it if many words were missing. Returns false if out of memory. */
static inline bool stem_cache_prepare(StemCache *cache)
{
    unsigned bits = cache->bits == 0 ? MIN_CACHE_BITS : cache->bits;
    if (cache->misses > (size_t)MISSES_PER_STEM << bits && bits < MAX_CACHE_BITS)
        bits += 2;
    if (bits == cache->bits)
        return true;
    *cache = (StemCache){.stems = cache->stems};
    if (!buffer_clear(&cache->stems, (size_t)1 << bits, sizeof(CachedStem)))
        return false;
    cache->bits = bits;
    return true;
}

static inline void stem_cache_free(StemCache *cache) { buffer_free(&cache->stems); }

/* Does what the stemmer does, after `stem_cache_prepare`. The SPARE_BYTES after the word must be readable. */
static inline size_t cached_stem(StemCache *cache, Stemmer stemmer, unsigned char *letters, size_t length)
{
    if (length > STORED_BYTES)
        return stemmer(letters, length);
    uint64_t head = first_bytes(letters, length), tail = first_bytes(letters + 8, length > 8 ? length - 8 : 0);
    CachedStem *cached = (CachedStem *)cache->stems.data + (hash_of_two((HashSeed){0, 1}, head, tail) >> (64 - cache->bits));
    if (((cached->head ^ head) | (cached->tail ^ tail)) != 0) {
        cache->misses++;
        cached->head = head;
        cached->tail = tail;
        cached->stem_length = stemmer(letters, length);
        memcpy(cached->stem, letters, cached->stem_length);
    } else {
        memcpy(letters, cached->stem, cached->stem_length);
    }
    return cached->stem_length;
}

#endif
