/* dictionary_test.c - the universal commands: codes, names, values, parents, default devices. */
#include <string.h>

#include "support/universal.h"

static void codes_and_names_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < TPI_COMMANDS; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        assert_non_null(entry->name);
        assert_int_equal(tpi_dictionary_code(entry->code), i);
        assert_int_equal(tpi_dictionary_named(entry->name), i);
        assert_true(i == 0 || entry->code > tpi_dictionary_entry((tpi_command)(i - 1))->code);
        assert_true(entry->text[0] != '\0');
    }
    assert_int_equal(tpi_dictionary_code(0x7777), TPI_COMMANDS);
    assert_int_equal(tpi_dictionary_named("Fly"), TPI_COMMANDS);
}

static void names_of_the_thesis_are_known(void **state)
{
    (void)state;
    assert_int_equal(tpi_dictionary_code(0x3302), TPI_MOVE_POWER);
    assert_int_equal(tpi_dictionary_named("MotorPower"), TPI_MOVE_POWER);
    assert_int_equal(tpi_dictionary_named("OutputMotorPower"), TPI_MOVE_POWER);
    assert_int_equal(tpi_dictionary_named("output digital"), TPI_WRITE_DIGITAL);
    assert_int_equal(tpi_dictionary_named("Digital_Input"), TPI_READ_DIGITAL);
    assert_int_equal(tpi_dictionary_named("GenericInput"), TPI_READ_GENERIC);
    assert_int_equal(tpi_dictionary_named("GenericOutput"), TPI_WRITE_GENERIC);
}

/* Code, base command and default type of each command with a device in Appendix D. */
static void bases_and_types_are_those_of_appendix_d(void **state)
{
    static const struct {
        const char *name, *type;
        uint16_t code, base;
    } rows[] = {
        {"SetupInput", "General", 0x1000, 0},
        {"ReadGeneric", "Input", 0x1001, 4097},
        {"ReadDigital", "Digital_Input", 0x1002, 4098},
        {"ReadAnalog", "Analog_Input", 0x1003, 4099},
        {"ReadCount", "Input", 0x1004, 4100},
        {"ReadString", "Input", 0x1005, 4101},
        {"ReadBuffer", "Input", 0x1006, 4102},
        {"SetupOutput", "Output", 0x3000, 12288},
        {"WriteGeneric", "Output", 0x3001, 12289},
        {"WriteDigital", "Digital_Output", 0x3002, 12290},
        {"WriteAnalog", "Analog_Output", 0x3003, 12291},
        {"WriteCount", "Output", 0x3004, 12292},
        {"WriteString", "Output", 0x3005, 12293},
        {"WriteBuffer", "Output", 0x3006, 12294},
        {"IndicateTrigger", "Output", 0x3007, 12290},
        {"IndicateValue", "Analog_Output", 0x3008, 12291},
        {"DisplayValue", "Analog_Output", 0x3009, 12291},
        {"DisplayString", "Output", 0x300A, 12298},
        {"MovePower", "LocoMotor", 0x300B, 12299},
        {"Drive", "DriveAxis", 0x300C, 12300},
        {"SetupChannel", "Output", 0x4000, 16384},
        {"ReadMessage", "Input", 0x4001, 16385},
        {"WriteMessage", "Output", 0x4002, 16386},
        {"CheckStatus", "General", 0x4003, 16387},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tpi_command command = tpi_dictionary_named(rows[i].name);
        const tpi_entry *entry = tpi_dictionary_entry(command);
        assert_int_equal(entry->code, rows[i].code);
        assert_int_equal(entry->base, rows[i].base);
        assert_string_equal(tpi_dictionary_type_of(command), rows[i].type);
    }
}

