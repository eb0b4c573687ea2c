/* kernel_any.c - processors without loops of their own. */
#include "sim/ray/kernel.h"

const struct sim_kernel *tpi_sim_kernel(void)
{
    return &tpi_sim_kernel_plain;
}
