/* inbox_test.c - many threads post, one takes. Plain main, so that the thread sanitizer can watch
 * it without cmocka. */
#include "loop/inbox.h"

#include <stdio.h>
#include <stdlib.h>

#include "troupe/clock.h"

static int tests_run;
static int tests_failed;

static void report(bool good, const char *name)
{
    tests_run++;
    tests_failed += !good;
    printf("%s %d - %s\n", good ? "ok" : "not ok", tests_run, name);
}

/* ---- One thread ------------------------------------------------------------------------------ */

struct number {
    tpi_item item;
    int value;
};

static void count_ring(void *context)
{
    ++*(int *)context;
}

static int value_of(const tpi_item *item)
{
    return ((const struct number *)(const void *)item)->value;
}

static bool holds(const tpi_item *items, const int *values, int count)
{
    int i = 0;

    for (; items != NULL && i < count; items = items->next) {
        if (value_of(items) != values[i++]) {
            return false;
        }
    }
    return items == NULL && i == count;
}

static void an_empty_inbox_gives_nothing(void)
{
    int rings = 0;
    tpi_inbox inbox;

    tpi_inbox_init(&inbox, count_ring, &rings);
    report(tpi_inbox_take(&inbox) == NULL && tpi_inbox_take(&inbox) == NULL && rings == 0,
           "an empty inbox gives nothing and does not ring");
}

static void items_come_out_in_the_order_of_posting(void)
{
    struct number numbers[3] = {{.value = 1}, {.value = 2}, {.value = 3}};
    int rings = 0;
    tpi_inbox inbox;

    tpi_inbox_init(&inbox, count_ring, &rings);
    for (int i = 0; i < 3; i++) {
        tpi_inbox_post(&inbox, &numbers[i].item);
    }
    report(holds(tpi_inbox_take(&inbox), (const int[]){1, 2, 3}, 3) &&
               tpi_inbox_take(&inbox) == NULL,
           "items come out once, in the order of posting");
}

static void it_rings_when_it_turns_from_empty_to_not_empty(void)
{
    struct number numbers[3] = {{.value = 1}, {.value = 2}, {.value = 3}};
    int rings = 0;
    tpi_inbox inbox;

    tpi_inbox_init(&inbox, count_ring, &rings);
    tpi_inbox_post(&inbox, &numbers[0].item);
    tpi_inbox_post(&inbox, &numbers[1].item);
    const int first = rings;
    tpi_inbox_take(&inbox);
    tpi_inbox_post(&inbox, &numbers[2].item);
    report(first == 1 && rings == 2, "it rings when it turns from empty to not empty");
}

static void an_item_can_be_posted_again_after_it_was_taken(void)
{
    struct number number = {.value = 4};
    int rings = 0;
    bool good = true;
    tpi_inbox inbox;

    tpi_inbox_init(&inbox, count_ring, &rings);
    for (int i = 0; i < 3; i++) {
        tpi_inbox_post(&inbox, &number.item);
        good = good && holds(tpi_inbox_take(&inbox), (const int[]){4}, 1);
    }
    report(good && rings == 3, "an item can be posted again after it was taken");
}

/* ---- Many threads ---------------------------------------------------------------------------- */

/* Each poster has few parcels and sends each again as soon as it comes back, so that the same
 * addresses pass the inbox over and over. */
enum { POSTERS = 4, PARCELS = 8, PARCELS_SENT = 20000 };

struct place {
    tpi_inbox inbox;
    tpi_bell bell;
};

struct poster {
    struct place home;
    struct place *office;
    unsigned id;
};

struct parcel {
    tpi_item item;
    struct poster *from;
    unsigned number; /* written by the poster, read by the owner: the sanitizer looks at this */
};

static void ring_bell(void *context)
{
    tpi_bell_ring(context);
}

static bool place_init(struct place *place)
{
    tpi_inbox_init(&place->inbox, ring_bell, &place->bell);
    return tpi_bell_init(&place->bell, NULL) == TP_OK;
}

static tpi_item *wait_and_take(struct place *place)
{
    tpi_wait(&place->bell.fd, 1, TP_NEVER);
    tpi_bell_silence(&place->bell);
    return tpi_inbox_take(&place->inbox);
}

static void post_all(void *context)
{
    struct poster *poster = context;
    struct parcel parcels[PARCELS] = {0};
    unsigned sent = 0;
    unsigned back = 0;

    for (; sent < PARCELS; sent++) {
        parcels[sent] = (struct parcel){.from = poster, .number = sent};
        tpi_inbox_post(&poster->office->inbox, &parcels[sent].item);
    }
    while (back < PARCELS_SENT) {
        tpi_item *item = wait_and_take(&poster->home);
        while (item != NULL) {
            struct parcel *parcel = (struct parcel *)(void *)item;
            item = item->next;
            back++;
            if (sent < PARCELS_SENT) {
                parcel->number = sent++;
                tpi_inbox_post(&poster->office->inbox, &parcel->item);
            }
        }
    }
}

/* Take everything, check that each poster's numbers come in order, send it back. */
static bool receive_all(struct place *office)
{
    unsigned expected[POSTERS] = {0};
    unsigned received = 0;
    bool good = true;

    while (received < POSTERS * PARCELS_SENT) {
        tpi_item *item = wait_and_take(office);
        while (item != NULL) {
            struct parcel *parcel = (struct parcel *)(void *)item;
            struct poster *from = parcel->from;
            item = item->next;
            received++;
            good = good && parcel->number == expected[from->id]++;
            tpi_inbox_post(&from->home.inbox, &parcel->item);
        }
    }
    return good;
}

static void four_threads_post_and_nothing_is_lost(void)
{
    static struct poster posters[POSTERS];
    static struct place office;
    tpi_thread *threads[POSTERS] = {NULL};
    bool good = place_init(&office);

    for (unsigned i = 0; i < POSTERS; i++) {
        posters[i].id = i;
        posters[i].office = &office;
        good = place_init(&posters[i].home) && good;
    }
    for (unsigned i = 0; i < POSTERS; i++) {
        if (!good || tpi_thread_start(&threads[i], "poster", post_all, &posters[i], NULL) != 0) {
            puts("Bail out! a thread or a bell could not be made");
            exit(1);
        }
    }
    good = receive_all(&office);
    for (unsigned i = 0; i < POSTERS; i++) {
        tpi_thread_join(threads[i]);
        tpi_bell_fini(&posters[i].home.bell);
    }
    good = good && tpi_inbox_take(&office.inbox) == NULL;
    tpi_bell_fini(&office.bell);
    report(good, "four threads post, nothing is lost, and the order of each is kept");
}

int main(void)
{
    an_empty_inbox_gives_nothing();
    items_come_out_in_the_order_of_posting();
    it_rings_when_it_turns_from_empty_to_not_empty();
    an_item_can_be_posted_again_after_it_was_taken();
    four_threads_post_and_nothing_is_lost();
    printf("1..%d\n", tests_run);
    return tests_failed == 0 ? 0 : 1;
}
