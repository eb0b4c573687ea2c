/* check_test.c - mistakes are found, all of them, at their words, with the right fix. */
#include "play/check.h"

#include "support/play.h"

/* A mistake: the text, the place and word that is marked, and what is offered. */
struct mistake {
    const char *text;
    unsigned line, column;
    const char *word;
    const char *fix; /* what must be offered, as a fix or in the sentence */
};

#define EYE "device eye is Light Sensor\n"

static const struct mistake mistakes[] = {
    {"device eye is Light Senser", 1, 15, "Light Senser", "Light Sensor"},
    {"device eye is Ligth Sensor, Input", 1, 15, "Ligth Sensor", "Light Sensor"},
    {"device eye si Light Sensor", 1, 12, "si", "is"},
    {"devise eye is Light Sensor", 1, 1, "devise", "device"},
    {EYE "print eya", 2, 7, "eya", "eye"},
    {EYE "print Eye", 2, 7, "Eye", "eye"},
    {EYE "if eye > 50\ndrive 5", 2, 1, "if", "end"},
    {EYE "if eye > 50 then\nend", 2, 13, "then", ""},
    {EYE "if eye >> 50\nend", 2, 9, ">", ""},
    {EYE "if eye == 50\nend", 2, 8, "==", "="},
    {EYE "if eye != 50\nend", 2, 8, "!=", "<>"},
    {EYE "if eye => 50\nend", 2, 8, "=>", ">="},
    {EYE "if eye > 50 && eye < 60\nend", 2, 13, "&&", "and"},
    {"forevr\ndrive 5\nend", 1, 1, "forevr", "forever"},
    {"whlie 1 < 2\ndrive 5\nend", 1, 1, "whlie", "while"},
    {"drvie 50", 1, 1, "drvie", "drive"},
    {"drive 50 trun 20", 1, 10, "trun", "turn"},
    {"drive 30 cm", 1, 10, "cm", "%"},
    {"drive", 1, 1, "drive", ""},
    {"let x 5", 1, 7, "5", "be 5"},
    {"let x = 5", 1, 7, "=", "be"},
    {"x = 5", 1, 1, "x =", "let x be"},
    {"let x be", 1, 7, "be", ""},
    {"let forever be 5", 1, 5, "forever", ""},
    {"wait 2 sec", 1, 8, "sec", "s"},
    {"wait 30 cm", 1, 9, "cm", "s"},
    {"wait until 1 > 2 at mst 3 s", 1, 21, "mst", "most"},
    {"repeat 3\ndrive 5\nend", 1, 8, "3", "3 times"},
    {"repeat 3 tims\ndrive 5\nend", 1, 10, "tims", "times"},
    {"device far is Distance Sensor\nif far < 30 cn\nend", 2, 13, "cn", "cm"},
    {EYE "if eye < 30 cm\nend", 2, 13, "cm", "%"},
    {"device far is Distance Sensor\nif far > 50 deg\nend", 2, 13, "deg", "mm"},
    {"to f(a)\nreturn a\nend\nprint f(1, 2)", 4, 7, "f", "1 value"},
    {"to double(a)\nreturn a * 2\nend\nprint duoble(1)", 4, 7, "duoble", "double"},
    {"print sqr(16)", 1, 7, "sqr", "sqrt"},
    {"print \"hello", 1, 7, "\"hello", "\""},
    {"print 1.2.3", 1, 7, "1.2.3", ""},
    {"print (1 + 2", 1, 12, "2", ")"},
    {"break", 1, 1, "break", "loop"},
    {"return 5", 1, 1, "return", "function"},
    {"device lamp is LED\nprint lamp", 2, 7, "lamp", "output"},
    {EYE "set eye to 5", 2, 5, "eye", "sensor"},
    {"device lamp is LED\nset lmap to 5", 2, 5, "lmap", "lamp"},
    {"device lamp is LED\nset lamp 5", 2, 10, "5", "to 5"},
    {"device arm is Servo\ndo WriteSrvo arm, 45", 2, 4, "WriteSrvo", "WriteServo"},
    {"do Drive 1, 2, 3", 1, 16, "3", "2 values"},
    {"channel crew\nsend \"go\" to crw", 2, 14, "crw", "crew"},
    {"channel crew\nprint crew", 2, 7, "crew", "message from crew"},
    {"task blink\ndrive 1\nend\nstart blnk", 4, 7, "blnk", "blink"},
    {"device a is LED\ndevice a is Servo", 2, 8, "a", "line 1"},
    {"drive 5\nend", 2, 1, "end", "too many"},
    {"else\ndrive 5", 1, 1, "else", "if"},
    {EYE "if eye > 5\ndrive 1\nelseif eye > 3\ndrive 2\nend", 4, 1, "elseif", "else if"},
    {EYE "if eye > 5\ndrive 1\nendif", 4, 1, "endif", "end"},
    {"print 9999999999", 1, 7, "9999999999", "2147483647"},
    {"tone 440 0.5", 1, 10, "0.5", "for 0.5"},
    {"function f\ndrive 5\nend", 1, 1, "function", "to"},
    {"to go\ndrive 5\nend\nprint go", 4, 7, "go", "go()"},
    {"change speed by 5", 1, 8, "speed", "variable"},
    {"forever\n    if 1 > 2\n        drive 5\nend", 2, 5, "if", "end"},
    {"to f\n    drive 5\n\nto g\n    drive 6\nend", 1, 1, "to", "end"},
    {"print time", 1, 7, "time", "time()"},
    {"print \"a\" + 1", 1, 11, "+", ","},
    {"drive 5;", 1, 8, ";", ""},
    {"device eye Light Sensor", 1, 12, "Light", "is Light"},
    {"let x be 5 +", 1, 12, "+", ""},
    {"device lamp is LED\nset lamp to off", 2, 13, "off", "false"},
    {"device knob is Touch Sensor\nwhen knob pressed\nstop\nend", 2, 11, "pressed", "leave it out"},
    {"to f(a\nstop\nend", 1, 6, "a", "a)"},
    {"channel c\nprint message form c", 2, 15, "form", "from"},
    {"beep 440 for 1", 1, 1, "beep", "tone"},
    /* Words in another order. */
    {"tone for 1 s 440", 1, 6, "for", "`tone 440 for 1 s`"},
    {"let be x 5\nprint x", 1, 5, "be", "`let x be 5`"},
    {"device Light Sensor is eye\nprint eye", 1, 8, "Light", "`device eye is Light Sensor`"},
    {"channel team\nsend to team \"go\"", 2, 6, "to", "`send \"go\" to team`"},
    {"repeat times 4\nstop\nend", 1, 8, "times", "`repeat 4 times`"},
    {"let x be 1\nchange by 2 x", 2, 8, "by", "`change x by 2`"},
    {"device arm is Motor\nmove at 50 arm", 2, 6, "at", "`move arm at 50`"},
    {"lang de\nton für 1 s 440", 2, 5, "für", "`ton 440 für 1 s`"},
    /* Words of other languages. */
    {"fahre 50\nwarte 1 s\nstoppe", 1, 1, "fahre", "`lang de` as the first line, or `drive`"},
    {"répète 4 fois\n    roule 30\n    attends 1 s\nfin", 1, 1, "répète", "lang fr"},
    {"drive 5\nwarte bis 1 < 2 höchstens 3 s\nstop", 2, 1, "warte", "lang de"},
    {"lang de\nfalls 1 < 2\nfahre 30\nende", 2, 1, "falls", "wenn"},
    {"lang de\nroule 30", 2, 1, "roule", "fahre"},
    {"lang fr\nsi 1 < 2 alors\nroule 3\nfin", 2, 10, "alors", "leave it out"},
    /* Habits. */
    {EYE "wait untill eye > 50", 2, 6, "untill", "until"},
    {"lang de\nwarte bisd 1 > 2", 2, 7, "bisd", "bis"},
    {"device eye is \"Light Sensor\"\nprint eye", 1, 15, "\"Light Sensor\"", "Light Sensor"},
    {"task blink\ntone 440 for 1 s\nend\nblink()", 4, 1, "blink", "start blink"},
    {"device motor is Motor\nmotor 50", 2, 1, "motor", "move motor at"},
    {"device lamp is LED\nlamp true", 2, 1, "lamp", "set lamp to"},
    {"when button\nstop\nend", 1, 6, "button", "`device button is Button`"},
    {EYE "print light", 2, 7, "light", "eye"},
    {"send \"hi\" to bob", 1, 14, "bob", "`channel bob` above"},
    {EYE "device b is Light Sensor number one", 2, 33, "one", "1"},
    {"repeat four times\nstop\nend", 1, 8, "four", "4"},
    {"let x be 1\nwhile x < 5 {\nchange x by 1\n}", 2, 13, "{", "leave it out"},
    {"say \"hello\" for 2 s", 1, 13, "for", "`wait 2 s` on the next line"},
    {"import random", 1, 1, "import", "nothing is imported"},
    {"forever\ncontinue\nend", 2, 1, "continue", "`if`"},
    {"move 10 steps", 1, 1, "move", "drive"},
};

