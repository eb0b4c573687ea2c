/* manifest_test.c - manifests: what is read and written, and that each mistake has its place and a
 * fix. */
#include "sensors/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

#include "base/file.h"
#include "support/memory.h"

static const char *const shipped[] = {"accelerometer", "button",    "heater",
                                      "nxt_light",     "simulated", "temperature",
                                      "ultrasonic",    "uno_light", "uno_station"};

static void read_file(tpi_buf *text, const char *path)
{
    tp_error err = {0};
    char whole[512];

    snprintf(whole, sizeof whole, "%s/%s", TEST_ROOT, path);
    assert_int_equal(tpi_file_read(text, whole, TPI_MOST_MANIFEST, &err), TP_OK);
}

static tpi_manifest *read_shipped(const char *name)
{
    tpi_manifest *manifest = NULL;
    tpi_buf text = {0};
    tp_error err = {0};
    char path[64];

    snprintf(path, sizeof path, "sensors/%s.xml", name);
    read_file(&text, path);
    if (tpi_manifest_read(&manifest, tpi_buf_text(&text), text.length, path, NULL, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
    return manifest;
}

static void reads_the_light_sensor_of_the_thesis(void **state)
{
    tpi_manifest *m = read_shipped("nxt_light");
    const tpi_transducer *t = tpi_manifest_channel(m, 1);

    (void)state;
    assert_string_equal(m->lang, "English");
    assert_string_equal(m->name, "NXT Light Sensor");
    assert_string_equal(m->uuid, "LEGO.NXT.Light.9844");
    assert_string_equal(m->version, "9844");
    assert_string_equal(m->info_uri, "http://mindstorms.lego.com/en-us/products/default.aspx#9844");
    assert_int_equal(m->num_chans, 1);
    assert_true(m->timeout_ms == 10000);
    assert_string_equal(m->maker, "LEGO");
    assert_string_equal(m->serial_no, "749J7");
    assert_string_equal(m->home_page, "http://www.lego.com");
    assert_non_null(strstr(m->maker_documentation, "robot to \"see.\" Using"));
    assert_string_equal(t->name, "Light Sensor");
    assert_string_equal(t->parameter, "Brightness");
    assert_int_equal(t->type, TPI_CHANNEL_SENSOR);
    assert_int_equal(t->conversion_count, 2);
    assert_string_equal(t->conversions[0].label, "Raw");
    assert_int_equal(t->conversions[1].unit, TPI_UNIT_PERCENT);
    assert_string_equal(t->conversions[1].datatype, "uint16");
    assert_true(tpi_scaling_value(&t->conversions[1].scaling, 550) == 50);
    assert_true(tpi_scaling_uncertainty(&t->conversions[1].scaling, 550) == 0.143);
    assert_true(tpi_scaling_uncertainty(&t->conversions[0].scaling, 550) == 1);
    assert_string_equal(t->modes[0].name, "Floodlight");
    assert_string_equal(t->modes[0].options[1].name, "Off");
    assert_int_equal(t->modes[0].options[1].index, 2);
    assert_true(t->min_period_ms == 3.004 && t->trig_delay_ms == 3.004);
    assert_true(m->has_datalogging);
    tpi_manifest_destroy(m);
}

/* Every element of C.1, each with a value of its own. */
static const char whole[] =
    "<sensor lang=\"de\"><identity><name>n1</name><uuid>u1</uuid><version>v1</version>"
    "<info_uri>i1</info_uri><hardware><num_chans>1</num_chans><timeout>77</timeout></hardware>"
    "<manufacturer><name>m1</name><serial_no>s1</serial_no><documentation>d1</documentation>"
    "<home_page>h1</home_page><etc>e1</etc></manufacturer></identity>"
    "<transducers><transducer index=\"1\"><chan_num>7</chan_num><chan_type>actuator</chan_type>"
    "<desc><name>n2</name><parameter>p2</parameter><documentation>d2</documentation></desc>"
    "<conversions><conversion index=\"1\"><units><type>si_product</type><label>l2</label>"
    "<si_units>m/s</si_units><magnitude>-3</magnitude></units><method><function>polynomial"
    "</function><parameters><coord>1</coord><coord>2</coord></parameters></method><scale>"
    "<min>1</min><max>21</max><resolution>0.5</resolution><uncertainty>0.25</uncertainty></scale>"
    "<data_model><datatype>float32</datatype><sample_size>3</sample_size></data_model></conversion>"
    "<conversion index=\"2\"><units><type>digital</type><states><option index=\"0\">off</option>"
    "<option index=\"1\">on</option></states></units></conversion></conversions>"
    "<modes><mode index=\"1\"><type>number</type><name>n3</name><min>2</min><max>9</max></mode>"
    "</modes><capabilities><min_period>4</min_period><trig_delay>6</trig_delay></capabilities>"
    "</transducer></transducers><datalogging><max_datasize>800</max_datasize><time_source>host"
    "</time_source><modes><commands>c1</commands><options>o1</options></modes></datalogging>"
    "</sensor>";

static void check_channel(const tpi_transducer *t)
{
    const tpi_conversion *c = &t->conversions[0];

    assert_int_equal(t->type, TPI_CHANNEL_ACTUATOR);
    assert_string_equal(t->name, "n2");
    assert_string_equal(t->parameter, "p2");
    assert_string_equal(t->documentation, "d2");
    assert_int_equal(c->unit, TPI_UNIT_SI_PRODUCT);
    assert_string_equal(c->label, "l2");
    assert_string_equal(c->si_units, "m/s");
    assert_true(c->magnitude == -3);
    assert_int_equal(c->scaling.function, TPI_SCALING_POLYNOMIAL);
    assert_true(tpi_scaling_value(&c->scaling, 3) == 7);
    assert_true(c->scaling.min == 1 && c->scaling.max == 21 && c->scaling.resolution == 0.5);
    assert_true(c->scaling.uncertainty == 0.25);
    assert_string_equal(c->datatype, "float32");
    assert_int_equal(c->sample_size, 3);
    assert_int_equal(t->conversions[1].state_count, 2);
    assert_string_equal(t->conversions[1].states[1].name, "on");
    assert_false(t->modes[0].is_state);
    assert_string_equal(t->modes[0].name, "n3");
    assert_true(t->modes[0].min == 2 && t->modes[0].max == 9);
    assert_true(t->min_period_ms == 4 && t->trig_delay_ms == 6);
}

static void reads_every_element(void **state)
{
    tpi_manifest *m = NULL;

    (void)state;
    assert_int_equal(tpi_manifest_read(&m, whole, strlen(whole), "w.xml", NULL, NULL), TP_OK);
    assert_string_equal(m->lang, "de");
    assert_string_equal(m->name, "n1");
    assert_string_equal(m->uuid, "u1");
    assert_string_equal(m->version, "v1");
    assert_string_equal(m->info_uri, "i1");
    assert_int_equal(m->num_chans, 1);
    assert_true(m->timeout_ms == 77);
    assert_string_equal(m->maker, "m1");
    assert_string_equal(m->serial_no, "s1");
    assert_string_equal(m->maker_documentation, "d1");
    assert_string_equal(m->home_page, "h1");
    assert_int_equal(m->max_datasize, 800);
    assert_string_equal(m->time_source, "host");
    assert_string_equal(m->log_commands, "c1");
    assert_string_equal(m->log_options, "o1");
    assert_non_null(tpi_manifest_channel(m, 7));
    check_channel(tpi_manifest_channel(m, 7));
    tpi_manifest_destroy(m);
}

static void keeps_what_a_company_adds(void **state)
{
    tpi_manifest *m = NULL;
    tpi_buf text = {0};

    (void)state;
    assert_int_equal(tpi_manifest_read(&m, whole, strlen(whole), "w.xml", NULL, NULL), TP_OK);
    assert_int_equal(m->extra_count, 1);
    assert_string_equal(m->extras[0].name, "etc");
    assert_string_equal(m->extras[0].text, "e1");
    tpi_manifest_write(m, &text);
    assert_non_null(strstr(tpi_buf_text(&text), "<etc>e1</etc>"));
    tpi_buf_fini(&text);
    tpi_manifest_destroy(m);
}

static void reads_back_what_it_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        tpi_manifest *first = read_shipped(shipped[i]), *second = NULL;
        tpi_buf one = {0}, two = {0};
        tp_error err = {0};
        tpi_manifest_write(first, &one);
        assert_int_equal(
            tpi_manifest_read(&second, tpi_buf_text(&one), one.length, "x.xml", NULL, &err), TP_OK);
        tpi_manifest_write(second, &two);
        assert_string_equal(tpi_buf_text(&one), tpi_buf_text(&two));
        tpi_manifest_destroy(first);
        tpi_manifest_destroy(second);
        tpi_buf_fini(&one);
        tpi_buf_fini(&two);
    }
}

