/* transit_test.c - a program on its way goes through bytes; damaged ones are refused. */
#include "play/transit.h"

#include <string.h>

#include "support/play.h"

static void fill(tpi_play_transit *transit)
{
    *transit = (tpi_play_transit){.step = TPI_PLAY_TRANSIT_GONE,
                                  .is_loose = true,
                                  .was_running = true,
                                  .seed = 0x12345678,
                                  .id = "move-1",
                                  .peer = "host:6665",
                                  .name = "x.play"};
    memset(transit->proof, 0xab, sizeof transit->proof);
    memset(transit->hash, 0xcd, sizeof transit->hash);
    tpi_buf_puts(&transit->text, "drive 5\n");
    tpi_buf_put(&transit->state, "\0\1\2\377", 4);
}

static void all_of_it_comes_back(void **state)
{
    tpi_play_transit is, back = {0};
    tpi_buf bytes = {0};
    tp_error err = {0};

    (void)state;
    fill(&is);
    tpi_play_transit_put(&bytes, &is);
    assert_int_equal(tpi_play_transit_read(&back, bytes.data, bytes.length, &err), TP_OK);
    assert_int_equal(back.step, TPI_PLAY_TRANSIT_GONE);
    assert_true(back.is_loose && back.was_running);
    assert_int_equal(back.seed, 0x12345678);
    assert_string_equal(back.id, "move-1");
    assert_string_equal(back.peer, "host:6665");
    assert_string_equal(back.name, "x.play");
    assert_memory_equal(back.proof, is.proof, sizeof is.proof);
    assert_memory_equal(back.hash, is.hash, sizeof is.hash);
    assert_string_equal(tpi_buf_text(&back.text), "drive 5\n");
    assert_int_equal(back.state.length, 4);
    assert_memory_equal(back.state.data, is.state.data, 4);
    tpi_play_transit_fini(&is);
    tpi_play_transit_fini(&back);
    tpi_buf_fini(&bytes);
}

/* Each byte that is missing, and each that is another one, is noticed. */
static void damage_is_refused(void **state)
{
    tpi_play_transit is;
    tpi_buf bytes = {0};
    tp_error err = {0};

    (void)state;
    fill(&is);
    tpi_play_transit_put(&bytes, &is);
    for (size_t i = 0; i < bytes.length; i++) {
        tpi_play_transit cut = {0}, changed = {0};
        assert_int_equal(tpi_play_transit_read(&cut, bytes.data, i, &err), TP_E_INVALID);
        bytes.data[i] ^= 0x20;
        assert_int_equal(tpi_play_transit_read(&changed, bytes.data, bytes.length, &err),
                         TP_E_INVALID);
        bytes.data[i] ^= 0x20;
        tpi_play_transit_fini(&cut);
        tpi_play_transit_fini(&changed);
    }
    tpi_buf_putc(&bytes, 0);
    tpi_play_transit more = {0};
    assert_int_equal(tpi_play_transit_read(&more, bytes.data, bytes.length, &err), TP_E_INVALID);
    tpi_play_transit_fini(&more);
    tpi_play_transit_fini(&is);
    tpi_buf_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_comes_back),
        cmocka_unit_test(damage_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