enum { MISTAKES = sizeof mistakes / sizeof mistakes[0] };

static bool is_offered(const tpi_play_trouble *trouble, const char *fix)
{
    return *fix == '\0' || strcmp(trouble->fix, fix) == 0 || strstr(trouble->text, fix) != NULL;
}

static void mistakes_are_marked_at_their_words_with_a_fix(void **state)
{
    struct play *play = play_create();
    unsigned marked = 0, fixed = 0, with_fix = 0;

    (void)state;
    for (unsigned i = 0; i < MISTAKES; i++) {
        const struct mistake *m = &mistakes[i];
        play_clear(play);
        assert_false(tpi_play_compile(&play->program, m->text, strlen(m->text), play->vocabulary,
                                      &play->troubles));
        const tpi_play_trouble *trouble = &play->troubles.list[0];
        const bool is_marked = play->troubles.count == 1 && trouble->line == m->line &&
                               trouble->column == m->column && strcmp(trouble->word, m->word) == 0;
        if (!is_marked || !is_offered(trouble, m->fix)) {
            print_message("%s\n-> %s\n", m->text, play_troubles(play));
        }
        marked += is_marked;
        with_fix += m->fix[0] != '\0';
        fixed += m->fix[0] != '\0' && is_offered(trouble, m->fix);
    }
    assert_int_equal(marked, MISTAKES);
    assert_int_equal(fixed, with_fix);
    assert_true(fixed * 100 >= MISTAKES * 80);
    play_destroy(play);
}

