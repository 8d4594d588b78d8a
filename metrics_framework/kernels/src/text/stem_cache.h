/* Remembers the stems of words: most words of a text have occurred before. */

#ifndef FW_TEXT_STEM_CACHE_H
#define FW_TEXT_STEM_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "text/word_ids.h"

/* A stemmer replaces a word by its stem, which is not longer; it returns the length of the stem. */
typedef size_t (*Stemmer)(unsigned char *letters, size_t length);

/* A word of at most STORED_BYTES bytes, none of them 0, and its stem. */
typedef struct {
    uint64_t head, tail; /* of the word, as in StoredWord; 0 if there is none */
    unsigned char stem[STORED_BYTES];
    size_t stem_length;
} CachedStem;

enum { CACHED_STEMS_BITS = 8 };

/* For one stemmer. Initialize with {0}. */
typedef struct {
    CachedStem stems[1 << CACHED_STEMS_BITS];
} StemCache;

/* Does what the stemmer does. The SPARE_BYTES after the word must be readable. */
static inline size_t cached_stem(StemCache *cache, Stemmer stemmer, unsigned char *letters, size_t length)
{
    if (length > STORED_BYTES)
        return stemmer(letters, length);
    uint64_t head = first_bytes(letters, length), tail = first_bytes(letters + 8, length > 8 ? length - 8 : 0);
    CachedStem *cached = &cache->stems[hash_of_two((HashSeed){0, 1}, head, tail) >> (64 - CACHED_STEMS_BITS)];
    if (((cached->head ^ head) | (cached->tail ^ tail)) != 0) {
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
