/* parse_test.c - the .padi parser: what it understands, and every error that it reports. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "padi/parse.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/common.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

/* An interface whose constant looks like a code. */
static const tp_constant odd_constants[] = {{"X_CODE", "Odd.", 1}};
static const tp_interface odd = {
    .name = "odd", .doc = "Odd.", .code = 150, .constants = odd_constants, .constant_count = 1};

/* `use common` finds the built-in interface; other names fail in the ways that a file can. */
static const tp_interface *find(void *context, const char *name, tp_error *err)
{
    (void)context;
    if (strcmp(name, "common") == 0) {
        return &tp_interface_common;
    }
    if (strcmp(name, "odd") == 0) {
        return &odd;
    }
    if (strcmp(name, "broken") == 0) {
        tp_fail(err, TP_E_SYNTAX, "broken.padi:7:3: unknown type \"u9\"");
    } else if (strcmp(name, "heavy") == 0) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
    } else {
        tp_fail(err, TP_E_IO, "%s.padi: No such file or directory", name);
    }
    return NULL;
}

/* Files of our own, and those of others. */
static const tpi_padi_scope ours = {find, NULL, true};
static const tpi_padi_scope theirs = {find, NULL, false};

/* The text is parsed where it ends with its memory, so that reading on is noticed. */
static tp_status parse_bytes(tpi_padi *padi, const char *file, const char *text, size_t length,
                             const tpi_padi_scope *scope, tp_error *err)
{
    char *exact = malloc(length > 0 ? length : 1);

    if (exact == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(exact, text, length);
    tp_status status = tpi_padi_parse(padi, file, exact, length, scope, err);
    free(exact);
    return status;
}

static void parse_file(tpi_padi *padi, const char *file, const char *text,
                       const tpi_padi_scope *scope)
{
    tp_error err = {0};

    tp_status status = parse_bytes(padi, file, text, strlen(text), scope, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
}

static void parse(tpi_padi *padi, const char *text)
{
    parse_file(padi, "x.padi", text, &ours);
}

static void bytes_are_refused(const char *text, size_t length, const char *error)
{
    tpi_padi padi;
    tp_error err = {0};

    assert_int_equal(parse_bytes(&padi, "x.padi", text, length, &ours, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, error);
    assert_int_equal(err.code, TP_E_SYNTAX);
    assert_null(padi.arena.chunks);
    assert_null(padi.interface.name);
}

struct refusal {
    const char *text;
    const char *error;
};

static void are_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes_are_refused(cases[i].text, strlen(cases[i].text), cases[i].error);
    }
}

/* The same behind a first line that is `interface x 150 "X."`: a code where names are free. */
static void are_refused_in_x(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tpi_buf text = {0};
        tpi_buf_printf(&text, "interface x 150 \"X.\"\n%s", cases[i].text);
        bytes_are_refused(text.data, text.length, cases[i].error);
        tpi_buf_fini(&text);
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void read_file(tpi_buf *text, const char *path)
{
    assert_int_equal(tpi_file_read(text, path, 1 << 20, NULL), TP_OK);
}

/* The thermometer of docs/reference/padi.md. */
static void read_example(tpi_buf *text)
{
    read_file(text, TEST_ROOT "/tests/golden/thermometer.padi");
}

/* ---- The example of the manual --------------------------------------------------------------- */

static void the_example_is_the_one_of_the_manual(void **state)
{
    tpi_buf example = {0};
    tpi_buf manual = {0};

    (void)state;
    read_example(&example);
    read_file(&manual, TEST_ROOT "/docs/reference/padi.md");
    assert_non_null(strstr(manual.data, example.data));
    tpi_buf_fini(&example);
    tpi_buf_fini(&manual);
}

static int parse_example(void **state)
{
    tpi_padi *padi = calloc(1, sizeof *padi);
    tpi_buf text = {0};

    assert_non_null(padi);
    read_example(&text);
    parse_file(padi, "docs/thermometer.padi", text.data, &theirs);
    tpi_buf_fini(&text);
    *state = padi;
    return 0;
}

static int free_example(void **state)
{
    tpi_padi_fini(*state);
    free(*state);
    return 0;
}

static void an_interface_has_its_name_code_and_sentence(void **state)
{
    const tpi_padi *padi = *state;
    const tp_interface *interface = &padi->interface;

    assert_string_equal(interface->name, "thermometer");
    assert_int_equal(interface->code, 210);
    assert_string_equal(interface->doc, "Measures temperature at one or more points.");
    assert_int_equal(interface->use_count, 1);
    assert_string_equal(interface->uses[0], "common");
    assert_int_equal(interface->constant_count, 0);
    assert_int_equal(interface->enum_count, 1);
    assert_int_equal(interface->struct_count, 1);
    assert_int_equal(interface->message_count, 2);
}

static void an_enum_has_its_members(void **state)
{
    const tpi_padi *padi = *state;
    const tp_enum *status = padi->interface.enums[0];

    assert_string_equal(status->name, "thermometer_status");
    assert_string_equal(status->doc, "State of a probe.");
    assert_false(status->flags);
    assert_int_equal(status->member_count, 2);
    assert_string_equal(status->members[0].name, "THERMOMETER_OK");
    assert_string_equal(status->members[0].doc, "The probe answers.");
    assert_int_equal(status->members[0].value, 0);
    assert_string_equal(status->members[1].name, "THERMOMETER_MISSING");
    assert_string_equal(status->members[1].doc, "No probe is connected.");
    assert_int_equal(status->members[1].value, 1);
}

static void a_struct_has_its_fields_with_units_and_enums(void **state)
{
    const tpi_padi *padi = *state;
    const tp_struct *data = padi->interface.structs[0];
    const tp_field *fields = data->fields;

    assert_string_equal(data->name, "thermometer_data");
    assert_string_equal(data->doc, "One set of readings.");
    assert_int_equal(data->field_count, 3);
    assert_string_equal(fields[0].name, "status");
    assert_string_equal(fields[0].doc, "How the probes are.");
    assert_int_equal(fields[0].type, TP_TYPE_U8);
    assert_int_equal(fields[0].shape, TP_SHAPE_ONE);
    assert_null(fields[0].unit);
    assert_ptr_equal(fields[0].values, padi->interface.enums[0]);
    assert_false(fields[0].is_count);
    assert_string_equal(fields[1].name, "values_count");
    assert_int_equal(fields[1].type, TP_TYPE_U32);
    assert_string_equal(fields[1].unit, "count");
    assert_true(fields[1].is_count);
    assert_string_equal(fields[2].name, "values");
    assert_int_equal(fields[2].type, TP_TYPE_F32);
    assert_int_equal(fields[2].shape, TP_SHAPE_POINTER);
    assert_string_equal(fields[2].unit, "degC");
    assert_null(fields[2].values);
    assert_int_equal(fields[2].count_offset, fields[1].offset);
    assert_int_equal(fields[2].length, 0);
}

static void messages_have_their_codes_structs_and_marks(void **state)
{
    const tpi_padi *padi = *state;
    const tp_message *messages = padi->interface.messages;

    assert_string_equal(messages[0].name, "STATE");
    assert_string_equal(messages[0].doc, "New readings.");
    assert_int_equal(messages[0].kind, TP_KIND_DATA);
    assert_int_equal(messages[0].mark, TP_MARK_REQUIRED);
    assert_int_equal(messages[0].code, 1);
    assert_ptr_equal(messages[0].ask, padi->interface.structs[0]);
    assert_null(messages[0].answer);
    assert_null(messages[0].call);
    assert_string_equal(messages[1].name, "GET_POSE");
    assert_string_equal(messages[1].doc, "Where the probes are.");
    assert_int_equal(messages[1].kind, TP_KIND_REQUEST);
    assert_int_equal(messages[1].mark, TP_MARK_OPTIONAL);
    assert_int_equal(messages[1].code, 1);
    assert_null(messages[1].ask);
    assert_ptr_equal(messages[1].answer, &tp_desc_pose3d);
    assert_null(messages[1].call);
}

/* ---- What else a file may say ---------------------------------------------------------------- */

static void comments_and_blanks_do_not_matter(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "# first { \" (\n\tinterface# here\r\n\n x#\n200 \"# stays\" # and \xff the end");
    assert_string_equal(padi.interface.name, "x");
    assert_int_equal(padi.interface.code, 200);
    assert_string_equal(padi.interface.doc, "# stays");
    tpi_padi_fini(&padi);
}

static void messages_say_what_they_do_to_the_device(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi,
          "interface x 200 \"X.\" data A 1 () required \"A.\" command B 1 () required \"B.\""
          "command C 2 () optional moves \"C.\" request D 1 () -> () required \"D.\""
          "request E 2 () -> () extension reads \"E.\" request F 3 () -> () required moves\"F.\""
          "synch G 1 () required \"G.\" request H 4 () -> () optional operates \"H.\""
          "command I 3 () optional actuates \"I.\" request J 5 () -> () optional actuates \"J.\"");
    static const tp_effect wanted[] = {TP_EFFECT_READS,   TP_EFFECT_WRITES,   TP_EFFECT_MOVES,
                                       TP_EFFECT_WRITES,  TP_EFFECT_READS,    TP_EFFECT_MOVES,
                                       TP_EFFECT_READS,   TP_EFFECT_OPERATES, TP_EFFECT_ACTUATES,
                                       TP_EFFECT_ACTUATES};
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(padi.interface.messages[i].effect, wanted[i]);
    }
    tpi_padi_fini(&padi);
}