static void values_have_types_ranges_and_defaults(void **state)
{
    const tpi_entry *analog = tpi_dictionary_entry(TPI_READ_ANALOG);
    const tpi_entry *power = tpi_dictionary_entry(TPI_MOVE_POWER);

    (void)state;
    assert_int_equal(analog->results[0].kind, TPI_KIND_DOUBLE);
    assert_true(analog->results[0].low == 0 && analog->results[0].high == 100);
    assert_true(power->values[0].low == -100 && power->values[0].high == 100);
    assert_true(tpi_dictionary_entry(TPI_START)->values[0].missing == 1000);
    assert_true(tpi_dictionary_entry(TPI_WAIT_TIME)->values[0].missing == 1000);
    assert_int_equal(tpi_dictionary_entry(TPI_READ_DIGITAL)->results[0].kind, TPI_KIND_BOOL);
    assert_int_equal(tpi_entry_value_count(tpi_dictionary_entry(TPI_TRACK)->results), 3);
    assert_int_equal(tpi_dictionary_entry(TPI_DRIVE)->parent, TPI_MOVE_MOTORS);
    assert_int_equal(tpi_dictionary_entry(TPI_MOVE_MOTORS)->parent, TPI_MOVE_POWER);
    assert_int_equal(tpi_dictionary_entry(TPI_TONE)->parent, TPI_COMMANDS);
}

static void default_classes_are_words_of_the_vocabulary(void **state)
{
    tpi_vocabulary *vocabulary = universal_vocabulary();

    (void)state;
    for (int i = 0; i < TPI_COMMANDS; i++) {
        tpi_classes list = {0};
        tpi_arena arena = {0};
        assert_int_equal(tpi_classes_read(&list, vocabulary, &arena,
                                          tpi_dictionary_entry((tpi_command)i)->classes),
                         TP_OK);
        for (unsigned j = 0; j < list.count; j++) {
            assert_true(list.words[j].class >= 0);
        }
        tpi_arena_fini(&arena);
    }
    assert_true(tpi_vocabulary_opposite(vocabulary, "far", "near"));
    assert_false(tpi_vocabulary_opposite(vocabulary, "far", "far"));
    assert_int_equal(tpi_vocabulary_find(vocabulary, "intensity"),
                     tpi_vocabulary_find(vocabulary, "Intensity Sensor"));
    tpi_vocabulary_destroy(vocabulary);
}

static void a_mistake_in_the_vocabulary_is_told(void **state)
{
    static const struct {
        const char *text, *says;
    } all[] = {
        {"<words/>", "v.xml:1: <words>: a vocabulary begins with <classes version=\"1\">"},
        {"<classes version='1'><class name='A'/></classes>",
         "v.xml:1: <class>: it has no way to Input or Output; give it a parent"},
        {"<classes version='1'><class name='Input'/><class name='input'/></classes>",
         "v.xml:1: <class>: \"input\" is there twice"},
        {"<classes version='1'><class name='Input' unit='mm'/></classes>",
         "v.xml:1: <class>: quantity and unit belong together; write both"},
        {"<classes version='1'><class name='Input' range='5 1'/></classes>",
         "v.xml:1: <class>: range=\"5 1\": expected two numbers, the lower one first"},
        {"<classes version='1'><class name='Input' parents='Imput'/></classes>",
         "v.xml:1: <class>: the parent \"Imput\" is no class; did you mean \"Input\"?"},
        {"<classes version='1'><class name='Input'/>\n<class name='A' parents='B'/>"
         "<class name='B' parents='A'/></classes>",
         "v.xml:2: <class>: it is its own ancestor; remove a parent"},
        {"<classes version='1'><class name='Input' synonyms='X'/>"
         "<class name='Output' synonyms='X'/></classes>",
         "v.xml:1: <class>: \"X\" means \"Input\" already"},
        {"<classes version='1'><class name='Input' read='Reed'/></classes>",
         "v.xml:1: <class>: read=\"Reed\" is no command"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tpi_vocabulary *vocabulary = NULL;
        tp_error err = {0};
        assert_int_not_equal(
            tpi_vocabulary_read(&vocabulary, all[i].text, strlen(all[i].text), "v.xml", &err),
            TP_OK);
        assert_string_equal(err.text, all[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_names_are_unique),
        cmocka_unit_test(names_of_the_thesis_are_known),
        cmocka_unit_test(bases_and_types_are_those_of_appendix_d),
        cmocka_unit_test(values_have_types_ranges_and_defaults),
        cmocka_unit_test(default_classes_are_words_of_the_vocabulary),
        cmocka_unit_test(a_mistake_in_the_vocabulary_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
