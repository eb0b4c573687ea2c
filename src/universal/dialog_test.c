/* dialog_test.c - dialogs with robots: the recorded session of a real NXT, streams, shadow
 * registers, conversions, faults; on a clock that the test moves. */
#include <math.h>

#include "base/text.h"
#include "support/memory.h"
#include "support/universal.h"
#include "universal/dialog.h"

enum { MS = 1000000, MOST_TELEGRAMS = 128 };

/* A dialog, and what it has written. */
struct bench {
    tpi_vocabulary *vocabulary;
    tpi_robotfile *robot;
    tpi_wired *wired;
    tpi_dialog *dialog;
    tpi_buf sent;  /* instructions as text: "41 03\n" */
    tpi_buf notes; /* one line each */
    int64_t now_ns;
    char *session; /* owned; the text of a recorded session */
    unsigned at;   /* the next telegram */
    unsigned count;
    const char *requests[MOST_TELEGRAMS], *replies[MOST_TELEGRAMS];
};

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct bench *b = context;

    (void)frame;
    (void)length;
    for (size_t i = 0; i < body_length; i++) {
        tpi_buf_printf(&b->sent, "%s%02x", i > 0 ? " " : "", body[i]);
    }
    tpi_buf_putc(&b->sent, '\n');
}

static void on_note(void *context, const char *text)
{
    tpi_buf_printf(&((struct bench *)context)->notes, "%s\n", text);
}

static struct bench *start(const char *robot, const char *text)
{
    struct bench *b = calloc(1, sizeof *b);
    const tpi_dialog_hooks hooks = {.write = on_write, .note = on_note, .context = b};
    tp_error err = {0};

    assert_non_null(b);
    b->vocabulary = universal_vocabulary();
    b->robot =
        robot != NULL ? universal_file(b->vocabulary, robot) : universal_robot(b->vocabulary, text);
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
    free(b->session);
    free(b);
}

static tpi_dialog_order order(const struct bench *b, tpi_command command, const char *device)
{
    const tpi_dialog_order made = {
        .command = command, .part = device != NULL ? tpi_wired_part(b->wired, device, -1) : -1};

    assert_true(device == NULL || made.part >= 0);
    return made;
}

