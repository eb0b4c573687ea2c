/* catalogue_test.c - looking interfaces up, and loading more of them from files. */
#include "padi/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/all.h"

enum { LONGEST_PATH = 256, MOST_FILES = 32 };

/* A catalogue, and a folder of its own for interface files. */
struct bench {
    tp_catalogue *catalogue;
    tp_error err;
    char folder[LONGEST_PATH];
    char files[MOST_FILES][2 * LONGEST_PATH]; /* to be removed at the end */
    size_t file_count;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    const char *parent = getenv("TMPDIR");

    assert_non_null(b);
    snprintf(b->folder, sizeof b->folder, "%s/troupe-XXXXXX", parent == NULL ? "/tmp" : parent);
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(tp_catalogue_create(&b->catalogue, &b->err), TP_OK);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tp_catalogue_destroy(b->catalogue);
    for (size_t i = 0; i < b->file_count; i++) {
        remove(b->files[i]);
    }
    rmdir(b->folder);
    free(b);
    return 0;
}

/* The path of a file in the folder. */
static const char *path_of(struct bench *b, const char *name)
{
    char path[sizeof b->files[0]];

    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    for (size_t i = 0; i < b->file_count; i++) {
        if (strcmp(b->files[i], path) == 0) {
            return b->files[i];
        }
    }
    assert_in_range(b->file_count, 0, MOST_FILES - 1);
    return strcpy(b->files[b->file_count++], path);
}

/* Write a file into the folder; its path. */
static const char *write_file(struct bench *b, const char *name, const char *text)
{
    const char *path = path_of(b, name);

    assert_int_equal(tpi_file_write(path, text, strlen(text), NULL), TP_OK);
    return path;
}

static void load(struct bench *b, const char *path)
{
    b->err = (tp_error){0};
    tp_status status = tp_catalogue_load(b->catalogue, path, &b->err);

    assert_string_equal(b->err.text, "");
    assert_int_equal(status, TP_OK);
}

/* Loading fails with the folder and then `error`, and changes nothing. */
static void load_fails(struct bench *b, const char *path, tp_status status, const char *error)
{
    const size_t size = tp_catalogue_size(b->catalogue);
    const tp_interface *known[128];
    char text[sizeof b->err.text];

    assert_in_range(size, 1, 128);
    for (size_t i = 0; i < size; i++) {
        known[i] = tp_catalogue_at(b->catalogue, i);
    }
    assert_int_equal(tp_catalogue_load(b->catalogue, path, &b->err), status);
    snprintf(text, sizeof text, "%s%s", b->folder, error);
    assert_string_equal(b->err.text, text);
    assert_int_equal(b->err.code, status);
    assert_int_equal(tp_catalogue_size(b->catalogue), size);
    for (size_t i = 0; i < size; i++) {
        assert_ptr_equal(tp_catalogue_at(b->catalogue, i), known[i]);
    }
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static void all_built_in_interfaces_are_known_in_the_order_of_their_codes(void **state)
{
    const struct bench *b = *state;
    size_t size = 0;

    while (tpi_builtin_interfaces[size] != NULL) {
        const tp_interface *interface = tpi_builtin_interfaces[size];
        assert_ptr_equal(tp_catalogue_code(b->catalogue, interface->code), interface);
        assert_ptr_equal(tp_catalogue_named(b->catalogue, interface->name), interface);
        size++;
    }
    assert_int_equal(tp_catalogue_size(b->catalogue), size);
    assert_ptr_equal(tp_catalogue_at(b->catalogue, 0), &tp_interface_common);
    for (size_t i = 1; i < size; i++) {
        assert_in_range(tp_catalogue_at(b->catalogue, i)->code,
                        tp_catalogue_at(b->catalogue, i - 1)->code + 1, UINT16_MAX);
    }
    assert_null(tp_catalogue_at(b->catalogue, size));
    assert_null(tp_catalogue_at(b->catalogue, SIZE_MAX));
}

static void interfaces_are_found_by_code_and_by_name_in_any_case(void **state)
{
    const struct bench *b = *state;

    assert_ptr_equal(tp_catalogue_code(b->catalogue, TP_LASER_CODE), &tp_interface_laser);
    assert_ptr_equal(tp_catalogue_named(b->catalogue, "laser"), &tp_interface_laser);
    assert_ptr_equal(tp_catalogue_named(b->catalogue, "Position2D"), &tp_interface_position2d);
    assert_null(tp_catalogue_code(b->catalogue, 9999));
    assert_null(tp_catalogue_code(b->catalogue, 65536 + TP_LASER_CODE));
    assert_null(tp_catalogue_named(b->catalogue, "lasers"));
    assert_null(tp_catalogue_named(b->catalogue, "lase"));
    assert_null(tp_catalogue_named(b->catalogue, ""));
}

static void structs_are_found_by_our_name_and_by_players(void **state)
{
    static const char *const strange[] = {
        "",           "player_",           "player__t",           "laser_data_t",
        "laser_dat",  "player_laser_data", "player_laser_dat_t",  "player_laser_data_tx",
        "Laser_data", "laser_data_",       "tp_laser_data_range",
    };
    const struct bench *b = *state;

    assert_ptr_equal(tp_catalogue_struct(b->catalogue, "laser_data"), &tp_desc_laser_data);
    assert_ptr_equal(tp_catalogue_struct(b->catalogue, "player_laser_data_t"), &tp_desc_laser_data);
    assert_ptr_equal(tp_catalogue_struct(b->catalogue, "player_msghdr_t"), &tp_desc_msghdr);
    assert_ptr_equal(tp_catalogue_struct(b->catalogue, "laser_data_scanpose"),
                     &tp_desc_laser_data_scanpose);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        assert_null(tp_catalogue_struct(b->catalogue, strange[i]));
    }
}

