/*
 * rflex_settings.c - what the configuration says of a robot with rFLEX.
 *
 * Older files have millimetres (mm_length), newer ones metres (m_length). Factors tell which: units
 * per metre are larger than 1000 for the way, and than 100 for sonars.
 */
#include <math.h>
#include <string.h>

#include "rflex.h"

const tp_param tpi_rflex_params[] = {
    {"rflex_serial_port", "line", "/dev/ttyR0", "the line, for instance /dev/ttyUSB0"},
    {"port", "line", "", "the same by another name"},
    {"baud", "1", "115200", "speed of a serial line"},
    {"m_length", "1", "0.5", "length of the robot in metres"},
    {"m_width", "1", "0.5", "width of the robot in metres"},
    {"mm_length", "1", "0", "length in millimetres, instead of m_length"},
    {"mm_width", "1", "0", "width in millimetres, instead of m_width"},
    {"odo_distance_conversion", "1", "103000", "units of the odometry per metre"},
    {"odo_angle_conversion", "1", "35000", "units of the odometry per radian"},
    {"default_trans_acceleration", "1", "0.1", "acceleration, m/s^2 (mm/s^2 in older files)"},
    {"default_rot_acceleration", "1", "0.1", "acceleration of turns, rad/s^2"},
    {"max_speed", "m/s", "1", "highest speed; commands above it are limited"},
    {"max_turn", "rad/s", "1.5", "the same for turning"},
    {"range_distance_conversion", "1", "1476", "units of the sonars per metre"},
    {"sonar_age", "1", "1", "ignored: every range counts"},
    {"sonar_max_range", "1", "3000", "longest range, mm"},
    {"sonar_echo_delay", "1", "30000", "sent to the sonars"},
    {"sonar_ping_delay", "1", "0", "sent to the sonars"},
    {"sonar_set_delay", "1", "0", "sent to the sonars"},
    {"max_num_sonars", "1", "256", "ignored: numbers up to 255 are understood"},
    {"num_sonars", "1", "24", "how many sonars there are"},
    {"num_sonar_banks", "1", "8", "boards of sonars"},
    {"num_sonars_possible_per_bank", "1", "16", "numbers for each board"},
    {"num_sonars_in_bank", "1", "8 8 8 8 8 8 8 8", "sonars on each board"},
    {"mrad_sonar_poses", "1", "", "yaw (rad), x, y (m) of each sonar"},
    {"mmrad_sonar_poses", "1", "", "the same in older files: x, y (mm), yaw"},
    {"sonar_2nd_bank_start", "1", "0", "first sonar of the device with the key bank2; 0 for none"},
    {"pose_count", "1", "0", "how many infrared sensors there are"},
    {"rflex_base_bank", "1", "0", "first bank of infrared sensors"},
    {"rflex_bank_count", "1", "0", "banks of infrared sensors"},
    {"rflex_banks", "1", "", "infrared sensors in each bank"},
    {"poses", "1", "", "x, y, yaw of each infrared sensor (m, rad; mm, degrees in older files)"},
    {"ir_min_range", "1", "0.1", "shorter ranges are 0 (m; mm in older files)"},
    {"ir_max_range", "1", "0.8", "longer ranges are this (m; mm in older files)"},
    {"rflex_ir_calib", "1", "", "two numbers a and b for each: the range is (reading / a)^b"},
    {"bumper_count", "1", "0", "how many bumpers there are"},
    {"bumper_def", "1", "", "x, y, yaw, length, radius of each"},
    {"rflex_bumper_address", "1", "64", "address of the first bumper"},
    {"rflex_bumper_style", NULL, "addr", "addr: an address for each; bit: eight at an address"},
    {"rflex_power_offset", "1", "0", "volts that are added (tenths of volts from 10 on)"},
    {"rflex_joystick", "1", "0", "ignored: use the driver linuxjoystick"},
    {"rflex_joy_pos_ratio", "1", "0", "ignored"},
    {"rflex_joy_ang_ratio", "1", "0", "ignored"},
    {"rflex_heading_home_address", "1", "0", "ignored"},
    {"rflex_home_on_start", "1", "0", "ignored: the driver does not turn the robot by itself"},
    {"timeout", "s", "2", "a robot that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static tp_status read_counts(tp_instance *self, const char *name, size_t count, unsigned *out,
                             tp_error *err)
{
    for (size_t i = 0; i < count && i < tp_param_count(self, name); i++) {
        const double value = tp_param_double_at(self, name, i);
        if (!(value >= 0 && value <= RFLEX_MOST_SONARS)) {
            tp_param_blame(self, name);
            return tp_fail(err, TP_E_RANGE, "%s has numbers from 0 to %d", name, RFLEX_MOST_SONARS);
        }
        out[i] = (unsigned)value;
    }
    return TP_OK;
}

/* Groups of three numbers: x, y and yaw are at these places in them. Lengths above 10 are mm. */
static void read_poses(const tp_instance *self, const char *name, size_t count, const int at[3],
                       tp_pose3d *out)
{
    const size_t given = tp_param_count(self, name) / 3;
    double longest = 0;

    for (size_t i = 0; i < given && i < count; i++) {
        const double v[3] = {tp_param_double_at(self, name, 3 * i),
                             tp_param_double_at(self, name, 3 * i + 1),
                             tp_param_double_at(self, name, 3 * i + 2)};
        out[i] = (tp_pose3d){.px = v[at[0]], .py = v[at[1]], .pyaw = v[at[2]]};
        longest = fmax(longest, fmax(fabs(out[i].px), fabs(out[i].py)));
    }
    for (size_t i = 0; i < given && i < count && longest > 10; i++) {
        out[i].px /= 1000;
        out[i].py /= 1000;
    }
}

static void read_bumpers(const tp_instance *self, struct rflex_plan *plan)
{
    const size_t given = tp_param_count(self, "bumper_def") / 5;

    for (size_t i = 0; i < given && i < (size_t)plan->bumpers; i++) {
        double v[5];
        for (size_t k = 0; k < 5; k++) {
            v[k] = tp_param_double_at(self, "bumper_def", 5 * i + k);
        }
        const double scale = fabs(v[4]) > 10 ? 0.001 : 1;
        plan->bumper_places[i] =
            (tp_bumper_define){.pose = {.px = v[0] * scale, .py = v[1] * scale, .pyaw = v[2]},
                               .length = (float)(v[3] * scale),
                               .radius = (float)(v[4] * scale)};
    }
    plan->bumper_bits = strcmp(tp_param_string(self, "rflex_bumper_style"), "addr") != 0;
}

static void read_irs(const tp_instance *self, struct rflex_plan *plan)
{
    static const int places[3] = {0, 1, 2};

    read_poses(self, "poses", (size_t)plan->ir.count, places, plan->ir.poses);
    for (size_t i = 0; i < (size_t)plan->ir.count; i++) {
        const bool has = tp_param_count(self, "rflex_ir_calib") > 2 * i + 1;
        plan->ir.a[i] = has ? tp_param_double_at(self, "rflex_ir_calib", 2 * i) : 1;
        plan->ir.b[i] = has ? tp_param_double_at(self, "rflex_ir_calib", 2 * i + 1) : 1;
    }
}

/* Older files: lengths in millimetres. */
static void convert(struct rflex_plan *plan, double mm_length, double mm_width)
{
    const bool old = plan->per_metre < 1000;

    plan->per_metre *= old ? 1000 : 1;
    plan->acceleration /= plan->acceleration > 20 ? 1000 : 1;
    plan->sonar.per_metre *= plan->sonar.per_metre < 100 ? 1000 : 1;
    plan->sonar.most /= 1000;
    plan->length = mm_length > 0 ? mm_length / 1000 : plan->length;
    plan->width = mm_width > 0 ? mm_width / 1000 : plan->width;
    plan->power_offset /= plan->power_offset >= 10 ? 10 : 1;
}

tp_status tpi_rflex_read_plan(tp_instance *self, struct rflex_plan *plan, tp_error *err)
{
    static const int newer[3] = {1, 2, 0}, older[3] = {0, 1, 2};
    double mm_length = 0, mm_width = 0;
    const struct classic_number numbers[] = {
        {"baud", 300, 12000000, &plan->baud},
        {"m_length", 0, 100, &plan->length},
        {"m_width", 0, 100, &plan->width},
        {"mm_length", 0, 100000, &mm_length},
        {"mm_width", 0, 100000, &mm_width},
        {"odo_distance_conversion", 1, 1e8, &plan->per_metre},
        {"odo_angle_conversion", 1, 1e8, &plan->per_radian},
        {"default_trans_acceleration", 0, 1e5, &plan->acceleration},
        {"default_rot_acceleration", 0, 1e5, &plan->turn_acceleration},
        {"max_speed", 0, 10, &plan->max_speed},
        {"max_turn", 0, 10, &plan->max_turn},
        {"range_distance_conversion", 0.001, 1e6, &plan->sonar.per_metre},
        {"sonar_max_range", 1, 1e6, &plan->sonar.most},
        {"sonar_echo_delay", 0, 1e9, &plan->sonar.echo},
        {"sonar_ping_delay", 0, 1e9, &plan->sonar.ping},
        {"sonar_set_delay", 0, 1e9, &plan->sonar.set},
        {"num_sonars", 0, RFLEX_MOST_SONARS, &plan->sonar.count},
        {"num_sonar_banks", 0, RFLEX_MOST_BANKS, &plan->sonar.banks},
        {"num_sonars_possible_per_bank", 1, RFLEX_MOST_SONARS, &plan->sonar.per_bank},
        {"sonar_2nd_bank_start", 0, RFLEX_MOST_SONARS, &plan->sonar.second},
        {"bumper_count", 0, RFLEX_MOST_BUMPERS, &plan->bumpers},
        {"rflex_bumper_address", 0, 255, &plan->bumper_address},
        {"pose_count", 0, RFLEX_MOST_IRS, &plan->ir.count},
        {"rflex_base_bank", 0, RFLEX_MOST_BANKS, &plan->ir.base},
        {"rflex_bank_count", 0, RFLEX_MOST_BANKS, &plan->ir.banks},
        {"ir_min_range", 0, 1e5, &plan->ir.least},
        {"ir_max_range", 0, 1e5, &plan->ir.most},
        {"rflex_power_offset", -100, 1000, &plan->power_offset},
        {"timeout", 0.7, 3600, &plan->timeout_s}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    if (status == TP_OK) {
        status = read_counts(self, "num_sonars_in_bank", (size_t)plan->sonar.banks,
                             plan->sonar.in_bank, err);
    }
    if (status == TP_OK) {
        status = read_counts(self, "rflex_banks", (size_t)plan->ir.banks, plan->ir.in_bank, err);
    }
    if (status == TP_OK) {
        const bool old = tp_param_count(self, "mmrad_sonar_poses") > 0;
        read_poses(self, old ? "mmrad_sonar_poses" : "mrad_sonar_poses", (size_t)plan->sonar.count,
                   old ? older : newer, plan->sonar.poses);
        read_bumpers(self, plan);
        read_irs(self, plan);
        convert(plan, mm_length, mm_width);
    }
    return status;
}