static void has_halfway_roundings(void **state)
{
    tpi_manifest *m = read_shipped("temperature");
    const tpi_scaling *s = &m->transducers[0].conversions[1].scaling;

    (void)state;
    for (int raw = -41; raw <= 41; raw += 2) {
        assert_true(tpi_scaling_value(s, raw) == (raw < 0 ? raw - 1 : raw + 1) * 0.0625);
    }
    tpi_manifest_destroy(m);
}

static void puts_units(void **state)
{
    static const struct {
        const char *sensor;
        unsigned channel, conversion;
        const char *unit;
    } all[] = {{"ultrasonic", 1, 1, "mm"},   {"accelerometer", 2, 1, "m/s^2"},
               {"accelerometer", 3, 2, "g"}, {"nxt_light", 1, 1, "%"},
               {"nxt_light", 1, 0, ""},      {"temperature", 1, 1, "degC"},
               {"button", 1, 0, ""}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_manifest *m = read_shipped(all[i].sensor);
        tpi_buf unit = {0};
        tpi_conversion_put_unit(
            &tpi_manifest_channel(m, all[i].channel)->conversions[all[i].conversion], &unit);
        assert_string_equal(tpi_buf_text(&unit), all[i].unit);
        tpi_buf_fini(&unit);
        tpi_manifest_destroy(m);
    }
}

