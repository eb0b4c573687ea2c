/* emulate_sensor.h - troupe emulate sensor: sensors at the level of their bytes. */
#ifndef TROUPE_APPS_EMULATE_SENSOR_H
#define TROUPE_APPS_EMULATE_SENSOR_H

/* The arguments behind "sensor"; an exit code. */
int emulate_sensor(int argc, char **argv);

/* Its part of the help of troupe emulate. */
#define EMULATE_SENSOR_HELP                                                                        \
    "Sensors (troupe emulate sensor): each is the name or the path of a manifest and has the\n"    \
    "simulated values of its waves. Behind a sensor, for this sensor:\n"                           \
    "  --wave CHANNEL=WAVE sine, noise, ramp, square (each with :SECONDS), count, or a raw\n"      \
    "                      number\n"                                                               \
    "  --link, --listen    as above\n"                                                             \
    "  --baud N            the speed of its line (115200)\n"                                       \
    "  --lose X, --garble X\n"                                                                     \
    "                      percent of the bytes that are lost, and that have a wrong bit\n"        \
    "  --seed N, --seconds N\n"                                                                    \
    "                      as below\n"                                                             \
    "Commands on standard input, with the number of the sensor (from 1): unplug N, plug N,\n"      \
    "wave N CHANNEL=WAVE, quit.\n"

#endif
