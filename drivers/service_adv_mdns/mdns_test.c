/* mdns_test.c - packets of multicast DNS: questions, answers, damaged and hostile ones. */
#include "mdns.h"

#include <string.h>

#include "support/unit.h"

enum { A = 1, PTR = 12, TXT = 16, SRV = 33, ANY = 255 };

static struct mdns_service robot(void)
{
    struct mdns_service s = {.name = "a robot",
                             .kind = "_player2",
                             .host = "troupe-10-0-0-7",
                             .port = 6665,
                             .address = {10, 0, 0, 7}};

    assert_true(tpi_mdns_add_text(&s, "foo=bar"));
    return s;
}

struct packet {
    uint8_t bytes[2048];
    size_t length;
};

static void put(struct packet *p, unsigned value, unsigned bytes)
{
    while (bytes-- > 0) {
        p->bytes[p->length++] = (uint8_t)(value >> 8 * bytes);
    }
}

static struct packet head(unsigned flags, unsigned questions, unsigned answers)
{
    struct packet p = {.length = 0};

    put(&p, 77, 2);
    put(&p, flags, 2);
    put(&p, questions, 2);
    put(&p, answers, 2);
    put(&p, 0, 4);
    return p;
}

/* A dot separates parts. */
static void put_name(struct packet *p, const char *name)
{
    while (*name != '\0') {
        const size_t length = strcspn(name, ".");
        put(p, (unsigned)length, 1);
        memcpy(p->bytes + p->length, name, length);
        p->length += length;
        name += length + (name[length] == '.');
    }
    put(p, 0, 1);
}

static struct packet question(const char *name, unsigned type, unsigned class)
{
    struct packet p = head(0, 1, 0);

    put_name(&p, name);
    put(&p, type, 2);
    put(&p, class, 2);
    return p;
}

static struct mdns_heard hear(const struct packet *p)
{
    const struct mdns_service s = robot();
    struct mdns_heard heard;

    assert_true(tpi_mdns_read(&s, p->bytes, p->length, &heard));
    return heard;
}

static unsigned wanted(const char *name, unsigned type)
{
    const struct packet p = question(name, type, 1);

    return hear(&p).wanted;
}

static void questions_are_understood(void **state)
{
    (void)state;
    assert_int_equal(wanted("_player2._tcp.local", PTR), MDNS_LISTED);
    assert_int_equal(wanted("_PLAYER2._TCP.Local", ANY), MDNS_LISTED);
    assert_int_equal(wanted("_services._dns-sd._udp.local", PTR), MDNS_KINDS);
    assert_int_equal(wanted("a robot._player2._tcp.local", SRV), MDNS_PLACE);
    assert_int_equal(wanted("a robot._player2._tcp.local", ANY), MDNS_PLACE | MDNS_TEXT);
    assert_int_equal(wanted("troupe-10-0-0-7.local", A), MDNS_HOST);
    assert_int_equal(wanted("troupe-10-0-0-7.local", PTR), 0);
    assert_int_equal(wanted("_player2._udp.local", PTR), 0);
    assert_int_equal(wanted("b robot._player2._tcp.local", SRV), 0);
    struct packet p = question("_player2._tcp.local", PTR, 0x8001);
    assert_true(hear(&p).unicast);
    p = question("_player2._tcp.local", PTR, 3); /* not of the internet */
    assert_int_equal(hear(&p).wanted, 0);
}

/* Who knows it for another while is not told again; who forgets it soon is. */
static void known_answers_are_not_repeated(void **state)
{
    (void)state;
    for (unsigned ttl_s = 2249; ttl_s <= 2250; ttl_s++) {
        struct packet p = question("_player2._tcp.local", PTR, 1);
        p.bytes[7] = 1;
        put(&p, 0xc00c, 2); /* the name of the question */
        put(&p, PTR, 2);
        put(&p, 1, 2);
        put(&p, ttl_s, 4);
        put(&p, 10, 2);
        put(&p, 7, 1);
        memcpy(p.bytes + p.length, "a robot", 7);
        p.length += 7;
        put(&p, 0xc00c, 2);
        assert_int_equal(hear(&p).wanted, ttl_s == 2250 ? 0 : MDNS_LISTED);
    }
}

static bool conflicts(unsigned port, const char *host, unsigned ttl_s)
{
    struct packet p = head(0x8400, 0, 1);

    put_name(&p, "A robot._player2._tcp.local");
    put(&p, SRV, 2);
    put(&p, 0x8001, 2);
    put(&p, ttl_s, 4);
    put(&p, 6 + (unsigned)strlen(host) + 2, 2);
    put(&p, 0, 4);
    put(&p, port, 2);
    put_name(&p, host);
    return hear(&p).conflict;
}

static void another_service_of_this_name_is_a_conflict(void **state)
{
    (void)state;
    assert_true(conflicts(6665, "other.local", 120));
    assert_true(conflicts(6666, "troupe-10-0-0-7.local", 120));
    assert_false(conflicts(6665, "troupe-10-0-0-7.local", 120)); /* our own answer */
    assert_false(conflicts(6665, "other.local", 0));             /* which leaves */
}