static void nothing_needs_blanks_around_marks_and_sentences(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "interface x 150\"X.\"constant N=3\"N.\"struct s\"S.\"{a u8[N]byte\"A.\"}"
                 "request R 1(s)->(s)required\"R.\"");
    assert_int_equal(padi.interface.structs[0]->fields[0].length, 3);
    assert_ptr_equal(padi.interface.messages[0].answer, padi.interface.structs[0]);
    tpi_padi_fini(&padi);
}

static void sentences_in_a_row_are_joined_by_a_blank(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "interface x 200 \"One,\"\n \"two,\" # and\n\"three.\"");
    assert_string_equal(padi.interface.doc, "One, two, three.");
    tpi_padi_fini(&padi);
}

static void escapes_stand_for_quotes_and_backslashes(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "interface x 200 \"say \\\"hi\\\" \\\\ \xc3\xa9 \xe2\x82\xac\"");
    assert_string_equal(padi.interface.doc, "say \"hi\" \\ \xc3\xa9 \xe2\x82\xac");
    tpi_padi_fini(&padi);
}

static void a_file_may_declare_units_of_its_own(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "unit furlong/s^2 \"Slow.\" interface x 150 \"X.\" unit %% \"Parts of parts.\"\n"
                 "struct s \"S.\" { a f64 furlong/s^2 \"A.\" b u8 %% \"B.\" c f32 m \"C.\" }");
    const tp_field *fields = padi.interface.structs[0]->fields;
    assert_string_equal(fields[0].unit, "furlong/s^2");
    assert_string_equal(fields[1].unit, "%%");
    assert_string_equal(fields[2].unit, "m");
    tpi_padi_fini(&padi);
}

static void constants_and_flags_keep_their_values(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(
        &padi,
        "interface x 65535 \"X.\" constant X_LEAST = -2147483648 \"L.\"\n"
        "constant X_MOST = 2147483647 \"M.\" flags x_f \"F.\" { X_A = 1 \"A.\" X_B4K = 1 \"B.\" }\n"
        "struct x \"S.\" { a u8 flags x_f \"A.\" }");
    const tp_interface *interface = &padi.interface;
    assert_int_equal(interface->code, 65535);
    assert_int_equal(interface->constant_count, 2);
    assert_string_equal(interface->constants[0].name, "X_LEAST");
    assert_string_equal(interface->constants[0].doc, "L.");
    assert_int_equal(interface->constants[0].value, INT32_MIN);
    assert_int_equal(interface->constants[1].value, INT32_MAX);
    assert_true(interface->enums[0]->flags);
    assert_string_equal(interface->enums[0]->members[1].name, "X_B4K");
    assert_int_equal(interface->enums[0]->members[1].value, 1);
    assert_ptr_equal(interface->structs[0]->fields[0].values, interface->enums[0]);
    tpi_padi_fini(&padi);
}

static void arrays_are_fixed_bounded_or_behind_a_pointer(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "interface x 150 \"X.\" use common constant N = 7 \"N.\"\n"
                 "struct s \"S.\" { a u16[2] 1 \"A.\" b i16[N] 1 \"B.\" n u32 count \"N.\"\n"
                 "  m u32 count \"M.\" o u32 count \"O.\" c char[n max 5] \"C.\"\n"
                 "  d pose2d[m max N] \"D.\" e i64[o] us \"E.\" f char[IDENT_STRLEN] \"F.\" }");
    const tp_field *fields = padi.interface.structs[0]->fields;
    static const tp_shape shapes[] = {
        TP_SHAPE_FIXED,   TP_SHAPE_FIXED,   TP_SHAPE_ONE,     TP_SHAPE_ONE,   TP_SHAPE_ONE,
        TP_SHAPE_BOUNDED, TP_SHAPE_BOUNDED, TP_SHAPE_POINTER, TP_SHAPE_FIXED,
    };
    static const uint32_t lengths[] = {2, 7, 0, 0, 0, 5, 7, 0, 32};
    assert_int_equal(padi.interface.structs[0]->field_count, COUNT(shapes));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        assert_int_equal(fields[i].shape, shapes[i]);
        assert_int_equal(fields[i].length, lengths[i]);
        assert_int_equal(fields[i].is_count, i >= 2 && i <= 4);
    }
    assert_int_equal(fields[5].count_offset, fields[2].offset);
    assert_int_equal(fields[6].count_offset, fields[3].offset);
    assert_int_equal(fields[7].count_offset, fields[4].offset);
    assert_ptr_equal(fields[6].of, &tp_desc_pose2d);
    tpi_padi_fini(&padi);
}

