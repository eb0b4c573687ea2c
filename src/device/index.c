/* index.c - see index.h. */
#include "device/index.h"

#include <stdlib.h>

bool tpi_device_index_begin(struct device_index *index, size_t count)
{
    size_t size = 64;

    while (size < 2 * count) {
        size *= 2;
    }
    free((void *)index->slots);
    index->slots = calloc(size, sizeof(tp_device *));
    index->size = index->slots == NULL ? 0 : size;
    index->valid = index->slots != NULL;
    return index->valid;
}

void tpi_device_index_fini(struct device_index *index)
{
    free((void *)index->slots);
    *index = (struct device_index){0};
}

uint32_t tpi_device_index_hash(unsigned robot, const char *name)
{
    uint32_t sum = robot;

    for (; *name != '\0'; name++) {
        sum = (sum ^ (uint8_t)*name) * UINT32_C(16777619);
    }
    return sum ^ sum >> 15;
}
