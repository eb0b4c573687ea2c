/* file_test.c - whole files in and out, in a temporary folder of their own. */
#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/memory.h"

struct bench {
    char folder[1024];
    char path[1100]; /* of a file in it, which does not exist yet */
    tpi_buf out;
    tp_error err;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    const char *base = getenv("TMPDIR");

    assert_non_null(b);
    int length = snprintf(b->folder, sizeof b->folder, "%s/troupe-file-XXXXXX",
                          base != NULL && base[0] == '/' ? base : "/tmp");
    assert_in_range(length, 1, sizeof b->folder - 1);
    assert_non_null(mkdtemp(b->folder));
    length = snprintf(b->path, sizeof b->path, "%s/file", b->folder);
    assert_in_range(length, 1, sizeof b->path - 1);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    unlink(b->path);
    assert_int_equal(rmdir(b->folder), 0);
    tpi_buf_fini(&b->out);
    free(b);
    return 0;
}

/* Expect the error "path: reason", cut as tp_fail cuts it. */
static void assert_error(const struct bench *b, tp_status code, const char *path,
                         const char *reason)
{
    tp_error wanted;

    tp_fail(&wanted, code, "%s: %s", path, reason);
    assert_int_equal(b->err.code, code);
    assert_string_equal(b->err.text, wanted.text);
}

static void write_file(struct bench *b, const void *bytes, size_t length)
{
    assert_int_equal(tpi_file_write(b->path, bytes, length, &b->err), TP_OK);
}

static void assert_file_holds(struct bench *b, const void *bytes, size_t length)
{
    tpi_buf_clear(&b->out);
    assert_int_equal(tpi_file_read(&b->out, b->path, length, &b->err), TP_OK);
    assert_int_equal(b->out.length, length);
    assert_memory_equal(tpi_buf_text(&b->out), bytes, length);
}

static void what_is_written_is_read_back(void **state)
{
    struct bench *b = *state;

    write_file(b, "a\0b\r\n\xff", 6);
    assert_file_holds(b, "a\0b\r\n\xff", 6);
}

static void a_file_of_many_blocks_is_read_back(void **state)
{
    enum { SIZE = 100001 };
    struct bench *b = *state;
    unsigned char *bytes = malloc(SIZE);

    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    }
    write_file(b, bytes, SIZE);
    assert_file_holds(b, bytes, SIZE);
    free(bytes);
}

static void an_empty_file_is_a_file(void **state)
{
    struct bench *b = *state;

    for (int round = 0; round < 2; round++) {
        write_file(b, NULL, 0);
        assert_int_equal(access(b->path, F_OK), 0);
        assert_file_holds(b, "", 0);
    }
}

static void reading_appends(void **state)
{
    struct bench *b = *state;

    write_file(b, "file", 4);
    tpi_buf_puts(&b->out, "before ");
    assert_int_equal(tpi_file_read(&b->out, b->path, 4, &b->err), TP_OK);
    assert_string_equal(tpi_buf_text(&b->out), "before file");
}

static void a_missing_file_is_told_by_name(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tpi_file_read(&b->out, b->path, 10, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, b->path, "No such file or directory");
    assert_int_equal(b->out.length, 0);
    assert_int_equal(tpi_file_read(&b->out, b->path, 10, NULL), TP_E_IO);
}

