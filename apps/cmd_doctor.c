/* cmd_doctor.c - troupe doctor: what works on this machine. */
#include <glob.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>
#include <zlib.h>

#include "commands.h"
#include "doctor.h"
#include "output.h"
#include "platform/guard.h"
#include "platform/thread.h"
#include "server/plugin.h"
#include "troupe/clock.h"
#include "troupe/server.h"

static const char name[] = "doctor";

enum { WAKE_UPS = 50, FEW_FILES = 1024 };

/* ---- The report ------------------------------------------------------------------------------ */

void doctor_report(struct doctor *doctor, doctor_level level, const char *format, ...)
{
    static const char *const words[] = {"ok", "warning", "problem"};
    static const output_style styles[] = {STYLE_GOOD, STYLE_DOUBT, STYLE_BAD};
    va_list args;

    doctor->counts[level]++;
    printf("%s%-7s%s  ", output_style_begin(styles[level]), words[level],
           output_style_end(styles[level]));
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout); /* some of the next things take a while */
}

void doctor_advise(const char *format, ...)
{
    va_list args;

    printf("         -> ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* ---- The program ----------------------------------------------------------------------------- */

static void look_at_program(struct doctor *doctor)
{
    struct utsname system;
    unsigned drivers = 0;
    unsigned fronts = 0;

    doctor_report(doctor, DOCTOR_OK, "troupe %s (%s)", TROUPE_VERSION, TROUPE_BUILD);
    if (uname(&system) == 0) {
        doctor_report(doctor, DOCTOR_OK, "%s %s on %s", system.sysname, system.release,
                      system.machine);
    }
    while (tp_full_kit.drivers[drivers] != NULL) {
        drivers++;
    }
    while (tp_full_kit.fronts[fronts] != NULL) {
        fronts++;
    }
    doctor_report(doctor, DOCTOR_OK, "%u drivers and %u front%s built in", drivers, fronts,
                  output_plural(fronts));
}

/* Old versions that are compatible by name only show up as odd failures. */
static void look_at_library(struct doctor *doctor, const char *library, const char *found,
                            const char *wanted)
{
    if (strcmp(found, wanted) == 0) {
        doctor_report(doctor, DOCTOR_OK, "%s %s", library, found);
    } else if (strncmp(found, wanted, strcspn(wanted, ".") + 1) == 0) {
        doctor_report(doctor, DOCTOR_OK, "%s %s (built with %s)", library, found, wanted);
    } else {
        doctor_report(doctor, DOCTOR_WARNING, "%s %s, but troupe was built with %s", library, found,
                      wanted);
        doctor_advise("build troupe again on this machine");
    }
}

static void look_at_limits(struct doctor *doctor)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    if (files.rlim_max == RLIM_INFINITY) {
        doctor_report(doctor, DOCTOR_OK, "any number of open files");
    } else if (files.rlim_max >= FEW_FILES) {
        doctor_report(doctor, DOCTOR_OK, "up to %llu open files, which is about as many clients",
                      (unsigned long long)files.rlim_max);
    } else {
        doctor_report(doctor, DOCTOR_WARNING, "at most %llu open files: a server has few clients",
                      (unsigned long long)files.rlim_max);
        doctor_advise("raise the limit: ulimit -Hn, or nofile in /etc/security/limits.conf");
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

static void look_at_clock(struct doctor *doctor)
{
    struct timespec step;

    if (clock_getres(CLOCK_MONOTONIC, &step) != 0) {
        doctor_report(doctor, DOCTOR_PROBLEM, "the machine has no clock that never jumps");
        return;
    }
    const double step_us = (double)step.tv_sec * 1e6 + (double)step.tv_nsec / 1e3;
    if (step_us <= 1000) {
        doctor_report(doctor, DOCTOR_OK, "the clock counts in steps of %g us", step_us);
    } else {
        doctor_report(doctor, DOCTOR_WARNING, "the clock counts in steps of %g us", step_us);
        doctor_advise("no device can be polled more often than that");
    }
}

/* How late a thread wakes up that wanted to: what a driver's period can be trusted for. */
static void look_at_lateness(struct doctor *doctor)
{
    double sum_us = 0;
    double worst_us = 0;

    for (unsigned i = 0; i < WAKE_UPS; i++) {
        const int64_t deadline = tp_clock_now_ns(tp_clock_real()) + 2 * TP_NS_PER_MS;
        tpi_wait(NULL, 0, deadline);
        const double late_us = (double)(tp_clock_now_ns(tp_clock_real()) - deadline) / 1e3;
        sum_us += late_us;
        worst_us = late_us > worst_us ? late_us : worst_us;
    }
    const doctor_level level = worst_us < 10000 ? DOCTOR_OK : DOCTOR_WARNING;
    doctor_report(doctor, level, "wakes up %.0f us late on average, %.0f us at worst (of %d)",
                  sum_us / WAKE_UPS, worst_us, WAKE_UPS);
    if (level != DOCTOR_OK) {
        doctor_advise("the machine is busy or saves power; drivers will not keep their periods");
    }
}

/* ---- Plug-ins -------------------------------------------------------------------------------- */

static void look_at_plugin_folder(struct doctor *doctor, const char *folder, bool wanted)
{
    char pattern[4096];
    struct stat info;
    glob_t paths;

    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        doctor_report(doctor, wanted ? DOCTOR_WARNING : DOCTOR_OK, "no folder for plug-ins: %s",
                      folder);
        if (wanted) {
            doctor_advise("make it, or take it out of TROUPE_PLUGIN_PATH");
        }
        return;
    }
    snprintf(pattern, sizeof pattern, "%s/*.so", folder);
    const bool found = glob(pattern, 0, NULL, &paths) == 0;
    const size_t count = found ? paths.gl_pathc : 0;
    doctor_report(doctor, DOCTOR_OK, "%zu plug-in%s in %s", count, output_plural(count), folder);
    if (found) {
        globfree(&paths);
    }
}

/* Those of the environment, and where they are installed. */
static void look_at_plugins(struct doctor *doctor)
{
    const char *wanted = getenv("TROUPE_PLUGIN_PATH");
    char own[4000];

    while (wanted != NULL && *wanted != '\0') {
        const size_t length = strcspn(wanted, ":");
        char folder[4000];
        snprintf(folder, sizeof folder, "%.*s", (int)length, wanted);
        if (length > 0) {
            look_at_plugin_folder(doctor, folder, true);
        }
        wanted += length + (wanted[length] == ':');
    }
    tpi_plugin_own_folder(own, sizeof own);
    look_at_plugin_folder(doctor, own, false);
}

/* ---- Serial lines ---------------------------------------------------------------------------- */

/* Four of /dev/ttyS* are there whether or not there is hardware behind them. */
static bool is_real(const char *path)
{
    char type_path[128];
    char type[8] = "";

    if (strncmp(path, "/dev/ttyS", 9) != 0) {
        return true;
    }
    snprintf(type_path, sizeof type_path, "/sys/class/tty/%s/type", path + 5);
    FILE *file = fopen(type_path, "r");
    const bool real = file != NULL && fgets(type, sizeof type, file) != NULL && type[0] != '0';
    if (file != NULL) {
        fclose(file);
    }
    return real;
}

/* Asked, not opened: opening resets many a board. */
static void look_at_serial_port(struct doctor *doctor, const char *path)
{
    struct stat info;

    if (access(path, R_OK | W_OK) == 0) {
        doctor_report(doctor, DOCTOR_OK, "%s may be opened", path);
        return;
    }
    doctor_report(doctor, DOCTOR_WARNING, "%s may not be opened by you", path);
    const struct group *group = stat(path, &info) == 0 ? getgrgid(info.st_gid) : NULL;
    doctor_advise("sudo usermod -aG %s $USER, then log in again",
                  group != NULL ? group->gr_name : "dialout");
}

static void look_at_serial_ports(struct doctor *doctor)
{
    static const char *const patterns[] = {"/dev/ttyUSB*", "/dev/ttyACM*", "/dev/ttyAMA*",
                                           "/dev/rfcomm*", "/dev/ttyS*"};
    unsigned found = 0;

    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t paths;
        if (glob(patterns[i], 0, NULL, &paths) != 0) {
            continue;
        }
        for (size_t k = 0; k < paths.gl_pathc; k++) {
            const char *path = paths.gl_pathv[k];
            if (path != NULL && is_real(path)) {
                found++;
                look_at_serial_port(doctor, path);
            }
        }
        globfree(&paths);
    }
    if (found == 0) {
        doctor_report(doctor, DOCTOR_OK, "no serial ports (nothing is plugged in)");
    }
}

/* ---- Guards ---------------------------------------------------------------------------------- */

/* One is started, as for a line, and sent away again. */
static void look_at_guard(struct doctor *doctor)
{
    static tpi_guard_board board;
    char own[4096];
    char program[4096];
    int line[2];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    const int64_t begun_ns = tp_clock_now_ns(tp_clock_real());
    tpi_guard *guard = NULL;
    tp_error err = {0};

    own[length > 0 ? length : 0] = '\0';
    if (pipe(line) != 0) {
        return;
    }
    const tpi_guard_options plan = {.program = tpi_guard_find(own, program, sizeof program),
                                    .board = &board,
                                    .line = line[1],
                                    .url = "doctor",
                                    .bytes = "x",
                                    .length = 1};
    if (tpi_guard_start(&guard, &plan, &err) == TP_OK) {
        const int64_t taken_ns = tp_clock_now_ns(tp_clock_real()) - begun_ns;
        doctor_report(doctor, DOCTOR_OK, "lines can be guarded: %s is ready after %.1f ms",
                      plan.program, (double)taken_ns / 1e6);
    } else {
        doctor_report(doctor, DOCTOR_PROBLEM, "lines cannot be guarded: %s", err.text);
        doctor_advise("install troupe-guard beside troupe, or where programs are searched for");
    }
    tpi_guard_end(guard);
    close(line[0]);
    close(line[1]);
}

/* ---- The terminal ---------------------------------------------------------------------------- */

static void look_at_terminal(struct doctor *doctor)
{
    const char *terminal = getenv("TERM");
    size_t columns;
    size_t lines;

    if (!output_is_terminal()) {
        doctor_report(doctor, DOCTOR_OK,
                      "standard output is no terminal: no colours, no live display");
        return;
    }
    output_size(&columns, &lines);
    doctor_report(doctor, DOCTOR_OK, "terminal %s, %zu columns, %zu lines, %s",
                  terminal != NULL ? terminal : "of an unknown kind", columns, lines,
                  output_style_begin(STYLE_BOLD)[0] != '\0' ? "colours" : "no colours");
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    struct doctor doctor = {{0}};

    if (argc > 0) {
        return command_unexpected(name, argv[0], NULL);
    }
    look_at_program(&doctor);
    look_at_library(&doctor, "libuv", uv_version_string(), TROUPE_UV_VERSION);
    look_at_library(&doctor, "zlib", zlibVersion(), ZLIB_VERSION);
    look_at_limits(&doctor);
    look_at_clock(&doctor);
    look_at_lateness(&doctor);
    doctor_check_sockets(&doctor);
    doctor_check_ports(&doctor);
    look_at_plugins(&doctor);
    look_at_serial_ports(&doctor);
    look_at_guard(&doctor);
    look_at_terminal(&doctor);
    doctor_check_server(&doctor);
    printf("\n%u ok, %u warning%s, %u problem%s\n", doctor.counts[DOCTOR_OK],
           doctor.counts[DOCTOR_WARNING], output_plural(doctor.counts[DOCTOR_WARNING]),
           doctor.counts[DOCTOR_PROBLEM], output_plural(doctor.counts[DOCTOR_PROBLEM]));
    return doctor.counts[DOCTOR_PROBLEM] == 0 ? EXIT_DONE : EXIT_FAILED;
}

const command command_doctor = {
    .name = name,
    .summary = "check what works on this machine, and suggest repairs",
    .help =
        "usage: troupe doctor\n"
        "\n"
        "Checks the program and its libraries, limits, clock, sockets, the ports 6665 to 6669,\n"
        "folders of plug-ins, serial ports, guards of lines, the terminal, and the server that\n"
        "TROUPE_URL names. Each line says ok, warning or problem; the line below it says what to\n"
        "do. Changes nothing. The exit code is 0 if there is no problem.\n",
    .run = run,
};