static void begin(struct bench *b, tpi_command command, const char *device, unsigned count,
                  double first, double second)
{
    tpi_dialog_order made = order(b, command, device);

    made.count = count;
    made.values[0].number = first;
    made.values[1].number = second;
    tpi_buf_clear(&b->sent);
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
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

/* ---- The recorded session ---- */

static void load_session(struct bench *b)
{
    tpi_buf text = {0};

    universal_text(&text, "tests/data/universal/nxt_session.txt");
    b->session = text.data;
    for (char *line = strtok(b->session, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == '>') {
            b->requests[b->count] = line + 2;
        } else if (line[0] == '<') {
            assert_true(b->count < MOST_TELEGRAMS);
            b->replies[b->count++] = line[2] == '(' ? NULL : line + 2;
        }
    }
    assert_int_equal(b->count, 74);
}

/* The telegram that is asked next: from here on, else the last one before. */
static unsigned find_request(const struct bench *b, const char *sent, size_t length)
{
    unsigned found = b->count;

    for (unsigned i = 0; i < b->count; i++) {
        if (strlen(b->requests[i]) == length && strncmp(b->requests[i], sent, length) == 0) {
            found = i;
            if (i >= b->at) {
                break;
            }
        }
    }
    return found;
}

/* Answer each request as the brick did. */
static void answer(struct bench *b)
{
    while (tpi_dialog_is_busy(b->dialog)) {
        const char *sent = tpi_buf_text(&b->sent);
        const size_t length = strcspn(sent, "\n");
        const unsigned found = find_request(b, sent, length);
        if (length == 0 && found == b->count) { /* it waits for a time */
            pass(b, 10);
            continue;
        }
        if (found == b->count) {
            fail_msg("the brick was never asked %.*s", (int)length, sent);
        }
        b->at = found + 1;
        tpi_buf_clear(&b->sent);
        char frame[300];
        snprintf(frame, sizeof frame, "%02x 00 %s", (unsigned)(strlen(b->replies[found]) + 1) / 3,
                 b->replies[found]);
        receive(b, frame);
    }
}

static void ask(struct bench *b, tpi_command command, const char *device, double value)
{
    begin(b, command, device, 1, value, 0);
    answer(b);
}

static void say(struct bench *b, tpi_command command, const char *device, const char *text)
{
    tpi_dialog_order made = order(b, command, device);

    made.count = 1;
    made.values[0] = (tpi_value){.text = text, .length = (uint32_t)strlen(text)};
    tpi_buf_clear(&b->sent);
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    answer(b);
}

static void a_real_brick_understands_every_instruction(void **state)
{
    struct bench *b = start("robots/nxt.xml", NULL);

    (void)state;
    load_session(b);
    const int light = tpi_wired_plug(b->wired, tpi_robotfile_device(b->robot, "Light Sensor"), 1);
    ask(b, TPI_READ_COUNT, "Battery", 0);
    expect_done(b, 7832);
    ask(b, TPI_READ_ANALOG, "Battery", 0); /* 6 V is empty, 9 V is full */
    expect_done(b, 61.0667);
    ask(b, TPI_READ_STRING, "Brick Name", 0);
    assert_memory_equal(tpi_dialog_outcome(b->dialog)->results[0].text, "NXT", 3);
    ask(b, TPI_READ_BUFFER, "Firmware", 0);
    assert_memory_equal(tpi_dialog_outcome(b->dialog)->results[0].text, "\x7c\x01\x1d\x01", 4);
    begin(b, TPI_TONE, "Speaker", 2, 523, 500);
    answer(b);
    expect_done(b, 0);
    ask(b, TPI_STOP, "Speaker", 0);
    expect_done(b, 0);
    say(b, TPI_WRITE_STRING, "Speaker", "x.rso");
    expect_fault(b, TPI_FAULT_REFUSED,
                 "nxt: Speaker: robot refused: status C0: a value is out of range, or there is no "
                 "such file");
    ask(b, TPI_MOVE_POWER, "Motor", 75);
    expect_done(b, 0);
    ask(b, TPI_READ_COUNT, "Motor Encoder", 0);
    expect_done(b, 300);
    ask(b, TPI_WRITE_COUNT, "Left Wheel", -1800);
    expect_done(b, 0);
    ask(b, TPI_READ_DIGITAL, "Touch Sensor",
        0); /* with its set-up, and a reading that is not valid */
    expect_done(b, 1);
    const tpi_dialog_order read_light = {.command = TPI_READ_ANALOG, .part = light};
    tpi_buf_clear(&b->sent);
    assert_int_equal(tpi_dialog_begin(b->dialog, &read_light, b->now_ns), TP_OK);
    answer(b);
    expect_done(b, 56);
    ask(b, TPI_READ_COUNT, "Ultrasonic Sensor", 0);
    expect_done(b, 420);
    say(b, TPI_WRITE_MESSAGE, "Inbox 0", "Hi");
    expect_fault(b, TPI_FAULT_REFUSED,
                 "nxt: Inbox 0: robot refused: status EC: no program runs on the brick");
    ask(b, TPI_READ_MESSAGE, "Inbox 0", 0);
    assert_int_equal(tpi_dialog_outcome(b->dialog)->fault, TPI_FAULT_REFUSED);
    ask(b, TPI_READ_STRING, "Program Name", 0);
    assert_int_equal(tpi_dialog_outcome(b->dialog)->fault, TPI_FAULT_REFUSED);
    say(b, TPI_WRITE_STRING, "Program", "no.rxe");
    assert_int_equal(tpi_dialog_outcome(b->dialog)->fault, TPI_FAULT_REFUSED);
    ask(b, TPI_STOP, "Program", 0);
    expect_done(b, 0);
    finish(b);
}

/* ---- An invented robot of many ways ---- */

static const char odd[] =
    "<robot version='1' name='odd' title='Odd'><link kind='tcp'/><timing reply='100' gap='20'/>"
    "<register name='speed' size='2'/><register name='analog' size='4'/>"
    "<incoming match='{m:u8 E0..E3} {v:u7x2}'><set name='analog' at='m - 0xE0' to='v'/></incoming>"
    "<refusal match=\"'#?'\" says='unknown command'/>"
    "<device name='Left Wheel' type='LocoMotor' classes='Left Wheel, Output' base='MovePower' "
    "values='side 0'/>"
    "<device name='Right Wheel' type='LocoMotor' classes='Right Wheel, Output' base='MovePower' "
    "values='side 1'/>"
    "<group name='Both' type='DriveAxis' classes='DriveAxis, Output' left='Left Wheel' "
    "right='Right Wheel'/>"
    "<device name='Eye' type='Eye' classes='Light Sensor, Analog_Input, Input' base='ReadAnalog' "
    "values='ch 2'>"
    "<setup send='{0xC0 + ch:u8} 01'/></device>"
    "<device name='Sonar' type='Sonar' classes='Distance Sensor, Input' base='ReadCount' range='0 "
    "1000'/>"
    "<device name='Arm' type='Arm' classes='Servo, Output' base='WriteAnalog' degrees='0 180'/>"
    "<device name='Screen' type='Screen' classes='Display, Output' base='DisplayString'/>"
    "<device name='Horn' type='Horn' classes='Indicator, Output' base='WriteAnalog'/>"
    "<translate command='MovePower' type='LocoMotor'><set name='speed' at='side' to='power * 5'/>"
    "<send>91 {speed[1]:s16be} {speed[0]:s16be}</send><example/></translate>"
    "<translate command='ReadAnalog' type='Eye' result='scale(analog[ch], 0, 1023, 0, 100)'>"
    "<await name='analog' at='ch' fresh='yes'/><example/></translate>"
    "<translate command='ReadCount' type='Sonar' send=\"'R'\" reply=\"'##Range(cm) =' {n:dec} 0D "
    "0A\" result='n * 10'><example/></translate>"
    "<translate command='WriteAnalog' type='Arm' send='53 {value:u8}'><example/></translate>"
    "<translate command='WriteAnalog' type='Horn'><do command='WriteAnalog' device='Arm' "
    "value='value / 2'/>"
    "<wait ms='50'/><do command='WriteAnalog' device='Arm' value='0'/><example/></translate>"
    "<translate command='DisplayString' type='Screen' send=\"'T' "
    "{text:strz}\"><example/></translate>"
    "<keepalive every='1000' send='7A'/><stop><set name='speed' at='0' to='0'/><set name='speed' "
    "at='1' to='0'/>"
    "<send>91 00 00 00 00</send></stop></robot>";

static void a_shadow_register_keeps_the_other_wheel(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_MOVE_POWER, "Left Wheel", 1, 50, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "91 00 00 00 fa\n");
    pass(b, 20);
    begin(b, TPI_MOVE_POWER, "Right Wheel", 1, -100, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "91 fe 0c 00 fa\n");
    expect_done(b, 0);
    tpi_buf_clear(&b->sent);
    tpi_dialog_stop(b->dialog, b->now_ns);
    pass(b, 20);
    assert_string_equal(tpi_buf_text(&b->sent), "91 00 00 00 00\n");
    begin(b, TPI_MOVE_POWER, "Left Wheel", 1, 10, 0); /* the stop is in the register too */
    assert_string_equal(tpi_buf_text(&b->sent), "91 00 00 00 32\n");
    finish(b);
}

