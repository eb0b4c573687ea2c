/* ros_types.h - the definitions of the types of ROS 2 that data is sent as. */
#ifndef TROUPE_WEB_ROS_TYPES_H
#define TROUPE_WEB_ROS_TYPES_H

#include "web/ros.h"

extern const tpi_ros_type tpi_ros_laser_scan;
extern const tpi_ros_type tpi_ros_odometry;
extern const tpi_ros_type tpi_ros_imu;
extern const tpi_ros_type tpi_ros_joint_state;
extern const tpi_ros_type tpi_ros_nav_sat_fix;
extern const tpi_ros_type tpi_ros_image;
extern const tpi_ros_type tpi_ros_compressed_image;
extern const tpi_ros_type tpi_ros_battery_state;
extern const tpi_ros_type tpi_ros_range;
extern const tpi_ros_type tpi_ros_tf;
extern const tpi_ros_type tpi_ros_occupancy_grid;

#endif
