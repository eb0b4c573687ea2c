/* log_record_options.c - the command line of troupe log; see log_record.h. */
#include <string.h>

#include "log_record.h"

static const char name[] = "log";

/* The name of the file tells what is written; a name without an ending is a recording. */
static int check_kind(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *ending = strrchr(slash == NULL ? path : slash, '.');

    return ending == NULL || strcmp(ending, ".mcap") == 0 || strcmp(ending, ".csv") == 0
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE,
                              "%s: a recording is .mcap, a table .csv; there is no \"%s\"", path,
                              ending);
}

static int read_named(struct record *r, const char *option, const char *value)
{
    if (strcmp(option, "--form") == 0) {
        r->form = strcmp(value, "xdr") == 0 ? TPI_LOG_XDR : TPI_LOG_JSON;
        return strcmp(value, "xdr") == 0 || strcmp(value, "json") == 0
                   ? EXIT_DONE
                   : command_fail(name, EXIT_USAGE, "--form is json or xdr, not \"%s\"", value);
    }
    if (strcmp(option, "--compression") == 0) {
        r->compression = strcmp(value, "none") == 0
                             ? TPI_MCAP_PLAIN
                             : tpi_mcap_compression_named(value, strlen(value));
        return r->compression != TPI_MCAP_COMPRESSIONS && value[0] != '\0'
                   ? EXIT_DONE
                   : command_fail(name, EXIT_USAGE,
                                  "--compression is lz4, zstd or none, not \"%s\"", value);
    }
    if (strcmp(option, "--locale") == 0) {
        return log_locale_named(value, &r->locale)
                   ? EXIT_DONE
                   : command_fail(name, EXIT_USAGE, "--locale is a language such as en or de");
    }
    if (strcmp(option, "--start") == 0) {
        return log_condition_read(&r->start, option, value);
    }
    if (strcmp(option, "--end") == 0 || strcmp(option, "--when") == 0) {
        return log_condition_read(option[2] == 'e' ? &r->end : &r->when, option, value);
    }
    if (strcmp(option, "--experiment") == 0) {
        r->experiment_path = value;
        return EXIT_DONE;
    }
    if (strcmp(option, "--plot") == 0) {
        r->plot = value;
        return log_check_picture(value);
    }
    r->out = value;
    return check_kind(value);
}

static int read_option(struct record *r, int argc, char **argv, int *i)
{
    static const char *const options[] = {"--out",    "--for",   "--count",      "--rate",
                                          "--form",   "--force", "--quiet",      "--compression",
                                          "--locale", "--plot",  "--start",      "--end",
                                          "--when",   "--every", "--experiment", NULL};
    static const char *const named[] = {"--out",    "-o",           "--form",  "--compression",
                                        "--locale", "--plot",       "--start", "--end",
                                        "--when",   "--experiment", NULL};
    const char *option = argv[*i];

    if (remote_has_option(option)) {
        return remote_option(&r->remote, argc, argv, i);
    }
    if (strcmp(option, "--for") == 0) {
        return command_positive(name, argc, argv, i, &r->for_s);
    }
    if (strcmp(option, "--rate") == 0 || strcmp(option, "--every") == 0) {
        const int result = command_positive(name, argc, argv, i, &r->rate_hz);

        r->rate_hz = option[2] == 'e' && result == EXIT_DONE ? 1 / r->rate_hz : r->rate_hz;
        return result;
    }
    if (strcmp(option, "--count") == 0 || strcmp(option, "-n") == 0) {
        return command_whole(name, argc, argv, i, &r->most);
    }
    if (strcmp(option, "--force") == 0 || strcmp(option, "--quiet") == 0) {
        *(option[2] == 'f' ? &r->force : &r->quiet) = true;
        return EXIT_DONE;
    }
    for (size_t k = 0; named[k] != NULL; k++) {
        if (strcmp(option, named[k]) == 0) {
            const char *value = command_value(name, argc, argv, i);

            return value == NULL ? EXIT_USAGE : read_named(r, option, value);
        }
    }
    return remote_unexpected(&r->remote, option, options);
}

int log_record_options(struct record *r, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (argv[i][0] == '-') {
            result = read_option(r, argc, argv, &i);
        } else if (r->wanted_count == sizeof r->wanted / sizeof *r->wanted) {
            result =
                command_fail(name, EXIT_USAGE, "too many devices; without any, all are recorded");
        } else {
            result = remote_read_server(&r->remote, argv[i], &r->wanted[r->wanted_count++]);
        }
    }
    return result;
}