static void two_wheels_go_through_their_members(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_DRIVE, "Both", 2, 50, 100); /* left is -50, right would be 150 */
    pass(b, 20);
    assert_string_equal(tpi_buf_text(&b->sent), "91 00 00 ff 59\n91 01 f4 ff 59\n");
    expect_done(b, 0);
    finish(b);
}

static void a_stream_is_waited_for_and_set_up_once(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "c2 01\n");
    assert_true(tpi_dialog_is_busy(b->dialog));
    receive(b, "E1 7F 07"); /* another channel */
    assert_true(tpi_dialog_is_busy(b->dialog));
    receive(b, "E2 7F");
    receive(b, "07");
    expect_done(b, 100);
    pass(b, 5);
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0); /* the last value is too old */
    assert_string_equal(tpi_buf_text(&b->sent), "");
    assert_true(tpi_dialog_is_busy(b->dialog));
    pass(b, 101);
    expect_fault(b, TPI_FAULT_SILENT, "odd: Eye: robot silent: no reply in time");
    tpi_dialog_connected(b->dialog, b->now_ns);
    begin(b, TPI_READ_ANALOG, "Eye", 0, 0, 0); /* after a reconnect it is set up again */
    assert_string_equal(tpi_buf_text(&b->sent), "c2 01\n");
    finish(b);
}