static const struct mistake made[] = {
#include "tests/data/play/mistakes.def"
};

static const struct mistake seeds[] = {
#include "tests/data/play/seeds.def"
};

/* The first mistake that is told is the one that was made. */
static void mistakes_of_people_are_marked_and_mended(void **state)
{
    struct play *play = play_create();

    (void)state;
    for (unsigned i = 0; i < sizeof made / sizeof made[0]; i++) {
        const struct mistake *m = &made[i];
        play_clear(play);
        assert_false(tpi_play_compile(&play->program, m->text, strlen(m->text), play->vocabulary,
                                      &play->troubles));
        const tpi_play_trouble *trouble = &play->troubles.list[0];
        if (trouble->line != m->line || trouble->column != m->column ||
            strcmp(trouble->word, m->word) != 0 || !is_offered(trouble, m->fix)) {
            fail_msg("%s\n-> %s", m->text, play_troubles(play));
        }
    }
    play_destroy(play);
}

static void one_mistake_is_told_once(void **state)
{
    struct play *play = play_create();

    (void)state;
    for (unsigned i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        const struct mistake *m = &seeds[i];
        play_clear(play);
        tpi_play_compile(&play->program, m->text, strlen(m->text), play->vocabulary,
                         &play->troubles);
        const tpi_play_trouble *trouble = &play->troubles.list[0];
        if (play->troubles.count != 1 || trouble->line != m->line || trouble->column != m->column ||
            strcmp(trouble->word, m->word) != 0 || !is_offered(trouble, m->fix)) {
            fail_msg("%s\n-> %s", m->text, play_troubles(play));
        }
    }
    play_destroy(play);
}

/* The text with what is offered in the place of the mark, or of the statement. */
static bool put_mended(tpi_buf *out, const char *text, const tpi_play_trouble *trouble)
{
    const char *end = text + strlen(text);
    const char *line = tpi_play_line_at(text, end, trouble->line);
    const char *from = tpi_play_column(line, end, trouble->column);
    const char *to = tpi_play_column(from, end, trouble->width + 1);

    if (trouble->fix[0] == '\0' && trouble->whole[0] == '\0' && !trouble->removes) {
        return false;
    }
    if (trouble->whole[0] != '\0') {
        for (from = line; *from == ' '; from++) {
        }
        to = from + strcspn(from, "\n");
    }
    tpi_buf_put(out, text, (size_t)(from - text));
    tpi_buf_puts(out, trouble->whole[0] != '\0' ? trouble->whole : trouble->fix);
    tpi_buf_puts(out, to);
    return true;
}

