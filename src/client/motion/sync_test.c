/* sync_test.c - clocks over simulated links: ten minutes in a moment, without sleeping. */
#include "client/motion/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/clock.h"

/* A link whose round trip is at least 20 ms. Some packages wait in queues. */
struct link {
    int64_t there_ns, back_ns; /* at least */
    double busy;               /* how often a package waits */
    double wait_ns;            /* on the average, then */
    uint64_t random;
};

static double chance(struct link *link)
{
    link->random = link->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(link->random >> 11) / (double)(UINT64_C(1) << 53);
}

static int64_t delay(struct link *link, int64_t least_ns)
{
    const bool waits = chance(link) < link->busy;

    return least_ns + (waits ? (int64_t)(-log(1 - chance(link)) * link->wait_ns) : 0);
}

/* True time is the server's; the client's clock runs fast by 200 ppm. */
static const double FAST = 200e-6;
static const int64_t START = 7777777777;

static int64_t client_clock(int64_t true_ns)
{
    return START + true_ns + (int64_t)(FAST * (double)true_ns);
}

static int64_t whole_us(int64_t ns)
{
    return ns / 1000 * 1000;
}

struct run {
    tpi_sync sync;
    struct link link;
    int64_t now_ns;     /* true time */
    int64_t last_ns;    /* of the stamps */
    double worst;       /* error, ever */
    double worst_late;  /* error after 30 s */
    double worst_claim; /* error beyond the bound that the clock claims */
};

/* The stamp that a client would send now. */
static void stamp(struct run *r)
{
    const int64_t mine = client_clock(r->now_ns);
    const int64_t stamp = tpi_sync_read(&r->sync, mine);
    const double error = fabs((double)(stamp - r->now_ns));

    assert_true(stamp >= r->last_ns);
    r->last_ns = stamp;
    r->worst = fmax(r->worst, error);
    r->worst_claim = fmax(r->worst_claim, error - (double)tpi_sync_error(&r->sync, mine));
    if (r->now_ns > 30 * TP_NS_PER_S) {
        r->worst_late = fmax(r->worst_late, error);
    }
}

static void exchange(struct run *r)
{
    const int64_t sent = r->now_ns;
    const int64_t read = sent + delay(&r->link, r->link.there_ns);
    const int64_t answered = read + 20000;
    const int64_t back = answered + delay(&r->link, r->link.back_ns);

    /* stamps are sent while the exchange is under way, too */
    for (r->now_ns += TP_NS_PER_MS; r->now_ns < back; r->now_ns += TP_NS_PER_MS) {
        if (tpi_sync_is_ready(&r->sync)) {
            stamp(r);
        }
    }
    r->now_ns = back;
    tpi_sync_add(&r->sync, whole_us(client_clock(sent)), whole_us(read), whole_us(answered),
                 client_clock(back));
}

/* Stamps are read more often as long as the estimate still changes. */
static const int64_t EVENTFUL_NS = 60 * TP_NS_PER_S;

static void run_for(struct run *r, int64_t time_ns)
{
    const int64_t end = r->now_ns + time_ns;

    while (r->now_ns < end) {
        exchange(r);
        const int64_t next = r->now_ns + tpi_sync_pause_ns(&r->sync);

        while (tpi_sync_is_ready(&r->sync) && r->now_ns < next) {
            stamp(r);
            r->now_ns += (r->now_ns < EVENTFUL_NS ? 7 : 67) * TP_NS_PER_MS;
        }
    }
}

/* All seeds for the first minute, in which the estimate changes most; some for ten. */
static struct run after_minutes(int64_t there_ms, int64_t back_ms, double busy, double wait_ms,
                                uint64_t seed, int minutes)
{
    struct run r = {.link = {there_ms * TP_NS_PER_MS, back_ms * TP_NS_PER_MS, busy,
                             wait_ms * (double)TP_NS_PER_MS, seed}};

    run_for(&r, minutes * 60 * TP_NS_PER_S);
    return r;
}