static void a_reading_may_have_an_age(void **state)
{
    struct bench *b = start(NULL, odd);
    tpi_dialog_order made = order(b, TPI_READ_COUNT, "Sonar");

    (void)state;
    begin(b, TPI_READ_COUNT, "Sonar", 0, 0, 0);
    receive(b, "23 23 52 61 6E 67 65 28 63 6D 29 20 3D 20 34 32 0D 0A");
    expect_done(b, 420);
    tpi_buf_clear(&b->sent);
    made.max_age_ns = 30 * (int64_t)MS;
    pass(b, 25);
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    expect_done(b, 420);
    assert_string_equal(tpi_buf_text(&b->sent), "");
    pass(b, 25);
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    assert_string_equal(tpi_buf_text(&b->sent), "52\n");
    finish(b);
}

static void values_are_converted(void **state)
{
    struct bench *b = start(NULL, odd);
    static const char near[] = "23 23 52 61 6E 67 65 28 63 6D 29 20 3D 20 34 38 0D 0A"; /* 48 % */
    static const char far[] = "23 23 52 61 6E 67 65 28 63 6D 29 20 3D 20 35 36 0D 0A";  /* 56 % */

    (void)state;
    tpi_dialog_assume_ready(b->dialog);
    begin(b, TPI_READ_ANALOG, "Sonar", 0, 0, 0);
    receive(b, far);
    expect_done(b, 56);
    for (int i = 0; i < 3; i++) { /* no, yes above 55, still yes above 45 */
        pass(b, 20);
        begin(b, TPI_READ_DIGITAL, "Sonar", 0, 0, 0);
        receive(b, i == 1 ? far : near);
        expect_done(b, i > 0);
    }
    pass(b, 20);
    tpi_dialog_order made = order(b, TPI_READ_ANALOG, "Sonar");
    made.is_inverted = true;
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    receive(b, far);
    expect_done(b, 44);
    pass(b, 20);
    begin(b, TPI_WRITE_SERVO, "Arm", 1, 45, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "53 19\n");
    pass(b, 20);
    begin(b, TPI_WRITE_ANALOG, "Arm", 1, 250, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "53 64\n");
    assert_string_equal(tpi_buf_text(&b->notes), "value is 250; it was clamped to 0..100\n");
    pass(b, 20);
    begin(b, TPI_DISPLAY_VALUE, "Screen", 1, 2.5, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "54 32 2e 35 00\n");
    finish(b);
}

