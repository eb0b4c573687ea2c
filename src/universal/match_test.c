/*
 * match_test.c - which device a program's classes mean: the table of tests/data/universal.
 *
 * Each row of matching.txt is a wish and what it gets. The same wishes on robots whose devices
 * stand in another order get the same, unless the match says that only the order decided.
 */
#include <ctype.h>

#include "support/random.h"
#include "support/universal.h"

enum { FEWEST_ROWS = 60, SHUFFLES = 10000, COLUMNS = 8 };

static const char frame[] =
    "<robot version=\"1\" name=\"%s\" title=\"T\"><link kind=\"tcp\"/><stop send=\"00\"/>%s"
    "<translate command=\"ReadAnalog\" type=\"Analog_Input\" send=\"01\" reply=\"{v:u8}\" "
    "result=\"v\"><example/>"
    "</translate>"
    "<translate command=\"ReadDigital\" type=\"Digital_Input\" send=\"02\" reply=\"{v:u8}\" "
    "result=\"v\"><example/>"
    "</translate>"
    "<translate command=\"ReadCount\" type=\"Input\" send=\"03\" reply=\"{v:u16le}\" "
    "result=\"v\"><example/>"
    "</translate>"
    "<translate command=\"WriteAnalog\" type=\"Analog_Output\" send=\"04 "
    "{value:s8}\"><example/></translate>"
    "<translate command=\"WriteDigital\" type=\"Digital_Output\" send=\"05 "
    "{value:u8}\"><example/></translate>"
    "</robot>";

/* ---- Robots ---- */

/* The text of the elements <device/> of one robot of robots.xml. */
static void devices_of(tpi_buf *out, const char *all, const char *name)
{
    char open[40], close[40];

    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *start = strstr(all, open), *end = start != NULL ? strstr(start, close) : NULL;
    assert_non_null(end);
    tpi_buf_put(out, start + strlen(open), (size_t)(end - start) - strlen(open));
}