/* Half of the least round trip, and what 200 ppm make in a second; ns. */
static const double HALF_TRIP = 10e6, SLACK = 200e3;
enum { SEEDS = 25, MANY_SEEDS = 200 };

static void a_symmetric_link_gives_the_time_within_a_tenth_of_the_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MANY_SEEDS; seed++) {
        struct run r = after_minutes(10, 10, 0.4, 4, seed, seed <= SEEDS ? 10 : 1);

        assert_true(r.worst <= HALF_TRIP + SLACK);
        assert_true(r.worst_late <= 0.1 * 2 * HALF_TRIP);
        assert_true(r.worst_claim <= 0);
        assert_true(fabs(r.sync.drift + FAST) < 5e-6);
    }
}

static void an_asymmetric_link_is_off_by_half_a_round_trip_at_most(void **state)
{
    static const int64_t there[] = {0, 20, 17, 4};

    (void)state;
    for (uint64_t seed = 1; seed <= MANY_SEEDS; seed++) {
        for (size_t i = 0; i < 4; i++) {
            struct run r = after_minutes(there[i], 20 - there[i], 0.4, 4, seed * 7 + i,
                                         seed <= SEEDS ? 10 : 1);

            assert_true(r.worst <= HALF_TRIP + SLACK);
            assert_true(r.worst_claim <= 0);
        }
    }
}

/* Every package waits in queues, most for longer than the way takes. */
static void a_bad_link_never_makes_it_claim_more_than_it_knows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run r = after_minutes(12, 8, 1, 60, seed * 13, 10);

        assert_true(r.worst_claim <= 0);
        assert_true(r.worst_late <= 20e6);
    }
}

/* With bad luck all of the first eight wait on the way: the clock asks again before it is ready. */
static void exchanges_that_all_waited_are_not_enough(void **state)
{
    tpi_sync s = {0};
    int64_t t = 0;

    (void)state;
    for (int i = 0; i < TPI_SYNC_FIRST; i++, t += 40 * TP_NS_PER_MS) {
        const int64_t waited = (9 - i) * TP_NS_PER_MS; /* on the way back; none waits alike */

        tpi_sync_add(&s, t, t, t, t + 20 * TP_NS_PER_MS + waited);
    }
    assert_false(tpi_sync_is_ready(&s));
    assert_int_equal(tpi_sync_pause_ns(&s), 0);
    for (int i = 0; i < 2; i++, t += 40 * TP_NS_PER_MS) {
        assert_false(tpi_sync_is_ready(&s));
        tpi_sync_add(&s, t, t, t, t + 20 * TP_NS_PER_MS);
    }
    assert_true(tpi_sync_is_ready(&s));
    s = (tpi_sync){0};
    for (int i = 0; i < TPI_SYNC_MOST; i++, t += 80 * TP_NS_PER_MS) {
        assert_false(tpi_sync_is_ready(&s)); /* a link on which all wait is used as it is */
        tpi_sync_add(&s, t, t, t, t + (60 - 2 * i) * TP_NS_PER_MS);
    }
    assert_true(tpi_sync_is_ready(&s));
}

static void only_the_first_exchanges_follow_each_other_at_once(void **state)
{
    tpi_sync s = {0};

    (void)state;
    assert_int_equal(tpi_sync_read(&s, 5), 0);
    assert_true(tpi_sync_error(&s, 5) == INT64_MAX);
    for (int64_t i = 0; i < TPI_SYNC_FIRST; i++) {
        assert_false(tpi_sync_is_ready(&s));
        assert_int_equal(tpi_sync_pause_ns(&s), 0);
        tpi_sync_add(&s, i * 1000000, 500 + i * 1000000, 500 + i * 1000000, 1000 + i * 1000000);
    }
    assert_true(tpi_sync_is_ready(&s));
    assert_int_equal(tpi_sync_pause_ns(&s), 97000000);
    for (int64_t i = 0; i < 4 * TPI_SYNC_FIRST; i++) {
        tpi_sync_add(&s, i * 1000000, 500 + i * 1000000, 500 + i * 1000000, 1000 + i * 1000000);
    }
    assert_int_equal(tpi_sync_pause_ns(&s), 983900000);
}

