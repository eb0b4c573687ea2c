/* hid_test.c - HID devices: found by their numbers, and a pseudo-terminal that stands in for one.
 */
#include "platform/hid.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/pty.h"
#include "support/unit.h"

static tp_status open_url(tpi_line **line, const char *rest, tp_error *err)
{
    const tpi_line_options plan = {
        .url = rest, .rest = rest, .folder = "", .clock = tp_clock_real()};

    return tpi_scheme_hid.open(line, &plan, err);
}

static void fails(const char *rest, const char *text)
{
    tpi_line *line = NULL;
    tp_error err = {0};

    assert_int_not_equal(open_url(&line, rest, &err), TP_OK);
    assert_string_equal(err.text, text);
}

static void add_device(const char *root, unsigned number, const char *id)
{
    char path[200];

    (void)snprintf(path, sizeof path, "%s/hidraw%u", root, number);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/hidraw%u/device", root, number);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/hidraw%u/device/uevent", root, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "DRIVER=hid-generic\nHID_ID=%s\nHID_NAME=Somebody's\n", id);
    fclose(file);
}

static void devices_are_found_by_vendor_and_product(void **state)
{
    char root[] = "/tmp/troupe-hid-XXXXXX";
    char path[TPI_HID_PATH] = "";
    char command[80];

    (void)state;
    assert_non_null(mkdtemp(root));
    add_device(root, 0, "0003:0000046D:0000C52B");
    add_device(root, 2, "0003:00002354:00001111");
    add_device(root, 10, "0003:00002354:00001111");
    assert_true(tpi_hid_find(root, 0x2354, 0x1111, 0, path));
    assert_string_equal(path, "/dev/hidraw2");
    assert_true(tpi_hid_find(root, 0x2354, 0x1111, 1, path));
    assert_string_equal(path, "/dev/hidraw10");
    assert_false(tpi_hid_find(root, 0x2354, 0x1111, 2, path));
    assert_false(tpi_hid_find(root, 0x2354, 0x1112, 0, path));
    assert_false(tpi_hid_find("/no/such/folder", 0x2354, 0x1111, 0, path));
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void a_report_has_its_number_in_front(void **state)
{
    tpi_pty pty = {.fd = -1};
    tpi_line *line = NULL;
    char bytes[16];
    size_t length = 0;

    (void)state;
    assert_int_equal(tpi_pty_open(&pty, 0, NULL), TP_OK);
    assert_int_equal(open_url(&line, pty.path, NULL), TP_OK);
    assert_true(line->is_packets);
    assert_int_equal(line->ops->write(line, "M\x01\x02", 3, &length, NULL), TP_OK);
    assert_int_equal(length, 3);
    assert_int_equal(read(pty.fd, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "\0M\x01\x02", 4);
    assert_int_equal(write(pty.fd, "\x05\x06", 2), 2);
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, NULL), TP_OK);
    assert_int_equal(length, 2);
    assert_int_equal(line->ops->wrap(line, "X", 1, bytes, sizeof bytes), 2);
    assert_memory_equal(bytes, "\0X", 2);
    assert_int_equal(line->ops->wrap(line, "0123456789abcdef", 16, bytes, sizeof bytes), 0);
    line->ops->close(line);
    tpi_pty_close(&pty);
}

static void a_device_is_for_one_program(void **state)
{
    tpi_pty pty = {.fd = -1};
    tpi_line *line = NULL;
    char text[TPI_HID_PATH];

    (void)state;
    assert_int_equal(tpi_pty_open(&pty, 0, NULL), TP_OK);
    assert_int_equal(open_url(&line, pty.path, NULL), TP_OK);
    (void)snprintf(text, sizeof text, "%s: another program has it open", pty.path);
    fails(pty.path, text);
    line->ops->close(line);
    tpi_pty_close(&pty);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    fails("", "which device? hid:/dev/hidraw0 or hid:VENDOR:PRODUCT, as hid:2354:1111");
    fails("2354", "which device? hid:/dev/hidraw0 or hid:VENDOR:PRODUCT, as hid:2354:1111");
    fails("fffe:fffe", "no device fffe:fffe is plugged in");
    fails("/dev/no-such-device", "/dev/no-such-device: no such file or directory (is it plugged "
                                 "in?)");
    fails("/dev/null", "/dev/null: it is no HID device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_found_by_vendor_and_product),
        cmocka_unit_test(a_report_has_its_number_in_front),
        cmocka_unit_test(a_device_is_for_one_program),
        cmocka_unit_test(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
