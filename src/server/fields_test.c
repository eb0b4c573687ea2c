/*
 * fields_test.c - every field of every kind of section, from the tables themselves.
 *
 * Each field stands in a file with its first example, and then with its second one. A field that is
 * read and not compared would let the reload say that nothing has changed.
 */
#include "server/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "support/unit.h"

/* ---- Drivers that take every field ----------------------------------------------------------- */

static tp_status refuse(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s", what->name);
}

static tp_status any_init(tp_instance *self, tp_error *err)
{
    tp_status status = TP_OK;
    tp_link *link = NULL;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, tp_provides_interface(self, i), NULL, NULL, refuse, NULL, err);
    }
    for (size_t i = 0; i < tp_requires_count(self) && status == TP_OK; i++) {
        status = tp_require(self, tp_requires_interface(self, i), NULL, &link, err);
    }
    return status;
}

static const tp_param any_params[] = {
    {"port", "line", "script:none", "a line, so that there can be a guard"},
    {NULL, NULL, NULL, NULL},
};
static const tp_driver_ops any_ops = {.init = any_init};
static const tp_driver fake = {
    .abi = TP_DRIVER_ABI, .name = "fake", .params = any_params, .ops = &any_ops};
static const tp_driver dummy = {
    .abi = TP_DRIVER_ABI, .name = "dummy", .params = any_params, .ops = &any_ops};
static const tp_driver *const drivers[] = {&fake, &dummy, NULL};

static tp_status open_nothing(tp_front_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    return TP_OK;
}

static void close_nothing(tp_front_instance *self)
{
    (void)self;
}

static unsigned no_port(const tp_front_instance *self)
{
    (void)self;
    return 0;
}

static const char *const schemes[] = {"tcp", "unix", NULL};
static const tp_front player = {.abi = TP_FRONT_ABI,
                                .name = "player",
                                .schemes = schemes,
                                .open = open_nothing,
                                .close = close_nothing,
                                .bound = no_port};
static const tp_front lines = {.abi = TP_FRONT_ABI,
                               .name = "lines",
                               .schemes = schemes,
                               .open = open_nothing,
                               .close = close_nothing,
                               .bound = no_port};
static const tp_front *const fronts[] = {&player, &lines, NULL};
static tp_kit kit; /* the full one with these fronts */

/* ---- Files ----------------------------------------------------------------------------------- */

static char folder[64];
static char path[128];
static char notes[4096];

static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"lamp.padi", "interface lamp 220 \"A lamp.\"\n"},
    {"horn.padi", "interface horn 221 \"A horn.\"\n"},
    {"robot.keys", "anna move horse\n"},
    {"other.keys", "anna move battery\n"},
};