static void a_macro_is_a_row_of_commands(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_WRITE_ANALOG, "Horn", 1, 100, 0);
    assert_string_equal(tpi_buf_text(&b->sent), "53 32\n");
    pass(b, 49);
    assert_true(tpi_dialog_is_busy(b->dialog));
    pass(b, 1);
    assert_string_equal(tpi_buf_text(&b->sent), "53 32\n53 00\n");
    expect_done(b, 0);
    finish(b);
}

static void a_fault_says_which_it_is(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_READ_COUNT, "Sonar", 0, 0, 0);
    receive(b, "23 3F");
    expect_fault(b, TPI_FAULT_REFUSED, "odd: Sonar: robot refused: unknown command");
    pass(b, 20);
    begin(b, TPI_READ_COUNT, "Sonar", 0, 0, 0);
    receive(b, "99 99");
    pass(b, 100);
    expect_fault(b, TPI_FAULT_SILENT,
                 "odd: Sonar: robot silent: no reply in time; bytes came that fit nothing: 99 99");
    begin(b, TPI_READ_COUNT, "Sonar", 0, 0, 0);
    receive(b, "23");
    pass(b, 100);
    expect_fault(b, TPI_FAULT_SILENT,
                 "odd: Sonar: robot silent: the reply ends too early, after 1 bytes: 23");
    begin(b, TPI_GO_TO, "Both", 0, 0, 0);
    expect_fault(b, TPI_FAULT_NOT_AVAILABLE,
                 "odd: not available: GoTo of Both: the device cannot do this");
    begin(b, TPI_READ_ANALOG, NULL, 0, 0, 0);
    expect_fault(b, TPI_FAULT_NO_MATCH, "odd: no match: ReadAnalog needs a device");
    begin(b, TPI_MOVE_POWER, "Left Wheel", 1, (double)INFINITY - (double)INFINITY, 0);
    expect_fault(b, TPI_FAULT_VALUE, "odd: bad value: power must be a number");
    begin(b, TPI_WAIT_TIME, NULL, 1, 500, 0);
    tpi_dialog_stop(b->dialog, b->now_ns);
    expect_fault(b, TPI_FAULT_STOPPED, "odd: stopped: it was stopped");
    finish(b);
}

static void a_silent_robot_is_kept_alive(void **state)
{
    struct bench *b = start(NULL, odd);

    (void)state;
    begin(b, TPI_INITIALIZE, NULL, 0, 0, 0);
    pass(b, 999);
    assert_string_equal(tpi_buf_text(&b->sent), "");
    pass(b, 1);
    assert_string_equal(tpi_buf_text(&b->sent), "7a\n");
    assert_false(tpi_dialog_is_busy(b->dialog));
    pass(b, 1000);
    assert_string_equal(tpi_buf_text(&b->sent), "7a\n7a\n");
    finish(b);
}

/* Read the light sensor of an NXT every second; how many keep-alives were written. */
static unsigned poll_light(struct bench *b, unsigned seconds)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < seconds; i++) {
        begin(b, TPI_READ_ANALOG, "Light Sensor", 0, 0, 0);
        for (unsigned n = 0; tpi_dialog_is_busy(b->dialog) && n < 4; n++) {
            receive(b, strstr(tpi_buf_text(&b->sent), "00 05 ") != NULL && n == 0
                           ? "03 00 02 05 00"
                           : "10 00 02 07 00 02 01 00 05 80 F4 01 46 02 38 00 46 02");
        }
        kept += strstr(tpi_buf_text(&b->sent), "80 0d\n") != NULL;
        b->now_ns += (int64_t)1000 * MS; /* the next command is there before a tick */
    }
    return kept;
}

static void a_program_that_polls_an_nxt_keeps_it_alive(void **state)
{
    struct bench *b = start("robots/nxt.xml", NULL);

    (void)state;
    assert_int_equal(poll_light(b, 61), 1); /* at 60 s, whatever else was sent */
    assert_int_equal(poll_light(b, 1200), 20);
    tpi_buf_clear(&b->sent);
    pass(b, 121000); /* and without a program */
    assert_string_equal(tpi_buf_text(&b->sent), "80 0d\n80 0d\n");
    finish(b);
}