static void messages_are_found_by_interface_kind_and_code(void **state)
{
    const struct bench *b = *state;
    const tp_message *message =
        tp_catalogue_message(b->catalogue, TP_LASER_CODE, TP_KIND_DATA, TP_LASER_DATA_SCANPOSE);

    assert_string_equal(message->name, "SCANPOSE");
    assert_ptr_equal(message->ask, &tp_desc_laser_data_scanpose);
    message = tp_catalogue_message(b->catalogue, TP_LASER_CODE, TP_KIND_REQUEST, 1);
    assert_string_equal(message->name, "GET_GEOM");
    assert_null(tp_catalogue_message(b->catalogue, TP_LASER_CODE, TP_KIND_COMMAND, 1));
    assert_null(tp_catalogue_message(b->catalogue, TP_LASER_CODE, TP_KIND_DATA, 99));
    assert_null(tp_catalogue_message(b->catalogue, TP_LASER_CODE, TP_KIND_DATA, 257));
}

static void common_questions_are_found_for_any_interface(void **state)
{
    const struct bench *b = *state;

    for (size_t i = 0; i < tp_catalogue_size(b->catalogue); i++) {
        const unsigned code = tp_catalogue_at(b->catalogue, i)->code;
        const tp_message *message =
            tp_catalogue_message(b->catalogue, code, TP_KIND_REQUEST, TP_COMMON_REQ_CAPABILITIES);
        assert_ptr_equal(message->ask, &tp_desc_capabilities_req);
        message = tp_catalogue_message(b->catalogue, code, TP_KIND_DATA, TP_COMMON_DATA_GEOMETRY);
        assert_ptr_equal(message->ask, &tp_desc_geometry);
    }
    assert_null(
        tp_catalogue_message(b->catalogue, 9999, TP_KIND_REQUEST, TP_COMMON_REQ_CAPABILITIES));
}

/* ---- Loading --------------------------------------------------------------------------------- */

static const char lamp[] = "interface lamp 205 \"A lamp.\"\n"
                           "struct lamp_cmd \"How bright.\" { level f32 % \"Brightness.\" }\n"
                           "command LEVEL 1 (lamp_cmd) required \"Sets it.\"\n";