/* What we write is read by us: our answers are no conflict, our question is one for others. */
static void answers_have_all_records(void **state)
{
    const struct mdns_service s = robot();
    const struct mdns_manner normal = {.probe = false};
    const struct mdns_manner probe = {.probe = true};
    const struct mdns_manner goodbye = {.goodbye = true};
    struct mdns_heard heard;
    uint8_t out[MDNS_MOST];

    (void)state;
    size_t length = tpi_mdns_write(&s, MDNS_LISTED, &normal, out);
    assert_int_equal(out[7], 1);  /* an answer */
    assert_int_equal(out[11], 3); /* and the three that it leads to */
    assert_true(tpi_mdns_read(&s, out, length, &heard));
    assert_false(heard.conflict);
    static const uint8_t address[] = {0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 10, 0, 0, 7};
    assert_memory_equal(out + length - sizeof address, address, sizeof address);
    length = tpi_mdns_write(&s, 0, &probe, out);
    assert_true(tpi_mdns_read(&s, out, length, &heard));
    assert_int_equal(heard.wanted, MDNS_PLACE | MDNS_TEXT);
    length = tpi_mdns_write(&s, MDNS_HOST, &goodbye, out);
    assert_int_equal(out[length - 7], 0); /* the last byte of its time to live */
}

/* A plain client gets its number and its question back, and short times to live. */
static void plain_clients_get_plain_answers(void **state)
{
    const struct mdns_service s = robot();
    const struct packet p = question("troupe-10-0-0-7.local", A, 1);
    const struct mdns_heard heard = hear(&p);
    const struct mdns_manner manner = {.plain = &heard};
    static const uint8_t address[] = {0, 1, 0, 1, 0, 0, 0, 10, 0, 4, 10, 0, 0, 7};
    uint8_t out[MDNS_MOST];

    (void)state;
    const size_t length = tpi_mdns_write(&s, heard.wanted, &manner, out);
    assert_int_equal(out[1], 77);
    assert_int_equal(out[5], 1);
    assert_memory_equal(out + 12, p.bytes + 12, p.length - 12);
    assert_memory_equal(out + length - sizeof address, address, sizeof address);
}

/* The longest names and texts fit a packet. */
static void everything_fits(void **state)
{
    struct mdns_service s = {.port = 1};
    struct mdns_heard heard = {.question_length = 97};
    const struct mdns_manner manner = {.plain = &heard};
    uint8_t out[MDNS_MOST];

    (void)state;
    memset(s.name, 'n', MDNS_LABEL);
    memset(s.kind, 'k', MDNS_KIND);
    memset(s.host, 'h', MDNS_LABEL);
    char text[256] = "";
    memset(text, 't', 255);
    while (tpi_mdns_add_text(&s, text)) {
    }
    text[MDNS_MOST_TEXT - s.text_length - 1] = '\0';
    assert_true(tpi_mdns_add_text(&s, text));
    assert_false(tpi_mdns_add_text(&s, "t"));
    assert_in_range(tpi_mdns_write(&s, MDNS_ALL | MDNS_KINDS, &manner, out), 1000, MDNS_MOST);
}

static void assert_damaged(const struct packet *p)
{
    const struct mdns_service s = robot();
    struct mdns_heard heard;

    assert_false(tpi_mdns_read(&s, p->bytes, p->length, &heard));
    assert_int_equal(heard.wanted, 0);
}

static void damaged_packets_are_dropped(void **state)
{
    const struct packet good = question("_player2._tcp.local", PTR, 1);
    struct packet p;

    (void)state;
    for (size_t length = 0; length < good.length; length++) { /* torn anywhere */
        p = good;
        p.length = length;
        assert_damaged(&p);
    }
    p = good;
    p.bytes[4] = 0xff; /* more questions than there are */
    assert_damaged(&p);
    p = good;
    p.bytes[2] = 0x28; /* an update */
    assert_damaged(&p);
    p = head(0, 1, 0);
    put(&p, 0xc00c, 2); /* a name that is itself */
    put(&p, 0, 4);
    assert_damaged(&p);
    p = head(0, 1, 0);
    put(&p, 0xc0ff, 2); /* or behind the packet */
    put(&p, 0, 4);
    assert_damaged(&p);
    p = head(0, 1, 0);
    for (unsigned i = 0; i < 20; i++) { /* a name that is too long */
        put(&p, 63, 1);
        p.length += 63;
    }
    put(&p, 0, 1);
    put(&p, 0, 4);
    assert_damaged(&p);
    p = question("_player2._tcp.local", PTR, 1);
    p.bytes[4] = 2; /* 513 questions, with most of them there */
    while (p.length + 6 <= sizeof p.bytes) {
        put(&p, 0xc00c, 2);
        put(&p, PTR, 2);
        put(&p, 1, 2);
    }
    assert_damaged(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_understood),
        cmocka_unit_test(known_answers_are_not_repeated),
        cmocka_unit_test(another_service_of_this_name_is_a_conflict),
        cmocka_unit_test(answers_have_all_records),
        cmocka_unit_test(plain_clients_get_plain_answers),
        cmocka_unit_test(everything_fits),
        cmocka_unit_test(damaged_packets_are_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
