/* lang_test.c - programs with the words of other languages: the same blocks and the same code. */
#include "play/lang.h"

#include "base/file.h"
#include "play/blocks.h"
#include "support/play.h"
#include "support/play_random.h"

static void parse(tpi_play_tree *tree, const char *text)
{
    static tpi_play_troubles troubles;

    memset(&troubles, 0, sizeof troubles);
    if (!tpi_play_parse(tree, text, strlen(text), &troubles)) {
        fail_msg("%s\n%u:%u: %s", text, troubles.list[0].line, troubles.list[0].column,
                 troubles.list[0].text);
    }
}

/* A program in another language. */
static void convert(tpi_buf *out, const char *text, const char *lang)
{
    static tpi_play_troubles troubles;
    tpi_play_tree tree = {0};

    memset(&troubles, 0, sizeof troubles);
    parse(&tree, text);
    if (!tpi_play_lang_set(&tree, tpi_play_lang_find(lang), &troubles)) {
        fail_msg("%s", troubles.list[0].text);
    }
    tpi_play_format(out, &tree);
    tpi_play_tree_fini(&tree);
}

static void format(tpi_buf *out, const char *text)
{
    tpi_play_tree tree = {0};

    parse(&tree, text);
    tpi_play_format(out, &tree);
    tpi_play_tree_fini(&tree);
}

/* Through blocks and back. */
static void through_blocks(tpi_buf *out, const char *text)
{
    tpi_play_tree tree = {0}, again = {0};
    tpi_buf blocks = {0};
    tp_error err = {0};

    parse(&tree, text);
    tpi_play_blocks_put(&blocks, &tree);
    if (tpi_play_blocks_read(&again, blocks.data, blocks.length, &err) != TP_OK) {
        fail_msg("%s\n%s", err.text, blocks.data);
    }
    tpi_play_format(out, &again);
    tpi_buf_fini(&blocks);
    tpi_play_tree_fini(&tree);
    tpi_play_tree_fini(&again);
}

/* English -> language -> blocks -> language -> another language -> English. */
static void goes_round(const char *text, const char *lang, const char *other)
{
    tpi_buf english = {0}, mine = {0}, back = {0}, second = {0}, last = {0};

    format(&english, text);
    convert(&mine, text, lang);
    through_blocks(&back, tpi_buf_text(&mine));
    assert_string_equal(tpi_buf_text(&back), tpi_buf_text(&mine));
    convert(&second, tpi_buf_text(&mine), other);
    convert(&last, tpi_buf_text(&second), "en");
    assert_string_equal(tpi_buf_text(&last), tpi_buf_text(&english));
    tpi_buf_fini(&english);
    tpi_buf_fini(&mine);
    tpi_buf_fini(&back);
    tpi_buf_fini(&second);
    tpi_buf_fini(&last);
}

static void generated_programs_go_round_in_every_language(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        tpi_buf text = {0};
        play_random_program(&text, seed);
        goes_round(tpi_buf_text(&text), "de", "fr");
        goes_round(tpi_buf_text(&text), "fr", "de");
        tpi_buf_fini(&text);
    }
}

static const char all[] =
    "# all\ndevice a is Take-off, Light Sensor number 2\nchannel c is \"x\\n\"\nwhen a\nprint "
    "1\n# w\nend # e\ntask t\nend\nto f(p, q)\nreturn\nreturn p\nend\nlet x, y be do Track "
    "a\nchange x by -1\nset a to 1\nmove a at 5 %\ndrive 1 turn 2\nstop\nstop a\nstart t\nwait "
    "until a at most 2 s\nwait 1\nif a # i\nelse if x and not y or true # j\nelse # k\n# l\nend # "
    "m\nwhile x\nbreak\nend\nrepeat 3 times\nend\nforever\nend\nprint 1, \"end\", x mod 2, "
    "false\nlog x, 1\nshow 1\nsay \"a\"\ntone 440 for 1\nsend 1 to c\nsend message from c to "
    "c\ndo NoOp\ndo Drive 1, 2\nf(1, 2)\n# eof";

static void every_statement_goes_round(void **state)
{
    (void)state;
    goes_round(all, "de", "fr");
    goes_round(all, "fr", "de");
}

static void german_reads_as_german(void **state)
{
    tpi_buf out = {0};

    (void)state;
    convert(&out,
            "# hello\ndevice eye is Light Sensor number 1\nwait until eye > 3 at most 2 s\n"
            "repeat 3 times\nset eye to 1\nmove eye at 5\nend\nsend not true to c",
            "de");
    assert_string_equal(
        tpi_buf_text(&out),
        "lang de\n\n# hello\ngerät eye ist Light Sensor nummer 1\nwarte bis eye > 3 "
        "höchstens 2 s\nwiederhole 3 mal\n    stelle eye auf 1\n    bewege eye mit "
        "5\nende\nsende nicht wahr an c\n");
    tpi_buf_fini(&out);
}