static const char *path_of(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_files(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/troupe-fields-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *file = fopen(path_of(files[i].name), "w");
        assert_non_null(file);
        assert_true(fputs(files[i].text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(chmod(path_of(files[i].name), S_IRUSR | S_IWUSR), 0);
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        unlink(path_of(files[i].name));
    }
    return rmdir(folder);
}

/* ---- A configuration with one field ---------------------------------------------------------- */

/* A field under test, or none. */
struct subject {
    const struct section_kind *kind;
    const struct section_field *field;
    const char *value; /* NULL to leave it out */
};

/* What a section of a kind has to have, and the field under test. */
static void put_fields(tpi_buf *out, const struct section_kind *kind, const struct subject *s)
{
    for (const struct section_field *field = kind->fields; field->name != NULL; field++) {
        if (field == s->field && s->value != NULL) {
            tpi_buf_printf(out, "  %s %s\n", field->name, s->value);
        } else if (field != s->field && (field->flags & FIELD_REQUIRED) != 0) {
            tpi_buf_printf(out, "  %s %s\n", field->name, field->examples[0]);
        }
    }
}

static void put_section(tpi_buf *out, const struct section_kind *kind, const struct subject *s)
{
    tpi_buf_printf(out, "%s\n(\n", kind->type);
    put_fields(out, kind, s);
    tpi_buf_puts(out, ")\n");
}

/* A driver with a place in the units of the file, beside one that provides what others require. */
static const char *write_file(tpi_buf *out, const struct subject *s)
{
    const bool inside = s->kind == &tpi_geometry_section || s->kind == &tpi_writer_section;

    if (s->kind == &tpi_top_section) {
        put_fields(out, s->kind, s);
    } else if (s->kind == &tpi_interface_section || s->kind == &tpi_front_section) {
        put_section(out, s->kind, s);
    }
    for (size_t i = 0; fronts[i] != NULL && s->kind == &tpi_front_section; i++) {
        tpi_buf_printf(out, "front ( name \"%s\" enabled no )\n", fronts[i]->name); /* by default */
    }
    if (s->kind == &tpi_front_section) {
        tpi_buf_puts(out, "driver ( name \"fake\" provides [ \"6666:laser:7\" ] )\n");
    }
    tpi_buf_puts(out, "driver\n(\n");
    put_fields(out, &tpi_driver_section, s);
    if (s->kind == &tpi_geometry_section && strcmp(s->field->name, "device") != 0) {
        tpi_buf_printf(out, "geometry ( device \"laser:0\" %s %s )\n", s->field->name, s->value);
    } else if (inside) {
        put_section(out, s->kind, s);
    } else if (s->kind == &tpi_top_section) {
        tpi_buf_puts(out, "geometry ( device \"laser:0\" pose [ 1 0 90 ] )\n");
    }
    tpi_buf_puts(out, ")\ndriver ( name \"fake\" provides [ \"laser:7\" \"laser:8\" ] )\n");
    return tpi_buf_text(out);
}

static void keep(void *context, const char *note)
{
    const size_t length = strlen(notes);

    (void)context;
    snprintf(notes + length, sizeof notes - length, "%s\n", note);
}

static tp_status create(tp_server **out, const char *text, tp_error *err)
{
    kit = tp_full_kit;
    kit.fronts = fronts;
    const tp_server_options options = {.kit = &kit,
                                       .drivers = drivers,
                                       .path = path_of("x.cfg"),
                                       .text = text,
                                       .listen = "",
                                       .program = "troupe",
                                       .note = keep};

    return tp_server_create(out, &options, err);
}

/* Read a file that becomes another one; what the reload says is in `notes`. */
static void change(const char *before, const char *after)
{
    const size_t size = strlen(before) + strlen(after) + 1;
    char *text = calloc(1, size);
    tp_server *server = NULL;
    tp_error err = {0};

    assert_non_null(text);
    memcpy(text, before, strlen(before));
    if (create(&server, text, &err) != TP_OK) {
        fail_msg("%s\n%s", err.text, before);
    }
    notes[0] = '\0';
    memcpy(text, after, strlen(after) + 1);
    if (tp_server_reload(server, &err) != TP_OK) {
        fail_msg("%s\n%s", err.text, after);
    }
    tp_server_destroy(server);
    free(text);
}

/* Each field of each kind. */
static void for_each_field(void (*look)(const struct section_kind *kind,
                                        const struct section_field *field))
{
    for (const struct section_kind *const *kind = tpi_section_kinds; *kind != NULL; kind++) {
        for (const struct section_field *field = (*kind)->fields; field->name != NULL; field++) {
            look(*kind, field);
        }
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void look_at_change(const struct section_kind *kind, const struct section_field *field)
{
    const struct subject first = {kind, field, field->examples[0]};
    const struct subject second = {kind, field, field->examples[1]};
    tpi_buf before = {0};
    tpi_buf after = {0};

    write_file(&before, &first);
    write_file(&after, &second);
    change(tpi_buf_text(&before), tpi_buf_text(&before));
    if (strstr(notes, "nothing has changed") == NULL) {
        fail_msg("%s %s: a file that stays the same has changed: %s", kind->type, field->name,
                 notes);
    }
    change(tpi_buf_text(&before), tpi_buf_text(&after));
    if (notes[0] == '\0' || strstr(notes, "nothing has changed") != NULL) {
        fail_msg("%s %s: a reload does not notice that %s becomes %s", kind->type, field->name,
                 field->examples[0], field->examples[1]);
    }
    tpi_buf_fini(&before);
    tpi_buf_fini(&after);
}

static void a_reload_notices_every_field(void **state)
{
    (void)state;
    for_each_field(look_at_change);
}

static void look_at_need(const struct section_kind *kind, const struct section_field *field)
{
    const struct subject without = {kind, field, NULL};
    tpi_buf text = {0};
    tp_server *server = NULL;
    tp_error err = {0};

    if ((field->flags & FIELD_REQUIRED) != 0) {
        if (create(&server, write_file(&text, &without), &err) == TP_OK) {
            fail_msg("%s %s: a section without it is accepted", kind->type, field->name);
        }
        assert_non_null(strchr(err.text, ':')); /* with its place */
    }
    tpi_buf_fini(&text);
}

static void a_section_without_a_required_field_is_refused(void **state)
{
    (void)state;
    for_each_field(look_at_need);
}

/* The list for people is the same, in the same order. */
static size_t listed;

static void look_at_list(const struct section_kind *kind, const struct section_field *field)
{
    tp_server_field out = {0};

    assert_true(tp_server_field_at(listed++, &out));
    assert_string_equal(out.section, kind->type);
    assert_string_equal(out.name, field->name);
    assert_true(strlen(out.help) > 8);
    assert_true(strlen(out.value) > 3);
    assert_string_not_equal(out.example, out.other_example);
    assert_ptr_equal(tpi_fields_find(kind, field->name), field); /* and no other of that name */
}

static void every_field_is_listed_for_people(void **state)
{
    tp_server_field out;

    (void)state;
    listed = 0;
    for_each_field(look_at_list);
    assert_false(tp_server_field_at(listed, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reload_notices_every_field),
        cmocka_unit_test(a_section_without_a_required_field_is_refused),
        cmocka_unit_test(every_field_is_listed_for_people),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
