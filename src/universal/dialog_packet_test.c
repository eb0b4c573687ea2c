/* dialog_packet_test.c - robots of the kind universal: the bytes of the protocol, all statuses,
 * late replies; and mistakes in such files. */
#include "base/text.h"
#include "support/memory.h"
#include "support/universal.h"
#include "universal/dialog.h"

enum { MS = 1000000 };

static const char chip[] =
    "<robot version='1' name='chip' title='Chip' kind='universal'>"
    "<link kind='serial' baud='115200'/><timing reply='100'/>"
    "<device name='Eye' type='Analog_Input' id='2' classes='Light Sensor, Analog_Input, Input' "
    "base='ReadAnalog'/>"
    "<device name='Left Wheel' type='LocoMotor' classes='Left Wheel, LocoMotor, Motor, "
    "Analog_Output, Output' base='MovePower'/>"
    "<device name='Right Wheel' type='LocoMotor' classes='Right Wheel, LocoMotor, Motor, "
    "Analog_Output, Output' base='MovePower'/>"
    "<group name='Wheels' type='DriveAxis' left='Left Wheel' right='Right Wheel' "
    "classes='LocoMotor, DriveAxis, Motor, Analog_Output, Output'/>"
    "<device name='Name' type='70' classes='Robot Name, String_Output, Output' base='WriteString'/>"
    "<device name='Version' type='Input' classes='Version, String_Input, Input' base='ReadString'/>"
    "</robot>";

/* A dialog, and what it has written. */
struct bench {
    tpi_vocabulary *vocabulary;
    tpi_robotfile *robot;
    tpi_wired *wired;
    tpi_dialog *dialog;
    tpi_buf sent, notes; /* frames as text; one line each */
    int64_t now_ns;
};

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct bench *b = context;

    (void)body;
    (void)body_length;
    for (size_t i = 0; i < length; i++) {
        tpi_buf_printf(&b->sent, "%s%02x", i > 0 ? " " : "", frame[i]);
    }
    tpi_buf_putc(&b->sent, '\n');
}

static void on_note(void *context, const char *text)
{
    tpi_buf_printf(&((struct bench *)context)->notes, "%s\n", text);
}

static struct bench *start(void)
{
    struct bench *b = calloc(1, sizeof *b);
    const tpi_dialog_hooks hooks = {.write = on_write, .note = on_note, .context = b};
    tp_error err = {0};

    assert_non_null(b);
    b->vocabulary = universal_vocabulary();
    b->robot = universal_robot(b->vocabulary, chip);
    b->wired = universal_wired(b->robot, NULL);
    assert_int_equal(tpi_dialog_create(&b->dialog, b->wired, &hooks, &err), TP_OK);
    b->now_ns = 1000 * (int64_t)MS;
    tpi_dialog_connected(b->dialog, b->now_ns);
    return b;
}

static void finish(struct bench *b)
{
    tpi_dialog_destroy(b->dialog);
    tpi_wired_destroy(b->wired);
    tpi_robotfile_destroy(b->robot);
    tpi_vocabulary_destroy(b->vocabulary);
    tpi_buf_fini(&b->sent);
    tpi_buf_fini(&b->notes);
    free(b);
}

static void begin(struct bench *b, tpi_command command, const char *device, unsigned count,
                  double first, double second)
{
    tpi_dialog_order order = {.command = command,
                              .part = tpi_wired_part(b->wired, device, -1),
                              .count = count,
                              .values = {{.number = first}, {.number = second}}};

    assert_true(order.part >= 0);
    tpi_buf_clear(&b->sent);
    assert_int_equal(tpi_dialog_begin(b->dialog, &order, b->now_ns), TP_OK);
}

static void receive(struct bench *b, const char *hex)
{
    tpi_buf bytes = {0};

    assert_int_equal(tpi_hex_read(&bytes, hex, strlen(hex), NULL), TP_OK);
    tpi_dialog_receive(b->dialog, (const uint8_t *)bytes.data, bytes.length, b->now_ns);
    tpi_buf_fini(&bytes);
}

static void pass(struct bench *b, int64_t ms)
{
    const int64_t end = b->now_ns + ms * MS;

    while (tpi_dialog_due_ns(b->dialog) <= end) {
        b->now_ns = tpi_dialog_due_ns(b->dialog);
        tpi_dialog_tick(b->dialog, b->now_ns);
    }
    b->now_ns = end;
}