/* The image of a program. */
static void image_of(struct play *play, const char *text, tpi_buf *image)
{
    play_compile(play, text);
    tpi_buf_clear(image);
    tpi_buf_put(image, play->program.image.data, play->program.image.length);
}

static void the_bytecode_cannot_tell(void **state)
{
    static const char *const programs[] = {"find-light",     "follow-blob",    "follow-line",
                                           "follow-object",  "logger",         "maze",
                                           "power-of-light", "run-from-light", "swarm"};
    struct play *play = play_create();
    tpi_buf one = {0}, two = {0};

    (void)state;
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        tpi_buf path = {0}, text = {0};
        tpi_buf_printf(&path, "%s/programs/%s.play", TEST_ROOT, programs[i]);
        assert_int_equal(tpi_file_read(&text, tpi_buf_text(&path), 100000, NULL), TP_OK);
        image_of(play, tpi_buf_text(&text), &one);
        for (unsigned k = 1; tpi_play_lang_at(k) != NULL; k++) {
            tpi_buf other = {0};
            convert(&other, tpi_buf_text(&text), tpi_play_lang_at(k)->name);
            image_of(play, tpi_buf_text(&other), &two);
            assert_int_equal(one.length, two.length);
            assert_memory_equal(one.data, two.data, one.length);
            tpi_buf_fini(&other);
        }
        tpi_buf_fini(&text);
        tpi_buf_fini(&path);
    }
    tpi_buf_fini(&one);
    tpi_buf_fini(&two);
    play_destroy(play);
}

/* Slots in the same order; as many words between them as in English, or one; a word means one thing
 * on a line, and no English word means another one. */
static void the_tables_are_whole(void **state)
{
    (void)state;
    for (unsigned k = 1; tpi_play_lang_at(k) != NULL; k++) {
        const tpi_play_lang *lang = tpi_play_lang_at(k);
        static tpi_play_words words;

        for (unsigned i = 0; i < TPI_PLAY_STATEMENTS; i++) {
            const char *mine = lang->shapes[i];
            const char *english = tpi_play_statement_of((tpi_play_kind)i)->shape;
            unsigned slot = 0, english_slot = 0, count = 0, english_count = 0;
            tpi_play_item item, other;
            assert_non_null(mine);
            for (;;) {
                const bool has = tpi_play_item_next(&mine, &slot, &item);
                count += has && item.sort == 'w';
                if (has && item.sort == 'w') {
                    continue;
                }
                bool has_other;
                while ((has_other = tpi_play_item_next(&english, &english_slot, &other)) &&
                       other.sort == 'w') {
                    english_count++;
                }
                assert_true(count == english_count || (count == 1 && english_count == 2));
                assert_int_equal(has, has_other);
                if (!has) {
                    break;
                }
                assert_int_equal(item.sort, other.sort);
                assert_string_equal(item.text, other.text);
                count = english_count = 0;
            }
        }
        tpi_play_words_init(&words, lang);
        assert_in_range(words.count, 40, TPI_PLAY_MOST_WORDS - 1);
        for (unsigned i = 0; i < words.count; i++) {
            const tpi_play_meaning *one = &words.list[i];
            assert_true(!tpi_play_is_reserved(one->word) || strcmp(one->word, one->english) == 0);
            for (unsigned j = 0; j < words.count; j++) {
                const tpi_play_meaning *two = &words.list[j];
                if (strcmp(one->word, two->word) == 0 &&
                    (one->kind == two->kind || one->kind == TPI_PLAY_STATEMENTS)) {
                    assert_string_equal(one->english, two->english);
                }
            }
        }
    }
}

static void mistakes(struct play *play, const char *text, const char *expected)
{
    play_clear(play);
    assert_false(
        tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles));
    assert_string_equal(play_troubles(play), expected);
}

static void mistakes_name_the_words_of_the_text(void **state)
{
    struct play *play = play_create();

    (void)state;
    mistakes(play,
             "lang de\ngerät auge ist Light Senser\nwenn auge > 5\n    fahrre 50\nende\n"
             "setze x 5\nwarte bis auge > 3 hoechstens 2 s\nabbruch\nschreibe wenn\n",
             "x:2:16: `Light Senser`: there is no such class; did you mean `Light Sensor`?\n"
             "x:4:5: `fahrre`: there is no such statement; did you mean `fahre`?\n"
             "x:6:9: `5`: `auf` is missing before this; did you mean `auf 5`?\n"
             "x:7:20: `hoechstens`: another word is expected here; did you mean `höchstens`?\n"
             "x:8:1: `abbruch`: `abbruch` leaves a loop, and here is none: leave it out\n"
             "x:9:10: `wenn`: a value is expected here, such as a number or a name\n");
    mistakes(play, "lang fr\nsi 1 > 2\nbouge x 5\nx = 5\n",
             "x:2:1: `si`: this has no `fin`: write `fin` below its body\n"
             "x:3:7: `x`: this is a variable, not a device: write `mets x à`\n"
             "x:3:9: `5`: `à` is missing before this; did you mean `à 5`?\n"
             "x:4:1: `x =`: a variable is set with `mets`; did you mean `mets x à`?\n");
    mistakes(play, "lang de\nwen 1 > 2\nstoppe\nende\n",
             "x:2:1: `wen`: there is no such statement; did you mean `wenn`?\n");
    mistakes(play, "print 1\nlang de\n",
             "x:2:1: `lang`: this stands before all other statements\n");
    mistakes(play, "# x\nlang dr\nprint 1\n",
             "x:2:6: `dr`: there is no such language: en, de or fr; did you mean `de`?\n");
    play_destroy(play);
}

