/* ros_types.c - see ros_types.h. Each definition is followed by those of the types that it uses. */
#include "web/ros_types.h"

#define LINE                                                                                       \
    "\n================================================================================\nMSG: "
#define TIME LINE "builtin_interfaces/Time\nint32 sec\nuint32 nanosec"
#define HEADER LINE "std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id" TIME
#define POINT LINE "geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z"
#define VECTOR3 LINE "geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"
#define QUATERNION LINE "geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w"
#define POSE                                                                                       \
    LINE "geometry_msgs/Pose\ngeometry_msgs/Point position\ngeometry_msgs/Quaternion "             \
         "orientation" POINT QUATERNION

const tpi_ros_type tpi_ros_laser_scan = {
    "sensor_msgs/msg/LaserScan",
    "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\n"
    "float32 time_increment\nfloat32 scan_time\nfloat32 range_min\nfloat32 range_max\n"
    "float32[] ranges\nfloat32[] intensities" HEADER};

const tpi_ros_type tpi_ros_odometry = {
    "nav_msgs/msg/Odometry",
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
    "geometry_msgs/TwistWithCovariance twist" HEADER LINE
    "geometry_msgs/PoseWithCovariance\ngeometry_msgs/Pose pose\nfloat64[36] covariance" POSE LINE
    "geometry_msgs/TwistWithCovariance\ngeometry_msgs/Twist twist\nfloat64[36] covariance" LINE
    "geometry_msgs/Twist\ngeometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular" VECTOR3};

const tpi_ros_type tpi_ros_imu = {
    "sensor_msgs/msg/Imu",
    "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\n"
    "float64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
    "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\n"
    "float64[9] linear_acceleration_covariance" HEADER QUATERNION VECTOR3};

const tpi_ros_type tpi_ros_joint_state = {
    "sensor_msgs/msg/JointState",
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
    "float64[] effort" HEADER};

const tpi_ros_type tpi_ros_nav_sat_fix = {
    "sensor_msgs/msg/NavSatFix",
    "std_msgs/Header header\nsensor_msgs/NavSatStatus status\nfloat64 latitude\n"
    "float64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\n"
    "uint8 position_covariance_type" HEADER LINE
    "sensor_msgs/NavSatStatus\nint8 status\nuint16 service"};

const tpi_ros_type tpi_ros_image = {
    "sensor_msgs/msg/Image",
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
    "uint32 step\nuint8[] data" HEADER};

const tpi_ros_type tpi_ros_compressed_image = {
    "sensor_msgs/msg/CompressedImage",
    "std_msgs/Header header\nstring format\nuint8[] data" HEADER};

const tpi_ros_type tpi_ros_battery_state = {
    "sensor_msgs/msg/BatteryState",
    "std_msgs/Header header\nfloat32 voltage\nfloat32 temperature\nfloat32 current\n"
    "float32 charge\nfloat32 capacity\nfloat32 design_capacity\nfloat32 percentage\n"
    "uint8 power_supply_status\nuint8 power_supply_health\nuint8 power_supply_technology\n"
    "bool present\nfloat32[] cell_voltage\nfloat32[] cell_temperature\nstring location\n"
    "string serial_number" HEADER};

const tpi_ros_type tpi_ros_range = {
    "sensor_msgs/msg/Range",
    "std_msgs/Header header\nuint8 radiation_type\nfloat32 field_of_view\nfloat32 min_range\n"
    "float32 max_range\nfloat32 range\nfloat32 variance" HEADER};

const tpi_ros_type tpi_ros_tf = {
    "tf2_msgs/msg/TFMessage",
    "geometry_msgs/TransformStamped[] transforms" LINE
    "geometry_msgs/TransformStamped\nstd_msgs/Header header\nstring child_frame_id\n"
    "geometry_msgs/Transform transform" HEADER LINE
    "geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\n"
    "geometry_msgs/Quaternion rotation" VECTOR3 QUATERNION};

const tpi_ros_type tpi_ros_occupancy_grid = {
    "nav_msgs/msg/OccupancyGrid",
    "std_msgs/Header header\nnav_msgs/MapMetaData info\nint8[] data" HEADER LINE
    "nav_msgs/MapMetaData\nbuiltin_interfaces/Time map_load_time\nfloat32 resolution\n"
    "uint32 width\nuint32 height\ngeometry_msgs/Pose origin" POSE};
