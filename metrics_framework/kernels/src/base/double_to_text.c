#include "base/double_to_text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The numbers from 0 to 99, two digits each. */
static const char PAIRS[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
                            "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

size_t integer_to_text(uint64_t number, char *out)
{
    char digits[20];
    size_t start = sizeof digits;
    for (; number >= 10; number /= 100)
        memcpy(digits + (start -= 2), PAIRS + 2 * (number % 100), 2);
    if (number > 0 || start == sizeof digits)
        digits[--start] = (char)('0' + number);
    memcpy(out, digits + start, sizeof digits - start);
    return sizeof digits - start;
}

#ifdef __SIZEOF_INT128__

typedef unsigned __int128 Wide;

enum { MIN_EXPONENT = -4, MAX_EXPONENT = 14 };

static const double TENS[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static const uint64_t FIVES[] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125,
    152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
};

/* Finds the shortest decimal integer d and `*exponent` such that d * 10^exponent is closer to mantissa * 2^-scale than
   to any other double. Returns 0 if two candidates are equally close.

   Everything is multiplied by 10^tens * 2^shift to stay in integers: the number becomes 2 * mantissa * 5^tens, and half
   the distance to the next double 5^tens. Before the final division by 2^shift there are 17 digits, which are always
   enough; digits are dropped as long as the rounded number is close enough. */
static uint64_t shortest(uint64_t mantissa, int scale, int tens, int *exponent)
{
    int shift = scale + 1 - tens;
    uint64_t half = FIVES[tens], found = 0, unit = 1;
    Wide number = (Wide)(2 * mantissa) * half;
    uint64_t digits = (uint64_t)(number >> shift);
    for (int dropped = 0; dropped < 17; dropped++, unit *= 10) {
        uint64_t nearest = digits / unit;
        Wide step = (Wide)unit << shift, rest = number - ((Wide)(nearest * unit) << shift);
        if (2 * rest == step)
            return 0;
        if (2 * rest > step) {
            rest = step - rest;
            nearest++;
        }
        if (rest > half || (rest == half && mantissa % 2 != 0))
            break;
        found = nearest;
        *exponent = dropped - tens;
    }
    return found;
}

static int exponent_of(double number)
{
    int exponent = MIN_EXPONENT;
    while (exponent < MAX_EXPONENT && number >= TENS[exponent + 1 - MIN_EXPONENT])
        exponent++;
    return exponent;
}

/* Writes digits with a decimal point; `exponent` is negative and belongs to the last digit. */
static size_t write_with_point(uint64_t digits, int exponent, char *out)
{
    char written[20];
    size_t count = integer_to_text(digits, written), after = (size_t)-exponent, size = 0;
    if (after >= count) {
        memcpy(out, "0.", 2);
        memset(out + 2, '0', after - count);
        memcpy(out + 2 + after - count, written, count);
        return 2 + after;
    }
    memcpy(out, written, count - after);
    size = count - after;
    out[size++] = '.';
    memcpy(out + size, written + count - after, after);
    return size + after;
}

static size_t write_positive(double number, char *out)
{
    int exponent;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int power_of_two = (int)(bits >> 52) - 1075; /* after multiplication with the mantissa */
    uint64_t highest = UINT64_C(1) << 52, mantissa = (bits & (highest - 1)) | highest;
    if (mantissa == highest) /* the interval is asymmetric: the next lower double is closer */
        return 0;
    uint64_t digits = shortest(mantissa, -power_of_two, 16 - exponent_of(number), &exponent);
    return digits == 0 ? 0 : write_with_point(digits, exponent, out);
}

#else

static size_t write_positive(double number, char *out)
{
    (void)number;
    (void)out;
    return 0;
}

#endif

size_t double_to_text(double number, char *out)
{
    double size = fabs(number);
    size_t sign = signbit(number) != 0, count;
    if (!(size < 1e15) || (size < 1e-4 && size != 0))
        return 0;
    if (size == (double)(uint64_t)size) {
        count = integer_to_text((uint64_t)size, out + sign);
        memcpy(out + sign + count, ".0", 2);
        count += 2;
    } else {
        count = write_positive(size, out + sign);
    }
    if (sign && count > 0)
        out[0] = '-';
    return count == 0 ? 0 : sign + count;
}
