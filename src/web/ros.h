/*
 * ros.h - data as messages of ROS 2: which type, its definition, its bytes in CDR.
 *
 * The bytes are those of ROS 2: 4 that announce little-endian CDR, then the fields, each aligned to
 * its size. Definitions are in the form ros2msg: the type, then all types that it uses.
 */
#ifndef TROUPE_WEB_ROS_H
#define TROUPE_WEB_ROS_H

#include "troupe/msg.h"

typedef struct tpi_ros_type {
    const char *name; /* "sensor_msgs/msg/LaserScan" */
    const char *definition;
} tpi_ros_type;

/* The type of ROS 2 for data of an interface; NULL if there is none. */
const tpi_ros_type *tpi_ros_type_of(unsigned interf, unsigned code);

/* How many bytes the message has at most; 0 if ROS 2 has no such type. */
size_t tpi_ros_size(const tp_msghdr *header, const tp_struct *type, const void *value);

/* Encode it; how many bytes were written, 0 if ROS 2 has no such type. */
size_t tpi_ros_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                      void *bytes, size_t capacity);

#endif
