/* Doubles as text: the shortest digits that give the same double again, in the format of Python's repr(). */

#ifndef FW_BASE_DOUBLE_TO_TEXT_H
#define FW_BASE_DOUBLE_TO_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The longest output, in bytes. */
enum { MAX_NUMBER_LENGTH = 32 };

/* Writes the decimal digits of an integer; returns their number. */
size_t integer_to_text(uint64_t number, char *out);

/* Writes a double; returns the number of bytes. Returns 0 and writes nothing for rare cases, which the caller leaves to
   Python: numbers from 1e15 on, nonzero numbers below 1e-4, infinities, NaN, powers of 2 and ties; all fractions if the
   compiler has no 128-bit integers. */
size_t double_to_text(double number, char *out);

#endif
