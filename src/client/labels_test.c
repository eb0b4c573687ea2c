/* labels_test.c - the names of devices, which a server sends a page at a time. */
#include "client/labels.h"

#include "support/client_bench.h"

enum { DEVICES = 5, PAGE = 2 };

static struct {
    uint32_t claimed; /* devices that the server claims */
    unsigned asked;
    bool refuses;
} offers;

static bool name_devices(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static const char name[] =
        "robot0/the_front_laser_with_a_name_that_is_longer_than_a_label_may_be_";
    static char labels[DEVICES][sizeof name];
    tp_device_stat stats[PAGE];
    tp_device_stat_page page = {.total = offers.claimed, .devices = stats};
    void *asked = NULL;

    if (header->addr.interf != TP_PLAYER_CODE ||
        header->subtype != TP_PLAYER_REQ_DEVICE_STATISTICS || offers.refuses) {
        return false;
    }
    offers.asked++;
    assert_int_equal(tp_xdr_decode_new(&asked, &tp_desc_device_stat_page, body, header->size),
                     TP_OK);
    page.first = ((tp_device_stat_page *)asked)->first;
    free(asked);
    for (uint32_t i = page.first; i < DEVICES && page.devices_count < PAGE; i++) {
        tp_device_stat *stat = &stats[page.devices_count++];
        memset(stat, 0, sizeof *stat);
        stat->addr = (tp_devaddr){.robot = 6665, .interf = TP_LASER_CODE, .index = (uint16_t)i};
        memcpy(labels[i], name, sizeof name);
        labels[i][5] = (char)('0' + i);
        stat->label = labels[i];
        stat->instance = labels[i];
        stat->instance_count = i == 4 ? 6 : 0;
        stat->label_count = i == 1 ? 0 : i == 2 ? (uint32_t)sizeof name : 6;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_device_stat_page, &page);
    return true;
}

static int begin(void **state)
{
    struct bench *b;

    set_up_connected(state);
    b = *state;
    b->server.handle = name_devices;
    memset(&offers, 0, sizeof offers);
    offers.claimed = DEVICES;
    return 0;
}

static const char *label_of(const tpi_labels *labels, unsigned robot, unsigned interf,
                            unsigned index)
{
    const tp_devaddr addr = {.robot = robot, .interf = (uint16_t)interf, .index = (uint16_t)index};

    return tpi_labels_find(labels, &addr).label;
}

static const char *instance_of(const tpi_labels *labels, unsigned index)
{
    const tp_devaddr addr = {.robot = 6665, .interf = TP_LASER_CODE, .index = (uint16_t)index};

    return tpi_labels_find(labels, &addr).instance;
}

static void all_pages_are_read(void **state)
{
    struct bench *b = *state;
    tpi_labels *labels = NULL;

    assert_int_equal(tpi_labels_read(&labels, b->client, &b->err), TP_OK);
    assert_int_equal(offers.asked, 3);
    assert_string_equal(label_of(labels, 6665, TP_LASER_CODE, 0), "robot0");
    assert_string_equal(label_of(labels, 6665, TP_LASER_CODE, 1), "");
    assert_int_equal(strlen(label_of(labels, 6665, TP_LASER_CODE, 2)), 63); /* it was cut */
    assert_string_equal(label_of(labels, 6665, TP_LASER_CODE, 4), "robot4");
    assert_string_equal(instance_of(labels, 3), "");
    assert_string_equal(instance_of(labels, 4), "robot4");
    assert_null(label_of(labels, 6665, TP_LASER_CODE, 5));
    assert_null(label_of(labels, 6666, TP_LASER_CODE, 0));
    assert_null(label_of(labels, 6665, TP_POSITION2D_CODE, 0));
    free(labels);
}

/* A page without devices is the end, whatever the number is said to be. */
static void a_list_that_is_shorter_than_claimed_ends(void **state)
{
    struct bench *b = *state;
    tpi_labels *labels = NULL;

    offers.claimed = 1000;
    assert_int_equal(tpi_labels_read(&labels, b->client, &b->err), TP_OK);
    assert_int_equal(offers.asked, 4);
    assert_string_equal(label_of(labels, 6665, TP_LASER_CODE, 4), "robot4");
    free(labels);
}

static void a_server_without_names_has_none(void **state)
{
    struct bench *b = *state;
    tpi_labels *labels = NULL;

    offers.refuses = true;
    assert_int_equal(tpi_labels_read(&labels, b->client, &b->err), TP_OK);
    assert_null(labels);
    assert_null(label_of(NULL, 6665, TP_LASER_CODE, 0));
}

static void player_is_not_asked(void **state)
{
    struct bench *b = *state;
    tpi_labels *labels = NULL;

    assert_int_equal(tpi_labels_read(&labels, b->client, &b->err), TP_OK);
    assert_null(labels);
    assert_sent(b, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_pages_are_read),
        TEST(a_list_that_is_shorter_than_claimed_ends),
        TEST(a_server_without_names_has_none),
        cmocka_unit_test_setup_teardown(player_is_not_asked, set_up_plain, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
