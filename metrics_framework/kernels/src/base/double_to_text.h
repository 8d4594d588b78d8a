/* Doubles as text, the shortest that gives the same double again, as Python's repr() writes them. */

#ifndef FW_BASE_DOUBLE_TO_TEXT_H
#define FW_BASE_DOUBLE_TO_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Room that a number takes at most. */
enum { LONGEST_NUMBER = 32 };

/* Writes the digits of a whole number and returns how many they are. */
size_t write_digits(uint64_t number, char *out);

/* Writes a number and returns how many bytes it has. Returns 0 and writes nothing for what it leaves to others: numbers
   from 1e15 on, below 1e-4 but for 0, infinite ones and NaN, powers of 2, and ties; and all where a compiler has no integers
   of 128 bits. */
size_t write_shortest(double number, char *out);

#endif