static void every_basic_type_and_every_kind_of_message_is_known(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi,
          "interface x 200 \"X.\" struct x_s \"S.\" { a u8 1 \"A.\" b i8 1 \"B.\" c u16 1 \"C.\"\n"
          "d i16 1 \"D.\" e u32 1 \"E.\" f i32 1 \"F.\" g i64 1 \"G.\" h f32 1 \"H.\"\n"
          "i f64 1 \"I.\" j char \"J.\" }\n"
          "struct x_t \"T.\" { x_s x_s \"A struct may be named as a field.\" }\n"
          "data A 1 (x_s) required \"D.\" command A 1 (x_t) optional \"C.\"\n"
          "request A 1 (x_s) -> (x_t) extension \"R.\" synch A 238 () required \"S.\"");
    static const tp_kind kinds[] = {TP_KIND_DATA, TP_KIND_COMMAND, TP_KIND_REQUEST, TP_KIND_SYNCH};
    for (unsigned i = TP_TYPE_U8; i < TP_TYPE_STRUCT; i++) {
        assert_int_equal(padi.interface.structs[0]->fields[i].type, i);
    }
    assert_ptr_equal(padi.interface.structs[1]->fields[0].of, padi.interface.structs[0]);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_int_equal(padi.interface.messages[i].kind, kinds[i]);
    }
    assert_int_equal(padi.interface.messages[2].mark, TP_MARK_EXTENSION);
    assert_int_equal(padi.interface.messages[3].code, 238);
    tpi_padi_fini(&padi);
}

static void only_common_may_have_the_codes_of_common_questions(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi,
          "interface x 0 \"C.\" struct s \"S.\" { a u8 1 \"A.\" } struct t \"T.\" { a u8 1 \"A.\" }"
          "request R 255 (s) -> (t) required \"R.\"");
    assert_int_equal(padi.interface.messages[0].code, 255);
    tpi_padi_fini(&padi);
}

static void the_middle_of_a_code_constant_tells_the_kind(void **state)
{
    (void)state;
    assert_string_equal(tpi_kind_infix(TP_KIND_DATA), "DATA");
    assert_string_equal(tpi_kind_infix(TP_KIND_COMMAND), "CMD");
    assert_string_equal(tpi_kind_infix(TP_KIND_REQUEST), "REQ");
    assert_string_equal(tpi_kind_infix(TP_KIND_SYNCH), "SYNCH");
}

/* ---- Errors of characters and words ---------------------------------------------------------- */

