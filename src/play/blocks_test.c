/* blocks_test.c - text, blocks and text again are the same program; wrong blocks are refused. */
#include "play/blocks.h"

#include "support/memory.h"
#include "support/play.h"
#include "support/play_random.h"

static tpi_vocabulary *shared_vocabulary;

static void parse(tpi_play_tree *tree, const char *text)
{
    static tpi_play_troubles troubles;

    memset(&troubles, 0, sizeof troubles);
    if (!tpi_play_parse(tree, text, strlen(text), &troubles)) {
        fail_msg("%s\n%u: %s", text, troubles.list[0].line, troubles.list[0].text);
    }
}

/* Text -> tree -> blocks -> tree -> text, compared with text -> tree -> text; both ways twice. */
static void goes_round(const char *text)
{
    tpi_play_tree tree = {0}, again = {0}, third = {0};
    tpi_buf formatted = {0}, blocks = {0}, back = {0}, blocks_again = {0};
    tp_error err = {0};

    parse(&tree, text);
    tpi_play_format(&formatted, &tree);
    tpi_play_blocks_put(&blocks, &tree);
    if (tpi_play_blocks_read(&again, blocks.data, blocks.length, &err) != TP_OK) {
        fail_msg("%s\n%s", err.text, blocks.data);
    }
    tpi_play_format(&back, &again);
    assert_string_equal(tpi_buf_text(&back), tpi_buf_text(&formatted));
    parse(&third, tpi_buf_text(&back));
    tpi_play_blocks_put(&blocks_again, &third);
    assert_string_equal(tpi_buf_text(&blocks_again), tpi_buf_text(&blocks));
    tpi_play_tree_fini(&tree);
    tpi_play_tree_fini(&again);
    tpi_play_tree_fini(&third);
    tpi_buf_fini(&formatted);
    tpi_buf_fini(&blocks);
    tpi_buf_fini(&back);
    tpi_buf_fini(&blocks_again);
}

static void generated_programs_go_round(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 250; seed++) {
        tpi_buf text = {0};
        play_random_program(&text, seed);
        goes_round(tpi_buf_text(&text));
        tpi_buf_fini(&text);
    }
}

static void every_statement_goes_round(void **state)
{
    (void)state;
    goes_round("# all\ndevice a is Take-off, Light Sensor number 2\nchannel c is \"x\\n\"\nwhen "
               "a\nbreak\n# w\nend # e\n"
               "task t\nend\nto f(p, q)\nreturn\nreturn p\nend\nlet x, y be do Track a\nchange x "
               "by -1\nset a to 1\n"
               "move a at 5 %\ndrive 1 turn 2\nstop\nstop a\nstart t\nwait until a at most 2 "
               "s\nwait 1\nif a # i\n"
               "else if x # j\nelse # k\n# l\nend # m\nwhile x\nend\nrepeat 3 "
               "times\nend\nforever\nend\nprint 1, \"\"\n"
               "log x, 1\nshow 1\nsay \"a\"\ntone 440 for 1\nsend 1 to c\ndo NoOp\ndo Drive 1, "
               "2\nf()\nf(1, 2)\n# eof");
}

static void refused(const char *json, const char *expected)
{
    tpi_play_tree tree = {0};
    tp_error err = {0};

    assert_int_not_equal(tpi_play_blocks_read(&tree, json, strlen(json), &err), TP_OK);
    assert_int_equal(strncmp(err.text, "line 1, column ", 15), 0);
    assert_string_equal(strchr(err.text, ':') + 2, expected);
    tpi_play_tree_fini(&tree);
}

#define PROGRAM(body) "{\"version\":1,\"body\":[" body "]}"

static void wrong_blocks_are_refused_with_their_place(void **state)
{
    (void)state;
    refused("{}", "blocks have \"version\": 1 and a \"body\"");
    refused(PROGRAM("{\"kind\":\"fly\"}"), "there is no such kind of statement");
    refused(PROGRAM("{\"kind\":\"drive\"}"), "a block of the kind \"DRIVE\" lacks \"power\"");
    refused(PROGRAM("{\"kind\":\"else\",\"body\":[]}"),
            "a block of the kind \"else\" has no place here");
    refused(PROGRAM("{\"kind\":\"start\",\"task\":\"a b\"}"), "this is no name");
    refused(PROGRAM("{\"kind\":\"start\",\"task\":\"end\"}"), "this is no name");
    refused(PROGRAM("{\"kind\":\"wait\",\"time\":{\"kind\":\"number\",\"text\":\"1;2\"}}"),
            "this is no number");
    refused(PROGRAM("{\"kind\":\"stop\",\"tail\":\"a\\nb\"}"),
            "a comment is one line, without blanks around it");
    refused(PROGRAM("{\"kind\":\"wait\",\"time\":{\"kind\":\"binary\",\"text\":\"+\"}}"),
            "a block of the kind \"binary\" lacks a member");
}

