/* random.c - random numbers from a seed. */
#include <math.h>

#include "fake.h"

static const double two_pi = 6.283185307179586;

/* splitmix64 */
uint64_t tpi_fake_random_bits(fake_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* From 0 to less than 1, with all the bits that a double has. */
static double unit(fake_random *random)
{
    return (double)(tpi_fake_random_bits(random) >> 11) * 0x1p-53;
}

double tpi_fake_random_between(fake_random *random, double low, double high)
{
    return low + (high - low) * unit(random);
}

uint32_t tpi_fake_random_below(fake_random *random, uint32_t bound)
{
    return bound == 0 ? 0 : (uint32_t)(tpi_fake_random_bits(random) % bound);
}

double tpi_fake_random_normal(fake_random *random)
{
    const double radius = sqrt(-2 * log(1 - unit(random))); /* the argument is never 0 */

    return radius * cos(two_pi * unit(random));
}