static void times_that_cannot_be_are_ignored(void **state)
{
    tpi_sync s = {0};

    (void)state;
    tpi_sync_add(&s, 100, 50, 50, 90);      /* answered before it was asked */
    tpi_sync_add(&s, 100, 60, 50, 200);     /* the server's clock goes back */
    tpi_sync_add(&s, 100, 1000, 2000, 200); /* the server took longer than the whole */
    assert_int_equal(s.total, 0);
}

/* One exchange that contradicts all others is no news; a clock that was set is. */
static void an_outlier_is_dropped_and_a_new_clock_is_followed(void **state)
{
    struct run r = {.link = {10 * TP_NS_PER_MS, 10 * TP_NS_PER_MS, 0, 0, 1}};

    (void)state;
    run_for(&r, 20 * TP_NS_PER_S);
    const int64_t mine = client_clock(r.now_ns);
    const int64_t before = tpi_sync_read(&r.sync, mine);
    const int64_t hour = 3600 * TP_NS_PER_S;
    tpi_sync_add(&r.sync, mine, hour, hour, mine + 20 * TP_NS_PER_MS);
    assert_int_equal(r.sync.dropped, 1);
    assert_true(llabs(tpi_sync_read(&r.sync, mine + TP_NS_PER_MS) - before - TP_NS_PER_MS) <
                200000);
    for (int64_t i = 2; i < 7; i++) {
        const int64_t t = mine + i * TP_NS_PER_S;

        tpi_sync_add(&r.sync, t, hour + i * TP_NS_PER_S, hour + i * TP_NS_PER_S,
                     t + 20 * TP_NS_PER_MS);
    }
    assert_int_equal(r.sync.dropped, TPI_SYNC_STRAYS);
    assert_true(llabs(tpi_sync_read(&r.sync, mine + 6 * TP_NS_PER_S) - hour - 6 * TP_NS_PER_S) <
                11 * TP_NS_PER_MS);
}

/* A clock that is far ahead stands until it is right again. */
static void a_clock_that_is_ahead_waits(void **state)
{
    tpi_sync s = {0};
    int64_t t = 0;
    const int64_t ahead = 5 * TP_NS_PER_S;

    (void)state;
    for (; t < 10 * TP_NS_PER_S; t += TP_NS_PER_S) {
        tpi_sync_add(&s, t, ahead + t, ahead + t, t + 1000);
    }
    const int64_t shown = tpi_sync_read(&s, t);
    assert_true(llabs(shown - ahead - t) < 10000);
    for (int64_t i = 0; i < TPI_SYNC_STRAYS; i++) {
        tpi_sync_add(&s, t, t, t, t + 1000);
        t += TP_NS_PER_MS;
    }
    assert_int_equal(tpi_sync_read(&s, t), shown);
    assert_int_equal(tpi_sync_read(&s, t + 3 * TP_NS_PER_S), shown);
    for (int64_t i = 0; i < 100; i++) { /* the last second at a slower pace */
        t += TP_NS_PER_S;
        assert_true(tpi_sync_read(&s, t) >= shown);
    }
    assert_true(llabs(tpi_sync_read(&s, t) - t) < TP_NS_PER_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symmetric_link_gives_the_time_within_a_tenth_of_the_round_trip),
        cmocka_unit_test(an_asymmetric_link_is_off_by_half_a_round_trip_at_most),
        cmocka_unit_test(a_bad_link_never_makes_it_claim_more_than_it_knows),
        cmocka_unit_test(exchanges_that_all_waited_are_not_enough),
        cmocka_unit_test(only_the_first_exchanges_follow_each_other_at_once),
        cmocka_unit_test(times_that_cannot_be_are_ignored),
        cmocka_unit_test(an_outlier_is_dropped_and_a_new_clock_is_followed),
        cmocka_unit_test(a_clock_that_is_ahead_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
