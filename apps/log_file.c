/* log_file.c - recordings as files: see log.h. */
#include <errno.h>
#include <string.h>

#include "log.h"

static const char name[] = "log";

bool log_ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);

    return length >= end && strcmp(text + length - end, ending) == 0;
}

static tp_status read_at(void *context, uint64_t at, void *bytes, size_t length, tp_error *err)
{
    FILE *file = context;

    if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(bytes, 1, length, file) != length) {
        return tp_fail(err, TP_E_IO, "cannot read %zu bytes at byte %llu", length,
                       (unsigned long long)at);
    }
    return TP_OK;
}

int log_file_open(struct log_file *file, const char *path)
{
    tp_error err = {.text = ""};

    *file = (struct log_file){.file = fopen(path, "rb")};
    if (file->file == NULL) {
        return command_fail(name, EXIT_FAILED, "%s: %s", path, strerror(errno));
    }
    const off_t size = fseeko(file->file, 0, SEEK_END) == 0 ? ftello(file->file) : -1;
    if (size < 0) {
        log_file_close(file);
        return command_fail(name, EXIT_FAILED, "%s: not a regular file", path);
    }
    file->source = (tpi_log_source){.context = file->file, .size = (uint64_t)size, .read = read_at};
    if (tpi_log_reader_open(&file->reader, &file->source, &err) != TP_OK) {
        log_file_close(file);
        return command_fail(name, EXIT_FAILED, "%s: %s", path, err.text);
    }
    return EXIT_DONE;
}

void log_file_close(struct log_file *file)
{
    tpi_log_reader_close(file->reader);
    if (file->file != NULL) {
        (void)fclose(file->file);
    }
    *file = (struct log_file){0};
}

tp_status log_file_sink(void *context, const void *bytes, size_t length, tp_error *err)
{
    FILE *file = context;

    if (fwrite(bytes, 1, length, file) != length || fflush(file) != 0) {
        return tp_fail(err, TP_E_IO, "%s", strerror(errno));
    }
    return TP_OK;
}

int log_file_create(FILE **out, const char *path, bool force)
{
    *out = fopen(path, force ? "wb" : "wbx");
    if (*out == NULL) {
        return command_fail(name, EXIT_FAILED, "%s: %s%s", path, strerror(errno),
                            errno == EEXIST ? "; --force replaces it" : "");
    }
    return EXIT_DONE;
}

int log_read_paths(int argc, char **argv, const char **in, const char **out, bool *force,
                   tpi_log_locale *locale)
{
    for (int i = 0; i < argc; i++) {
        if (out != NULL && (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--out") == 0)) {
            *out = command_value(name, argc, argv, &i);
            if (*out == NULL) {
                return EXIT_USAGE;
            }
        } else if (force != NULL && strcmp(argv[i], "--force") == 0) {
            *force = true;
        } else if (locale != NULL && strcmp(argv[i], "--locale") == 0) {
            const char *language = command_value(name, argc, argv, &i);

            if (language == NULL || !log_locale_named(language, locale)) {
                return command_fail(name, EXIT_USAGE, "--locale is a language such as en or de");
            }
        } else if (argv[i][0] == '-' || *in != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            *in = argv[i];
        }
    }
    return *in != NULL ? EXIT_DONE : command_fail(name, EXIT_USAGE, "which recording?");
}