static const char lamps[] = "interface lamps 204 \"Many lamps.\"\n"
                            "use lamp use common\n"
                            "struct lamps_cmd \"All of them.\" { all lamp_cmd[3] \"Each.\" }\n"
                            "command LEVELS 7 (lamps_cmd) required \"Sets them.\"\n"
                            "data POSE 1 (pose3d) optional \"Where they are.\"\n";

/* Where an interface stands: behind all with lower codes. */
static size_t position_of(const struct bench *b, unsigned code)
{
    size_t position = 0;

    while (tp_catalogue_at(b->catalogue, position)->code < code) {
        position++;
    }
    return position;
}

static void a_loaded_file_is_known_at_once(void **state)
{
    struct bench *b = *state;
    const size_t size = tp_catalogue_size(b->catalogue);

    load(b, write_file(b, "anything.txt", lamp));
    const tp_interface *interface = tp_catalogue_named(b->catalogue, "LAMP");
    assert_non_null(interface);
    assert_ptr_equal(tp_catalogue_code(b->catalogue, 205), interface);
    assert_int_equal(tp_catalogue_size(b->catalogue), size + 1);
    assert_ptr_equal(tp_catalogue_at(b->catalogue, position_of(b, 205)), interface);
    assert_ptr_equal(tp_catalogue_struct(b->catalogue, "player_lamp_cmd_t"), interface->structs[0]);
    const tp_message *level = tp_catalogue_message(b->catalogue, 205, TP_KIND_COMMAND, 1);
    assert_ptr_equal(level, &interface->messages[0]);
    assert_null(level->call);
    assert_non_null(tp_catalogue_message(b->catalogue, 205, TP_KIND_REQUEST, 255));
}

static void files_are_ordered_by_code_whichever_came_first(void **state)
{
    struct bench *b = *state;
    const size_t size = tp_catalogue_size(b->catalogue);

    load(b, write_file(b, "c.padi", "interface c 300 \"C.\""));
    load(b, write_file(b, "a.padi", "interface a 202 \"A.\""));
    load(b, write_file(b, "b.padi", "interface b 250 \"B.\""));
    assert_string_equal(tp_catalogue_at(b->catalogue, position_of(b, 300))->name, "c");
    assert_string_equal(tp_catalogue_at(b->catalogue, position_of(b, 250))->name, "b");
    assert_string_equal(tp_catalogue_at(b->catalogue, position_of(b, 202))->name, "a");
    for (size_t i = 1; i < size + 3; i++) {
        assert_true(tp_catalogue_at(b->catalogue, i - 1)->code <
                    tp_catalogue_at(b->catalogue, i)->code);
    }
}

static void a_used_file_is_found_beside_the_one_that_uses_it(void **state)
{
    struct bench *b = *state;
    const size_t size = tp_catalogue_size(b->catalogue);

    write_file(b, "lamp.padi", lamp);
    load(b, write_file(b, "lamps.padi", lamps));
    assert_int_equal(tp_catalogue_size(b->catalogue), size + 2);
    const tp_interface *one = tp_catalogue_named(b->catalogue, "lamp");
    const tp_interface *many = tp_catalogue_named(b->catalogue, "lamps");
    assert_ptr_equal(many->structs[0]->fields[0].of, one->structs[0]);
    assert_ptr_equal(many->messages[1].ask, &tp_desc_pose3d);
    assert_int_equal(many->structs[0]->size, 12);
}

static void a_used_file_may_be_in_the_current_folder(void **state)
{
    struct bench *b = *state;
    char before[LONGEST_PATH];

    write_file(b, "lamp.padi", lamp);
    write_file(b, "lamps.padi", lamps);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(b->folder), 0);
    tp_status status = tp_catalogue_load(b->catalogue, "lamps.padi", &b->err);
    assert_int_equal(chdir(before), 0);
    assert_string_equal(b->err.text, "");
    assert_int_equal(status, TP_OK);
}