static void a_trigger_is_waited_for(void **state)
{
    struct bench *b = start(NULL, odd);
    tpi_dialog_order made = order(b, TPI_WAIT_TRIGGER, "Eye");

    (void)state;
    tpi_dialog_assume_ready(b->dialog);
    made.count = 3;
    made.values[0].number = 4; /* > */
    made.values[1].number = 50;
    made.values[2].number = 200;
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    receive(b, "E2 00 01");
    assert_true(tpi_dialog_is_busy(b->dialog));
    pass(b, 10);
    receive(b, "E2 7F 07");
    expect_done(b, 1);
    pass(b, 1);
    assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
    for (int i = 0; i < 30 && tpi_dialog_is_busy(b->dialog); i++) {
        receive(b, "E2 00 01");
        pass(b, 10);
    }
    expect_done(b, 0); /* the time is over */
    finish(b);
}

static void a_guard_gets_the_stop_bytes(void **state)
{
    struct bench *b = start("robots/nxt.xml", NULL);
    uint8_t data[64];
    tpi_bytes out = {.data = data, .capacity = sizeof data};
    static const uint8_t wanted[] = {0x0c, 0, 0x80, 4, 0xff, 0, 7, 1, 0, 0x20, 0, 0, 0, 0};

    (void)state;
    assert_true(tpi_dialog_stop_bytes(b->dialog, &out));
    assert_int_equal(out.length, sizeof wanted);
    assert_memory_equal(data, wanted, sizeof wanted);
    finish(b);
}

static void nothing_is_allocated_after_creation(void **state)
{
    struct bench *b = start("robots/nxt.xml", NULL);
    tpi_registry *registry = calloc(1, sizeof *registry);
    const uint8_t reply[] = {16, 0, 2, 7, 0, 2, 1, 0, 5, 0x80, 0xf4, 1, 0x46, 2, 0x38, 0, 0x46, 2};
    tp_error err = {0};

    (void)state;
    assert_non_null(registry);
    tpi_dialog_assume_ready(b->dialog);
    tpi_registry_init(registry, b->wired, false);
    const int port = tpi_registry_declare(registry, "Light Sensor", -1, TPI_READ_ANALOG, &err);
    tpi_dialog_order made = {.command = TPI_READ_ANALOG, .part = registry->ports[port].match.part};
    tpi_buf_printf(&b->sent, "%0200000d", 0); /* the bench itself needs none then */
    tpi_buf_clear(&b->sent);
    const size_t before = memory_allocations();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(tpi_dialog_begin(b->dialog, &made, b->now_ns), TP_OK);
        tpi_dialog_receive(b->dialog, reply, sizeof reply, b->now_ns);
        expect_done(b, 56);
        assert_true(tpi_registry_default(registry, TPI_READ_DIGITAL, 0)->part >= 0);
    }
    assert_int_equal(memory_allocations(), before);
    tpi_registry_fini(registry);
    free(registry);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_brick_understands_every_instruction),
        cmocka_unit_test(a_shadow_register_keeps_the_other_wheel),
        cmocka_unit_test(two_wheels_go_through_their_members),
        cmocka_unit_test(a_stream_is_waited_for_and_set_up_once),
        cmocka_unit_test(a_reading_may_have_an_age),
        cmocka_unit_test(values_are_converted),
        cmocka_unit_test(a_macro_is_a_row_of_commands),
        cmocka_unit_test(a_fault_says_which_it_is),
        cmocka_unit_test(a_silent_robot_is_kept_alive),
        cmocka_unit_test(a_program_that_polls_an_nxt_keeps_it_alive),
        cmocka_unit_test(a_trigger_is_waited_for),
        cmocka_unit_test(a_guard_gets_the_stop_bytes),
        cmocka_unit_test(nothing_is_allocated_after_creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
