/* learn_test.c - interfaces that only the server knows; what a server may send has limits. */
#include "client/learn.h"

#include "support/client_bench.h"

enum { MOST = 70 };

/* What the server describes. */
static struct {
    const char *texts[MOST];
    uint32_t count;
    uint32_t total;   /* that it claims for each; 0 for the truth */
    uint32_t claimed; /* interfaces that it claims; 0 for the truth */
    uint32_t page;    /* bytes of a page */
    unsigned asked;   /* requests */
    int64_t delay_ns; /* before each answer */
} offers;

static const char base[] = "interface base 221 \"Probes.\"\n"
                           "struct base_probe \"A probe.\" { depth f32 m \"Its depth.\" }\n";
static const char soil[] = "interface soil 220 \"Soil.\" use base\n"
                           "data STATE 1 (base_probe) required \"The probe.\"\n";

static bool describe(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    tp_description_page page = {0};
    void *asked = NULL;

    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_DESCRIPTION) {
        return false;
    }
    offers.asked++;
    assert_int_equal(tp_xdr_decode_new(&asked, &tp_desc_description_page, body, header->size),
                     TP_OK);
    page.place = ((tp_description_page *)asked)->place;
    page.first = ((tp_description_page *)asked)->first;
    free(asked);
    page.interfaces = offers.claimed > 0 ? offers.claimed : offers.count;
    if (page.place < offers.count) {
        const char *text = offers.texts[page.place];
        const uint32_t length = (uint32_t)strlen(text);
        const uint32_t left = page.first < length ? length - page.first : 0;
        page.total = offers.total > 0 ? offers.total : length;
        page.text = (uint8_t *)(uintptr_t)text + page.first;
        page.text_count = left < offers.page ? left : offers.page;
    }
    ((struct bench *)server->context)->now_ns += offers.delay_ns;
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_description_page, &page);
    return true;
}

static void offer(const char *text)
{
    offers.texts[offers.count++] = text;
}

static int begin(void **state)
{
    struct bench *b;

    set_up_connected(state);
    b = *state;
    b->server.handle = describe;
    b->server.context = b;
    memset(&offers, 0, sizeof offers);
    offers.page = 16;
    return 0;
}

static const tp_interface *learned(struct bench *b, const char *name)
{
    return tp_catalogue_named(b->client->catalogue, name);
}

static void descriptions_are_read_page_by_page_in_any_order(void **state)
{
    struct bench *b = *state;
    const size_t pages = (sizeof soil - 1 + 15) / 16 + (sizeof base - 1 + 15) / 16;

    offer(soil); /* uses the next one */
    offer(base);
    tpi_client_learn(b->client);
    assert_int_equal(offers.asked, pages);
    assert_non_null(learned(b, "soil"));
    assert_ptr_equal(learned(b, "soil")->messages[0].ask, learned(b, "base")->structs[0]);
    assert_ptr_equal(learned(b, "laser"), &tp_interface_laser);
}

/* The catalogue of the program stays as it is. */
static void a_device_of_such_an_interface_is_opened(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    offer(base);
    assert_int_equal(tp_client_open(b->client, "base:3", TP_OPEN_MODE, &proxy, &b->err), TP_OK);
    assert_true(fake_server_has(&b->server, "open:221:3"));
    assert_int_equal(tp_client_open(b->client, "lamp:0", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_UNKNOWN);
}

/* The program does not wait for this itself: it learns of the interruption when it waits next. */
static void an_interruption_is_not_lost(void **state)
{
    struct bench *b = *state;

    offer(base);
    tp_client_interrupt(b->client);
    tpi_client_learn(b->client);
    assert_null(learned(b, "base"));
    assert_int_equal(tp_client_read(b->client, TP_NEVER, &b->err), TP_E_INTERRUPTED);
    tpi_client_learn(b->client);
    assert_non_null(learned(b, "base"));
}

static void what_cannot_be_loaded_is_left_out(void **state)
{
    struct bench *b = *state;

    offer("interface laser 230 \"Known.\"\n");
    offer("interface mine 6 \"A code of Player.\"\n");
    offer("nonsense");
    offer("");
    offer(base);
    tpi_client_learn(b->client);
    assert_non_null(learned(b, "base"));
    assert_null(learned(b, "mine"));
    assert_int_equal(learned(b, "laser")->code, TP_LASER_CODE);
    assert_null(tp_catalogue_code(b->client->catalogue, 230));
}

static void is_refused(struct bench *b, tp_status code, const char *why)
{
    tp_catalogue *into = NULL;
    char text[128];

    assert_int_equal(tp_catalogue_create(&into, NULL), TP_OK);
    const size_t before = tp_catalogue_size(into);
    assert_int_equal(tp_client_learn(b->client, into, &b->err), code);
    snprintf(text, sizeof text, "%s: %s", b->server.url, why);
    assert_string_equal(b->err.text, text);
    assert_int_equal(tp_catalogue_size(into), before);
    tp_catalogue_destroy(into);
}

static void a_server_cannot_send_without_end(void **state)
{
    struct bench *b = *state;
    char *large = calloc(1, 200001);

    offer(base);
    offers.total = (256 << 10) + 1;
    is_refused(b, TP_E_LIMIT, "its descriptions of interfaces are too long");
    offers.total = 0;
    offers.claimed = 65;
    is_refused(b, TP_E_LIMIT, "its descriptions of interfaces are too long");
    offers.claimed = 0;
    assert_non_null(large);
    memset(large, ' ', 200000);
    for (int i = 0; i < 6; i++) { /* each is short enough, but not all of them */
        offer(large);
    }
    offers.page = TP_DESCRIPTION_PAGE;
    is_refused(b, TP_E_LIMIT, "its descriptions of interfaces are too long");
    free(large);
}

/* A page without a text is the end, whatever the length is said to be. */
static void a_text_that_is_shorter_than_claimed_ends(void **state)
{
    struct bench *b = *state;

    offer(base);
    offers.total = 10000;
    tpi_client_learn(b->client);
    assert_non_null(learned(b, "base"));
}

static void all_answers_together_have_a_time_limit(void **state)
{
    struct bench *b = *state;

    offer(base);
    offers.page = 1;
    offers.delay_ns = S / 10;
    is_refused(b, TP_E_TIMEOUT, "its descriptions of interfaces come too slowly");
    assert_in_range(offers.asked, 45, 55);
}

static void player_describes_nothing(void **state)
{
    struct bench *b = *state;

    is_refused(b, TP_E_UNSUPPORTED, "a Player server describes no interfaces");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(descriptions_are_read_page_by_page_in_any_order),
        TEST(a_device_of_such_an_interface_is_opened),
        TEST(an_interruption_is_not_lost),
        TEST(what_cannot_be_loaded_is_left_out),
        TEST(a_server_cannot_send_without_end),
        TEST(a_text_that_is_shorter_than_claimed_ends),
        TEST(all_answers_together_have_a_time_limit),
        cmocka_unit_test_setup_teardown(player_describes_nothing, set_up_plain, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
