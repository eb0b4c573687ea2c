/* keys_test.c - keys as configurations and key files write them. */
#include "server/keys.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static tp_status add(tpi_keys *keys, const char *line, tp_error *err)
{
    return tpi_keys_add(keys, line, strlen(line), err);
}

static void is_refused(const char *line, const char *why)
{
    tpi_keys keys = {.count = 0};
    tp_error err = {0};

    assert_int_equal(add(&keys, line, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, why);
    assert_int_equal(keys.count, 0);
}

static void a_key_is_name_right_secret(void **state)
{
    static tpi_keys keys;

    (void)state;
    assert_int_equal(add(&keys, "anna move s3cret", NULL), TP_OK);
    assert_int_equal(add(&keys, "  b-1.x_Y\t read \t two words of it \r", NULL), TP_OK);
    assert_int_equal(tpi_keys_add_secret(&keys, "operator", TP_RIGHT_OPERATE, "sesame", NULL),
                     TP_OK);
    assert_int_equal(keys.count, 3);
    assert_string_equal(keys.keys[0].name, "anna");
    assert_string_equal(keys.keys[0].secret, "s3cret");
    assert_int_equal(keys.keys[0].right, TP_RIGHT_MOVE);
    assert_string_equal(keys.keys[1].name, "b-1.x_Y");
    assert_string_equal(keys.keys[1].secret, "two words of it");
    assert_int_equal(keys.keys[1].right, TP_RIGHT_READ);
    assert_int_equal(keys.keys[2].right, TP_RIGHT_OPERATE);
}

/* Whatever is wrong, a secret could stand anywhere. */
static void mistakes_are_told_without_the_secret(void **state)
{
    char line[256];

    (void)state;
    is_refused("", "a key is NAME RIGHT SECRET; its name is made of 1 to 31 letters, digits and . "
                   "_ -");
    is_refused("hunter2! move x", "a key is NAME RIGHT SECRET; its name is made of 1 to 31 "
                                  "letters, digits and . _ -");
    is_refused("anna hunter2 move",
               "the key anna is NAME RIGHT SECRET; its right is read, write, move or operate");
    is_refused("anna moves x",
               "the key anna is NAME RIGHT SECRET; its right is read, write, move or operate");
    is_refused("anna", "the key anna is NAME RIGHT SECRET; its right is read, write, move or "
                       "operate");
    is_refused("anna move", "the secret of the key anna must have 1 to 128 characters");
    is_refused("anna move   ", "the secret of the key anna must have 1 to 128 characters");
    snprintf(line, sizeof line, "anna move %0129d", 1);
    is_refused(line, "the secret of the key anna must have 1 to 128 characters");
    snprintf(line, sizeof line, "%032d move x", 1);
    is_refused(line, "a key is NAME RIGHT SECRET; its name is made of 1 to 31 letters, digits and "
                     ". _ -");
}

static void keys_differ(void **state)
{
    static tpi_keys keys;
    tp_error err = {0};
    char line[64];

    (void)state;
    assert_int_equal(add(&keys, "anna move x", NULL), TP_OK);
    assert_int_equal(add(&keys, "anna read y", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "there are two keys anna");
    assert_int_equal(add(&keys, "berta read x", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "the keys anna and berta have the same secret");
    for (unsigned i = 1; i < TPI_MOST_KEYS; i++) {
        snprintf(line, sizeof line, "k%u move s%u", i, i);
        assert_int_equal(add(&keys, line, NULL), TP_OK);
    }
    assert_int_equal(add(&keys, "last move one", &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "there are more than 64 keys");
}

static void a_file_has_a_key_in_each_line(void **state)
{
    static const char text[] = "# ours\n\nanna move a b\n  # not this\nberta operate c";
    static tpi_keys keys;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_keys_read(&keys, "k", text, sizeof text - 1, NULL), TP_OK);
    assert_int_equal(keys.count, 2);
    assert_string_equal(keys.keys[0].secret, "a b");
    assert_string_equal(keys.keys[1].secret, "c");
    assert_int_equal(tpi_keys_read(&keys, "k", "\n\ncara x", 8, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "k:3: the key cara is NAME RIGHT SECRET; its right is read, "
                                  "write, move or operate");
    assert_int_equal(tpi_keys_read(&keys, "k", "dora move a\0b", 13, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "k:1: the secret of the key dora must have 1 to 128 "
                                  "characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_name_right_secret),
        cmocka_unit_test(mistakes_are_told_without_the_secret),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(a_file_has_a_key_in_each_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