static void what_is_known_is_used_before_files_are(void **state)
{
    struct bench *b = *state;

    write_file(b, "common.padi", "this is no interface file");
    write_file(b, "lamp.padi", "nor is this");
    load(b, write_file(b, "lamp.txt", lamp));
    load(b, write_file(b, "lamps.padi", lamps));
    assert_non_null(tp_catalogue_named(b->catalogue, "lamps"));
}

static void a_second_load_of_a_file_is_refused(void **state)
{
    struct bench *b = *state;
    const char *path = write_file(b, "lamp.padi", lamp);

    load(b, path);
    load_fails(b, path, TP_E_EXISTS, "/lamp.padi: there is an interface lamp already");
}

static void a_code_or_name_that_is_taken_is_refused(void **state)
{
    struct bench *b = *state;

    load_fails(b, write_file(b, "a.padi", "interface a 200 \"A.\""), TP_E_EXISTS,
               "/a.padi: interface a has the code 200 of mobile");
    load_fails(b, write_file(b, "laser.padi", "interface laser 206 \"B.\""), TP_E_EXISTS,
               "/laser.padi: there is an interface laser already");
    load_fails(b, write_file(b, "mobile.padi", "interface mobile 200 \"M.\""), TP_E_EXISTS,
               "/mobile.padi: there is an interface mobile already");
    assert_ptr_equal(tp_catalogue_named(b->catalogue, "laser"), &tp_interface_laser);
    assert_null(tp_catalogue_code(b->catalogue, 206));
}

static void codes_below_200_are_refused(void **state)
{
    struct bench *b = *state;

    load_fails(
        b, write_file(b, "a.padi", "interface a 6 \"A.\""), TP_E_SYNTAX,
        "/a.padi:1:13: codes below 200 are Player's and Troupe's; yours go from 200 to 65535");
    load_fails(
        b, write_file(b, "c.padi", "interface c 0 \"C.\""), TP_E_SYNTAX,
        "/c.padi:1:13: codes below 200 are Player's and Troupe's; yours go from 200 to 65535");
}

static void a_type_that_another_interface_has_is_refused(void **state)
{
    struct bench *b = *state;

    load_fails(b,
               write_file(b, "pose2d.padi",
                          "interface pose2d 206 \"P.\" struct pose2d \"P.\" { a u8 1 \"A.\" }"),
               TP_E_EXISTS, "/pose2d.padi: interface pose2d has a type pose2d, which is common's");
    load_fails(b,
               write_file(b, "data.padi",
                          "interface data 206 \"P.\" enum data_mode \"P.\" { DATA_A = 1 \"A.\" }"),
               TP_E_EXISTS, "/data.padi: interface data has a type data_mode, which is player's");
}

static void a_file_that_fails_takes_along_those_it_uses(void **state)
{
    struct bench *b = *state;
    char error[2 * LONGEST_PATH];

    write_file(b, "lamp.padi", lamp);
    load_fails(b, write_file(b, "a.padi", "interface a 207 \"A.\" use lamp\nstruct a"), TP_E_SYNTAX,
               "/a.padi:2:9: expected a sentence in quotes, found the end of the file");
    load_fails(b, write_file(b, "b.padi", "interface b 200 \"B.\" use lamp"), TP_E_EXISTS,
               "/b.padi: interface b has the code 200 of mobile");
    write_file(b, "second.padi", "interface second 200 \"S.\" use lamp");
    snprintf(error, sizeof error,
             "/c.padi:1:26: %s/second.padi: interface second has the code 200 "
             "of mobile",
             b->folder);
    load_fails(b, write_file(b, "c.padi", "interface c 208 \"C.\" use second"), TP_E_SYNTAX, error);
    assert_null(tp_catalogue_named(b->catalogue, "lamp"));
}