/* What is offered replaces the mark exactly: the mistake is gone then, and none takes its place. */
static void what_is_offered_replaces_what_is_marked(void **state)
{
    static const struct {
        const struct mistake *list;
        unsigned count;
    } tables[] = {{mistakes, MISTAKES},
                  {made, sizeof made / sizeof made[0]},
                  {seeds, sizeof seeds / sizeof seeds[0]}};
    struct play *play = play_create(), *mended = play_create();
    tpi_buf text = {0};
    unsigned count = 0;

    (void)state;
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0] * 1000; i++) {
        const struct mistake *m = &tables[i / 1000].list[i % 1000];
        if (i % 1000 >= tables[i / 1000].count) {
            continue;
        }
        play_clear(play);
        tpi_play_compile(&play->program, m->text, strlen(m->text), play->vocabulary,
                         &play->troubles);
        for (unsigned n = 0; n < play->troubles.count; n++) {
            const tpi_play_trouble *trouble = &play->troubles.list[n];
            tpi_buf_clear(&text);
            if (!put_mended(&text, m->text, trouble)) {
                continue;
            }
            play_clear(mended);
            tpi_play_compile(&mended->program, tpi_buf_text(&text), text.length, mended->vocabulary,
                             &mended->troubles);
            if (mended->troubles.count > play->troubles.count ||
                tpi_play_trouble_at(&mended->troubles, trouble->line, trouble->column)) {
                fail_msg("%s\n-> %s-> %s\n-> %s", m->text, play_troubles(play), tpi_buf_text(&text),
                         play_troubles(mended));
            }
            count++;
        }
    }
    assert_true(count > 500);
    tpi_buf_fini(&text);
    play_destroy(play);
    play_destroy(mended);
}

/* A comma that is missing does not hide the other mistakes of its line, nor those behind it. */
static void a_missing_comma_hides_nothing(void **state)
{
    static const char text[] = "device eye is Light Sensor and Intensty Sensor\n"
                               "drvie eye\n";
    struct play *play = play_create();

    (void)state;
    assert_false(
        tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles));
    assert_string_equal(play_troubles(play),
                        "x:1:28: `and`: a comma stands between two classes; did you mean `,`?\n"
                        "x:1:32: `Intensty Sensor`: there is no such class; did you mean "
                        "`Intensity Sensor`?\n"
                        "x:2:1: `drvie`: there is no such statement; did you mean `drive`?\n");
    play_destroy(play);
}

/* In a text with too many mistakes nothing is tried, so nothing is offered as if it had been. */
static void what_was_not_tried_is_not_offered(void **state)
{
    struct play *play = play_create();
    tpi_buf text = {0};

    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        tpi_buf_puts(&text, "drvie 5\n");
    }
    tpi_play_compile(&play->program, text.data, text.length, play->vocabulary, &play->troubles);
    assert_int_equal(play->troubles.count, 30);
    assert_string_equal(play->troubles.list[23].fix, "drive");
    assert_string_equal(play->troubles.list[24].fix, "");
    assert_non_null(strstr(play->troubles.list[24].text, "; perhaps `drive`"));
    tpi_buf_fini(&text);
    play_destroy(play);
}

/* A variable that may hold a number when it is read is none of the checker's business. */
static void variables_that_may_hold_numbers_are_accepted(void **state)
{
    static const char *const texts[] = {
        "let t be \"a\"\nlet t be 5\nprint t * 2",
        "print t * 2\nlet t be \"a\"",
        "if 1 > 2\n    let t be \"a\"\nend\nprint t * 2",
        "repeat 0 times\n    let t be \"a\"\nend\nprint t * 2",
        "let t be \"a\"\ntask b\n    print t * 2\nend",
        "to f\n    print t * 2\nend\nf()\nlet t be \"a\"",
        "to f(t)\n    print t * 2\n    let t be \"a\"\nend\nf(1)",
        "to f\n    let t be 1\nend\nlet t be \"a\"\nf()\nprint t * 2",
        "let t be \"a\"\nprint t = \"b\", t\nshow t\nsay t\nlog x, t",
        "repeat 3 times\n    print t * 2\n    let t be t + 1\nend\nprint t * 2",
        "let t be \"a\"\nlet t be t = 1\nprint t * 2",
        "device d is Display\nlet t be \"a\"\nset d to t",
    };
    struct play *play = play_create();

    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        play_clear(play);
        if (!tpi_play_compile(&play->program, texts[i], strlen(texts[i]), play->vocabulary,
                              &play->troubles)) {
            fail_msg("%s\n-> %s", texts[i], play_troubles(play));
        }
    }
    play_destroy(play);
}

