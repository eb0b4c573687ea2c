/* play_table.c - troupe play --table: which of Troupe's programs fit which robots. */
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "play.h"
#include "play/bind.h"
#include "play/host/library.h"
#include "universal/host/files.h"

static const char name[] = PLAY_NAME;

/* Why a program does not fit, in a few words: the device or command that is missing. */
static void put_cell(tpi_buf *out, const play_source *source, const char *robot)
{
    tpi_loaded loaded = {0};
    tpi_buf text = {0};
    tp_error err = {0};

    if (tpi_loaded_init(&loaded, robot, NULL, &err) != TP_OK) {
        tpi_buf_puts(out, " ? |");
    } else if (tpi_play_explain(&text, &source->program, loaded.wired, false, &err) == 0) {
        const bool falls_back = strstr(tpi_buf_text(&text), "not on this robot, used") != NULL ||
                                strstr(tpi_buf_text(&text), "; it is of the class ") != NULL;
        tpi_buf_puts(out, falls_back ? " falls back |" : " yes |");
    } else {
        tpi_buf_printf(out, " no %.*s |", (int)strcspn(err.text, ":"), err.text);
    }
    tpi_buf_fini(&text);
    tpi_loaded_fini(&loaded);
}

static int put_row(tpi_buf *out, const char *program, const tpi_buf *robots, unsigned count)
{
    play_source source = {0};
    tp_error err = {0};
    const char *robot = tpi_buf_text(robots);
    int result = EXIT_DONE;

    if (tpi_play_library_read(&source.text, "", program, &err) != TP_OK ||
        tpi_files_vocabulary(&source.vocabulary, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    result = result == EXIT_DONE ? play_source_compile(&source, program) : result;
    if (result == EXIT_DONE) {
        tpi_buf_printf(out, "| `%s` |", program);
        for (unsigned i = 0; i < count; i++, robot += strlen(robot) + 1) {
            put_cell(out, &source, robot);
        }
        tpi_buf_putc(out, '\n');
    }
    play_source_fini(&source);
    return result;
}

int play_table(const play_options *options)
{
    tpi_buf out = {0}, robots = {0}, programs = {0};
    const unsigned robot_count = tpi_files_names(&robots);
    const unsigned program_count = tpi_play_library_names(&programs, "");
    const char *robot = tpi_buf_text(&robots), *program = tpi_buf_text(&programs);
    int result = EXIT_DONE;

    (void)options;
    tpi_buf_puts(&out, "| program |");
    for (unsigned i = 0; i < robot_count; i++, robot += strlen(robot) + 1) {
        tpi_buf_printf(&out, " %s |", robot);
    }
    tpi_buf_puts(&out, "\n|---|");
    for (unsigned i = 0; i < robot_count; i++) {
        tpi_buf_puts(&out, "---|");
    }
    tpi_buf_putc(&out, '\n');
    for (unsigned i = 0; i < program_count && result == EXIT_DONE; i++) {
        result = put_row(&out, program, &robots, robot_count);
        program += strlen(program) + 1;
    }
    tpi_buf_fini(&robots);
    tpi_buf_fini(&programs);
    if (result != EXIT_DONE) {
        tpi_buf_fini(&out);
        return result;
    }
    return command_write(name, &out);
}
