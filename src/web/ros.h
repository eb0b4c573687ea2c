/*
 * ros.h - data as messages of ROS 2: which type, its definition, its bytes in CDR.
 *
 * Definitions are in the form ros2msg: the type, then all types that it uses. Frames are named
 * ROBOT/FRAME, as in the frames of the server: 6665/base, 6665/laser:0.
 */
#ifndef TROUPE_WEB_ROS_H
#define TROUPE_WEB_ROS_H

#include "troupe/interfaces/map.h"
#include "troupe/interfaces/player.h"
#include "troupe/msg.h"

typedef struct tpi_ros_type {
    const char *name; /* "sensor_msgs/msg/LaserScan" */
    const char *definition;
} tpi_ros_type;

/* The type of ROS 2 for data of an interface; NULL if there is none. For some data there is a
 * `second` one: pictures as they are, and compressed. */
const tpi_ros_type *tpi_ros_type_of(unsigned interf, unsigned code, bool second);

/* How many bytes the message has; 0 if ROS 2 has no such type. */
size_t tpi_ros_size(const tp_msghdr *header, const tp_struct *type, const void *value, bool second);

/* Encode it; how many bytes were written, 0 if ROS 2 has no such type or they do not fit. */
size_t tpi_ros_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                      bool second, void *bytes, size_t capacity);

/* A map as an OccupancyGrid whose cells are unknown; they are the last bytes. `bytes` may be NULL
 * to count. */
size_t tpi_ros_grid(const tp_devaddr *addr, const tp_map_info *info, double now_s, void *bytes,
                    size_t capacity);

/* Cells of a map as those of an OccupancyGrid: -1 unknown, 0 free to 100 occupied. */
void tpi_ros_cells(uint8_t *out, const int8_t *cells, uint32_t count, int range);

/* Frames of reference as a TFMessage; `bytes` may be NULL to count. */
size_t tpi_ros_frames(const tp_frame_list *frames, double now_s, void *bytes, size_t capacity);
extern const tpi_ros_type tpi_ros_tf;

#endif