static void all_mistakes_show_at_once(void **state)
{
    static const char text[] = "device eye is Light Senser\n"
                               "forever\n"
                               "    drvie 50\n"
                               "    if eye > 30 cn\n"
                               "        let x 5\n"
                               "        print other\n"
                               "    end\n"
                               "end\n";
    struct play *play = play_create();

    (void)state;
    assert_false(
        tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles));
    assert_string_equal(
        play_troubles(play),
        "x:1:15: `Light Senser`: there is no such class; did you mean `Light Sensor`?\n"
        "x:3:5: `drvie`: there is no such statement; did you mean `drive`?\n"
        "x:4:17: `cn`: there is no such unit; did you mean `%`?\n"
        "x:5:15: `5`: `be` is missing before this; did you mean `be 5`?\n"
        "x:6:15: `other`: there is no such name; did you mean `\"other\"`?\n");
    play_destroy(play);
}

static void columns_count_characters(void **state)
{
    static const char text[] = "print \"größer\", zahl  # ö";
    struct play *play = play_create();

    (void)state;
    assert_false(
        tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles));
    assert_string_equal(play_troubles(play),
                        "x:1:17: `zahl`: there is no such name; did you mean `\"zahl\"`?\n");
    play_destroy(play);
}

static void at_most_four_run_side_by_side(void **state)
{
    static const char text[] =
        "drive 5\ntask a\nend\ntask b\nend\nwhen 1 > 2\nend\nwhen 2 > 3\nend";
    struct play *play = play_create();

    (void)state;
    assert_false(
        tpi_play_compile(&play->program, text, strlen(text), play->vocabulary, &play->troubles));
    assert_string_equal(play_troubles(play),
                        "x:8:1: `when`: at most 4 of these run side by side: the program "
                        "itself, `task`, `when`\n");
    play_destroy(play);
}

static void nesting_and_length_are_bounded(void **state)
{
    struct play *play = play_create();
    tpi_buf text = {0};

    (void)state;
    tpi_buf_puts(&text, "print ");
    for (int i = 0; i < 200; i++) {
        tpi_buf_puts(&text, "(");
    }
    tpi_buf_puts(&text, "\nprint 1");
    for (int i = 0; i < 200; i++) {
        tpi_buf_puts(&text, " + 1");
    }
    for (int i = 0; i < 100; i++) {
        tpi_buf_puts(&text, "\nforever");
    }
    assert_false(tpi_play_compile(&play->program, text.data, text.length, play->vocabulary,
                                  &play->troubles));
    assert_non_null(strstr(play_troubles(play), "nested too deep"));
    assert_non_null(strstr(play_troubles(play), "too long: put a part of it into a variable"));
    tpi_buf_clear(&text);
    for (int i = 0; i < 3000; i++) {
        tpi_buf_puts(&text, "print 1, 2, 3, 4\n");
    }
    play_clear(play);
    assert_false(tpi_play_compile(&play->program, text.data, text.length, play->vocabulary,
                                  &play->troubles));
    assert_non_null(strstr(play_troubles(play), "32,000 bytes at most"));
    tpi_buf_fini(&text);
    play_destroy(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_marked_at_their_words_with_a_fix),
        cmocka_unit_test(mistakes_of_people_are_marked_and_mended),
        cmocka_unit_test(one_mistake_is_told_once),
        cmocka_unit_test(what_is_offered_replaces_what_is_marked),
        cmocka_unit_test(a_missing_comma_hides_nothing),
        cmocka_unit_test(what_was_not_tried_is_not_offered),
        cmocka_unit_test(variables_that_may_hold_numbers_are_accepted),
        cmocka_unit_test(all_mistakes_show_at_once),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(at_most_four_run_side_by_side),
        cmocka_unit_test(nesting_and_length_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
