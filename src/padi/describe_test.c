/* describe_test.c - interfaces described for people, and for programs as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "padi/catalogue.h"
#include "padi/parse.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/common.h"
#include "troupe/interfaces/laser.h"

/* An interface with one of everything. */
static const char oven_padi[] =
    "interface oven 220 \"Bakes \\\"bread\\\".\"\n"
    "use common\n"
    "constant OVEN_SHELVES = 4 \"Most shelves.\"\n"
    "flags oven_lamps \"Lamps that shine.\" { OVEN_LAMP_ON = 1 \"On.\" OVEN_LAMP_HOT = -2 \"Hot.\" "
    "}\n"
    "enum oven_door \"The door.\" { OVEN_OPEN = 0 \"Open.\" }\n"
    "struct oven_shelf \"One shelf.\" {\n"
    "    load f64[2] kg \"Left and right.\"\n"
    "}\n"
    "struct oven_data \"What it does.\" {\n"
    "    lamps i8 flags oven_lamps \"Its lamps.\"\n"
    "    door u8 enum oven_door \"Its door.\"\n"
    "    shelves_count u32 count \"Number of shelves.\"\n"
    "    shelves oven_shelf[shelves_count max OVEN_SHELVES] \"The shelves.\"\n"
    "    name_count u32 count \"Length of the name.\"\n"
    "    name char[name_count] \"Its name.\"\n"
    "    slide pose2d[2] /s \"How its trays move.\"\n"
    "}\n"
    "data STATE 1 (oven_data) required \"How it is.\"\n"
    "command BAKE 2 () required moves \"Bakes.\"\n"
    "request SHELF 3 (oven_shelf) -> (oven_data) extension \"Asks one thing, answers another.\"\n"
    "request POSE 4 () -> (pose3d) optional reads \"Where it is.\"\n"
    "request CLEAN 5 () -> () optional \"Cleans.\"\n"
    "synch DONE 6 () optional \"The bread is done.\"\n";

static const char oven_text[] =
    "oven, code 220\n"
    "Bakes \"bread\".\n"
    "\n"
    "Messages\n"
    "  data     STATE 1  required   reads   (oven_data)\n"
    "      How it is.\n"
    "  command  BAKE 2   required   moves   ()\n"
    "      Bakes.\n"
    "  request  SHELF 3  extension  writes  (oven_shelf) -> (oven_data)\n"
    "      Asks one thing, answers another.\n"
    "  request  POSE 4   optional   reads   () -> (pose3d (common))\n"
    "      Where it is.\n"
    "  request  CLEAN 5  optional   writes  () -> ()\n"
    "      Cleans.\n"
    "  synch    DONE 6   optional   reads   ()\n"
    "      The bread is done.\n"
    "\n"
    "oven_shelf\n"
    "  One shelf.\n"
    "    load  f64[2]  kg  Left and right.\n"
    "\n"
    "oven_data\n"
    "  What it does.\n"
    "    lamps          i8                               oven_lamps  Its lamps.\n"
    "    door           u8                               oven_door   Its door.\n"
    "    shelves_count  u32                              count       Number of shelves.\n"
    "    shelves        oven_shelf[shelves_count max 4]              The shelves.\n"
    "    name_count     u32                              count       Length of the name.\n"
    "    name           char[name_count]                             Its name.\n"
    "    slide          pose2d[2] (common)               /s          How its trays move.\n"
    "\n"
    "oven_lamps (flags)\n"
    "  Lamps that shine.\n"
    "    OVEN_LAMP_ON    1  On.\n"
    "    OVEN_LAMP_HOT  -2  Hot.\n"
    "\n"
    "oven_door\n"
    "  The door.\n"
    "    OVEN_OPEN  0  Open.\n"
    "\n"
    "Constants\n"
    "    OVEN_SHELVES  4  Most shelves.\n";

/* ---- Helpers --------------------------------------------------------------------------------- */

static const tp_interface *find_common(void *context, const char *name, tp_error *err)
{
    (void)context;
    (void)name;
    (void)err;
    return &tp_interface_common;
}

static void parse(tpi_padi *padi, const char *text)
{
    const tpi_padi_scope scope = {.find = find_common};
    tp_error err = {0};

    tpi_padi_parse(padi, "x", text, strlen(text), &scope, &err);
    assert_string_equal(err.text, "");
}

/* The value at "structs.0.name" and the like: names of members and places in arrays. */
static tpi_json_span look_up(const char *text, const char *path)
{
    tpi_json_span value = {text, strlen(text)};

    while (*path != '\0') {
        const size_t length = strcspn(path, ".");
        const unsigned long wanted = strtoul(path, NULL, 10);
        tpi_json_span name = {"", 0};
        tpi_json json;
        bool found = false;

        tpi_json_init(&json, value.text, value.length);
        if (tpi_json_peek(&json) == TPI_JSON_ARRAY) {
            tpi_json_array(&json);
            for (unsigned long i = 0; !found && tpi_json_element(&json); i++) {
                assert_true(tpi_json_skip(&json, &value));
                found = i == wanted;
            }
        } else {
            assert_true(tpi_json_object(&json));
            while (!found && tpi_json_member(&json, &name)) {
                assert_true(tpi_json_skip(&json, &value));
                found = name.length == length && memcmp(name.text, path, length) == 0;
            }
        }
        if (!found) {
            return (tpi_json_span){"nothing", 7};
        }
        path += length + (path[length] == '.' ? 1 : 0);
    }
    return value;
}

