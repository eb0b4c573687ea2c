/* cfg_test.c - the configuration grammar: what it understands, tolerates and refuses. */
#include "convert/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "support/cfg.h"
#include "support/unit.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

/* The text is accepted, stands for `tree` and gives exactly these notes. */
static void bytes_mean(const char *text, size_t length, const char *tree, const char *notes)
{
    tpi_cfg *cfg = NULL;
    tpi_buf told = {0};
    tpi_buf out = {0};
    tp_error err = {0};

    tp_status status = cfg_parse_bytes(&cfg, text, length, &told, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    cfg_put(&out, tpi_cfg_root(cfg));
    assert_string_equal(tpi_buf_text(&out), tree);
    assert_string_equal(tpi_buf_text(&told), notes);
    tpi_buf_fini(&out);
    tpi_buf_fini(&told);
    tpi_cfg_destroy(cfg);
}

struct meaning {
    const char *text;
    const char *tree;
    const char *notes;
};

static void mean(const struct meaning *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *notes = cases[i].notes == NULL ? "" : cases[i].notes;
        bytes_mean(cases[i].text, strlen(cases[i].text), cases[i].tree, notes);
    }
}

static void bytes_are_refused(const char *text, size_t length, tp_status code, const char *error)
{
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    assert_int_equal(cfg_parse_bytes(&cfg, text, length, NULL, &err), code);
    assert_string_equal(err.text, error);
    assert_int_equal(err.code, code);
    assert_null(cfg);
}

struct refusal {
    const char *text;
    const char *error;
};

static void are_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes_are_refused(cases[i].text, strlen(cases[i].text), TP_E_SYNTAX, cases[i].error);
    }
}

/* ---- What a file may say --------------------------------------------------------------------- */