static void an_error_in_a_used_file_is_told_where_it_is(void **state)
{
    struct bench *b = *state;

    write_file(b, "lamp.padi", "interface lamp 205 \"A lamp.\"\n   struct lamp_cmd {");
    load_fails(b, write_file(b, "lamps.padi", lamps), TP_E_SYNTAX,
               "/lamp.padi:2:20: expected a sentence in quotes, found \"{\"");
}

static void files_that_are_missing_are_told(void **state)
{
    struct bench *b = *state;
    char error[2 * LONGEST_PATH];

    load_fails(b, path_of(b, "nowhere.padi"), TP_E_IO, "/nowhere.padi: No such file or directory");
    snprintf(error, sizeof error, "/lamps.padi:2:5: %s/lamp.padi: No such file or directory",
             b->folder);
    load_fails(b, write_file(b, "lamps.padi", lamps), TP_E_SYNTAX, error);
}

static void a_file_has_to_describe_what_it_is_named_after(void **state)
{
    static const char error[] =
        "/lamp.padi:1:11: interface torch must be in torch.padi, not in lamp.padi";
    struct bench *b = *state;

    load_fails(b, write_file(b, "lamp.padi", "interface torch 205 \"A torch.\""), TP_E_SYNTAX,
               error);
    load_fails(b, write_file(b, "lamps.padi", lamps), TP_E_SYNTAX, error);
}

static void files_that_use_one_another_in_a_circle_are_refused(void **state)
{
    struct bench *b = *state;

    write_file(b, "egg.padi", "interface egg 210 \"An egg.\"\nuse hen");
    load_fails(b, write_file(b, "hen.padi", "interface hen 211 \"A hen.\" use egg"), TP_E_SYNTAX,
               "/hen.padi:1:32: use is nested more than 16 deep, or in a circle");
    load_fails(b, write_file(b, "self.padi", "interface self 212 \"I.\" use self"), TP_E_SYNTAX,
               "/self.padi:1:29: use is nested more than 16 deep, or in a circle");
}

static void files_may_use_one_another_16_deep(void **state)
{
    struct bench *b = *state;
    char name[32];
    char text[128];

    for (int i = 0; i < 17; i++) {
        snprintf(name, sizeof name, "f%d.padi", i);
        snprintf(text, sizeof text, "interface f%d %d \"F.\" use f%d", i, 300 + i, i + 1);
        write_file(b, name, text);
    }
    write_file(b, "f17.padi", "interface f17 317 \"F.\"");
    load_fails(b, path_of(b, "f0.padi"), TP_E_SYNTAX,
               "/f16.padi:1:28: use is nested more than 16 deep, or in a circle");
    load(b, path_of(b, "f1.padi"));
    assert_non_null(tp_catalogue_named(b->catalogue, "f17"));
    load(b, path_of(b, "f0.padi"));
}

/* ---- Little memory --------------------------------------------------------------------------- */

static tp_status create_and_destroy(void *context)
{
    tp_catalogue *catalogue = NULL;
    tp_error err = {0};

    (void)context;
    tp_status status = tp_catalogue_create(&catalogue, &err);
    if (status != TP_OK) {
        assert_string_equal(err.text, "out of memory");
        assert_null(catalogue);
    }
    tp_catalogue_destroy(catalogue);
    return status;
}

static void creating_with_little_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    memory_sweep(create_and_destroy, NULL);
}

static tp_status load_and_destroy(void *context)
{
    struct bench *b = context;
    tp_catalogue *catalogue = NULL;
    tp_error err = {0};
    tp_status status = tp_catalogue_create(&catalogue, &err);

    if (status == TP_OK) {
        const size_t size = tp_catalogue_size(catalogue);
        status = tp_catalogue_load(catalogue, path_of(b, "lamps.padi"), &err);
        assert_int_equal(tp_catalogue_size(catalogue), status == TP_OK ? size + 2 : size);
    }
    if (status == TP_E_NOMEM) {
        assert_non_null(strstr(err.text, "out of memory"));
    }
    tp_catalogue_destroy(catalogue);
    return status;
}