static void strings_out_of_order_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"interface x 200 \"X", "x.padi:1:17: the string has no closing quote"},
        {"interface x 200\n \"X\n\"", "x.padi:2:2: the string has no closing quote"},
        {"interface x 200 \"X\\", "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
        {"interface x 200 \"a\\n\"",
         "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
        {"interface x 200 \"a\tb\"",
         "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
        {"interface x 200 \"a\x7f\"",
         "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
        {"interface x 200 \"\xc3\xa9\xff\"",
         "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
        {"interface x 200 \"a\xc3",
         "x.padi:1:19: a string holds UTF-8 text with \\\" and \\\\ only"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void characters_out_of_place_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"interface x, 200", "x.padi:1:12: ',' is out of place"},
        {"?", "x.padi:1:1: '?' is out of place"},
        {"\xef\xbb\xbfinterface x", "x.padi:1:1: byte 239 is out of place"},
        {"interface\f", "x.padi:1:10: byte 12 is out of place"},
        {"interface \x7f", "x.padi:1:11: byte 127 is out of place"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
    bytes_are_refused("use\0", 4, "x.padi:1:4: byte 0 is out of place");
    bytes_are_refused("interface x 200 \"\0\"", 19,
                      "x.padi:1:18: a string holds UTF-8 text with \\\" and \\\\ only");
}

static void columns_count_characters_as_an_editor_does(void **state)
{
    static const struct refusal cases[] = {
        {"interface x 200 \"a \\\"b\\\" c\" ?", "x.padi:1:29: '?' is out of place"},
        {"interface x 200 \"\xe2\x82\xac\" ?", "x.padi:1:21: '?' is out of place"},
        {"interface x 200 \"X.\" # \xe2\x82\xac\r\n\n\t?", "x.padi:3:2: '?' is out of place"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void files_without_one_interface_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"", "x.padi:1:1: the file describes no interface"},
        {"# nothing\n", "x.padi:2:1: the file describes no interface"},
        {"use common", "x.padi:1:11: the file describes no interface"},
        {"constant A = 1 \"A.\"", "x.padi:1:10: the interface comes before its constants"},
        {"enum e", "x.padi:1:6: the interface comes before its enums"},
        {"flags f", "x.padi:1:7: the interface comes before its enums"},
        {"struct s", "x.padi:1:8: the interface comes before its structs"},
        {"interface x 200 \"X.\"\ninterface y 201 \"Y.\"",
         "x.padi:2:11: a file describes one interface"},
        {"data A 1 () required \"A.\"", "x.padi:1:6: the interface comes before its messages"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void words_that_begin_no_item_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"{", "x.padi:1:1: expected interface, use, struct, data, request or another item, found "
              "\"{\""},
        {"\"Words.\"",
         "x.padi:1:1: expected interface, use, struct, data, request or another item, found "
         "the sentence \"Words.\""},
        {"interfaec x 200 \"X.\"",
         "x.padi:1:1: \"interfaec\" begins no item; did you mean \"interface\"?"},
        {"Comand A", "x.padi:1:1: \"Comand\" begins no item; did you mean \"command\"?"},
        {"requests A", "x.padi:1:1: \"requests\" begins no item; did you mean \"request\"?"},
        {"elephant A", "x.padi:1:1: \"elephant\" begins no item"},
        {"m/s", "x.padi:1:1: \"m/s\" begins no item"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

/* ---- Errors of items ------------------------------------------------------------------------- */

static void interfaces_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"interface", "x.padi:1:10: expected the name of an interface, found the end of the file"},
        {"interface (", "x.padi:1:11: expected the name of an interface, found \"(\""},
        {"interface \"x\"",
         "x.padi:1:11: expected the name of an interface, found the sentence \"x\""},
        {"interface Laser 200", "x.padi:1:11: \"Laser\" cannot be the name of an interface: "
                                "lower-case letters, digits and _, at most 64"},
        {"interface 4x 200", "x.padi:1:11: \"4x\" cannot be the name of an interface: "
                             "lower-case letters, digits and _, at most 64"},
        {"interface a-b 200", "x.padi:1:11: \"a-b\" cannot be the name of an interface: "
                              "lower-case letters, digits and _, at most 64"},
        {"interface abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcde 200",
         "x.padi:1:11: \"abcdefghijabcdefghijabcdefghijabcdefghij\" cannot be the name of an "
         "interface: lower-case letters, digits and _, at most 64"},
        {"interface x \"X.\"",
         "x.padi:1:13: expected an interface code, found the sentence \"X.\""},
        {"interface x 0x10",
         "x.padi:1:13: expected an interface code, found \"0x10\": integers are decimal"},
        {"interface x 0b11", "x.padi:1:13: expected an interface code, found \"0b11\""},
        {"interface x 99999999999999999999",
         "x.padi:1:13: an interface code goes from 0 to 65535, not 99999999999999999999"},
        {"interface x 65536", "x.padi:1:13: an interface code goes from 0 to 65535, not 65536"},
        {"interface x -1", "x.padi:1:13: an interface code goes from 0 to 65535, not -1"},
        {"interface x 200",
         "x.padi:1:16: expected a sentence in quotes, found the end of the file"},
        {"interface x 200 use", "x.padi:1:17: expected a sentence in quotes, found \"use\""},
        {"interface x 200 \"\"", "x.padi:1:17: the sentence is empty"},
        {"use odd interface x 200 \"X.\"",
         "x.padi:1:19: a constant has the name that the code of interface x gets"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void a_long_word_is_cut_in_the_error(void **state)
{
    static const struct refusal cases[] = {
        {"\"A sentence of more than forty characters, which is too much.\"",
         "x.padi:1:1: expected interface, use, struct, data, request or another item, found the "
         "sentence \"A sentence of more than forty characters\""},
        {"abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij",
         "x.padi:1:1: \"abcdefghijabcdefghijabcdefghijabcdefghij\" begins no item"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void uses_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"use", "x.padi:2:4: expected the name of an interface, found the end of the file"},
        {"use Common", "x.padi:2:5: \"Common\" cannot be the name of an interface: lower-case "
                       "letters, digits and _, at most 64"},
        {"use gone", "x.padi:2:5: gone.padi: No such file or directory"},
        {"use common\nuse common", "x.padi:3:5: \"common\" is used already"},
        {"use broken", "broken.padi:7:3: unknown type \"u9\""},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void memory_that_ran_out_in_a_used_file_is_told(void **state)
{
    static const char text[] = "use heavy";
    tpi_padi padi;
    tp_error err = {0};

    (void)state;
    assert_int_equal(parse_bytes(&padi, "x.padi", text, strlen(text), &ours, &err), TP_E_NOMEM);
    assert_string_equal(err.text, "x.padi: out of memory");
    assert_null(padi.arena.chunks);
}

static void units_and_constants_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"unit \"Furlong.\"", "x.padi:2:6: expected a unit, found the sentence \"Furlong.\""},
        {"unit furlong", "x.padi:2:13: expected a sentence in quotes, found the end of the file"},
        {"unit m \"Metre.\"", "x.padi:2:6: \"m\" is a unit already"},
        {"unit furlong \"F.\" unit furlong \"F.\"", "x.padi:2:24: \"furlong\" is a unit already"},
        {"unit /s \"Per second.\"", "x.padi:2:6: \"/s\" cannot be a unit"},
        {"unit enum \"E.\"", "x.padi:2:6: \"enum\" cannot be a unit"},
        {"constant max = 1 \"M.\"", "x.padi:2:10: \"max\" cannot be the name of a constant: "
                                    "upper-case letters, digits and _, at most 64"},
        {"constant (", "x.padi:2:10: expected the name of a constant, found \"(\""},
        {"constant A 1 \"A.\"", "x.padi:2:12: expected \"=\", found \"1\""},
        {"constant A = B \"A.\"", "x.padi:2:14: expected a constant, found \"B\""},
        {"constant A = 0x1F \"A.\"",
         "x.padi:2:14: expected a constant, found \"0x1F\": integers are decimal"},
        {"constant A = -0X1F \"A.\"",
         "x.padi:2:14: expected a constant, found \"-0X1F\": integers are decimal"},
        {"constant A = 2147483648 \"A.\"",
         "x.padi:2:14: a constant goes from -2147483648 to 2147483647, not 2147483648"},
        {"constant A = -2147483649 \"A.\"",
         "x.padi:2:14: a constant goes from -2147483648 to 2147483647, not -2147483649"},
        {"constant A = 1 struct", "x.padi:2:16: expected a sentence in quotes, found \"struct\""},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void constants_members_and_codes_share_their_names(void **state)
{
    static const struct refusal cases[] = {
        {"constant A = 1 \"A.\"\nconstant A = 2 \"A.\"",
         "x.padi:3:10: \"A\" is the name of another constant already"},
        {"constant A = 1 \"A.\" enum n \"E.\" { A = 2 \"A.\" }",
         "x.padi:2:35: \"A\" is the name of another constant already"},
        {"enum n \"E.\" { A = 1 \"A.\" A = 2 \"A.\" }",
         "x.padi:2:26: \"A\" is the name of another constant already"},
        {"enum n \"E.\" { A = 1 \"A.\" } constant A = 1 \"A.\"",
         "x.padi:2:37: \"A\" is the name of another constant already"},
        {"use common constant KEYLEN = 1 \"K.\"",
         "x.padi:2:21: \"KEYLEN\" is the name of another constant already"},
        {"use common constant MSGTYPE_DATA = 1 \"K.\"",
         "x.padi:2:21: \"MSGTYPE_DATA\" is the name of another constant already"},
        {"use common constant COMMON_REQ_LEASE = 1 \"K.\"",
         "x.padi:2:21: \"COMMON_REQ_LEASE\" is the name of another constant already"},
        {"constant X_CODE = 1 \"C.\"",
         "x.padi:2:10: \"X_CODE\" is the name of another constant already"},
        {"synch A 1 () required \"A.\" enum n \"E.\" { X_SYNCH_A = 1 \"A.\" }",
         "x.padi:2:42: \"X_SYNCH_A\" is the name of another constant already"},
        {"constant X_DATA_A = 1 \"A.\"\ndata A 1 () required \"A.\"",
         "x.padi:3:6: a constant has the name that the code of data A gets"},
        {"enum n \"E.\" { X_CMD_GO = 1 \"A.\" }\ncommand GO 1 () required \"A.\"",
         "x.padi:3:9: a constant has the name that the code of command GO gets"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void names_that_only_resemble_a_code_are_free(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi,
          "interface x 150 \"X.\" data A 1 () required \"A.\" constant X_DATA_AB = 1 \"A.\"\n"
          "constant X_CMD_A = 1 \"A.\" constant X_DATA = 1 \"A.\" constant X = 1 \"A.\"\n"
          "constant Y_CODE = 1 \"A.\" constant X_CODES = 1 \"A.\" constant X_DATAXA = 1 \"A.\"");
    assert_int_equal(padi.interface.constant_count, 7);
    tpi_padi_fini(&padi);
}

static void enums_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"enum Colour", "x.padi:2:6: \"Colour\" cannot be the name of an enum: lower-case letters, "
                        "digits and _, at most 64"},
        {"flags {", "x.padi:2:7: expected the name of an enum, found \"{\""},
        {"enum n {", "x.padi:2:8: expected a sentence in quotes, found \"{\""},
        {"enum n \"E.\" A", "x.padi:2:13: expected \"{\", found \"A\""},
        {"enum n \"E.\" { }", "x.padi:2:6: enum n has no members"},
        {"enum n \"E.\" { A = 1 \"A.\"",
         "x.padi:2:25: expected the name of a constant, found the end of the file"},
        {"enum n \"E.\" { red = 1 \"A.\" }",
         "x.padi:2:15: \"red\" cannot be the name of a constant: "
         "upper-case letters, digits and _, at most 64"},
        {"enum colour \"E.\" { A = 1 \"A.\" B = 1 \"B.\" }",
         "x.padi:2:31: \"B\" has the value 1 of \"A\""},
        {"enum n \"E.\" { A = 1 \"A.\" ? }", "x.padi:2:26: '?' is out of place"},
        {"enum n \"E.\" { A = 1 \"A.\" } ?", "x.padi:2:28: '?' is out of place"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void types_need_names_of_their_own(void **state)
{
    static const struct refusal cases[] = {
        {"enum n \"E.\" { A = 1 \"A.\" }\nenum n",
         "x.padi:3:6: \"n\" is the name of another type already"},
        {"enum n \"E.\" { A = 1 \"A.\" }\nstruct n",
         "x.padi:3:8: \"n\" is the name of another type already"},
        {"struct s \"S.\" { a u8 1 \"A.\" }\nstruct s",
         "x.padi:3:8: \"s\" is the name of another type already"},
        {"use common struct pose2d", "x.padi:2:19: \"pose2d\" is the name of another type already"},
        {"use common flags message_type",
         "x.padi:2:18: \"message_type\" is the name of another type already"},
        {"struct u32", "x.padi:2:8: \"u32\" is the name of another type already"},
        {"struct error", "x.padi:2:8: \"error\" is the name of another type already"},
        {"enum status", "x.padi:2:6: \"status\" is the name of another type already"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

/* ---- Interfaces of others -------------------------------------------------------------------- */

static void is_refused_from_others(const char *file, const char *text, const char *error)
{
    tpi_padi padi;
    tp_error err = {0};

    assert_int_equal(parse_bytes(&padi, file, text, strlen(text), &theirs, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, error);
}

static void codes_below_200_are_ours(void **state)
{
    static const char error[] =
        "x.padi:1:13: codes below 200 are Player's and Troupe's; yours go from 200 to 65535";
    tpi_padi padi;

    (void)state;
    is_refused_from_others("x.padi", "interface x 0 \"X.\"", error);
    is_refused_from_others("x.padi", "interface x 199 \"X.\"", error);
    parse_file(&padi, "x.padi", "interface x 200 \"X.\"", &theirs);
    tpi_padi_fini(&padi);
    parse_file(&padi, "x.padi", "interface x 199 \"X.\"", &ours);
    tpi_padi_fini(&padi);
}

static void a_file_is_named_after_its_interface(void **state)
{
    tpi_padi padi;

    (void)state;
    is_refused_from_others("x.padi", "interface y 200 \"X.\"",
                           "x.padi:1:11: interface y must be in y.padi, not in x.padi");
    is_refused_from_others("a/xy.padi", "interface x 200 \"X.\"",
                           "a/xy.padi:1:11: interface x must be in x.padi, not in xy.padi");
    is_refused_from_others(".padi", "interface x 200 \"X.\"",
                           ".padi:1:11: interface x must be in x.padi, not in .padi");
    parse_file(&padi, "x/x.padi", "interface x 200 \"X.\"", &theirs);
    tpi_padi_fini(&padi);
    parse_file(&padi, "y.txt", "interface x 200 \"X.\"", &theirs);
    tpi_padi_fini(&padi);
    parse_file(&padi, "padi", "interface x 200 \"X.\"", &theirs);
    tpi_padi_fini(&padi);
}

static void names_from_200_up_begin_with_the_interface(void **state)
{
    static const struct refusal cases[] = {
        {"struct data", "x.padi:2:8: \"data\" must be named x_... or x"},
        {"struct xy", "x.padi:2:8: \"xy\" must be named x_... or x"},
        {"struct x_", "x.padi:2:8: \"x_\" must be named x_... or x"},
        {"enum colour", "x.padi:2:6: \"colour\" must be named x_... or x"},
        {"struct x_Data", "x.padi:2:8: \"x_Data\" must be in lower case"},
        {"struct x_ops", "x.padi:2:8: \"x_ops\" is the name of another type already"},
        {"constant MOST = 1 \"M.\"", "x.padi:2:10: \"MOST\" must be named X_..."},
        {"constant X = 1 \"M.\"", "x.padi:2:10: \"X\" must be named X_..."},
        {"constant X_ = 1 \"M.\"", "x.padi:2:10: \"X_\" must be named X_..."},
        {"constant X_4k = 1 \"M.\"", "x.padi:2:10: \"X_4k\" must be in upper case"},
        {"enum x_e \"E.\" { OPEN = 1 \"O.\" }", "x.padi:2:17: \"OPEN\" must be named X_..."},
        {"struct x \"S.\" { basePos f32 m \"B.\" }",
         "x.padi:2:17: \"basePos\" must be in lower case"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        tpi_buf text = {0};
        tpi_buf_printf(&text, "interface x 200 \"X.\"\n%s", cases[i].text);
        is_refused_from_others("x.padi", text.data, cases[i].error);
        tpi_buf_fini(&text);
    }
    is_refused_from_others("xdr.padi", "interface xdr 200 \"X.\"",
                           "xdr.padi:1:11: \"xdr\" is a word of Troupe's own; choose another name");
    is_refused_from_others("xY.padi", "interface xY 200 \"X.\"",
                           "xY.padi:1:11: \"xY\" must be in lower case");
}

static void names_below_200_are_free(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi, "interface x 199 \"X.\" constant B4k = 1 \"B.\" enum n \"N.\" { A = 1 \"A.\" }\n"
                 "struct s \"S.\" { basePos f32 m \"B.\" }");
    assert_string_equal(padi.interface.constants[0].name, "B4k");
    assert_string_equal(padi.interface.structs[0]->interface, "x");
    tpi_padi_fini(&padi);
}

static void a_unit_on_a_struct_changes_its_members(void **state)
{
    tpi_padi padi;

    (void)state;
    parse(&padi,
          "interface x 200 \"X.\" use common unit furlong \"F.\"\n"
          "struct x \"S.\" { a pose2d /s \"A.\" b pose3d[2] /s^2 \"B.\" c point_3d 1 \"C.\"\n"
          "d point_2d furlong \"D.\" e pose2d \"E.\" }");
    const tp_field *fields = padi.interface.structs[0]->fields;
    assert_string_equal(fields[0].unit, "/s");
    assert_string_equal(fields[1].unit, "/s^2");
    assert_string_equal(fields[2].unit, "1");
    assert_string_equal(fields[3].unit, "furlong");
    assert_null(fields[4].unit);
    tpi_padi_fini(&padi);
}

/* ---- Errors of messages ---------------------------------------------------------------------- */

static void messages_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"data state 1", "x.padi:2:6: \"state\" cannot be the name of a message: upper-case "
                         "letters, digits and _, at most 64"},
        {"data A ()", "x.padi:2:8: expected a message code, found \"(\""},
        {"data A 256 ()", "x.padi:2:8: a message code goes from 0 to 255, not 256"},
        {"data A 1 required", "x.padi:2:10: expected \"(\", found \"required\""},
        {"data A 1 (Pose)", "x.padi:2:11: \"Pose\" cannot be the name of a struct: lower-case "
                            "letters, digits and _, at most 64"},
        {"data A 1 (=", "x.padi:2:11: expected the name of a struct, found \"=\""},
        {"data A 1 (pose2d)", "x.padi:2:11: unknown struct \"pose2d\"; what other files have needs "
                              "a use, such as \"use common\""},
        {"use common data A 1 (pose2)",
         "x.padi:2:22: unknown struct \"pose2\"; did you mean \"pose2d\"?"},
        {"use common data A 1 (elephants)", "x.padi:2:22: unknown struct \"elephants\""},
        {"use common data A 1 (pose2d pose3d)", "x.padi:2:29: expected \")\", found \"pose3d\""},
        {"data A 1 () \"A.\"",
         "x.padi:2:13: expected required, optional or extension, found the sentence \"A.\""},
        {"command A 1 () required reads \"A.\"",
         "x.padi:2:25: expected moves, actuates or a sentence, found \"reads\""},
        {"request A 1 () -> () required writes \"A.\"",
         "x.padi:2:31: expected reads, moves, actuates, operates or a sentence, found \"writes\""},
        {"data A 1 () required moves \"A.\"",
         "x.padi:2:22: expected a sentence in quotes, found \"moves\""},
        {"data A 1 () \"required\"",
         "x.padi:2:13: expected required, optional or extension, found the sentence \"required\""},
        {"data A 1 () needed \"A.\"",
         "x.padi:2:13: expected required, optional or extension, found \"needed\""},
        {"data A 1 () required",
         "x.padi:2:21: expected a sentence in quotes, found the end of the file"},
        {"request R 1 () required \"R.\"", "x.padi:2:16: expected \"->\", found \"required\""},
        {"command C 1 () -> () required",
         "x.padi:2:16: expected required, optional or extension, found \"->\""},
        {"command C 239 () required \"C.\"",
         "x.padi:2:9: codes from 239 up belong to the common questions"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void messages_of_one_kind_need_names_and_codes_of_their_own(void **state)
{
    static const struct refusal cases[] = {
        {"data A 1 () required \"A.\"\ndata A 2 () required \"A.\"",
         "x.padi:3:6: there is a data A already"},
        {"request GET 1 () -> () required \"A.\"\nrequest Get 2 () -> () required \"A.\"",
         "x.padi:3:9: there is a request GET already"},
        {"synch A 1 () required \"A.\"\nsynch B 1 () required \"A.\"",
         "x.padi:3:7: synch A has the code 1 already"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void old_requests_have_one_struct_for_both_ways(void **state)
{
    static const struct refusal cases[] = {
        {"interface x 199 \"X.\" use common\nrequest R 1 (pose2d) -> (pose3d) required \"R.\"",
         "x.padi:2:22: Player has one struct for a request and its answer, so they differ only in "
         "interfaces from 200 up"},
    };
    tpi_padi padi;

    (void)state;
    are_refused(cases, COUNT(cases));
    parse(&padi,
          "interface x 199 \"X.\" use common request R 1 (pose2d) -> (pose2d) required \"R.\"\n"
          "request S 2 () -> (pose3d) required \"S.\" request T 3 (lease) -> () required \"T.\"");
    tpi_padi_fini(&padi);
    parse(&padi,
          "interface x 200 \"X.\" use common request R 1 (pose2d) -> (pose3d) required \"R.\"");
    tpi_padi_fini(&padi);
}

/* ---- Errors of structs ----------------------------------------------------------------------- */

static void structs_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct S", "x.padi:2:8: \"S\" cannot be the name of a struct: lower-case letters, digits "
                     "and _, at most 64"},
        {"struct s {", "x.padi:2:10: expected a sentence in quotes, found \"{\""},
        {"struct s \"S.\" a", "x.padi:2:15: expected \"{\", found \"a\""},
        {"struct s \"S.\" { }", "x.padi:2:8: struct s has no fields"},
        {"struct s \"S.\" { (", "x.padi:2:17: expected a field or \"}\", found \"(\""},
        {"struct s \"S.\" { a u8 1 \"A.\"",
         "x.padi:2:28: expected a field or \"}\", found the end of the file"},
        {"struct s \"S.\" { 1a u8 1 \"A.\" }", "x.padi:2:17: \"1a\" cannot be the name of a field: "
                                               "letters, digits and _, at most 64"},
        {"struct s \"S.\" { a.b u8 1 \"A.\" }",
         "x.padi:2:17: \"a.b\" cannot be the name of a field: letters, digits and _, at most 64"},
        {"struct s \"S.\" {\n abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcde u8",
         "x.padi:3:2: \"abcdefghijabcdefghijabcdefghijabcdefghij\" cannot be the name of a field: "
         "letters, digits and _, at most 64"},
        {"struct s \"S.\" { class u8 id \"C.\" }",
         "x.padi:2:17: \"class\" is a word of C or C++; choose another name"},
        {"struct s \"S.\" { a u8 1 \"A.\" a u8 1 \"A.\" }",
         "x.padi:2:29: the struct has a field \"a\" already"},
        {"struct s \"S.\" { a u8 1 }", "x.padi:2:24: expected a sentence in quotes, found \"}\""},
        {"struct s \"S.\" { a u8 1 \"A.\" } ?", "x.padi:2:31: '?' is out of place"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void types_of_fields_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct s \"S.\" { a [2] \"A.\" }", "x.padi:2:19: expected a type, found \"[\""},
        {"struct s \"S.\" { a \"A.\" }", "x.padi:2:19: expected a type, found the sentence \"A.\""},
        {"struct s \"S.\" { a s \"A.\" }", "x.padi:2:19: struct s cannot contain itself"},
        {"struct s \"S.\" { a f63 \"A.\" }",
         "x.padi:2:19: unknown type \"f63\"; did you mean \"f64\"?"},
        {"struct pose \"S.\" { a u8 1 \"A.\" }\nstruct t \"T.\" { a poes \"A.\" }",
         "x.padi:3:19: unknown type \"poes\"; did you mean \"pose\"?"},
        {"use common struct t \"T.\" { a poze3d \"A.\" }",
         "x.padi:2:30: unknown type \"poze3d\"; did you mean \"pose3d\"?"},
        {"use common struct t \"T.\" { a elephant \"A.\" }",
         "x.padi:2:30: unknown type \"elephant\""},
        {"struct t \"T.\" { a pose2d \"A.\" }",
         "x.padi:2:19: unknown type \"pose2d\"; what other files have needs a use, such as \"use "
         "common\""},
        {"struct t \"T.\" { a float m \"A.\" }",
         "x.padi:2:19: unknown type \"float\"; here it is f32"},
        {"struct t \"T.\" { a double m \"A.\" }",
         "x.padi:2:19: unknown type \"double\"; here it is f64"},
        {"struct t \"T.\" { a int 1 \"A.\" }", "x.padi:2:19: unknown type \"int\"; here it is i32"},
        {"struct t \"T.\" { a uint8_t 1 \"A.\" }",
         "x.padi:2:19: unknown type \"uint8_t\"; here it is u8"},
        {"struct t \"T.\" { a string \"A.\" }",
         "x.padi:2:19: unknown type \"string\"; here it is char[NAME_count]"},
        {"struct t \"T.\" { a bool \"A.\" }",
         "x.padi:2:19: unknown type \"bool\"; here it is u8 with the unit bool"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void lengths_of_arrays_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct s \"S.\" { a u8[] 1 \"A.\" }",
         "x.padi:2:22: expected a length or a count field, found \"]\""},
        {"struct s \"S.\" { a u8[0] 1 \"A.\" }",
         "x.padi:2:22: a length goes from 1 to 1048576, not 0"},
        {"struct s \"S.\" { a u8[-1] 1 \"A.\" }",
         "x.padi:2:22: a length goes from 1 to 1048576, not -1"},
        {"struct s \"S.\" { a u8[1048577] 1 \"A.\" }",
         "x.padi:2:22: a length goes from 1 to 1048576, not 1048577"},
        {"struct s \"S.\" { a u8[2x] 1 \"A.\" }", "x.padi:2:22: expected a length, found \"2x\""},
        {"constant N = 0 \"N.\" struct s \"S.\" { a u8[N] 1 \"A.\" }",
         "x.padi:2:42: N is 0, which is no length"},
        {"struct s \"S.\" { a u8[2 3] 1 \"A.\" }", "x.padi:2:24: expected \"]\", found \"3\""},
        {"struct s \"S.\" { a f32[3][3] 1 \"A.\" }", "x.padi:2:25: arrays have one dimension"},
        {"struct s \"S.\" { a u8[0x10] 1 \"A.\" }",
         "x.padi:2:22: expected a length, found \"0x10\": integers are decimal"},
        {"struct s \"S.\" { n u32 count \"N.\" a u8[n max] 1 \"A.\" }",
         "x.padi:2:44: expected a maximum, found \"]\""},
        {"struct s \"S.\" { n u32 count \"N.\" a u8[n max 0] 1 \"A.\" }",
         "x.padi:2:45: a maximum goes from 1 to 1048576, not 0"},
        {"constant N = 3 \"N.\"\nstruct s \"S.\" { n u32 count \"N.\" a u8[n max \"N\"] 1 \"A.\" }",
         "x.padi:3:45: expected a maximum, found the sentence \"N\""},
        {"constant N = -3 \"N.\"\nstruct s \"S.\" { n u32 count \"N.\" a u8[n max N] 1 \"A.\" }",
         "x.padi:3:45: N is -3, which is no length"},
        {"struct s \"S.\" { n u32 count \"N.\" a u8[n least 3] 1 \"A.\" }",
         "x.padi:2:41: expected \"]\", found \"least\""},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void counts_of_arrays_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct s \"S.\" { a u8[n] 1 \"A.\" n u32 count \"N.\" }",
         "x.padi:2:22: \"n\" is neither a constant nor an earlier field: a count comes before its "
         "array"},
        {"struct s \"S.\" { n u16 count \"N.\" a u8[n] 1 \"A.\" }",
         "x.padi:2:39: the count field \"n\" must be one u32"},
        {"struct s \"S.\" { n u32[2] count \"N.\" a u8[n] 1 \"A.\" }",
         "x.padi:2:42: the count field \"n\" must be one u32"},
        {"struct s \"S.\" { n u32 byte \"N.\" a u8[n] 1 \"A.\" }",
         "x.padi:2:38: the count field \"n\" must have the unit count"},
        {"enum k \"K.\" { A = 1 \"A.\" }\nstruct s \"S.\" { n u32 enum k \"N.\" a u8[n] 1 \"A.\" }",
         "x.padi:3:40: the count field \"n\" must have the unit count"},
        {"struct s \"S.\" { n u32 count \"N.\" a u8[n] 1 \"A.\" b u8[n] 1 \"B.\" }",
         "x.padi:2:54: \"n\" counts another array already"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void units_of_fields_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct s \"S.\" { a f32 \"A.\" }", "x.padi:2:23: the field \"a\" has no unit"},
        {"struct s \"S.\" { a f32 metres \"A.\" }",
         "x.padi:2:23: unknown unit \"metres\"; docs/reference/padi.md has the list, and unit NAME "
         "\"Description.\" adds one"},
        {"struct s \"S.\" { a f32 degc \"A.\" }",
         "x.padi:2:23: unknown unit \"degc\"; did you mean \"degC\"?"},
        {"unit furlong \"F.\" struct s \"S.\" { a f32 furlongs \"A.\" }",
         "x.padi:2:41: unknown unit \"furlongs\"; did you mean \"furlong\"?"},
        {"struct s \"S.\" { a char m \"A.\" }", "x.padi:2:24: a field of type char has no unit"},
        {"use common struct s \"S.\" { a pose2d /m \"A.\" }",
         "x.padi:2:37: unknown unit \"/m\"; did you mean \"m\"?"},
        {"use common struct s \"S.\" { a pose2d /s^3 \"A.\" }",
         "x.padi:2:37: unknown unit \"/s^3\"; did you mean \"/s^2\"?"},
        {"use common struct s \"S.\" { a pose2d enum message_type \"A.\" }",
         "x.padi:2:37: a field of type struct cannot be an enum"},
        {"struct s \"S.\" { a f32 /s \"A.\" }",
         "x.padi:2:23: unknown unit \"/s\"; did you mean \"s\"?"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void enums_of_fields_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"struct s \"S.\" { a u8 enum \"A.\" }",
         "x.padi:2:27: expected the name of an enum, found the sentence \"A.\""},
        {"struct s \"S.\" { a u8 enum colour \"A.\" }",
         "x.padi:2:27: unknown enum \"colour\"; what other files have needs a use, such as \"use "
         "common\""},
        {"enum colours \"C.\" { A = 1 \"A.\" }\nstruct s \"S.\" { a u8 enum colour \"A.\" }",
         "x.padi:3:27: unknown enum \"colour\"; did you mean \"colours\"?"},
        {"enum n \"E.\" { A = 1 \"A.\" }\nstruct s \"S.\" { a u8 flags n \"A.\" }",
         "x.padi:3:28: \"n\" is declared as enum"},
        {"flags n \"E.\" { A = 1 \"A.\" }\nstruct s \"S.\" { a u8 enum n \"A.\" }",
         "x.padi:3:27: \"n\" is declared as flags"},
        {"enum n \"E.\" { A = 1 \"A.\" }\nstruct s \"S.\" { a f32 enum n \"A.\" }",
         "x.padi:3:28: a field of type f32 cannot be an enum"},
        {"enum n \"E.\" { A = 1 \"A.\" }\nstruct s \"S.\" { a f64 enum n \"A.\" }",
         "x.padi:3:28: a field of type f64 cannot be an enum"},
        {"enum n \"E.\" { A = 1 \"A.\" B = 256 \"B.\" }\nstruct s \"S.\" { a u8 enum n \"A.\" }",
         "x.padi:3:27: B does not fit into u8"},
        {"enum n \"E.\" { A = -1 \"A.\" }\nstruct s \"S.\" { a u32 enum n \"A.\" }",
         "x.padi:3:28: A does not fit into u32"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

static void a_struct_has_at_most_256_fields(void **state)
{
    tpi_buf text = {0};
    tpi_padi padi;

    (void)state;
    tpi_buf_puts(&text, "interface x 150 \"X.\" struct s \"S.\" {\n");
    for (int i = 0; i < TP_MAX_FIELDS; i++) {
        tpi_buf_printf(&text, "f%d u8 1 \"F.\"\n", i);
    }
    const size_t fits = text.length;
    tpi_buf_puts(&text, "}");
    parse(&padi, text.data);
    assert_int_equal(padi.interface.structs[0]->field_count, TP_MAX_FIELDS);
    tpi_padi_fini(&padi);
    text.length = fits;
    tpi_buf_puts(&text, "more u8 1 \"M.\" }");
    bytes_are_refused(text.data, text.length, "x.padi:258:1: more than 256 fields");
    tpi_buf_fini(&text);
}

static void limits_of_the_plan_are_told_with_their_place(void **state)
{
    static const struct refusal cases[] = {
        {"struct big \"B.\" { a f64[1048576] m \"A.\" b f64[1048576] m \"B.\" c u8 1 \"C.\" }",
         "x.padi:2:8: struct big is larger than 16777216 bytes"},
    };

    (void)state;
    are_refused_in_x(cases, COUNT(cases));
}

/* ---- Bad files and little memory ------------------------------------------------------------- */

/* Parses, or fails with a place in the file and nothing left behind. */
static void ends_cleanly(const char *text, size_t length)
{
    tpi_padi padi;
    tp_error err = {0};
    tp_status status = parse_bytes(&padi, "x", text, length, &ours, &err);

    if (status == TP_OK) {
        tpi_padi_fini(&padi);
        return;
    }
    assert_int_equal(status, TP_E_SYNTAX);
    assert_int_equal(strncmp(err.text, "x:", 2), 0);
    assert_null(padi.arena.chunks);
}

static void every_prefix_of_a_file_ends_cleanly(void **state)
{
    static const char *const paths[] = {TEST_ROOT "/tests/golden/thermometer.padi",
                                        TEST_ROOT "/interfaces/laser.padi"};

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        tpi_buf text = {0};
        read_file(&text, paths[i]);
        for (size_t length = 0; length <= text.length; length++) {
            ends_cleanly(text.data, length);
        }
        tpi_buf_fini(&text);
    }
}

static void every_wrong_character_ends_cleanly(void **state)
{
    static const char wrong[] = {'\0', '"', '\\', '(', '}', '=', '#', '9', 'A', '\xff', '\n'};
    tpi_buf text = {0};

    (void)state;
    read_example(&text);
    for (size_t at = 0; at < text.length; at++) {
        const char right = text.data[at];
        for (size_t i = 0; i < COUNT(wrong); i++) {
            text.data[at] = wrong[i];
            ends_cleanly(text.data, text.length);
        }
        text.data[at] = right;
    }
    tpi_buf_fini(&text);
}

static tp_status parse_and_free(void *context)
{
    const tpi_buf *text = context;
    tpi_padi padi;
    tp_error err = {0};

    tp_status status = tpi_padi_parse(&padi, "x", text->data, text->length, &ours, &err);
    if (status == TP_E_NOMEM) {
        assert_string_equal(err.text, "x: out of memory");
    }
    tpi_padi_fini(&padi);
    return status;
}

static void little_memory_is_told_and_nothing_is_lost(void **state)
{
    static const char *const paths[] = {TEST_ROOT "/tests/golden/thermometer.padi",
                                        TEST_ROOT "/interfaces/laser.padi"};

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        tpi_buf text = {0};
        read_file(&text, paths[i]);
        memory_sweep(parse_and_free, &text);
        tpi_buf_fini(&text);
    }
}

/* The arena takes memory in chunks of 8 KB; a long unit moves the end of the first one along. */
static void memory_may_run_out_at_any_place(void **state)
{
    static const char rest[] =
        " \"U.\" interface x 150 \"X.\" use common constant N = 3 \"N.\"\n"
        "enum n \"E.\" { A = 1 \"A.\" }\n"
        "struct s \"S.\" { n u32 count \"N.\" a u8[n max N] byte \"A.\" b u8 enum n \"B.\" }\n"
        "struct t \"T.\" { c s \"C.\" d pose2d \"D.\" }\n"
        "data D 1 (t) required \"D.\"";
    char unit[8192 + 1];

    (void)state;
    memset(unit, 'u', sizeof unit);
    for (size_t length = 1; length < sizeof unit; length += 16) {
        tpi_buf text = {0};
        tpi_buf_printf(&text, "unit %.*s%s", (int)length, unit, rest);
        memory_sweep(parse_and_free, &text);
        tpi_buf_fini(&text);
    }
}

static void an_error_is_optional(void **state)
{
    tpi_padi padi;

    (void)state;
    assert_int_equal(tpi_padi_parse(&padi, "x.padi", "use", 3, &ours, NULL), TP_E_SYNTAX);
    assert_int_equal(tpi_padi_parse(&padi, "x.padi", "use gone", 8, &ours, NULL), TP_E_SYNTAX);
}

#define IN_THE_EXAMPLE(test) cmocka_unit_test_setup_teardown(test, parse_example, free_example)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_the_one_of_the_manual),
        IN_THE_EXAMPLE(an_interface_has_its_name_code_and_sentence),
        IN_THE_EXAMPLE(an_enum_has_its_members),
        IN_THE_EXAMPLE(a_struct_has_its_fields_with_units_and_enums),
        IN_THE_EXAMPLE(messages_have_their_codes_structs_and_marks),
        cmocka_unit_test(comments_and_blanks_do_not_matter),
        cmocka_unit_test(messages_say_what_they_do_to_the_device),
        cmocka_unit_test(nothing_needs_blanks_around_marks_and_sentences),
        cmocka_unit_test(sentences_in_a_row_are_joined_by_a_blank),
        cmocka_unit_test(escapes_stand_for_quotes_and_backslashes),
        cmocka_unit_test(a_file_may_declare_units_of_its_own),
        cmocka_unit_test(constants_and_flags_keep_their_values),
        cmocka_unit_test(arrays_are_fixed_bounded_or_behind_a_pointer),
        cmocka_unit_test(every_basic_type_and_every_kind_of_message_is_known),
        cmocka_unit_test(only_common_may_have_the_codes_of_common_questions),
        cmocka_unit_test(the_middle_of_a_code_constant_tells_the_kind),
        cmocka_unit_test(strings_out_of_order_are_refused),
        cmocka_unit_test(characters_out_of_place_are_refused),
        cmocka_unit_test(columns_count_characters_as_an_editor_does),
        cmocka_unit_test(files_without_one_interface_are_refused),
        cmocka_unit_test(words_that_begin_no_item_are_refused),
        cmocka_unit_test(interfaces_are_checked),
        cmocka_unit_test(a_long_word_is_cut_in_the_error),
        cmocka_unit_test(uses_are_checked),
        cmocka_unit_test(memory_that_ran_out_in_a_used_file_is_told),
        cmocka_unit_test(units_and_constants_are_checked),
        cmocka_unit_test(constants_members_and_codes_share_their_names),
        cmocka_unit_test(names_that_only_resemble_a_code_are_free),
        cmocka_unit_test(enums_are_checked),
        cmocka_unit_test(types_need_names_of_their_own),
        cmocka_unit_test(codes_below_200_are_ours),
        cmocka_unit_test(a_file_is_named_after_its_interface),
        cmocka_unit_test(names_from_200_up_begin_with_the_interface),
        cmocka_unit_test(names_below_200_are_free),
        cmocka_unit_test(a_unit_on_a_struct_changes_its_members),
        cmocka_unit_test(messages_are_checked),
        cmocka_unit_test(messages_of_one_kind_need_names_and_codes_of_their_own),
        cmocka_unit_test(old_requests_have_one_struct_for_both_ways),
        cmocka_unit_test(structs_are_checked),
        cmocka_unit_test(types_of_fields_are_checked),
        cmocka_unit_test(lengths_of_arrays_are_checked),
        cmocka_unit_test(counts_of_arrays_are_checked),
        cmocka_unit_test(units_of_fields_are_checked),
        cmocka_unit_test(enums_of_fields_are_checked),
        cmocka_unit_test(a_struct_has_at_most_256_fields),
        cmocka_unit_test(limits_of_the_plan_are_told_with_their_place),
        cmocka_unit_test(every_prefix_of_a_file_ends_cleanly),
        cmocka_unit_test(every_wrong_character_ends_cleanly),
        cmocka_unit_test(little_memory_is_told_and_nothing_is_lost),
        cmocka_unit_test(memory_may_run_out_at_any_place),
        cmocka_unit_test(an_error_is_optional),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
