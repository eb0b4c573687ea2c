/* host_test.c - worlds in a process: what errors and notes say, steps, and threads. */
#include "sim/host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static char folder[] = "/tmp/troupe-host-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove(folder);
}

static void write_world(char path[64], const char *text)
{
    snprintf(path, 64, "%s/x.world", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

struct notes {
    char last[256];
    unsigned count;
};

static void keep_note(void *context, const char *text)
{
    struct notes *notes = context;

    snprintf(notes->last, sizeof notes->last, "%s", text);
    notes->count++;
}

static void errors_and_notes_begin_with_their_place(void **state)
{
    (void)state;
    struct notes notes = {.count = 0};
    const tpi_sim_host_options options = {
        .seed = 1, .threads = 2, .note = keep_note, .context = &notes};
    tpi_sim_host host = {0};
    tp_error err = {0};
    char path[64];
    char place[96];

    write_world(path, "name \"x\"\nmodel ( sice [1 1 1] )\n");
    assert_int_equal(tpi_sim_host_load(&host, path, &options, &err), TP_OK);
    assert_int_equal(notes.count, 1);
    snprintf(place, sizeof place, "%s:2:", path);
    assert_memory_equal(notes.last, place, strlen(place));
    tpi_sim_host_fini(&host);

    write_world(path, "name \"x\"\nmodel ( size [1 1 nonsense] )\n");
    assert_int_not_equal(tpi_sim_host_load(&host, path, &options, &err), TP_OK);
    assert_memory_equal(err.text, place, strlen(place));
    tpi_sim_host_fini(&host);
    assert_null(host.world);
    remove(path);
}

static void a_host_without_a_listener_takes_notes(void **state)
{
    (void)state;
    const tpi_sim_host_options options = {.seed = 1, .threads = 1};
    tpi_sim_host host = {0};
    char path[64];

    write_world(path, "model ( sice [1 1 1] )\n");
    assert_int_equal(tpi_sim_host_load(&host, path, &options, NULL), TP_OK);
    host.note(host.note_context, "somebody says something");
    tpi_sim_host_fini(&host);
    remove(path);
}

static uint64_t hash_after_steps(const char *path, uint32_t threads)
{
    const tpi_sim_host_options options = {.seed = 7, .threads = threads};
    tpi_sim_host host = {0};

    assert_int_equal(tpi_sim_host_load(&host, path, &options, NULL), TP_OK);
    for (int i = 0; i < 50; i++) {
        tpi_sim_host_step(&host);
    }
    assert_int_equal(tpi_sim_time_us(host.world), 50 * tpi_sim_interval_us(host.world));
    const uint64_t hash = tpi_sim_hash(host.world);
    tpi_sim_host_fini(&host);
    return hash;
}

static void threads_do_not_change_results(void **state)
{
    (void)state;
    char path[64];

    write_world(path, "define r position ( ctrl \"wander\" ranger ( sensor ( samples 16 ) ) )\n"
                      "r ( pose [0 0 0 10] ) r ( pose [2 0 0 50] ) r ( pose [0 2 0 200] )\n"
                      "model ( pose [4 0 0 0] size [1 8 1] )\n");
    assert_int_equal(hash_after_steps(path, 1), hash_after_steps(path, 3));
    remove(path);
}

static void our_folders_are_searched_after_the_users(void **state)
{
    (void)state;
    char own[4096];
    tpi_buf path = {0};

    assert_true(tpi_sim_own_folder(own, sizeof own, 0));
    assert_int_equal(setenv("STAGEPATH", "/a", 1), 0);
    assert_int_equal(setenv("TROUPE_WORLD_PATH", "/b:/c", 1), 0);
    tpi_sim_folders(&path, NULL);
    assert_memory_equal(tpi_buf_text(&path), "/a:/b:/c", strlen("/a:/b:/c"));
    assert_null(strstr(tpi_buf_text(&path), ".."));
    tpi_buf_clear(&path);
    tpi_sim_folders(&path, "w/x.world");
    assert_memory_equal(tpi_buf_text(&path), "/a:/b:/c:w/..:w/../..",
                        strlen("/a:/b:/c:w/..:w/../.."));
    tpi_buf_clear(&path);
    tpi_sim_folders(&path, "x.world");
    assert_memory_equal(tpi_buf_text(&path), "/a:/b:/c:..:../..", strlen("/a:/b:/c:..:../.."));
    tpi_buf_fini(&path);
    unsetenv("STAGEPATH");
    unsetenv("TROUPE_WORLD_PATH");
}

/* Only what is not there is looked for. */
static void worlds_are_found_in_these_folders(void **state)
{
    char file[64], folders[96];
    tpi_buf path = {0};

    (void)state;
    snprintf(folders, sizeof folders, "/nowhere::%s", folder);
    write_world(file, "name \"found\"\n");
    const char *name = strrchr(file, '/') + 1;
    tpi_buf_puts(&path, "/nowhere/x.world");
    assert_false(tpi_sim_find_world(&path, name));
    assert_int_equal(setenv("TROUPE_WORLD_PATH", folders, 1), 0);
    assert_false(tpi_sim_find_world(&path, file)); /* it is absolute */
    assert_string_equal(tpi_buf_text(&path), "/nowhere/x.world");
    assert_true(tpi_sim_find_world(&path, name));
    assert_string_equal(tpi_buf_text(&path), file);
    assert_false(tpi_sim_find_world(&path, "office.world")); /* there is one already */
    unsetenv("TROUPE_WORLD_PATH");
    tpi_buf_fini(&path);
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_notes_begin_with_their_place),
        cmocka_unit_test(a_host_without_a_listener_takes_notes),
        cmocka_unit_test(threads_do_not_change_results),
        cmocka_unit_test(our_folders_are_searched_after_the_users),
        cmocka_unit_test(worlds_are_found_in_these_folders),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