static void loading_with_little_memory_leaves_nothing_behind(void **state)
{
    struct bench *b = *state;

    write_file(b, "lamp.padi", lamp);
    write_file(b, "lamps.padi", lamps);
    memory_sweep(load_and_destroy, b);
}

static void the_table_grows_as_files_are_loaded(void **state)
{
    struct bench *b = *state;
    const size_t size = tp_catalogue_size(b->catalogue);
    char text[64];

    for (unsigned i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "interface i%u %u \"I.\"", i, 1000 - i);
        load(b, write_file(b, "one", text));
    }
    assert_int_equal(tp_catalogue_size(b->catalogue), size + 100);
    assert_string_equal(tp_catalogue_at(b->catalogue, size)->name, "i99");
    assert_string_equal(tp_catalogue_at(b->catalogue, size + 99)->name, "i0");
}

static void a_compiled_interface_is_added_as_it_is(void **state)
{
    static const tp_interface vane = {.name = "vane", .code = 212, .doc = "The wind."};
    static const tp_interface other = {.name = "other", .code = 212, .doc = "The same code."};
    static const tp_interface low = {.name = "low", .code = 199, .doc = "Not its own code."};
    struct bench *b = *state;

    assert_int_equal(tp_catalogue_add(b->catalogue, &vane, &b->err), TP_OK);
    assert_ptr_equal(tp_catalogue_named(b->catalogue, "vane"), &vane);
    assert_ptr_equal(tp_catalogue_code(b->catalogue, 212), &vane);
    assert_int_equal(tp_catalogue_add(b->catalogue, &vane, &b->err), TP_E_EXISTS);
    assert_string_equal(b->err.text, "there is an interface vane already");
    assert_int_equal(tp_catalogue_add(b->catalogue, &other, &b->err), TP_E_EXISTS);
    assert_string_equal(b->err.text, "interface other has the code 212 of vane");
    assert_int_equal(tp_catalogue_add(b->catalogue, &low, &b->err), TP_E_INVALID);
    assert_string_equal(b->err.text, "interface low has a code below 200, which is not its own");
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    tp_catalogue_destroy(NULL);
}

#define ON_A_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_BENCH(all_built_in_interfaces_are_known_in_the_order_of_their_codes),
        ON_A_BENCH(interfaces_are_found_by_code_and_by_name_in_any_case),
        ON_A_BENCH(structs_are_found_by_our_name_and_by_players),
        ON_A_BENCH(messages_are_found_by_interface_kind_and_code),
        ON_A_BENCH(common_questions_are_found_for_any_interface),
        ON_A_BENCH(a_loaded_file_is_known_at_once),
        ON_A_BENCH(files_are_ordered_by_code_whichever_came_first),
        ON_A_BENCH(a_used_file_is_found_beside_the_one_that_uses_it),
        ON_A_BENCH(a_used_file_may_be_in_the_current_folder),
        ON_A_BENCH(what_is_known_is_used_before_files_are),
        ON_A_BENCH(a_second_load_of_a_file_is_refused),
        ON_A_BENCH(a_code_or_name_that_is_taken_is_refused),
        ON_A_BENCH(codes_below_200_are_refused),
        ON_A_BENCH(a_type_that_another_interface_has_is_refused),
        ON_A_BENCH(a_file_that_fails_takes_along_those_it_uses),
        ON_A_BENCH(an_error_in_a_used_file_is_told_where_it_is),
        ON_A_BENCH(files_that_are_missing_are_told),
        ON_A_BENCH(a_file_has_to_describe_what_it_is_named_after),
        ON_A_BENCH(files_that_use_one_another_in_a_circle_are_refused),
        ON_A_BENCH(files_may_use_one_another_16_deep),
        cmocka_unit_test(creating_with_little_memory_leaves_nothing_behind),
        ON_A_BENCH(loading_with_little_memory_leaves_nothing_behind),
        ON_A_BENCH(the_table_grows_as_files_are_loaded),
        ON_A_BENCH(a_compiled_interface_is_added_as_it_is),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