static void files_hold_fields_and_sections(void **state)
{
    static const struct meaning cases[] = {
        {"", "", NULL},
        {"# only a comment", "", NULL},
        {"speed 1.5", "speed=1.5 ", NULL},
        {"plugin \"libx\" driver ( name \"fake\" )", "plugin='libx' driver( name='fake' ) ", NULL},
        {"plugin \"a\" plugin \"b\" x ( ) plugin [ \"c\" \"d\" ]", "plugin=['a' 'b' 'c' 'd'] x( ) ",
         NULL},
        {"x ( plugin \"a\" )", "x( plugin='a' ) ", NULL},
        {"a(b 1)c(d 2)", "a( b=1 ) c( d=2 ) ", NULL},
        {"driver\n# here too\n(\n  name \"x\"\n)\n", "driver( name='x' ) ", NULL},
        {"a ( x 1 b ( y 2 c ( ) ) z 3 )", "a( x=1 z=3 b( y=2 c( ) ) ) ", NULL},
        {"a ( ) a ( ) b ( ) a ( )", "a( ) a( ) b( ) a( ) ", NULL},
        {"x 1 y 2\tz\n3", "x=1 y=2 z=3 ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void values_are_numbers_texts_and_bools(void **state)
{
    static const struct meaning cases[] = {
        {"a 1 b -1 c +1 d .5 e 5. f -.5 g 007 h 0", "a=1 b=-1 c=+1 d=.5 e=5. f=-.5 g=007 h=0 ",
         NULL},
        {"a true b false c yes d no", "a=true b=false c=yes d=no ", NULL},
        {"a \"\" b \"# no comment\" c \"(\"", "a='' b='# no comment' c='(' ", NULL},
        {"a \"back\\slash\\\" b \"tab\there\"", "a='back\\slash\\' b='tab\there' ", NULL},
        {"color \"light blue\" city \"Z\xc3\xbcrich\"", "color='light blue' city='Z\xc3\xbcrich' ",
         NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void tuples_hold_any_number_of_values(void **state)
{
    static const struct meaning cases[] = {
        {"pose [1 2.5 -3]", "pose=[1 2.5 -3] ", NULL},
        {"provides [ \"position2d:0\" \"laser:0\" ]", "provides=['position2d:0' 'laser:0'] ", NULL},
        {"a [] b [ ] c [1]", "a=[] b=[] c=[1] ", NULL},
        {"a [\"x\"1\"y\"]", "a=['x' 1 'y'] ", NULL},
        {"a [ 1 # one\n 2 # two ] \n 3\n]\n", "a=[1 2 3] ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void words_may_have_dots_dashes_colons_and_indices(void **state)
{
    static const struct meaning cases[] = {
        {"a.b-c_d:e 1", "a.b-c_d:e=1 ", NULL},
        {"point[0] [1 2] block[12].z 3", "point[0]=[1 2] block[12].z=3 ", NULL},
        {"a[i][j] 1 b[x.y:z-_] 2", "a[i][j]=1 b[x.y:z-_]=2 ", NULL},
        {"sensor[0] ( x 1 )", "sensor[0]( x=1 ) ", NULL},
        {"yesno 1 true_ 2 includes 3 defined 4", "yesno=1 true_=2 includes=3 defined=4 ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void lines_may_end_in_any_way(void **state)
{
    static const struct meaning cases[] = {
        {"a 1\r\nb [1\r\n2] # c\r\nd \"x\"\r\n", "a=1 b=[1 2] d='x' ", NULL},
        {"a 1 # c\rb 2\r", "a=1 b=2 ", NULL},
        {"\xef\xbb\xbf"
         "a 1",
         "a=1 ", NULL},
        {"\xef\xbb\xbf", "", NULL},
        {"a 1 # caf\xe9 in another encoding\nb 2", "a=1 b=2 ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void numbers_have_their_values(void **state)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        {"0", 0},
        {"-0.5", -0.5},
        {"+.25", 0.25},
        {"12.", 12},
        {"0010.50", 10.5},
        {"1e3", 1000},
        {"-1E-2", -.01},
        {"2.e+1", 20},
        {".5e1", 5},
        {"0x1F", 31},
        {"-0Xff", -255},
        {"0x0", 0},
        {"1e-999", 0},
        {"yes", 1},
        {"false", 0},
        {"0x00000000000000000001", 1},
        {"0xFFFFFFFFFFFFFFFF", 18446744073709551615.0},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        tpi_cfg *cfg = NULL;
        tpi_buf text = {0};
        tpi_buf_printf(&text, "a %s", cases[i].text);
        assert_int_equal(cfg_parse_bytes(&cfg, text.data, text.length, NULL, NULL), TP_OK);
        const tpi_cfg_value *value = &tpi_cfg_root(cfg)->fields[0].values[0];
        assert_true(value->number == cases[i].number);
        assert_string_equal(value->text, cases[i].text);
        tpi_cfg_destroy(cfg);
        tpi_buf_fini(&text);
    }
}

static void everything_knows_its_place(void **state)
{
    static const char text[] = "top 1\n  driver\n  (\n\tname \"\xc3\xa9\" pose [ 1\n    2 ]\n  )";
    tpi_cfg *cfg = NULL;

    (void)state;
    assert_int_equal(cfg_parse_bytes(&cfg, text, strlen(text), NULL, NULL), TP_OK);
    const tpi_cfg_section *root = tpi_cfg_root(cfg);
    const tpi_cfg_section *driver = root->sections[0];
    const struct {
        const tpi_cfg_place *place;
        unsigned line, column;
    } cases[] = {
        {&root->place, 1, 1},
        {&root->fields[0].place, 1, 1},
        {&root->fields[0].values[0].place, 1, 5},
        {&driver->place, 2, 3},
        {&driver->fields[0].place, 4, 2},
        {&driver->fields[0].values[0].place, 4, 7},
        {&driver->fields[1].place, 4, 11},
        {&driver->fields[1].values[0].place, 4, 18},
        {&driver->fields[1].values[1].place, 5, 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(cases[i].place->file, "x.cfg");
        assert_int_equal(cases[i].place->line, cases[i].line);
        assert_int_equal(cases[i].place->column, cases[i].column);
    }
    assert_null(root->parent);
    assert_string_equal(root->type, "");
    assert_ptr_equal(driver->parent, root);
    assert_false(driver->fields[0].used);
    tpi_cfg_destroy(cfg);
}

/* ---- What is tolerated ----------------------------------------------------------------------- */

static void tolerated_forms_are_told_of(void **state)
{
    static const struct meaning cases[] = {
        {"a [1, 2, 3]", "a=[1 2 3] ", "x.cfg:1:5: Player refuses \",\" between values"},
        {"a [1,2,] b [3;4]", "a=[1 2] b=[3 4] ",
         "x.cfg:1:5: Player refuses \",\" between values\n"
         "x.cfg:1:14: Player refuses \";\" between values"},
        {"a 1; b ( c 2; );;", "a=1 b( c=2 ) ",
         "x.cfg:1:4: Player refuses \";\"\nx.cfg:1:13: Player refuses \";\"\n"
         "x.cfg:1:16: Player refuses \";\"\nx.cfg:1:17: Player refuses \";\""},
        {"a 1e-3", "a=1e-3 ", "x.cfg:1:3: Player misreads a number with an exponent: 1e-3"},
        {"a\n0x1F", "a=0x1F ", "x.cfg:2:1: Player misreads a hexadecimal number: 0x1F"},
        {"a [yes no]", "a=[yes no] ",
         "x.cfg:1:4: Player refuses yes in a tuple\nx.cfg:1:8: Player refuses no in a tuple"},
        {"pose[0 0 0]", "pose=[0 0 0] ",
         "x.cfg:1:5: Player wants a blank between \"pose\" and \"[\""},
        {"a[\"x\"] b[] c[-]d [1]", "a=['x'] b=[] c[-]d=[1] ",
         "x.cfg:1:2: Player wants a blank between \"a\" and \"[\"\n"
         "x.cfg:1:9: Player wants a blank between \"b\" and \"[\""},
        {"a \"caf\xe9\"", "a='caf\xe9' ", "x.cfg:1:3: the text is not UTF-8"},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void fields_given_again_are_overwritten_by_position(void **state)
{
    static const struct meaning cases[] = {
        {"a 1 a 2", "a=2 ", "x.cfg:1:5: \"a\" is given again; its value of line 1 is lost"},
        {"a [1 2 3] a [4 5]", "a=[4 5 3] ",
         "x.cfg:1:11: \"a\" had 3 values and gets 2; the others stay"},
        {"a [1 2 3] a 4", "a=[4 2 3] ",
         "x.cfg:1:11: \"a\" had 3 values and gets 1; the others stay"},
        {"a [1 2] a []", "a=[1 2] ", "x.cfg:1:9: \"a\" had 2 values and gets 0; the others stay"},
        {"a 1\na [2 3]", "a=[2 3] ",
         "x.cfg:2:1: \"a\" is given again; its value of line 1 is lost"},
        {"a [] a []", "a=[] ", "x.cfg:1:6: \"a\" is given again; its value of line 1 is lost"},
        {"a 1 b ( a 2 ) c ( a 3 )", "a=1 b( a=2 ) c( a=3 ) ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void notes_are_optional(void **state)
{
    static const char text[] = "a[1e3, 0x2; yes] a 1; define m n ( ) define m n ( ) b \"\xff\"";
    tpi_cfg *cfg = NULL;

    (void)state;
    assert_int_equal(cfg_parse_bytes(&cfg, text, strlen(text), NULL, NULL), TP_OK);
    tpi_cfg_destroy(cfg);
}

/* ---- Macros ---------------------------------------------------------------------------------- */

static void macros_are_sections_to_start_from(void **state)
{
    static const struct meaning cases[] = {
        {"define m laser ( range 8 samples [1 2 3] )", "", NULL},
        {"define m laser ( range 8 samples [1 2] ) m ( )", "laser<m>( range=8 samples=[1 2] ) ",
         NULL},
        {"define m laser ( a 1 b 2 ) m ( b 3 c 4 ) m ( a 5 )",
         "laser<m>( a=1 b=3 c=4 ) laser<m>( a=5 b=2 ) ", NULL},
        {"define m p ( x 1 s ( y 1 ) ) m ( t ( ) z 2 )", "p<m>( x=1 z=2 s( y=1 ) t( ) ) ", NULL},
        {"define m p ( ) laser ( m ( a 1 ) )", "laser( p<m>( a=1 ) ) ", NULL},
        {"m ( a 1 ) define m p ( b 2 ) m ( a 1 )", "m( a=1 ) p<m>( b=2 a=1 ) ", NULL},
        {"define m p ( a 1 ) m ( m ( m ( ) ) )", "p<m>( a=1 p<m>( a=1 p<m>( a=1 ) ) ) ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void macros_may_rest_on_macros(void **state)
{
    static const struct meaning cases[] = {
        {"define a p ( x 1 y 1 ) define b a ( y 2 z 2 ) b ( z 3 )", "p<b>( x=1 y=2 z=3 ) ", NULL},
        {"define a p ( s ( ) ) define b a ( t ( ) ) b ( u ( ) )", "p<b>( s( ) t( ) u( ) ) ", NULL},
        {"define s ranger ( r 1 ) define b p ( s ( r 2 ) s ( q 3 ) ) b ( )",
         "p<b>( ranger<s>( r=2 ) ranger<s>( r=1 q=3 ) ) ", NULL},
        {"define b p ( s ( r 2 ) ) define s ranger ( r 1 q 1 ) b ( )",
         "p<b>( ranger<s>( r=2 q=1 ) ) ", NULL},
        {"define b a ( x 2 ) b ( ) define a p ( x 1 y 1 ) b ( )", "a<b>( x=2 ) p<b>( x=2 y=1 ) ",
         NULL},
        {"define o p ( x 1 define i q ( y 2 ) i ( ) ) o ( ) i ( )",
         "p<o>( x=1 q<i>( y=2 ) ) q<i>( y=2 ) ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void a_use_does_not_change_its_macro(void **state)
{
    static const struct meaning cases[] = {
        {"define m p ( a [1 2 3] ) m ( a 9 a 8 ) m ( ) m ( a [7 7] )",
         "p<m>( a=[8 2 3] ) p<m>( a=[1 2 3] ) p<m>( a=[7 7 3] ) ",
         "x.cfg:1:30: \"a\" had 3 values and gets 1; the others stay\n"
         "x.cfg:1:34: \"a\" had 3 values and gets 1; the others stay\n"
         "x.cfg:1:50: \"a\" had 3 values and gets 2; the others stay"},
        {"define m p ( a [1 2 3] ) define n m ( a 9 ) n ( ) m ( ) n ( a [4 5 6 7] ) n ( )",
         "p<n>( a=[9 2 3] ) p<m>( a=[1 2 3] ) p<n>( a=[4 5 6 7] ) p<n>( a=[9 2 3] ) ", NULL},
        {"define m p ( s ( a [1 2] ) ) define n m ( ) n ( s ( a 5 ) ) n ( )",
         "p<n>( s( a=[1 2] ) s( a=5 ) ) p<n>( s( a=[1 2] ) ) ", NULL},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void the_first_definition_counts(void **state)
{
    static const struct meaning cases[] = {
        {"define m p ( a 1 )\ndefine m q ( b 2 ) m ( )", "p<m>( a=1 ) ",
         "x.cfg:2:8: the macro \"m\" of x.cfg:1 stays; this one is ignored"},
    };

    (void)state;
    mean(cases, COUNT(cases));
}

static void macros_that_use_themselves_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"define a a ( )\na ( )", "x.cfg:1:10: the macro \"a\" uses itself"},
        {"define a p ( a ( ) ) a ( )", "x.cfg:1:14: the macro \"a\" uses itself"},
        {"define a b ( ) define b a ( ) a ( )",
         "x.cfg:1:25: the macro \"a\" uses \"b\", which uses \"a\" again"},
        {"define a p ( b ( ) )\ndefine b q ( x ( a ( ) ) )\nb ( )",
         "x.cfg:1:14: the macro \"b\" uses \"a\", which uses \"b\" again"},
        {"define a b ( ) define b c ( ) define c a ( ) a ( )",
         "x.cfg:1:40: the macro \"a\" uses \"c\", which uses \"a\" again"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void characters_out_of_place_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"a = 1", "x.cfg:1:3: '=' is out of place: a value follows its name without it"},
        {"driver {", "x.cfg:1:8: '{' is out of place: sections stand in ( )"},
        {"driver ( }", "x.cfg:1:10: '}' is out of place: sections stand in ( )"},
        {"a 'b'", "x.cfg:1:3: ''' is out of place: a text stands in \""},
        {"// a", "x.cfg:1:1: '/' is out of place: a comment begins with #"},
        {"/* a", "x.cfg:1:1: '/' is out of place: a comment begins with #"},
        {"a /b", "x.cfg:1:3: '/' is out of place"},
        {"_x 1", "x.cfg:1:1: '_' is out of place"},
        {"a 1 ~", "x.cfg:1:5: '~' is out of place"},
        {"a \"1\" \\", "x.cfg:1:7: '\\' is out of place"},
        {"a\f1", "x.cfg:1:2: byte 12 is out of place"},
        {"# bell \a", "x.cfg:1:8: byte 7 is out of place"},
        {"a \"x\x7f\"", "x.cfg:1:5: byte 127 is out of place"},
        {"a \"x\x1by\"", "x.cfg:1:5: byte 27 is out of place"},
        {"caf\xe9 1", "x.cfg:1:4: byte 233 is out of place"},
        {"\xff\xfe", "x.cfg:1:1: the file is UTF-16; please save it as UTF-8"},
        {"\xff 1", "x.cfg:1:1: byte 255 is out of place"},
        {"a 1\xef\xbb\xbf", "x.cfg:1:4: byte 239 is out of place"},
        {"a \"x\nb 1", "x.cfg:1:3: the text has no closing quote"},
        {"a \"x\r\n\"", "x.cfg:1:3: the text has no closing quote"},
        {"a 1\n\n  b [ \"", "x.cfg:3:7: the text has no closing quote"},
        {"# \xc3\xa9\xe2\x82\xac\r\na \"\xc3\xa9\" =",
         "x.cfg:2:7: '=' is out of place: a value follows its name without it"},
        {"\xef\xbb\xbf=", "x.cfg:1:1: '=' is out of place: a value follows its name without it"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
    bytes_are_refused("\xff\xfe"
                      "a\0",
                      4, TP_E_SYNTAX, "x.cfg:1:1: the file is UTF-16; please save it as UTF-8");
    bytes_are_refused("\xfe\xff\0"
                      "a",
                      4, TP_E_SYNTAX, "x.cfg:1:1: the file is UTF-16; please save it as UTF-8");
    bytes_are_refused("a 1\0", 4, TP_E_SYNTAX, "x.cfg:1:4: byte 0 is out of place");
    bytes_are_refused("a \"\0\"", 5, TP_E_SYNTAX, "x.cfg:1:4: byte 0 is out of place");
    bytes_are_refused("#\0", 2, TP_E_SYNTAX, "x.cfg:1:2: byte 0 is out of place");
}

static void characters_of_word_processors_are_named(void **state)
{
    static const struct refusal cases[] = {
        {"a \xe2\x80\x9c"
         "b\xe2\x80\x9d",
         "x.cfg:1:3: '\xe2\x80\x9c' is out of place: a text stands in \""},
        {"a \xe2\x80\x98"
         "b\xe2\x80\x99",
         "x.cfg:1:3: '\xe2\x80\x98' is out of place: a text stands in \""},
        {"a \xc2\xab"
         "b\xc2\xbb",
         "x.cfg:1:3: '\xc2\xab' is out of place: a text stands in \""},
        {"a [1 \xe2\x88\x92"
         "2]",
         "x.cfg:1:6: '\xe2\x88\x92' is out of place: a minus is -"},
        {"a [\xe2\x80\x93"
         "2]",
         "x.cfg:1:4: '\xe2\x80\x93' is out of place: a minus is -"},
        {"caf\xc3\xa9 1", "x.cfg:1:4: '\xc3\xa9' is out of place"},
        {"\xf0\x9f\xa4\x96 ( )", "x.cfg:1:1: '\xf0\x9f\xa4\x96' is out of place"},
        {"a\xc2\xa0"
         "1",
         "x.cfg:1:2: a no-break space is out of place: please type a plain one"},
        {"a \xe2\x80\xae"
         "1",
         "x.cfg:1:3: byte 226 is out of place"},
        {"a \xe2\x80\x8b"
         "1",
         "x.cfg:1:3: byte 226 is out of place"},
        {"a \xe2\x81\xa0"
         "1",
         "x.cfg:1:3: byte 226 is out of place"},
        {"a \xc2\x85 1", "x.cfg:1:3: byte 194 is out of place"},
        {"a \xe2\x80", "x.cfg:1:3: byte 226 is out of place"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void items_out_of_place_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"5", "x.cfg:1:1: expected a field or a section, found \"5\""},
        {"\"x\" 1", "x.cfg:1:1: expected a field or a section, found the text \"x\""},
        {"a yes no", "x.cfg:1:7: expected a field or a section, found \"no\""},
        {"a 1, b 2", "x.cfg:1:4: ',' is out of place: fields need none between them, and several "
                     "values stand in [ ]"},
        {"a 1 2 3", "x.cfg:1:5: a second value of \"a\" begins here: several stand in [ ]"},
        {"a ( b \"x\"\n\"y\" )",
         "x.cfg:2:1: a second value of \"b\" begins here: several stand in [ ]"},
        {"a [1 2] 3", "x.cfg:1:9: expected a field or a section, found \"3\""},
        {"( )", "x.cfg:1:1: expected a field or a section, found \"(\""},
        {"a ( 1 2 )",
         "x.cfg:1:5: expected a field or a section in \"a\" (values stand in [ ]), found \"1\""},
        {"a ( ] )", "x.cfg:1:5: expected a field or a section, found \"]\""},
        {"a 1\n)", "x.cfg:2:1: \")\" closes nothing"},
        {"a ( ) )", "x.cfg:1:7: \")\" closes nothing"},
        {"a 1 \n driver\n(\n b ( )\n",
         "x.cfg:5:1: expected \")\" for \"driver\" of line 2, found the end of the file"},
        {"define m p (",
         "x.cfg:1:13: expected \")\" for \"m\" of line 1, found the end of the file"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void fields_without_values_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"speed", "x.cfg:1:6: expected a value for \"speed\", found the end of the file"},
        {"driver ( speed )", "x.cfg:1:16: expected a value for \"speed\", found \")\""},
        {"a ]", "x.cfg:1:3: expected a value for \"a\", found \"]\""},
        {"a ,", "x.cfg:1:3: expected a value for \"a\", found \",\""},
        {"speed fast",
         "x.cfg:1:7: expected a value for \"speed\", found the word fast; a text needs quotes"},
        {"speed\nname \"x\"", "x.cfg:2:1: expected a value for \"speed\", found \"name\""},
        {"pose[0]", "x.cfg:1:8: expected a value for \"pose[0]\", found the end of the file"},
        {"a Yes",
         "x.cfg:1:3: expected a value for \"a\", found the word Yes; did you mean yes or no?"},
        {"a yse",
         "x.cfg:1:3: expected a value for \"a\", found the word yse; did you mean yes or no?"},
        {"a NaN", "x.cfg:1:3: expected a value for \"a\", found the word NaN; that is no number"},
        {"a Inf", "x.cfg:1:3: expected a value for \"a\", found the word Inf; that is no number"},
        {"a nano",
         "x.cfg:1:3: expected a value for \"a\", found the word nano; a text needs quotes"},
        {"a "
         "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij",
         "x.cfg:1:3: expected a value for \"a\", found the word "
         "abcdefghijabcdefghijabcdefghijabcdefghij; a text needs quotes"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void tuples_out_of_order_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"a [1 2", "x.cfg:1:7: expected a value or \"]\" for \"a\", found the end of the file"},
        {"b ( a [1 2 )", "x.cfg:1:12: expected a value or \"]\" for \"a\", found \")\""},
        {"a [ laser:0 ]", "x.cfg:1:5: expected a value or \"]\" for \"a\", found the word laser:0; "
                          "a text needs quotes"},
        {"a [1 [2]]", "x.cfg:1:6: the tuple \"a\" cannot hold another tuple"},
        {"a [,1]", "x.cfg:1:4: expected a value or \"]\" for \"a\", found \",\""},
        {"a [1,,2]", "x.cfg:1:6: expected a value or \"]\" for \"a\", found \",\""},
        {"a [1,;2]", "x.cfg:1:6: expected a value or \"]\" for \"a\", found \";\""},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void numbers_that_are_none_are_refused(void **state)
{
    static const struct refusal cases[] = {
        {"a 1-2", "x.cfg:1:3: \"1-2\" is not a number; a text needs quotes"},
        {"a 10.0.0.1", "x.cfg:1:3: \"10.0.0.1\" is not a number; a text needs quotes"},
        {"a 1.5m", "x.cfg:1:3: \"1.5m\" is not a number; a text needs quotes"},
        {"a -", "x.cfg:1:3: \"-\" is not a number; a text needs quotes"},
        {"a .", "x.cfg:1:3: \".\" is not a number; a text needs quotes"},
        {"a +-1", "x.cfg:1:3: \"+-1\" is not a number; a text needs quotes"},
        {"a 1e", "x.cfg:1:3: \"1e\" is not a number; a text needs quotes"},
        {"a 1e+", "x.cfg:1:3: \"1e+\" is not a number; a text needs quotes"},
        {"a .e5", "x.cfg:1:3: \".e5\" is not a number; a text needs quotes"},
        {"a 0x", "x.cfg:1:3: \"0x\" is not a number; a text needs quotes"},
        {"a 0xfg", "x.cfg:1:3: \"0xfg\" is not a number; a text needs quotes"},
        {"a 0x1.8", "x.cfg:1:3: \"0x1.8\" is not a number; a text needs quotes"},
        {"a [1 6665:laser:0]", "x.cfg:1:6: \"6665:laser:0\" is not a number; a text needs quotes"},
        {"a 1e999", "x.cfg:1:3: the number 1e999 is too large"},
        {"a -0x10000000000000000", "x.cfg:1:3: the number -0x10000000000000000 is too large"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void definitions_and_includes_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"define", "x.cfg:1:7: expected the name of a macro, found the end of the file"},
        {"define 5", "x.cfg:1:8: expected the name of a macro, found \"5\""},
        {"define yes p ( )", "x.cfg:1:8: expected the name of a macro, found \"yes\""},
        {"define m (", "x.cfg:1:10: expected the section that \"m\" stands for, found \"(\""},
        {"define m \"p\" (",
         "x.cfg:1:10: expected the section that \"m\" stands for, found the text \"p\""},
        {"define m p 5", "x.cfg:1:12: expected \"(\" for the macro \"m\", found \"5\""},
        {"define m p ( a )", "x.cfg:1:16: expected a value for \"a\", found \")\""},
        {"include", "x.cfg:1:8: expected the name of a file in quotes, found the end of the file"},
        {"include x.inc", "x.cfg:1:9: expected the name of a file in quotes, found \"x.inc\""},
        {"include \"\"", "x.cfg:1:9: the name of the file is empty"},
        {"include \"x.inc\" =",
         "x.cfg:1:17: '=' is out of place: a value follows its name without it"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void units_are_checked(void **state)
{
    static const struct refusal cases[] = {
        {"unit_length \"km\"",
         "x.cfg:1:13: \"unit_length\" takes \"m\", \"cm\" or \"mm\", not \"km\""},
        {"unit_angle \"deg\"",
         "x.cfg:1:12: \"unit_angle\" takes \"degrees\" or \"radians\", not \"deg\""},
        {"unit_length 1", "x.cfg:1:13: \"unit_length\" takes a text in quotes, not 1"},
        {"unit_angle []", "x.cfg:1:1: \"unit_angle\" takes a text in quotes, not an empty tuple"},
    };

    (void)state;
    are_refused(cases, COUNT(cases));
}

static void an_error_is_optional(void **state)
{
    tpi_cfg *cfg = NULL;

    (void)state;
    assert_int_equal(tpi_cfg_parse(&cfg, "x.cfg", "a", 1, NULL, NULL, NULL), TP_E_SYNTAX);
    assert_null(cfg);
    assert_int_equal(tpi_cfg_load(&cfg, "/no/such.cfg", NULL, NULL, NULL), TP_E_IO);
    assert_null(cfg);
    tpi_cfg_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_fields_and_sections),
        cmocka_unit_test(values_are_numbers_texts_and_bools),
        cmocka_unit_test(tuples_hold_any_number_of_values),
        cmocka_unit_test(words_may_have_dots_dashes_colons_and_indices),
        cmocka_unit_test(lines_may_end_in_any_way),
        cmocka_unit_test(numbers_have_their_values),
        cmocka_unit_test(everything_knows_its_place),
        cmocka_unit_test(tolerated_forms_are_told_of),
        cmocka_unit_test(fields_given_again_are_overwritten_by_position),
        cmocka_unit_test(notes_are_optional),
        cmocka_unit_test(macros_are_sections_to_start_from),
        cmocka_unit_test(macros_may_rest_on_macros),
        cmocka_unit_test(a_use_does_not_change_its_macro),
        cmocka_unit_test(the_first_definition_counts),
        cmocka_unit_test(macros_that_use_themselves_are_refused),
        cmocka_unit_test(characters_out_of_place_are_refused),
        cmocka_unit_test(characters_of_word_processors_are_named),
        cmocka_unit_test(items_out_of_place_are_refused),
        cmocka_unit_test(fields_without_values_are_refused),
        cmocka_unit_test(tuples_out_of_order_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(definitions_and_includes_are_checked),
        cmocka_unit_test(units_are_checked),
        cmocka_unit_test(an_error_is_optional),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
