/* Porter's stemmer with the extensions of NLTK. `text/nltk_porter.py` defines it. */

#ifndef FW_TEXT_NLTK_PORTER_H
#define FW_TEXT_NLTK_PORTER_H

#include <stddef.h>

/* Replaces a word in lower case by its stem, which is not empty and not longer; returns its length. */
size_t nltk_stem(unsigned char *letters, size_t length);

#endif