static void expect_sent(struct bench *b, const char *text)
{
    assert_string_equal(tpi_buf_text(&b->sent), text);
}

static void expect_done(struct bench *b, double value)
{
    const tpi_outcome *outcome = tpi_dialog_outcome(b->dialog);

    assert_false(tpi_dialog_is_busy(b->dialog));
    assert_string_equal(outcome->text, "");
    assert_float_equal(outcome->results[0].number, value, 0.001);
}

static void expect_fault(struct bench *b, tpi_fault fault, const char *text)
{
    const tpi_outcome *outcome = tpi_dialog_outcome(b->dialog);

    assert_false(tpi_dialog_is_busy(b->dialog));
    assert_int_equal(outcome->fault, fault);
    assert_string_equal(outcome->text, text);
}

/* ---- Bytes ---- */

#define READ_EYE "00 00 00 09 01 00 00 08 00 10 03 03 02\n"

static void commands_are_packets_and_replies_are_results(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    expect_sent(b, READ_EYE);
    receive(b, "00 00 00 09 00 40 49");
    assert_true(tpi_dialog_is_busy(b->dialog));
    receive(b, "00 00 00 00 00 00");
    expect_done(b, 50);
    begin(b, TPI_MOVE_POWER, "Right Wheel", 1, 50, 0);
    expect_sent(b, "00 00 00 11 01 00 00 08 00 30 0b 13 01 40 49 00 00 00 00 00 00\n");
    receive(b, "00 00 00 01 00");
    expect_done(b, 0);
    finish(b);
}

static void what_the_robot_does_not_execute_is_converted(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_DIGITAL, "Eye", 0, 0, 0);
    expect_sent(b, READ_EYE);
    receive(b, "00 00 00 09 00 40 59 00 00 00 00 00 00");
    expect_done(b, 1);
    /* The group executes MoveMotors; Drive is its parent's. */
    begin(b, TPI_DRIVE, "Wheels", 2, 50, 25);
    expect_sent(b, "00 00 00 19 01 00 00 08 00 30 10 14 00 40 39 00 00 00 00 00 00 "
                   "40 52 c0 00 00 00 00 00\n");
    receive(b, "00 00 00 01 00");
    expect_done(b, 0);
    finish(b);
}

static void texts_go_both_ways(void **state)
{
    struct bench *b = start();
    tpi_dialog_order order = {.command = TPI_WRITE_STRING,
                              .part = tpi_wired_part(b->wired, "Name", -1),
                              .count = 1,
                              .values = {{.text = "Bo", .length = 2}}};

    (void)state;
    assert_int_equal(tpi_dialog_begin(b->dialog, &order, b->now_ns), TP_OK);
    expect_sent(b, "00 00 00 0f 01 00 00 08 00 30 05 46 00 00 00 00 02 42 6f\n");
    receive(b, "00 00 00 01 00");
    expect_done(b, 0);
    begin(b, TPI_READ_STRING, "Version", 0, 0, 0);
    receive(b, "00 00 00 08 00 00 00 00 03 31 2e 30");
    const tpi_value *text = &tpi_dialog_outcome(b->dialog)->results[0];
    assert_int_equal(text->length, 3);
    assert_memory_equal(text->text, "1.0", 3);
    finish(b);
}

static void statuses_are_faults_and_notes(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    receive(b, "00 00 00 0a 01 00 01 00 00 00 03 6e 6f 21");
    expect_fault(b, TPI_FAULT_NOT_AVAILABLE, "chip: Eye: not available: no!");
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    receive(b, "00 00 00 07 01 12 34 00 00 00 00");
    expect_fault(b, TPI_FAULT_REFUSED, "chip: Eye: robot refused");
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    receive(b, "00 00 00 16 02 00 00 00 07 00 05 00 00 00 03 6f 6c 64 40 49 00 00 00 00 00 00");
    expect_done(b, 50);
    assert_string_equal(tpi_buf_text(&b->notes),
                        "an earlier command has failed: robot refused: old\n");
    finish(b);
}

static void what_is_no_reply_is_dropped(void **state)
{
    static const char *const others[] = {
        "00 00 00 00",                      /* empty */
        "00 00 00 01 03",                   /* no status */
        "00 00 00 01 00",                   /* without its result */
        "00 00 00 02 01 00",                /* half an error */
        "00 00 00 07 01 00 01 00 00 00 09", /* a text that is not there */
        "00 00 00 0a 00 40 49 00 00 00 00 00 00 00",
    };
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        receive(b, others[i]);
        assert_true(tpi_dialog_is_busy(b->dialog));
    }
    receive(b, "00 00 00 09 00 40 49 00 00 00 00 00 00");
    expect_done(b, 50);
    finish(b);
}

