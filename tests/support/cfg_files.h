/* cfg_files.h - configuration files in a temporary folder of their own, for tests of src/convert.
 */
#ifndef TROUPE_TESTS_CFG_FILES_H
#define TROUPE_TESTS_CFG_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/cfg.h"
#include "support/unit.h"

struct bench {
    char folder[1024];
    char path[1200]; /* of the main file */
    tpi_buf files;   /* names of the files that were written, each with a NUL */
    tpi_cfg *cfg;
    tpi_buf notes;
    tpi_buf tree;
    char folders[2400]; /* to look for files in; "" for none */
    tp_error err;
};

/* Valid until the next call. */
static inline const char *in_folder(const struct bench *b, const char *name)
{
    static char path[1200];
    int length = snprintf(path, sizeof path, "%s/%s", b->folder, name);

    assert_in_range(length, 1, sizeof path - 1);
    return path;
}

/* A folder with the folders "sub" and "lib" in it. */
static inline struct bench *bench_create(const char *main_file)
{
    struct bench *b = calloc(1, sizeof *b);
    const char *base = getenv("TMPDIR");

    assert_non_null(b);
    int length = snprintf(b->folder, sizeof b->folder, "%s/troupe-cfg-XXXXXX",
                          base != NULL && base[0] == '/' ? base : "/tmp");
    assert_in_range(length, 1, sizeof b->folder - 1);
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(mkdir(in_folder(b, "sub"), 0700), 0);
    assert_int_equal(mkdir(in_folder(b, "lib"), 0700), 0);
    (void)snprintf(b->path, sizeof b->path, "%s", in_folder(b, main_file));
    return b;
}

static inline int tear_down(void **state)
{
    struct bench *b = *state;

    for (size_t at = 0; at < b->files.length; at += strlen(b->files.data + at) + 1) {
        unlink(in_folder(b, b->files.data + at));
    }
    assert_int_equal(rmdir(in_folder(b, "sub")), 0);
    assert_int_equal(rmdir(in_folder(b, "lib")), 0);
    assert_int_equal(rmdir(b->folder), 0);
    tpi_cfg_destroy(b->cfg);
    tpi_buf_fini(&b->files);
    tpi_buf_fini(&b->notes);
    tpi_buf_fini(&b->tree);
    free(b);
    return 0;
}

static inline void file(struct bench *b, const char *name, const char *text)
{
    assert_int_equal(tpi_file_write(in_folder(b, name), text, strlen(text), &b->err), TP_OK);
    tpi_buf_put(&b->files, name, strlen(name) + 1);
}

#endif
