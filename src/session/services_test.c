/* services_test.c - the table of services: rights, bodies, plain Player clients, pull mode. */
#include "session/services.h"

#include <stdlib.h>
#include <string.h>

#include "support/session_scene.h"
#include "support/unit.h"

/* A guest from a network may read; a client inside may do everything. */
static void let_guests_read(struct scene *s)
{
    static const tpi_key keys[] = {{"boss", "secret", TP_RIGHT_OPERATE}};
    const tpi_access access = {
        .keys = keys, .key_count = 1, .guests = {TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_OPERATE}};

    assert_int_equal(tpi_hub_set_access(s->p->b.hub, &access), TP_OK);
}

static int set_up(void **state)
{
    struct scene *s = scene_begin();

    let_guests_read(s);
    tp_session_explain_failures(s->session, true);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    scene_end(*state);
    return 0;
}

static tp_msghdr request_of(unsigned code)
{
    return (tp_msghdr){.addr = {.host = TP_PLAYER_HOST, .robot = 6665, .interf = TP_PLAYER_CODE},
                       .type = TP_MSGTYPE_REQ,
                       .subtype = (uint8_t)code,
                       .seq = 5};
}

/* The next message of the session, to be given back. */
static tp_msg *take(struct scene *s)
{
    tp_msg *msg = tp_session_take(s->session);

    assert_non_null(msg);
    return msg;
}

static void expect_refusal(struct scene *s, int code)
{
    tp_msg *msg = take(s);
    const tp_failure *failure = tp_msg_payload(msg);

    assert_int_equal(tp_msg_header(msg)->type, TP_MSGTYPE_RESP_NACK);
    assert_int_equal(tp_msg_header(msg)->seq, 5);
    assert_ptr_equal(tp_msg_type(msg), &tp_desc_failure);
    assert_int_equal(failure->code, code);
    tp_msg_unref(msg);
}