static void prefixes_belong_to_the_first_unit(void **state)
{
    static const struct {
        const char *si_units;
        double magnitude;
        const char *unit;
    } all[] = {{"m^3/s", -6, "cm^3/s"},    {"m^2", -6, "mm^2"},    {"m^2", -3, "10^-3 m^2"},
               {"mol/m^3", 3, "kmol/m^3"}, {"kg", -3, "g"},        {"kg", -6, "mg"},
               {"kg*m/s", 0, "kg*m/s"},    {"1/s", 3, "10^3 1/s"}, {"V", -3, "mV"}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const tpi_conversion conversion = {.unit = TPI_UNIT_SI_PRODUCT,
                                           .si_units = all[i].si_units,
                                           .magnitude = all[i].magnitude};
        tpi_buf unit = {0};
        tpi_conversion_put_unit(&conversion, &unit);
        assert_string_equal(tpi_buf_text(&unit), all[i].unit);
        tpi_buf_fini(&unit);
    }
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static void keep(void *context, const char *text)
{
    tpi_buf_printf(context, "%s\n", text);
}

static void explains_the_printed_manifest(void **state)
{
    tpi_buf text = {0}, told = {0};
    tpi_mistakes mistakes = {.tell = keep, .context = &told};
    tpi_manifest *m = NULL;
    tp_error err = {0};

    (void)state;
    read_file(&text, "tests/data/sensors/nxt_light_printed.xml");
    assert_int_equal(tpi_manifest_read(&m, tpi_buf_text(&text), text.length, "c2.xml", NULL, &err),
                     TP_E_INVALID);
    assert_string_equal(err.text, "c2.xml:3: <name>: it is not closed before </identity> of line "
                                  "24; write </name>");
    assert_int_equal(
        tpi_manifest_read(&m, tpi_buf_text(&text), text.length, "c2.xml", &mistakes, &err),
        TP_E_INVALID);
    assert_string_equal(
        tpi_buf_text(&told),
        "c2.xml:3: <name>: it is not closed before </identity> of line 24; write </name>\n"
        "c2.xml:8: <info uri>: a name has no blank; write </info_uri>\n"
        "c2.xml:31: <parameter>: it is not closed before </desc> of line 37; write </parameter>\n"
        "c2.xml:80: <data model>: a name has no blank; write <data_model>\n"
        "c2.xml:82: <sample size>: a name has no blank; write <sample_size>\n"
        "c2.xml:82: <sample size>: a name has no blank; write </sample_size>\n"
        "c2.xml:83: <data model>: a name has no blank; write </data_model>\n"
        "c2.xml:92: <states>: it is closed but was not opened; write <states> before it\n"
        "c2.xml:106: <modes>: it is closed but was not opened; write <modes> before it\n");
    tpi_buf_fini(&text);
    tpi_buf_fini(&told);
}

/* A manifest with something in its identity, its channel and its end. */
static const char frame[] =
    "<sensor>\n<identity>\n%s</identity>\n<transducers>\n<transducer>\n%s</transducer>\n"
    "</transducers>\n%s</sensor>\n";

static void expect(const char *identity, const char *channel, const char *rest, const char *error)
{
    char *text = malloc(4096);
    tpi_manifest *m = NULL;
    tp_error err = {0};

    assert_non_null(text);
    snprintf(text, 4096, frame, identity, channel, rest);
    const tp_status status = tpi_manifest_read(&m, text, strlen(text), "s.xml", NULL, &err);
    if (error == NULL) {
        if (status != TP_OK) {
            fail_msg("%s", err.text);
        }
    } else {
        assert_int_equal(status, TP_E_INVALID);
        assert_string_equal(err.text, error);
    }
    tpi_manifest_destroy(m);
    free(text);
}

#define UUID "<uuid>A.1</uuid>\n"
#define CONVERSION(inside) "<conversions><conversion>\n" inside "</conversion></conversions>\n"

static void needs_little(void **state)
{
    (void)state;
    expect(UUID, "", "", NULL);
    expect(UUID, "<chan_type>event sensor</chan_type>", "", NULL); /* a blank is an underscore */
    expect(UUID, "", "<defaults/>", NULL);
}

static void tells_mistakes_of_identities(void **state)
{
    (void)state;
    expect("", "", "",
           "s.xml:2: <identity>: the uuid is missing; add <uuid>COMPANY.PRODUCT.1</uuid>");
    expect("<uuid>a b</uuid>", "", "",
           "s.xml:3: <uuid>: \"a b\": a uuid has at most 64 letters, digits, dots and dashes; "
           "shorten it");
    expect(UUID "<nam>x</nam>\n", "", "",
           "s.xml:4: <nam>: it cannot stand here; did you mean \"name\"?; expected name, uuid, "
           "version, info_uri, hardware, manufacturer");
    expect(UUID "<hardware><num_chans>2</num_chans></hardware>\n", "", "",
           "s.xml:4: <hardware>: num_chans is 2, but there are 1 transducers; write 1");
    expect(UUID UUID, "", "",
           "s.xml:4: <uuid>: it is there twice; remove this one or that of line 3");
}

static void tells_mistakes_of_channels(void **state)
{
    (void)state;
    expect(UUID, "<chan_num>0</chan_num>", "",
           "s.xml:7: <chan_num>: \"0\" is no number from 1 to 99; write one");
    expect(UUID, "<chan_type>sensr</chan_type>", "",
           "s.xml:7: <chan_type>: \"sensr\" is not known; did you mean \"sensor\"?; expected "
           "sensor, actuator, event_sensor");
    expect(UUID, CONVERSION("<scale><min>5</min><max>1</max></scale>\n"), "",
           "s.xml:8: <scale>: min 5 is not below max 1; exchange them");
    expect(UUID, CONVERSION("<scale><min>5</min></scale>\n"), "",
           "s.xml:8: <scale>: <max> is missing; add it");
    expect(UUID,
           CONVERSION("<method><function>piecewise_lin</function><parameters><coord>1 1</coord>"
                      "<coord>0 2</coord></parameters></method>\n"),
           "", "s.xml:8: <method>: the inputs 1 and 0 do not ascend; sort the points");
    expect(UUID, CONVERSION("<method><function>log</function></method>\n"), "",
           "s.xml:8: <method>: log needs three numbers a b c, a and b not 0");
    expect(UUID, CONVERSION("<units><type>si_product</type></units>\n"), "",
           "s.xml:8: <units>: si_product without a formula; add <si_units>m/s^2</si_units>");
    expect(UUID,
           CONVERSION("<units><type>si_product</type>\n<si_units>furlong</si_units></units>\n"), "",
           "s.xml:9: <si_units>: \"furlong\" is no formula of SI units; write one as m/s^2, V or "
           "kg*m^2");
    expect(UUID, "<modes><mode index=\"2\"><name>x</name></mode></modes>\n", "",
           "s.xml:7: <mode>: index=\"2\": they are numbered from 1 in their order; write "
           "index=\"1\"");
    expect(UUID, "<modes><mode><name>x</name></mode></modes>\n", "",
           "s.xml:7: <mode>: a state without options; add <states><option index=\"1\">On"
           "</option>...</states>");
    expect(UUID, "", "<defaults><conversion channel=\"2\">1</conversion></defaults>",
           "s.xml:9: <conversion>: there is no channel 2");
}

static void finds_all_mistakes_at_once(void **state)
{
    static const char text[] = "<sensor>\n<identity/>\n<transducers><transducer>\n"
                               "<chan_num>x</chan_num>\n</transducer></transducers>\n"
                               "<datalogging><max_datasize>1</max_datasize></datalogging></sensor>";
    tpi_mistakes mistakes = {0};
    tpi_buf told = {0};
    tpi_manifest *m = NULL;
    tp_error err = {0};

    (void)state;
    mistakes.tell = keep;
    mistakes.context = &told;
    assert_int_equal(tpi_manifest_read(&m, text, strlen(text), "s.xml", &mistakes, &err),
                     TP_E_INVALID);
    assert_null(m);
    assert_int_equal(mistakes.count, 3);
    assert_string_equal(err.text, "s.xml:2: <identity>: the uuid is missing; add "
                                  "<uuid>COMPANY.PRODUCT.1</uuid>");
    tpi_buf_fini(&told);
}

static void reads_formulas_of_units(void **state)
{
    (void)state;
    assert_true(tpi_si_units_valid("m/s^2"));
    assert_true(tpi_si_units_valid("kg*m^2/s^3"));
    assert_true(tpi_si_units_valid("s^-1"));
    assert_false(tpi_si_units_valid(""));
    assert_false(tpi_si_units_valid("m/"));
    assert_false(tpi_si_units_valid("m^"));
    assert_false(tpi_si_units_valid("m s"));
}

static tp_status read_once(void *context)
{
    const tpi_buf *text = context;
    tpi_manifest *m = NULL;
    const tp_status status =
        tpi_manifest_read(&m, tpi_buf_text(text), text->length, "s.xml", NULL, NULL);

    tpi_manifest_destroy(m);
    return status;
}

static void survives_every_failed_allocation(void **state)
{
    tpi_buf text = {0};

    (void)state;
    read_file(&text, "sensors/simulated.xml");
    memory_sweep(read_once, &text);
    tpi_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_light_sensor_of_the_thesis),
        cmocka_unit_test(reads_every_element),
        cmocka_unit_test(keeps_what_a_company_adds),
        cmocka_unit_test(reads_back_what_it_writes),
        cmocka_unit_test(has_halfway_roundings),
        cmocka_unit_test(puts_units),
        cmocka_unit_test(prefixes_belong_to_the_first_unit),
        cmocka_unit_test(explains_the_printed_manifest),
        cmocka_unit_test(needs_little),
        cmocka_unit_test(tells_mistakes_of_identities),
        cmocka_unit_test(tells_mistakes_of_channels),
        cmocka_unit_test(finds_all_mistakes_at_once),
        cmocka_unit_test(reads_formulas_of_units),
        cmocka_unit_test(survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