static tpi_robotfile *make_robot(const tpi_vocabulary *vocabulary, const char *name,
                                 const char *devices)
{
    tpi_buf text = {0};

    tpi_buf_printf(&text, frame, name, devices);
    tpi_robotfile *robot = universal_robot(vocabulary, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return robot;
}

static tpi_robotfile *robot_named(const tpi_vocabulary *vocabulary, const char *name)
{
    tpi_buf all = {0}, devices = {0};

    if (strcmp(name, "nxt") == 0) {
        return universal_file(vocabulary, "robots/nxt.xml");
    }
    universal_text(&all, "tests/data/universal/robots.xml");
    devices_of(&devices, tpi_buf_text(&all), name);
    tpi_robotfile *robot = make_robot(vocabulary, name, tpi_buf_text(&devices));
    tpi_buf_fini(&all);
    tpi_buf_fini(&devices);
    return robot;
}

/* ---- Rows ---- */

struct row {
    char cells[COLUMNS][120];
};

static void read_row(struct row *row, const char *line, size_t length)
{
    unsigned column = 0;

    memset(row, 0, sizeof *row);
    for (size_t at = 0; at <= length && column < COLUMNS; column++) {
        size_t end = at;
        while (end < length && line[end] != '|') {
            end++;
        }
        size_t first = at, last = end;
        while (first < last && isspace((unsigned char)line[first])) {
            first++;
        }
        while (last > first && isspace((unsigned char)line[last - 1])) {
            last--;
        }
        snprintf(row->cells[column], sizeof row->cells[column], "%.*s", (int)(last - first),
                 line + first);
        at = end + 1;
    }
}

static bool is_given(const char *cell)
{
    return cell[0] != '\0' && strcmp(cell, "-") != 0;
}

/* The state of a program, for rows with +. */
struct program {
    tpi_vocabulary *vocabulary;
    tpi_robotfile *robot;
    tpi_wired *wired;
    tpi_registry registry;
};

static void end_program(struct program *p)
{
    tpi_registry_fini(&p->registry);
    tpi_wired_destroy(p->wired);
    tpi_robotfile_destroy(p->robot);
    p->wired = NULL;
    p->robot = NULL;
}

static void begin_program(struct program *p, const struct row *row)
{
    const char *wiring = row->cells[1];
    const bool is_file = strstr(wiring, ".xml") != NULL;
    tpi_buf text = {0};
    char path[200];
    tp_error err = {0};

    end_program(p);
    p->robot = robot_named(p->vocabulary, row->cells[0]);
    if (is_file) {
        snprintf(path, sizeof path, "tests/data/universal/%s", wiring);
        universal_text(&text, path);
    }
    p->wired = universal_wired(p->robot, is_file ? tpi_buf_text(&text) : NULL);
    tpi_buf_fini(&text);
    if (strchr(wiring, '=') != NULL) {
        assert_int_equal(tpi_wired_map(p->wired, wiring, &err), TP_OK);
    }
    memset(&p->registry, 0, sizeof p->registry);
    tpi_registry_init(&p->registry, p->wired, strcmp(wiring, "loose") == 0);
}

/* ---- Checks ---- */

static const char *remarks_of(char *out, size_t size, const tpi_match *match, bool is_loose)
{
    static const char *const origins[] = {"", "parent ", "command ", "map ", "wiring "};

    snprintf(out, size, "%s%s%s%s%s%s", match->part >= 0 ? origins[match->origin] : "",
             match->is_inverted ? "inverted " : "", match->is_shared ? "shared " : "",
             match->is_percent_only ? "percent " : "", match->missed_id ? "missed " : "",
             is_loose ? "loose " : "");
    const size_t length = strlen(out);
    if (length > 0) {
        out[length - 1] = '\0';
    }
    return out;
}

static void compare(const struct program *p, const struct row *row, const tpi_match *match,
                    const char *line)
{
    const char *device = match->part >= 0 ? p->wired->parts[match->part].device->name : "-";
    char remarks[80];

    if (strcmp(device, row->cells[5]) != 0 ||
        (match->part >= 0 && strcmp(match->word.text, row->cells[6]) != 0 &&
         !tpi_word_equal(match->word.text, row->cells[6]))) {
        const tpi_word expected = {row->cells[6],
                                   tpi_vocabulary_find(p->vocabulary, row->cells[6])};
        if (strcmp(device, row->cells[5]) != 0 || !tpi_word_same(&expected, &match->word)) {
            fail_msg("%.*s: got %s by %s", (int)strcspn(line, "\n"), line, device,
                     match->word.text);
        }
    }
    remarks_of(remarks, sizeof remarks, match, strcmp(row->cells[1], "loose") == 0);
    if (strcmp(remarks, row->cells[7]) != 0) {
        fail_msg("%.*s: remarks are \"%s\"", (int)strcspn(line, "\n"), line, remarks);
    }
}

static void check_row(struct program *p, const struct row *row, const char *line)
{
    const tpi_command command = tpi_dictionary_named(row->cells[2]);
    const int id = is_given(row->cells[4]) ? atoi(row->cells[4]) : -1;
    tp_error err = {0};

    assert_int_not_equal(command, TPI_COMMANDS);
    if (!is_given(row->cells[3])) {
        compare(p, row, tpi_registry_default(&p->registry, command, id), line);
        return;
    }
    const int port = tpi_registry_declare(&p->registry, row->cells[3], id, command, &err);
    const tpi_match none = {.part = -1, .word = {"-", -1}};
    compare(p, row, port >= 0 ? &p->registry.ports[port].match : &none, line);
    if (port < 0) {
        assert_int_equal(err.code, TP_E_UNKNOWN);
        assert_non_null(strstr(err.text, "not on this robot"));
    } else {
        assert_non_null(strstr(p->registry.ports[port].explanation, " → "));
    }
}

static void every_row_of_the_table_holds(void **state)
{
    struct program p = {.vocabulary = universal_vocabulary()};
    tpi_buf text = {0};
    unsigned rows = 0;

    (void)state;
    universal_text(&text, "tests/data/universal/matching.txt");
    for (const char *line = tpi_buf_text(&text); *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        struct row row;
        if (length > 0 && *line != '#') {
            read_row(&row, line, length);
            if (strcmp(row.cells[0], "+") != 0) {
                begin_program(&p, &row);
            } else {
                snprintf(row.cells[1], sizeof row.cells[1], "-");
            }
            check_row(&p, &row, line);
            rows++;
        }
        line += length + (line[length] == '\n');
    }
    assert_true(rows >= FEWEST_ROWS);
    end_program(&p);
    tpi_vocabulary_destroy(p.vocabulary);
    tpi_buf_fini(&text);
}

/* ---- Order ---- */

enum { MOST_LINES = 24 };

static const char *const shuffled[] = {
    "<device name=\"A\" type=\"Analog_Input\" classes=\"Light Sensor, Analog_Input, Input\" "
    "base=\"ReadAnalog\" id=\"0\"/>",
    "<device name=\"B\" type=\"Analog_Input\" classes=\"Light Sensor, Analog_Input, Input\" "
    "base=\"ReadAnalog\" id=\"1\"/>",
    "<device name=\"C\" type=\"Analog_Input\" classes=\"Sound Sensor, Intensity Sensor, "
    "Analog_Input, Input\" base=\"ReadAnalog\" id=\"0\"/>",
    "<device name=\"D\" type=\"Digital_Input\" classes=\"Bump Sensor, Digital_Input, Input\" "
    "base=\"ReadDigital\" id=\"0\"/>",
    "<device name=\"E\" type=\"Digital_Input\" classes=\"PIR Sensor, Digital_Input, Input\" "
    "base=\"ReadDigital\" id=\"0\"/>",
    "<device name=\"F\" type=\"Input\" classes=\"Ultrasonic Sensor, Count_Input, Input\" "
    "base=\"ReadCount\" id=\"0\"/>",
    "<device name=\"G\" type=\"Analog_Output\" classes=\"Left Wheel, LocoMotor, Motor, "
    "Analog_Output, Output\" base=\"WriteAnalog\" signed=\"yes\" id=\"0\"/>",
    "<device name=\"H\" type=\"Analog_Output\" classes=\"Right Wheel, LocoMotor, Motor, "
    "Analog_Output, Output\" base=\"WriteAnalog\" signed=\"yes\" id=\"1\"/>",
    "<device name=\"I\" type=\"Digital_Output\" classes=\"LED, Indicator, Digital_Output, Output\" "
    "base=\"WriteDigital\" id=\"0\"/>",
    "<device name=\"J\" type=\"Digital_Output\" classes=\"Gripper, Digital_Output, Output\" "
    "base=\"WriteDigital\"/>",
    "<device name=\"K\" type=\"Digital_Output\" classes=\"Gripper, Digital_Output, Output\" "
    "base=\"WriteDigital\"/>",
};
enum { DEVICES = sizeof shuffled / sizeof shuffled[0] };

static const struct {
    tpi_command command;
    const char *classes;
    int id;
} wishes[] = {
    {TPI_READ_ANALOG, "Light Sensor", -1},     {TPI_READ_ANALOG, "Light Sensor", 1},
    {TPI_READ_ANALOG, "Intensity Sensor", -1}, {TPI_READ_ANALOG, "Light Sensor, Sound", 5},
    {TPI_READ_DIGITAL, "Obstacle Sensor", -1}, {TPI_READ_COUNT, "Distance Sensor", -1},
    {TPI_READ_ANALOG, "Analog_Input", -1},     {TPI_READ_GENERIC, "Input", -1},
    {TPI_MOVE_POWER, "Left Wheel", -1},        {TPI_MOVE_POWER, "Motor", -1},
    {TPI_MOVE_POWER, "LocoMotor", 1},          {TPI_INDICATE_TRIGGER, "Indicator", -1},
    {TPI_WRITE_DIGITAL, "Gripper", -1},        {TPI_WRITE_DIGITAL, "Digital_Output", -1},
    {TPI_WRITE_ANALOG, "Heater", -1},          {TPI_READ_DIGITAL, "Button, Digital_Input", -1},
};
enum { WISHES = sizeof wishes / sizeof wishes[0] };

struct found {
    char device[8];
    bool is_tie;
};

static void find_all(const tpi_vocabulary *vocabulary, const unsigned *order,
                     struct found out[WISHES])
{
    tpi_buf text = {0};

    for (unsigned i = 0; i < DEVICES; i++) {
        tpi_buf_puts(&text, shuffled[order[i]]);
    }
    tpi_robotfile *robot = make_robot(vocabulary, "x", tpi_buf_text(&text));
    tpi_wired *wired = universal_wired(robot, NULL);
    for (unsigned i = 0; i < WISHES; i++) {
        tpi_arena arena = {0};
        tpi_classes classes = {0};
        assert_int_equal(tpi_classes_read(&classes, vocabulary, &arena, wishes[i].classes), TP_OK);
        const tpi_match_wish wish = {&classes, wishes[i].id, wishes[i].command, false};
        const tpi_match match = tpi_match_find(wired, &wish, NULL);
        snprintf(out[i].device, sizeof out[i].device, "%s",
                 match.part >= 0 ? wired->parts[match.part].device->name : "-");
        out[i].is_tie = match.is_tie;
        tpi_arena_fini(&arena);
    }
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_buf_fini(&text);
}

static void the_order_in_the_file_does_not_matter(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    struct found first[WISHES], found[WISHES];
    unsigned order[DEVICES], ties = 0;
    random_source random = {.state = 14};

    (void)state;
    for (unsigned i = 0; i < DEVICES; i++) {
        order[i] = i;
    }
    find_all(vocabulary, order, first);
    for (unsigned i = 0; i < WISHES; i++) {
        ties += first[i].is_tie;
    }
    assert_in_range(ties, 1, WISHES / 2);
    for (unsigned turn = 0; turn < SHUFFLES; turn++) {
        for (unsigned i = DEVICES - 1; i > 0; i--) {
            const unsigned other = (unsigned)random_below(&random, i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        find_all(vocabulary, order, found);
        for (unsigned i = 0; i < WISHES; i++) {
            assert_int_equal(found[i].is_tie, first[i].is_tie);
            if (!first[i].is_tie) {
                assert_string_equal(found[i].device, first[i].device);
            }
        }
    }
    tpi_vocabulary_destroy(vocabulary);
}

/* ---- Sentences ---- */

static void a_match_is_explained(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = robot_named(vocabulary, "nxt");
    tpi_wired *wired = universal_wired(robot, NULL);
    tpi_registry *r = calloc(1, sizeof *r);
    tp_error err = {0};

    (void)state;
    assert_non_null(r);
    tpi_registry_init(r, wired, false);
    assert_int_equal(tpi_registry_declare(r, "Light Sensor", -1, TPI_READ_ANALOG, &err), 0);
    assert_string_equal(r->ports[0].explanation, "\"Light Sensor\" → Light Sensor, port 3");
    assert_int_equal(
        tpi_registry_declare(r, "PIR Sensor\nDistance Sensor", -1, TPI_READ_COUNT, &err), 1);
    assert_string_equal(r->ports[1].explanation,
                        "\"PIR Sensor\" → not on this robot, used Distance Sensor → Ultrasonic "
                        "Sensor, port 4; inverted, since high means the opposite");
    assert_int_equal(tpi_registry_declare(r, "Gripper", -1, TPI_WRITE_DIGITAL, &err), -1);
    assert_string_equal(err.text,
                        "\"Gripper\" → not on this robot (nxt), and nothing that may stand for "
                        "it; --loose would use Motor");
    assert_int_equal(tpi_registry_declare(r, "Light Senser", -1, TPI_READ_ANALOG, &err), -1);
    assert_string_equal(err.text,
                        "\"Light Senser\" → not on this robot (nxt), and nothing that may "
                        "stand for it; did you mean \"Light Sensor\"?; --loose would use "
                        "Sound Sensor");
    tpi_registry_fini(r);
    free(r);
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

static bool is_no_left_wheel(void *context, const tpi_part *part)
{
    (*(unsigned *)context)++;
    return strcmp(part->device->name, "Left Wheel") != 0;
}

static void what_is_left_out_is_not_found(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_robotfile *robot = robot_named(vocabulary, "nxt");
    tpi_wired *wired = universal_wired(robot, NULL);
    const unsigned before = wired->part_count;
    unsigned asked = 0;
    tp_error err = {.text = ""};

    (void)state;
    assert_int_equal(tpi_wired_map(wired, "Lamp=Left Wheel", &err), TP_OK);
    assert_int_equal(tpi_wired_map(wired, "Eye=Light Sensor", &err), TP_OK);
    tpi_wired_leave_out(wired, is_no_left_wheel, &asked);
    assert_int_equal(asked, before);
    assert_int_equal(wired->part_count, before - 2); /* and Both Wheels */
    assert_int_equal(tpi_wired_part(wired, "Left Wheel", -1), -1);
    assert_int_equal(tpi_wired_part(wired, "Both Wheels", -1), -1);
    assert_int_equal(wired->bound_count, 1);
    const int eye = tpi_wired_part(wired, "Light Sensor", -1);
    assert_int_equal(wired->bound[0].part, eye);
    assert_int_equal(tpi_wired_route(wired, TPI_READ_ANALOG, eye)->way, TPI_WAY_DIRECT);
    tpi_wired_destroy(wired);
    tpi_robotfile_destroy(robot);
    tpi_vocabulary_destroy(vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_table_holds),
        cmocka_unit_test(the_order_in_the_file_does_not_matter),
        cmocka_unit_test(a_match_is_explained),
        cmocka_unit_test(what_is_left_out_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