static void serve(struct scene *s, unsigned code, const void *value)
{
    const tp_msghdr request = request_of(code);

    assert_int_equal(tp_session_serve(s->session, &request, value), TP_OK);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void every_request_of_the_interface_has_a_service(void **state)
{
    struct scene *s = *state;

    tp_session_set_reach(s->session, TP_REACH_INSIDE);
    for (uint32_t i = 0; i < tp_interface_player.message_count; i++) {
        const tp_message *message = &tp_interface_player.messages[i];
        const tp_msghdr request = request_of(message->code);
        const tp_struct *body = NULL;
        if (message->kind != TP_KIND_REQUEST || message->code == TP_PLAYER_REQ_NAMESERVICE) {
            continue;
        }
        assert_true(tp_session_admits(s->session, &request, &body));
        assert_ptr_equal(body, message->ask);
    }
    assert_int_equal(tp_session_waiting(s->session), 0);
}

static void other_requests_are_refused(void **state)
{
    struct scene *s = *state;
    const tp_msghdr request = request_of(TP_PLAYER_REQ_NAMESERVICE);
    tp_msghdr command = request_of(TP_PLAYER_REQ_DEVLIST);
    const tp_struct *body = NULL;

    assert_false(tp_session_admits(s->session, &request, &body));
    expect_refusal(s, TP_E_UNSUPPORTED);
    serve(s, TP_PLAYER_REQ_NAMESERVICE, NULL);
    expect_refusal(s, TP_E_UNSUPPORTED);
    command.type = TP_MSGTYPE_CMD;
    assert_false(tp_session_admits(s->session, &command, &body));
    expect_refusal(s, TP_E_UNSUPPORTED);
}

static void a_body_that_is_missing_is_refused(void **state)
{
    serve(*state, TP_PLAYER_REQ_DRIVERINFO, NULL);
    expect_refusal(*state, TP_E_SHORT);
}

/* Whatever front or program sends it. */
static void a_panic_without_a_body_is_one(void **state)
{
    struct scene *s = *state;
    const tp_msghdr request = request_of(TP_PLAYER_REQ_PANIC);

    serve(s, TP_PLAYER_REQ_PANIC, NULL);
    assert_true(tpi_panic_is_on(tpi_panic_of(s->p->b.hub)));
    assert_true(
        tpi_panic_reset(tpi_panic_of(s->p->b.hub), tpi_panic_epoch(tpi_panic_of(s->p->b.hub))));
    assert_int_equal(tp_session_refuse(s->session, &request, TP_E_SHORT, "short"), TP_OK);
    assert_true(tpi_panic_is_on(tpi_panic_of(s->p->b.hub)));
}

static void rights_are_those_of_the_interface(void **state)
{
    struct scene *s = *state;
    unsigned refused = 0;

    for (uint32_t i = 0; i < tp_interface_player.message_count; i++) {
        const tp_message *message = &tp_interface_player.messages[i];
        const tp_msghdr request = request_of(message->code);
        const tp_struct *body = NULL;
        if (message->kind == TP_KIND_REQUEST && message->effect != TP_EFFECT_READS &&
            message->code != TP_PLAYER_REQ_RESET_PANIC) {
            assert_false(tp_session_admits(s->session, &request, &body));
            expect_refusal(s, TP_E_DENIED);
            refused++;
        }
    }
    assert_int_equal(refused, 1); /* KICK */
}

static void note_lost(void *context)
{
    *(bool *)context = true;
}

static void nobody_passes_without_the_right(void **state)
{
    static const tp_session_limits limits = {.data = ROOM, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = scene_ignore, .lost = note_lost};
    struct scene *s = *state;
    tp_session *second = NULL;
    bool lost = false;

    assert_int_equal(
        tp_session_create(&second, s->p->b.hub, BENCH_ROBOT, &limits, &events, &lost, &s->p->b.err),
        TP_OK);
    serve(s, TP_PLAYER_REQ_KICK, &(tp_kick){2});
    expect_refusal(s, TP_E_DENIED);
    assert_false(lost);
    serve(s, TP_PLAYER_REQ_RESET_PANIC, &(tp_panic_reset){.epoch = 1});
    expect_refusal(s, TP_E_DENIED);
    tp_session_set_reach(s->session, TP_REACH_INSIDE);
    serve(s, TP_PLAYER_REQ_KICK, &(tp_kick){2});
    scene_take(s, 1);
    assert_true(lost);
    tp_session_destroy(second);
}

/* ---- Plain Player clients -------------------------------------------------------------------- */

static void a_plain_client_gets_a_device_that_is_unknown_back(void **state)
{
    struct scene *s = *state;
    const tp_device_req asked = {.addr = {.interf = TP_PTZ_CODE, .index = 9},
                                 .access = TP_OPEN_MODE};

    serve(s, TP_PLAYER_REQ_DEV, &asked);
    expect_refusal(s, TP_E_UNKNOWN);
    tp_session_explain_failures(s->session, false);
    serve(s, TP_PLAYER_REQ_DEV, &asked);
    tp_msg *msg = take(s);
    const tp_device_req *answer = tp_msg_payload(msg);
    assert_int_equal(tp_msg_header(msg)->type, TP_MSGTYPE_RESP_NACK);
    assert_ptr_equal(tp_msg_type(msg), &tp_desc_device_req);
    assert_int_equal(answer->access, TP_ERROR_MODE);
    assert_int_equal(answer->addr.robot, 6665);
    assert_int_equal(answer->addr.index, 9);
    tp_msg_unref(msg);
}

static void a_plain_client_gets_access_3_for_what_cannot_be_opened(void **state)
{
    struct scene *s = *state;
    const tp_device_req asked = {.addr = {.interf = TP_PTZ_CODE}, .access = TP_WRITE_MODE};

    serve(s, TP_PLAYER_REQ_DEV, &asked);
    expect_refusal(s, TP_E_DENIED);
    tp_session_explain_failures(s->session, false);
    serve(s, TP_PLAYER_REQ_DEV, &asked);
    tp_msg *msg = take(s);
    assert_int_equal(tp_msg_header(msg)->type, TP_MSGTYPE_RESP_ACK);
    assert_int_equal(((const tp_device_req *)tp_msg_payload(msg))->access, TP_ERROR_MODE);
    tp_msg_unref(msg);
}

static void a_plain_client_gets_refusals_without_a_body(void **state)
{
    struct scene *s = *state;

    tp_session_explain_failures(s->session, false);
    serve(s, TP_PLAYER_REQ_KICK, &(tp_kick){1});
    tp_msg *msg = take(s);
    assert_int_equal(tp_msg_header(msg)->type, TP_MSGTYPE_RESP_NACK);
    assert_null(tp_msg_payload(msg));
    tp_msg_unref(msg);
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* An interface with a sentence of so many letters. */
static void load(struct scene *s, const char *name, unsigned code, size_t letters)
{
    char *text = malloc(letters + 100);
    tp_error err = {0};

    assert_non_null(text);
    const int begin = sprintf(text, "interface %s %u \"", name, code);
    memset(text + begin, 'x', letters);
    strcpy(text + begin + letters, "\"\n");
    tp_catalogue_load_text(s->p->b.catalogue, name, text, strlen(text), &err);
    assert_string_equal(err.text, "");
    free(text);
}

static tp_description_page read_page(struct scene *s, uint32_t place, uint32_t first, char *text)
{
    const tp_description_page ask = {.place = place, .first = first};

    serve(s, TP_PLAYER_REQ_DESCRIPTION, &ask);
    tp_msg *msg = take(s);
    assert_int_equal(tp_msg_header(msg)->type, TP_MSGTYPE_RESP_ACK);
    const tp_description_page page = *(const tp_description_page *)tp_msg_payload(msg);
    if (page.text_count > 0) {
        memcpy(text + first, page.text, page.text_count);
    }
    tp_msg_unref(msg);
    return page;
}

static void interfaces_that_were_loaded_are_described_in_pages(void **state)
{
    struct scene *s = *state;
    char *text = calloc(1, 40000);
    char *wanted = NULL;

    assert_non_null(text);
    tp_description_page page = read_page(s, 0, 0, text);
    assert_int_equal(page.interfaces, 0);
    assert_int_equal(page.total + page.text_count, 0);
    load(s, "small", 220, 10);
    load(s, "large", 221, 20000);
    page = read_page(s, 1, 0, text);
    assert_int_equal(page.interfaces, 2);
    assert_int_equal(page.text_count, TP_DESCRIPTION_PAGE);
    const uint32_t total = page.total;
    page = read_page(s, 1, TP_DESCRIPTION_PAGE, text);
    assert_int_equal(page.text_count, total - TP_DESCRIPTION_PAGE);
    assert_int_equal(tp_interface_padi(&wanted, tp_catalogue_code(s->p->b.catalogue, 221)), TP_OK);
    assert_string_equal(text, wanted);
    assert_int_equal(read_page(s, 1, total, text).text_count, 0);
    assert_int_equal(read_page(s, 1, UINT32_MAX, NULL).text_count, 0);
    page = read_page(s, 2, 0, text);
    assert_int_equal(page.interfaces, 2);
    assert_int_equal(page.total + page.text_count, 0);
    free(wanted);
    free(text);
}

/* A client pays for the bytes of a page. The text is written once for all clients and pages. */
static void a_page_is_charged_and_its_text_is_kept(void **state)
{
    struct scene *s = *state;
    tpi_descriptions *kept = &s->session->clients->descriptions;
    char *text = calloc(1, 40000);

    assert_non_null(text);
    load(s, "large", 221, 20000);
    const int64_t before = s->session->account.own.work;
    (void)read_page(s, 0, 0, text);
    assert_true(s->session->account.own.work - before >= TP_DESCRIPTION_PAGE);
    const tpi_description *first = kept->first;
    assert_non_null(first);
    (void)read_page(s, 0, TP_DESCRIPTION_PAGE, text);
    assert_ptr_equal(kept->first, first);
    assert_null(first->next);
    free(text);
}

static void a_description_that_is_too_long_is_refused(void **state)
{
    struct scene *s = *state;
    static char quotes[150001];
    static const tp_interface large = {.name = "large", .code = 221, .doc = quotes};

    memset(quotes, '"', sizeof quotes - 1); /* each takes two bytes in the text */
    assert_int_equal(tp_catalogue_add(s->p->b.catalogue, &large, NULL), TP_OK);
    for (int i = 0; i < 2; i++) {
        serve(s, TP_PLAYER_REQ_DESCRIPTION, &(tp_description_page){0});
        expect_refusal(s, TP_E_LIMIT);
    }
    assert_null(s->session->clients->descriptions.first->text);
}

/* ---- Pull mode ------------------------------------------------------------------------------- */

/* The types of the messages that may go out now, which are taken: "D" data, "A" reply, "S" synch.
 */
static const char *released(struct scene *s)
{
    static char types[ROOM + 8];
    size_t length = 0;

    tp_session_release(s->session);
    while (tp_session_sealed(s->session) > 0) {
        tp_msg *msg = take(s);
        const unsigned type = tp_msg_header(msg)->type;
        types[length++] = type == TP_MSGTYPE_DATA ? 'D' : type == TP_MSGTYPE_SYNCH ? 'S' : 'A';
        tp_msg_unref(msg);
    }
    types[length] = '\0';
    return types;
}

static void pull(struct scene *s)
{
    serve(s, TP_PLAYER_REQ_DATAMODE, &(tp_device_datamode_req){TP_DATAMODE_PULL});
    assert_string_equal(released(s), "A");
}

static void in_push_mode_everything_goes(void **state)
{
    struct scene *s = *state;

    scene_publish(s, 0, 2);
    serve(s, TP_PLAYER_REQ_DATA, NULL);
    assert_string_equal(released(s), "ADD");
    assert_string_equal(released(s), "");
}

static void in_pull_mode_data_waits_for_a_request(void **state)
{
    struct scene *s = *state;

    pull(s);
    scene_publish(s, 0, 2);
    assert_string_equal(released(s), "");
    serve(s, TP_PLAYER_REQ_DATA, NULL);
    assert_string_equal(released(s), "ADDS");
    scene_publish(s, 0, 1);
    assert_string_equal(released(s), "");
}

static void a_request_waits_for_data(void **state)
{
    struct scene *s = *state;

    pull(s);
    serve(s, TP_PLAYER_REQ_DATA, NULL);
    assert_string_equal(released(s), "A");
    scene_publish(s, 0, 1);
    assert_string_equal(released(s), "DS");
}

static void replies_take_the_data_before_them_along(void **state)
{
    struct scene *s = *state;

    pull(s);
    scene_publish(s, 0, 1);
    serve(s, TP_PLAYER_REQ_DEVLIST, NULL);
    scene_publish(s, 0, 1);
    assert_string_equal(released(s), "DA");
}

static void a_synch_reports_what_was_dropped(void **state)
{
    struct scene *s = *state;

    pull(s);
    scene_publish(s, 0, ROOM + 3);
    serve(s, TP_PLAYER_REQ_DATA, NULL);
    tp_session_release(s->session);
    scene_take(s, ROOM + 1);
    tp_msg *msg = take(s);
    assert_int_equal(tp_msg_header(msg)->subtype, TP_PLAYER_SYNCH_OVERFLOW);
    assert_int_equal(((const tp_uint32 *)tp_msg_payload(msg))->value, 3);
    tp_msg_unref(msg);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_request_of_the_interface_has_a_service),
        TEST(other_requests_are_refused),
        TEST(a_body_that_is_missing_is_refused),
        TEST(a_panic_without_a_body_is_one),
        TEST(rights_are_those_of_the_interface),
        TEST(nobody_passes_without_the_right),
        TEST(a_plain_client_gets_a_device_that_is_unknown_back),
        TEST(a_plain_client_gets_access_3_for_what_cannot_be_opened),
        TEST(a_plain_client_gets_refusals_without_a_body),
        TEST(interfaces_that_were_loaded_are_described_in_pages),
        TEST(a_page_is_charged_and_its_text_is_kept),
        TEST(a_description_that_is_too_long_is_refused),
        TEST(in_push_mode_everything_goes),
        TEST(in_pull_mode_data_waits_for_a_request),
        TEST(a_request_waits_for_data),
        TEST(replies_take_the_data_before_them_along),
        TEST(a_synch_reports_what_was_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