static void has(const char *text, const char *path, const char *value)
{
    const tpi_json_span found = look_up(text, path);
    tpi_buf copy = {0};

    tpi_buf_put(&copy, found.text, found.length);
    assert_string_equal(copy.data, value);
    tpi_buf_fini(&copy);
}

static int describe_oven(void **state)
{
    tpi_padi padi;
    char *text = NULL;

    parse(&padi, oven_padi);
    assert_int_equal(tp_interface_json(&text, &padi.interface), TP_OK);
    tpi_padi_fini(&padi);
    *state = text;
    return 0;
}

static int free_text(void **state)
{
    free(*state);
    return 0;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void the_text_says_everything(void **state)
{
    tpi_padi padi;
    char *text = NULL;

    (void)state;
    parse(&padi, oven_padi);
    assert_int_equal(tp_interface_text(&text, &padi.interface), TP_OK);
    assert_string_equal(text, oven_text);
    free(text);
    tpi_padi_fini(&padi);
}

static void what_an_interface_lacks_is_left_out(void **state)
{
    tpi_padi padi;
    char *text = NULL;

    (void)state;
    parse(&padi, "interface bare 221 \"Nothing at all.\"");
    assert_int_equal(tp_interface_text(&text, &padi.interface), TP_OK);
    assert_string_equal(text, "bare, code 221\nNothing at all.\n");
    free(text);
    assert_int_equal(tp_interface_json(&text, &padi.interface), TP_OK);
    assert_string_equal(
        text, "{\"name\":\"bare\",\"code\":221,\"doc\":\"Nothing at all.\","
              "\"uses\":[],\"messages\":[],\"structs\":[],\"enums\":[],\"constants\":[]}");
    free(text);
    tpi_padi_fini(&padi);
}

static void columns_are_as_wide_as_their_longest_text(void **state)
{
    static const char lines[] = "    a_name_of_more_than_twenty_two_letters  u8       "
                                "x_an_enum_with_quite_a_long_name  Long.\n"
                                "    short_                                  char[4]               "
                                "                     Short.\n";
    static const char texts[] = "    words  char[4]  Words.\n";
    static const char members[] =
        "    X_A_MEMBER_WHOSE_NAME_IS_LONGER_THAN_ALL_THE_OTHERS  -2147483648  Least.\n"
        "    X_B                                                            1  One.\n";
    tpi_padi padi;
    char *text = NULL;

    (void)state;
    parse(&padi, "interface x 200 \"X.\" enum x_an_enum_with_quite_a_long_name \"E.\" { X_A = 1 "
                 "\"A.\" }\n"
                 "enum x_members \"M.\" {\n"
                 "X_A_MEMBER_WHOSE_NAME_IS_LONGER_THAN_ALL_THE_OTHERS = -2147483648 \"Least.\"\n"
                 "X_B = 1 \"One.\" }\n"
                 "struct x_s \"S.\" { a_name_of_more_than_twenty_two_letters u8 enum "
                 "x_an_enum_with_quite_a_long_name \"Long.\" short_ char[4] \"Short.\" }\n"
                 "struct x_t \"T.\" { words char[4] \"Words.\" }\n"
                 "data A_MESSAGE_WHOSE_NAME_IS_LONGER_THAN_MOST 1 () required \"A.\"\n"
                 "data B 100 () optional \"B.\"\n"
                 "command C 1 () optional actuates \"C.\"");
    assert_int_equal(tp_interface_text(&text, &padi.interface), TP_OK);
    assert_non_null(strstr(text, members));
    assert_non_null(strstr(text, lines));
    assert_non_null(strstr(text, texts));
    assert_non_null(strstr(
        text, "  data     B 100                                       optional   reads     ()"));
    assert_non_null(strstr(text, " optional   actuates  ()"));
    free(text);
    tpi_padi_fini(&padi);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void json_describes_the_interface(void **state)
{
    const char *json = *state;

    has(json, "name", "\"oven\"");
    has(json, "code", "220");
    has(json, "doc", "\"Bakes \\\"bread\\\".\"");
    has(json, "uses", "[\"common\"]");
    has(json, "messages.6", "nothing");
    has(json, "structs.2", "nothing");
    has(json, "enums.2", "nothing");
    has(json, "constants", "[{\"name\":\"OVEN_SHELVES\",\"value\":4,\"doc\":\"Most shelves.\"}]");
}

static void json_describes_messages_with_their_kinds_and_marks(void **state)
{
    const char *json = *state;

    has(json, "messages.0",
        "{\"kind\":\"data\",\"name\":\"STATE\",\"code\":1,\"mark\":\"required\","
        "\"effect\":\"reads\","
        "\"payload\":\"oven_data\",\"ask\":\"oven_data\",\"doc\":\"How it is.\"}");
    has(json, "messages.1.kind", "\"command\"");
    has(json, "messages.1.payload", "null");
    has(json, "messages.1.ask", "null");
    has(json, "messages.1.answer", "nothing");
    has(json, "messages.2.kind", "\"request\"");
    has(json, "messages.2.mark", "\"extension\"");
    has(json, "messages.2.payload", "\"oven_shelf\"");
    has(json, "messages.2.ask", "\"oven_shelf\"");
    has(json, "messages.2.answer", "\"oven_data\"");
    has(json, "messages.3.mark", "\"optional\"");
    has(json, "messages.3.payload", "\"pose3d\"");
    has(json, "messages.3.ask", "null");
    has(json, "messages.4.answer", "null");
    has(json, "messages.5.kind", "\"synch\"");
    has(json, "messages.5.code", "6");
}

static void json_describes_structs_with_shapes_units_and_enums(void **state)
{
    const char *json = *state;

    has(json, "structs.0",
        "{\"name\":\"oven_shelf\",\"player_name\":\"player_oven_shelf_t\",\"doc\":\"One shelf.\","
        "\"fields\":[{\"name\":\"load\",\"type\":\"f64\",\"shape\":\"fixed\",\"length\":2,"
        "\"unit\":\"kg\",\"doc\":\"Left and right.\"}]}");
    has(json, "structs.1.fields.0",
        "{\"name\":\"lamps\",\"type\":\"i8\",\"shape\":\"one\",\"flags\":\"oven_lamps\","
        "\"doc\":\"Its lamps.\"}");
    has(json, "structs.1.fields.1.enum", "\"oven_door\"");
    has(json, "structs.1.fields.1.unit", "nothing");
    has(json, "structs.1.fields.2.unit", "\"count\"");
    has(json, "structs.1.fields.3",
        "{\"name\":\"shelves\",\"type\":\"oven_shelf\",\"shape\":\"bounded\","
        "\"count\":\"shelves_count\",\"max\":4,\"doc\":\"The shelves.\"}");
    has(json, "structs.1.fields.5",
        "{\"name\":\"name\",\"type\":\"char\",\"shape\":\"variable\",\"count\":\"name_count\","
        "\"doc\":\"Its name.\"}");
    has(json, "structs.1.fields.6",
        "{\"name\":\"slide\",\"type\":\"pose2d\",\"shape\":\"fixed\",\"length\":2,\"unit\":\"/s\","
        "\"doc\":\"How its trays move.\"}");
}

static void json_describes_enums_and_flags(void **state)
{
    const char *json = *state;

    has(json, "enums.0.name", "\"oven_lamps\"");
    has(json, "enums.0.flags", "true");
    has(json, "enums.0.members.1", "{\"name\":\"OVEN_LAMP_HOT\",\"value\":-2,\"doc\":\"Hot.\"}");
    has(json, "enums.1.flags", "false");
    has(json, "enums.1.doc", "\"The door.\"");
}

static void every_built_in_interface_is_described_by_valid_json(void **state)
{
    (void)state;
    for (size_t i = 0; tpi_builtin_interfaces[i] != NULL; i++) {
        char *text = NULL;
        tpi_json json;
        tp_error err = {0};

        assert_int_equal(tp_interface_json(&text, tpi_builtin_interfaces[i]), TP_OK);
        tpi_json_init(&json, text, strlen(text));
        tpi_json_skip(&json, NULL);
        tpi_json_end(&json, &err);
        assert_string_equal(err.text, "");
        free(text);
    }
}

/* ---- Little memory --------------------------------------------------------------------------- */

static tp_status write_text(void *context)
{
    char *text = NULL;
    tp_status status = tp_interface_text(&text, context);

    assert_int_equal(text == NULL, status != TP_OK);
    free(text);
    return status;
}

static tp_status write_json(void *context)
{
    char *text = NULL;
    tp_status status = tp_interface_json(&text, context);

    assert_int_equal(text == NULL, status != TP_OK);
    free(text);
    return status;
}

static void little_memory_is_told(void **state)
{
    tp_interface laser = tp_interface_laser;

    (void)state;
    memory_sweep(write_text, &laser);
    memory_sweep(write_json, &laser);
}

#define WITH_JSON(test) cmocka_unit_test_setup_teardown(test, describe_oven, free_text)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_says_everything),
        cmocka_unit_test(what_an_interface_lacks_is_left_out),
        cmocka_unit_test(columns_are_as_wide_as_their_longest_text),
        WITH_JSON(json_describes_the_interface),
        WITH_JSON(json_describes_messages_with_their_kinds_and_marks),
        WITH_JSON(json_describes_structs_with_shapes_units_and_enums),
        WITH_JSON(json_describes_enums_and_flags),
        cmocka_unit_test(every_built_in_interface_is_described_by_valid_json),
        cmocka_unit_test(little_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
