#include "text/stem_cache.h"

#include <stdlib.h>

#include "text/nltk_porter.h"

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/* The logarithm of the number of stems: few at first, because a process may score a single pair of texts. */
enum { MIN_CACHE_BITS = 8, MAX_CACHE_BITS = 15 };

enum { SHORTEST_STEMMED = 4 };

/* The cache that no call uses, or NULL. Calls of several threads may take and return caches at the same time. */
static StemCache *idle;

/* Replaces the idle cache at once; returns the one before. */
static StemCache *exchange_idle(StemCache *cache)
{
#if defined(__GNUC__)
    return __atomic_exchange_n(&idle, cache, __ATOMIC_ACQ_REL);
#elif defined(_MSC_VER)
    return _InterlockedExchangePointer((void *volatile *)&idle, cache);
#else
    (void)idle;
    return cache; /* none is kept */
#endif
}

static void cache_free(StemCache *cache)
{
    if (cache != NULL)
        buffer_free(&cache->stems);
    free(cache);
}

StemCache *stem_cache_take(void)
{
    StemCache *cache = exchange_idle(NULL);
    return cache != NULL ? cache : calloc(1, sizeof *cache);
}

void stem_cache_return(StemCache *cache)
{
    if (cache != NULL)
        cache_free(exchange_idle(cache));
}

bool stem_cache_prepare(StemCache *cache)
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
        CachedStem *entries = stem_cache_entries(&larger, &stems[index].word);
        entries[entries[0].word.head != 0] = stems[index];
    }
    buffer_free(&cache->stems);
    *cache = larger;
    return true;
}

void stem_cache_add(StemCache *cache, const WordKey *word, CachedStem *entries)
{
    unsigned char letters[2 * STORED_BYTES];
    size_t length = length_of_key(word);
    put_eight_bytes(letters, word->head);
    put_eight_bytes(letters + 8, word->tail);
    entries[1] = entries[0];
    entries[0] = (CachedStem){*word, key_of(letters, length < SHORTEST_STEMMED ? length : nltk_stem(letters, length))};
    cache->misses++;
}