static void a_late_reply_is_not_that_of_the_next_command(void **state)
{
    struct bench *b = start();

    (void)state;
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    pass(b, 100);
    expect_fault(b, TPI_FAULT_SILENT,
                 "chip: Eye: robot silent: no reply in time (is the line at 115200 baud?)");
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    expect_sent(b, "");
    receive(b, "00 00 00 09 00 40 49 00 00 00 00 00 00"); /* the late one */
    assert_true(tpi_dialog_is_busy(b->dialog));
    pass(b, 100);
    expect_sent(b, READ_EYE);
    receive(b, "00 00 00 09 00 40 59 00 00 00 00 00 00");
    expect_done(b, 100);
    finish(b);
}

static void it_is_stopped_and_kept_awake(void **state)
{
    struct bench *b = start();
    uint8_t data[64];
    tpi_bytes bytes = {.data = data, .capacity = sizeof data};

    (void)state;
    begin(b, TPI_MOVE_POWER, "Left Wheel", 1, 50, 0);
    tpi_buf_clear(&b->sent);
    tpi_dialog_stop(b->dialog, b->now_ns);
    expect_sent(b, "00 00 00 05 00 30 12 ff ff\n");
    expect_fault(b, TPI_FAULT_STOPPED, "chip: Left Wheel: stopped: it was stopped");
    assert_true(tpi_dialog_stop_bytes(b->dialog, &bytes));
    assert_int_equal(bytes.length, 9);
    begin(b, TPI_MOVE_POWER, "Left Wheel", 1, 0, 0);
    receive(b, "00 00 00 01 00");
    tpi_buf_clear(&b->sent);
    pass(b, 1000);
    expect_sent(b, "00 00 00 07 01 00 00 00 00 00 00\n");
    receive(b, "00 00 00 01 00");
    finish(b);
}

/* ---- Files ---- */

static void mistakes_of_such_files_are_named(void **state)
{
    static const struct {
        const char *inside, *says;
    } all[] = {
        {"<stop send='00'/>", "x.xml:1: <stop>: a robot of kind=\"universal\" has none; its "
                              "firmware does that; remove it"},
        {"<framing length='u8'/>", "x.xml:1: <framing>: a robot of kind=\"universal\" has none; "
                                   "its firmware does that; remove it"},
        {"<device name='A' type='Mine' classes='Analog_Input, Input' base='ReadAnalog'/>",
         "x.xml:1: <device>: type=\"Mine\": expected a default type such as Analog_Input, or a "
         "number from 64 to 254"},
        {"<device name='A' type='63' classes='Analog_Input, Input' base='ReadAnalog'/>",
         "x.xml:1: <device>: type=\"63\": expected a default type such as Analog_Input, or a "
         "number from 64 to 254"},
        {"<device name='A' type='64' classes='Input' base='ReadAnalog' commands='Fly'/>",
         "x.xml:1: <device>: commands: \"Fly\" is no command for a device"},
    };
    tpi_vocabulary *vocabulary = universal_vocabulary();

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[600];
        tpi_robotfile *robot = NULL;
        tp_error err = {0};

        snprintf(text, sizeof text,
                 "<robot version='1' name='x' title='X' kind='universal'><link "
                 "kind='tcp'/>%s</robot>",
                 all[i].inside);
        assert_int_equal(tpi_robotfile_read(&robot, text, strlen(text), "x.xml", vocabulary, &err),
                         TP_E_INVALID);
        assert_string_equal(err.text, all[i].says);
    }
    tpi_vocabulary_destroy(vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_packets_and_replies_are_results),
        cmocka_unit_test(what_the_robot_does_not_execute_is_converted),
        cmocka_unit_test(texts_go_both_ways),
        cmocka_unit_test(statuses_are_faults_and_notes),
        cmocka_unit_test(what_is_no_reply_is_dropped),
        cmocka_unit_test(a_late_reply_is_not_that_of_the_next_command),
        cmocka_unit_test(it_is_stopped_and_kept_awake),
        cmocka_unit_test(mistakes_of_such_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
