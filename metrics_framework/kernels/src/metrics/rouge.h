/* ROUGE as the program ROUGE-1.5.5 computes it. `kernels/python/rouge.py` and `metrics/rouge.py` define it. */

#ifndef FW_METRICS_ROUGE_H
#define FW_METRICS_ROUGE_H

#include "metrics/kernel.h"
#include "text/word_list.h"

typedef struct {
    size_t max_ngram; /* 1 to 9 */
    bool use_porter_stemmer;
    bool remove_stopwords;
    size_t max_bytes, max_words; /* 0 for no limit */
    bool compute_rouge_l;
    double wlcs_weight; /* 0 without ROUGE-W */
    size_t skip_reach;  /* the largest distance of the words of a skip-bigram; 0 without ROUGE-S and ROUGE-SU */
    bool best_reference;
    double alpha;
    const WordList *exceptions; /* forms and their base forms */
    const WordList *stop_words;
    const char *wlcs_name, *skip_name, *skip_unigram_name;
} RougeOptions;

/* Returns NULL if out of memory. The lists and names of the options must stay valid as long as the kernel. */
Kernel *rouge_new(const RougeOptions *options);

#endif