static void english_words_are_understood(void **state)
{
    tpi_buf out = {0};

    (void)state;
    format(&out, "\xef\xbb\xbf# c\n\nlang de # t\nif 1\nprint 2\nend\n");
    assert_string_equal(tpi_buf_text(&out), "lang de  # t\n\n# c\nwenn 1\n    schreibe 2\nende\n");
    tpi_buf_fini(&out);
}

/* To English and back: nothing of the head is lost or moves. */
static void the_head_of_a_program_stays(void **state)
{
    static const char *const texts[] = {
        "lang de\n\nfahre 5\n",           "lang de\n\n# kopf\nfahre 5\n",
        "lang de\n\n# kopf\n\nfahre 5\n", "lang de\n\n# kopf\n\n# rad\nfahre 5\n",
        "lang de\n\n# nichts\n",          "lang de\n",
    };
    tpi_buf english = {0}, out = {0};

    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tpi_buf_clear(&english);
        tpi_buf_clear(&out);
        format(&out, texts[i]);
        assert_string_equal(tpi_buf_text(&out), texts[i]);
        tpi_buf_clear(&out);
        convert(&english, texts[i], "en");
        convert(&out, tpi_buf_text(&english), "de");
        assert_string_equal(tpi_buf_text(&out), texts[i]);
    }
    tpi_buf_clear(&out);
    format(&out, "\n\n# kopf\nlang de\nfahre 5\n");
    assert_string_equal(tpi_buf_text(&out), "lang de\n\n# kopf\nfahre 5\n");
    tpi_buf_fini(&english);
    tpi_buf_fini(&out);
}

static void names_that_become_words_are_refused(void **state)
{
    static tpi_play_troubles troubles;
    tpi_play_tree tree = {0};
    tpi_buf line = {0};

    (void)state;
    memset(&troubles, 0, sizeof troubles);
    parse(&tree, "let fin be 1\nprint fin, ende\n");
    assert_false(tpi_play_lang_set(&tree, tpi_play_lang_find("fr"), &troubles));
    for (unsigned i = 0; i < troubles.count; i++) {
        tpi_play_trouble_put(&line, "x", &troubles.list[i]);
    }
    assert_string_equal(tpi_buf_text(&line),
                        "x:1:5: `fin`: this is a word of `lang fr`: choose another one\n"
                        "x:2:7: `fin`: this is a word of `lang fr`: choose another one\n");
    tpi_buf_fini(&line);
    tpi_play_tree_fini(&tree);
}

static void blocks_carry_the_language(void **state)
{
    static const char *const wrong[] = {
        "{\"version\":1,\"body\":[{\"kind\":\"stop\"},{\"kind\":\"lang\",\"language\":\"de\"}]}",
        "{\"version\":1,\"body\":[{\"kind\":\"lang\",\"language\":\"xx\"}]}",
        "{\"version\":1,\"body\":[{\"kind\":\"lang\",\"language\":\"de\"},"
        "{\"kind\":\"start\",\"task\":\"wenn\"}]}",
    };
    tpi_buf out = {0};

    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tpi_play_tree tree = {0};
        assert_int_not_equal(tpi_play_blocks_read(&tree, wrong[i], strlen(wrong[i]), NULL), TP_OK);
        tpi_play_tree_fini(&tree);
    }
    tpi_vocabulary *vocabulary = universal_vocabulary();
    tpi_play_blocks_describe(&out, vocabulary, tpi_play_lang_find("de"));
    assert_non_null(strstr(out.data, "{\"word\":\"fahre\"},{\"slot\":\"power\""));
    assert_non_null(strstr(out.data, "\"words\":{\"and\":\"und\","));
    tpi_vocabulary_destroy(vocabulary);
    tpi_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_are_whole),
        cmocka_unit_test(german_reads_as_german),
        cmocka_unit_test(every_statement_goes_round),
        cmocka_unit_test(generated_programs_go_round_in_every_language),
        cmocka_unit_test(the_bytecode_cannot_tell),
        cmocka_unit_test(mistakes_name_the_words_of_the_text),
        cmocka_unit_test(english_words_are_understood),
        cmocka_unit_test(the_head_of_a_program_stays),
        cmocka_unit_test(names_that_become_words_are_refused),
        cmocka_unit_test(blocks_carry_the_language),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