static void the_description_has_every_kind_and_slot(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_buf text = {0};
    tpi_json json;
    tp_error err = {0};
    char name[24], wanted[64];

    (void)state;
    tpi_play_blocks_describe(&text, vocabulary, tpi_play_lang_at(0));
    tpi_json_init(&json, text.data, text.length);
    assert_true(tpi_json_skip(&json, NULL));
    assert_int_equal(tpi_json_end(&json, &err), TP_OK);
    for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
        tpi_play_statement_name((tpi_play_kind)i, name);
        snprintf(wanted, sizeof wanted, "{\"kind\":\"%s\",\"category\":", name);
        assert_non_null(strstr(text.data, wanted));
    }
    const char *commands = strstr(text.data, "\"commands\":[");
    assert_non_null(commands);
    for (int i = 0; i < TPI_COMMANDS; i++) {
        snprintf(wanted, sizeof wanted, "\"%s\"", tpi_dictionary_entry((tpi_command)i)->name);
        assert_non_null(strstr(commands, wanted));
    }
    assert_non_null(
        strstr(text.data, "{\"slot\":\"turn\",\"type\":\"expression\",\"optional\":true}"));
    assert_non_null(strstr(text.data, "\"Light Sensor\""));
    assert_non_null(strstr(text.data, "\"deg/s\""));
    tpi_buf_fini(&text);
    tpi_vocabulary_destroy(vocabulary);
}

/* Compile a program, take it through blocks, and format it. */
static tp_status do_everything(void *context)
{
    static tpi_play_troubles troubles;
    const char *text = context;
    tpi_play_tree tree = {0}, again = {0};
    tpi_play_program program = {0};
    tpi_buf blocks = {0}, out = {0};
    tp_status status = TP_E_NOMEM;

    memset(&troubles, 0, sizeof troubles);
    if (tpi_play_compile(&program, text, strlen(text), shared_vocabulary, &troubles) &&
        tpi_play_parse(&tree, text, strlen(text), &troubles)) {
        tpi_play_blocks_put(&blocks, &tree);
        if (tpi_buf_status(&blocks) == TP_OK) {
            status = tpi_play_blocks_read(&again, blocks.data, blocks.length, NULL);
        }
        if (status == TP_OK) {
            tpi_play_format(&out, &again);
            status = tpi_buf_status(&out);
        }
    }
    if (status != TP_OK && !troubles.no_memory) {
        assert_int_equal(troubles.count, 0);
    }
    tpi_play_program_fini(&program);
    tpi_play_tree_fini(&tree);
    tpi_play_tree_fini(&again);
    tpi_buf_fini(&blocks);
    tpi_buf_fini(&out);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    tpi_buf text = {0};

    (void)state;
    shared_vocabulary = universal_vocabulary();
    tpi_buf_puts(
        &text,
        "# all\ndevice a is Light Sensor, Take-off number 2\nchannel c is \"x\\n\"\nto f(p, q)\n"
        "let own be p\nreturn own\nend\nwhen a > 5\nsay \"hi\"\nend\nif a > 3 # t\nlet x be f(1, "
        "2.5)\n"
        "else\nprint x, message from c\n# e\nend\n");
    for (int i = 0; i < 60; i++) {
        tpi_buf_printf(&text, "print %d, \"text %d\", x + %d.5  # comment\n", i + 1000, i, i);
    }
    memory_sweep(do_everything, text.data);
    tpi_buf_fini(&text);
    tpi_vocabulary_destroy(shared_vocabulary);
}

/* A blank line before all else is none of the program. */
static void a_program_begins_without_a_blank_line(void **state)
{
    static tpi_play_troubles troubles;
    static const char *const texts[] = {"\n\ndrive 5\n", "\n# hi\ndrive 5\n", "\n# hi\n"};

    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tpi_play_tree tree = {0};
        tpi_buf out = {0};
        assert_true(tpi_play_parse(&tree, texts[i], strlen(texts[i]), &troubles));
        tpi_play_blocks_put(&out, &tree);
        assert_null(strstr(tpi_buf_text(&out), "blank"));
        tpi_buf_fini(&out);
        tpi_play_tree_fini(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_begins_without_a_blank_line),
        cmocka_unit_test(generated_programs_go_round),
        cmocka_unit_test(every_statement_goes_round),
        cmocka_unit_test(wrong_blocks_are_refused_with_their_place),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(the_description_has_every_kind_and_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
