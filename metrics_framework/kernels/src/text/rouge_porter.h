/* Porter's stemmer as the program ROUGE-1.5.5 has it; `text/porter.py` defines it. */

#ifndef FW_TEXT_ROUGE_PORTER_H
#define FW_TEXT_ROUGE_PORTER_H

#include <stddef.h>

/* Stems a word of letters a to z and digits in place; returns its new length, which is not larger. */
size_t rouge_stem(unsigned char *letters, size_t length);

#endif