static void a_folder_is_no_file(void **state)
{
    struct bench *b = *state;

    assert_int_equal(tpi_file_read(&b->out, b->folder, 10, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, b->folder, "Is a directory");
    assert_int_equal(tpi_file_write(b->folder, "x", 1, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, b->folder, "Is a directory");
}

/* Nobody writes into the pipe: reading it would never end. */
static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    struct bench *b = *state;
    char pipe[sizeof b->folder + 8];
    tpi_buf out = {0};

    (void)snprintf(pipe, sizeof pipe, "%s/pipe", b->folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(tpi_file_read(&out, pipe, 100, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, pipe, "it is a pipe, not a regular file");
    assert_int_equal(tpi_file_read(&out, "/dev/zero", 100, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, "/dev/zero", "it is a device, not a regular file");
    assert_int_equal(out.length, 0);
    assert_true(tpi_file_exists(pipe));
    assert_int_equal(unlink(pipe), 0);
    assert_false(tpi_file_exists(pipe));
    tpi_buf_fini(&out);
}

static void a_file_up_to_the_limit_is_read_and_beyond_it_refused(void **state)
{
    struct bench *b = *state;

    write_file(b, "12345", 5);
    assert_int_equal(tpi_file_read(&b->out, b->path, 5, &b->err), TP_OK);
    assert_int_equal(tpi_file_read(&b->out, b->path, 4, &b->err), TP_E_LIMIT);
    assert_error(b, TP_E_LIMIT, b->path, "longer than 4 bytes");
    assert_int_equal(tpi_file_read(&b->out, b->path, 0, &b->err), TP_E_LIMIT);
    assert_error(b, TP_E_LIMIT, b->path, "longer than 0 bytes");
    assert_int_equal(tpi_file_read(&b->out, b->path, 0, NULL), TP_E_LIMIT);
}

static void the_limit_holds_behind_the_first_block_too(void **state)
{
    struct bench *b = *state;
    char *bytes = calloc(1, 40000);

    assert_non_null(bytes);
    write_file(b, bytes, 40000);
    assert_int_equal(tpi_file_read(&b->out, b->path, 39999, &b->err), TP_E_LIMIT);
    assert_error(b, TP_E_LIMIT, b->path, "longer than 39999 bytes");
    assert_file_holds(b, bytes, 40000);
    free(bytes);
}

static void writing_replaces_all_there_was(void **state)
{
    static const char *const texts[] = {"long text", "long", "", "long text", "long test"};
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_file(b, texts[i], strlen(texts[i]));
        assert_file_holds(b, texts[i], strlen(texts[i]));
    }
}

static void an_unchanged_file_keeps_its_modification_time(void **state)
{
    const struct timespec then[2] = {{.tv_sec = 1000000000, .tv_nsec = 5000},
                                     {.tv_sec = 1000000000, .tv_nsec = 5000}};
    struct bench *b = *state;
    struct stat found;

    write_file(b, "same", 4);
    assert_int_equal(utimensat(AT_FDCWD, b->path, then, 0), 0);
    write_file(b, "same", 4);
    assert_int_equal(stat(b->path, &found), 0);
    assert_int_equal(found.st_mtim.tv_sec, 1000000000);
    assert_int_equal(found.st_mtim.tv_nsec, 5000);
}

static void a_file_that_cannot_be_made_is_told_by_name(void **state)
{
    struct bench *b = *state;
    char path[1200];

    int length = snprintf(path, sizeof path, "%s/no/file", b->folder);
    assert_in_range(length, 1, sizeof path - 1);
    assert_int_equal(tpi_file_write(path, "x", 1, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, path, "No such file or directory");
    assert_int_equal(tpi_file_write(path, "x", 1, NULL), TP_E_IO);
}

static void a_full_disk_is_told(void **state)
{
    struct bench *b = *state;
    char bytes[10000] = {1};

    if (access("/dev/full", W_OK) != 0) {
        fail_msg("this needs /dev/full, which every Linux has");
    }
    assert_int_equal(tpi_file_write("/dev/full", bytes, 1, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, "/dev/full", "cannot write: No space left on device");
    assert_int_equal(tpi_file_write("/dev/full", bytes, sizeof bytes, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, "/dev/full", "cannot write: No space left on device");
}

static void a_dash_reads_standard_input(void **state)
{
    struct bench *b = *state;

    write_file(b, "piped", 5);
    assert_non_null(freopen(b->path, "rb", stdin));
    assert_int_equal(tpi_file_read(&b->out, "-", 5, &b->err), TP_OK);
    assert_string_equal(tpi_buf_text(&b->out), "piped");
    assert_non_null(freopen(b->path, "rb", stdin));
    assert_int_equal(tpi_file_read(&b->out, "-", 4, &b->err), TP_E_LIMIT);
    assert_error(b, TP_E_LIMIT, "standard input", "longer than 4 bytes");
}

static void writing_to_a_dash_leaves_standard_input_alone(void **state)
{
    struct bench *b = *state;
    int here = open(".", O_RDONLY);

    assert_true(here >= 0);
    write_file(b, "piped", 5);
    assert_non_null(freopen(b->path, "rb", stdin));
    assert_int_equal(chdir(b->folder), 0);
    tp_status status = tpi_file_write("-", "piped", 5, &b->err);
    bool made = unlink("-") == 0;
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_int_equal(status, TP_OK);
    assert_true(made);
    assert_int_equal(getchar(), 'p');
}

static tp_status read_again(void *context)
{
    struct bench *b = context;
    tpi_buf out = {0};
    tp_error err = {0};
    tp_status status = tpi_file_read(&out, b->path, 1 << 20, &err);

    b->err = err;
    if (status != TP_OK) {
        assert_error(b, TP_E_NOMEM, b->path, "out of memory");
    }
    tpi_buf_fini(&out);
    return status;
}

static void reading_tells_when_memory_runs_out(void **state)
{
    struct bench *b = *state;
    char *bytes = calloc(1, 70000);

    assert_non_null(bytes);
    write_file(b, bytes, 70000);
    memory_sweep(read_again, b);
    free(bytes);
}

/* Without memory for the comparison the file is just written. */
static void writing_needs_no_memory(void **state)
{
    struct bench *b = *state;
    const long before = memory_live();

    write_file(b, "old", 3);
    memory_fail_at(1);
    tp_status status = tpi_file_write(b->path, "new", 3, &b->err);
    const bool failed = memory_has_failed();
    memory_fail_at(0);
    assert_true(failed);
    assert_int_equal(status, TP_OK);
    assert_int_equal(memory_live(), before);
    assert_file_holds(b, "new", 3);
}

static void a_kept_file_is_replaced_at_once_and_only_its_owner_reads_it(void **state)
{
    struct bench *b = *state;
    char fresh[1200];
    struct stat info;

    (void)snprintf(fresh, sizeof fresh, "%s.new", b->path);
    assert_int_equal(tpi_file_keep(b->path, "old", 3, &b->err), TP_OK);
    assert_int_equal(tpi_file_keep(b->path, "new one", 7, &b->err), TP_OK);
    assert_int_equal(stat(b->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(tpi_file_read(&b->out, b->path, 100, &b->err), TP_OK);
    assert_string_equal(tpi_buf_text(&b->out), "new one");
    assert_int_not_equal(stat(fresh, &info), 0);
}

static void a_file_that_cannot_be_kept_stays_as_it_was(void **state)
{
    struct bench *b = *state;
    char fresh[1200];

    (void)snprintf(fresh, sizeof fresh, "%s.new", b->path);
    assert_int_equal(tpi_file_keep(b->path, "old", 3, &b->err), TP_OK);
    assert_int_equal(mkdir(fresh, 0700), 0); /* in the way */
    assert_int_equal(tpi_file_keep(b->path, "new", 3, &b->err), TP_E_IO);
    assert_error(b, TP_E_IO, fresh, "Is a directory");
    assert_int_equal(rmdir(fresh), 0);
    assert_int_equal(tpi_file_read(&b->out, b->path, 100, &b->err), TP_OK);
    assert_string_equal(tpi_buf_text(&b->out), "old");
}

int main(void)
{
#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_kept_file_is_replaced_at_once_and_only_its_owner_reads_it),
        BENCH_TEST(a_file_that_cannot_be_kept_stays_as_it_was),
        BENCH_TEST(what_is_written_is_read_back),
        BENCH_TEST(a_file_of_many_blocks_is_read_back),
        BENCH_TEST(an_empty_file_is_a_file),
        BENCH_TEST(reading_appends),
        BENCH_TEST(a_missing_file_is_told_by_name),
        BENCH_TEST(a_folder_is_no_file),
        BENCH_TEST(what_is_no_regular_file_is_refused_at_once),
        BENCH_TEST(a_file_up_to_the_limit_is_read_and_beyond_it_refused),
        BENCH_TEST(the_limit_holds_behind_the_first_block_too),
        BENCH_TEST(writing_replaces_all_there_was),
        BENCH_TEST(an_unchanged_file_keeps_its_modification_time),
        BENCH_TEST(a_file_that_cannot_be_made_is_told_by_name),
        BENCH_TEST(a_full_disk_is_told),
        BENCH_TEST(a_dash_reads_standard_input),
        BENCH_TEST(writing_to_a_dash_leaves_standard_input_alone),
        BENCH_TEST(reading_tells_when_memory_runs_out),
        BENCH_TEST(writing_needs_no_memory),
    };
#undef BENCH_TEST

    return cmocka_run_group_tests_name("base/file", tests, NULL, NULL);
}
