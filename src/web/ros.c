/* ros.c - see ros.h. */
#include "web/ros.h"

const tpi_ros_type *tpi_ros_type_of(unsigned interf, unsigned code)
{
    (void)interf;
    (void)code;
    return NULL;
}

size_t tpi_ros_size(const tp_msghdr *header, const tp_struct *type, const void *value)
{
    (void)header;
    (void)type;
    (void)value;
    return 0;
}

size_t tpi_ros_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                      void *bytes, size_t capacity)
{
    (void)header;
    (void)type;
    (void)value;
    (void)bytes;
    (void)capacity;
    return 0;
}
