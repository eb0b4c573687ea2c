/*
 * verbs_test.c - random sequences of what clients do, said to the server's sessions and to a model
 * of the documents (verbs/model.h): both agree after every verb.
 *
 * The clock is the test's. On a disagreement the test prints the shortest sequence that still shows
 * it. TROUPE_VERBS_SEED and TROUPE_VERBS (number of sequences) choose others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/unit.h"
#include "verbs/scene.h"

enum { SEQUENCES = 1000, LENGTH = 100, WHY = 256 };

/* ---- Sequences ------------------------------------------------------------------------------- */

typedef struct sequence {
    verb verbs[LENGTH];
    size_t count;
} sequence;

static int pick(random_source *r, const int *from, size_t count)
{
    return from[random_below(r, (uint32_t)count)];
}
#define PICK(r, ...)                                                                               \
    pick(r, (const int[]){__VA_ARGS__}, sizeof(const int[]){__VA_ARGS__} / sizeof(int))

static int random_number(random_source *r, verb_kind kind)
{
    switch (kind) {
    case VERB_ENTER:
        return (int)random_below(r, MODEL_PROFILES);
    case VERB_OPEN:
        return PICK(r, TP_OPEN_MODE, TP_READ_MODE, TP_WRITE_MODE, TP_ALL_MODE, TP_EXCLUSIVE_MODE);
    case VERB_MOVE:
        return PICK(r, 0, 0, 0, 0, 200, 1000, 3000);
    case VERB_LEASE:
        return PICK(r, 0, 50, 300, 1000, 4000, 8000);
    case VERB_RANK:
        return PICK(r, -2, -1, 0, 1, 2, 5);
    case VERB_RESET:
        return PICK(r, 0, 0, 0, 0, 1);
    case VERB_KICK:
        return (int)random_below(r, MODEL_CLIENTS);
    case VERB_SHOW:
        return PICK(r, 0, 1, 2, 2, 2, 3, 3, MODEL_KEYS);
    case VERB_KEYS:
        return (int)random_below(r, MODEL_ACCESSES);
    case VERB_WAIT:
        return PICK(r, 1, 50, 100, 200, 300, 499, 500, 900, 999, 1000, 1500, 2500, 4000, 5000,
                    16000);
    default:
        return 0;
    }
}

/* What the verbs of one sequence are made of: some clients, some devices, and most of the verbs.
 * A sequence of all of them seldom stays with one thing for long. */
typedef struct mixture {
    uint32_t shares[VERB_COUNT];
    uint32_t total;
    uint32_t clients;
    uint32_t first_device;
    uint32_t devices;
} mixture;

static mixture random_mixture(random_source *r)
{
    static const unsigned char shares[VERB_COUNT] = {
        [VERB_ENTER] = 6, [VERB_LEAVE] = 2,  [VERB_OPEN] = 14, [VERB_CLOSE] = 4, [VERB_MOVE] = 24,
        [VERB_SET] = 6,   [VERB_ASK] = 3,    [VERB_HALT] = 3,  [VERB_LEASE] = 3, [VERB_RANK] = 3,
        [VERB_PANIC] = 2, [VERB_RESET] = 5,  [VERB_KICK] = 1,  [VERB_SHOW] = 8,  [VERB_KEYS] = 4,
        [VERB_WAIT] = 16, [VERB_SWITCH] = 4,
    };
    mixture made = {.clients = 2 + random_below(r, MODEL_CLIENTS - 1),
                    .first_device = random_below(r, MODEL_DEVICES),
                    .devices = 1 + random_below(r, MODEL_DEVICES)};

    for (unsigned i = 0; i < VERB_COUNT; i++) {
        const bool needed = i == VERB_ENTER || i == VERB_OPEN || i == VERB_MOVE;
        made.shares[i] = needed || random_below(r, 4) > 0 ? shares[i] : 0;
        made.total += made.shares[i];
    }
    return made;
}

static verb random_verb(random_source *r, const mixture *of)
{
    uint32_t place = random_below(r, of->total);
    unsigned kind = 0;

    while (place >= of->shares[kind]) {
        place -= of->shares[kind];
        kind++;
    }
    return (verb){.kind = (verb_kind)kind,
                  .client = (int)random_below(r, of->clients),
                  .device =
                      (int)((of->first_device + random_below(r, of->devices)) % MODEL_DEVICES),
                  .number = random_number(r, (verb_kind)kind)};
}

/* Verbs that fit, since others show nothing. A sequence in which few do is shorter. */
static void make_sequence(sequence *q, uint64_t seed)
{
    random_source r = {seed};
    const mixture of = random_mixture(&r);
    model m;

    model_begin(&m);
    q->count = 0;
    for (int tries = 0; tries < 20 * LENGTH && q->count < LENGTH; tries++) {
        const verb v = random_verb(&r, &of);
        if (model_fits(&m, &v)) {
            (void)model_say(&m, &v);
            q->verbs[q->count++] = v;
        }
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool accepts(unsigned why, tp_status status)
{
    static const struct {
        unsigned why;
        tp_status status;
    } names[] = {{MODEL_DENIED, TP_E_DENIED},
                 {MODEL_PANIC, TP_E_PANIC},
                 {MODEL_LIMIT, TP_E_LIMIT},
                 {MODEL_UNSUPPORTED, TP_E_UNSUPPORTED},
                 {MODEL_INVALID, TP_E_INVALID}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((why & names[i].why) != 0 && status == names[i].status) {
            return true;
        }
    }
    return (why & MODEL_ANY) != 0 || (why == 0 && status == TP_OK);
}

static bool same_device(const model *m, const scene_view *view, int i, char *why)
{
    const model_motion *motion = &m->motions[i];
    const bool silent = motion->holder != MODEL_NOBODY && model_holder_is_silent(m, i);
    const int64_t left = model_lease_left_ns(m, i);

    if (view->devices[i].speed != motion->speed) {
        (void)snprintf(why, WHY, "%s: command %u moves it, the model says %u",
                       model_devices[i].address, view->devices[i].speed, motion->speed);
    } else if (view->devices[i].holder != motion->holder) {
        (void)snprintf(why, WHY, "%s: client %d holds it, the model says %d",
                       model_devices[i].address, view->devices[i].holder, motion->holder);
    } else if (view->devices[i].holder_silent != silent) {
        (void)snprintf(why, WHY, "%s: its holder is %ssilent", model_devices[i].address,
                       silent ? "not " : "");
    } else if (motion->speed != 0 && view->devices[i].lease_left_ns / 1000 != left / 1000) {
        (void)snprintf(why, WHY, "%s: its lease has %" PRId64 " ms, the model says %" PRId64,
                       model_devices[i].address, view->devices[i].lease_left_ns / TP_NS_PER_MS,
                       left / TP_NS_PER_MS);
    }
    return why[0] == '\0';
}

static bool same_client(const model *m, const scene_view *view, int i, char *why)
{
    const model_client *client = &m->clients[i];
    const char *key = client->key == MODEL_NO_KEY ? "" : model_keys[client->key].name;

    if (view->clients[i].here != client->here) {
        (void)snprintf(why, WHY, "client %d is %sthere", i, client->here ? "not " : "");
    } else if (client->here && view->clients[i].right != model_right(m, i)) {
        (void)snprintf(why, WHY, "client %d has the right %d, the model says %d", i,
                       (int)view->clients[i].right, (int)model_right(m, i));
    } else if (client->here && strcmp(view->clients[i].key, key) != 0) {
        (void)snprintf(why, WHY, "client %d has the key \"%s\", the model says \"%s\"", i,
                       view->clients[i].key, key);
    }
    return why[0] == '\0';
}

static bool same_terms(const model *m, const scene_view *view, const verb *v, char *why)
{
    const model_motion *motion = &m->motions[v->device];
    const int64_t lease_ns = model_lease_ns(m, v->client, v->device);
    int64_t hold_ns;

    if (!view->terms.given) {
        (void)snprintf(why, WHY, "the request LEASE has no answer");
    } else if (view->terms.lease_ns != (lease_ns < 0 ? 0 : lease_ns)) {
        (void)snprintf(why, WHY, "a lease of %" PRId64 " ms, the model says %" PRId64,
                       view->terms.lease_ns / TP_NS_PER_MS, lease_ns / TP_NS_PER_MS);
    } else if (view->terms.rank != model_rank(m, v->client, v->device, &hold_ns)) {
        (void)snprintf(why, WHY, "the rank %d, the model says %d", (int)view->terms.rank,
                       (int)model_rank(m, v->client, v->device, &hold_ns));
    } else if (motion->speed != 0 && view->terms.mine != (motion->mover == v->client)) {
        (void)snprintf(why, WHY, "it moves it: %d", (int)view->terms.mine);
    }
    return why[0] == '\0';
}

static bool same(const model *m, const scene *s, const verb *v, unsigned refused, char *why)
{
    scene_view view;

    scene_look(s, &view);
    if (view.panic != m->panic) {
        (void)snprintf(why, WHY, "there is %s panic", view.panic ? "a" : "no");
        return false;
    }
    for (int i = 0; i < MODEL_DEVICES; i++) {
        if (!same_device(m, &view, i, why)) {
            return false;
        }
    }
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        if (!same_client(m, &view, i, why)) {
            return false;
        }
    }
    return (v->kind != VERB_LEASE && v->kind != VERB_RANK) || refused != 0 ||
           same_terms(m, &view, v, why);
}

/* Plays a sequence, without verbs that no longer fit in one that was made shorter. False if both
 * disagree; `why` and `*bad`, the verb, say where. */
static bool play(const sequence *q, char *why, size_t *bad)
{
    scene *s = scene_begin();
    model m;
    bool good = true;

    model_begin(&m);
    why[0] = '\0';
    for (size_t i = 0; i < q->count && good; i++) {
        const verb *v = &q->verbs[i];
        if (!model_fits(&m, v)) {
            continue;
        }
        const unsigned refused = model_say(&m, v);
        const tp_status status = scene_say(s, v);
        *bad = i;
        good = accepts(refused, status);
        if (!good) {
            (void)snprintf(why, WHY, "the answer is %d, the model has the reasons %#x", (int)status,
                           refused);
        }
        good = good && same(&m, s, v, refused, why);
    }
    scene_end(s);
    return good;
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* Leaves verbs out, in ever smaller pieces, as long as it still fails. */
static void shrink(sequence *q, char *why, size_t bad)
{
    sequence shorter;

    q->count = bad + 1;
    for (size_t piece = q->count / 2 + 1; piece > 0; piece /= 2) {
        for (size_t at = 0; at + piece <= q->count;) {
            shorter = *q;
            shorter.count -= piece;
            memmove(shorter.verbs + at, shorter.verbs + at + piece,
                    (shorter.count - at) * sizeof *shorter.verbs);
            if (play(&shorter, why, &bad)) {
                at += piece;
            } else {
                shorter.count = bad + 1;
                *q = shorter;
            }
        }
    }
    (void)play(q, why, &bad);
}

static void print_sequence(const sequence *q, const char *why, uint64_t seed)
{
    static const char *const names[VERB_COUNT] = {
        "enter", "leave", "open",  "close", "move", "set",  "ask",  "halt",  "lease",
        "rank",  "panic", "reset", "kick",  "show", "keys", "wait", "switch"};

    print_message("seed %" PRIu64 ", %zu verbs:\n", seed, q->count);
    for (size_t i = 0; i < q->count; i++) {
        const verb *v = &q->verbs[i];
        print_message("  client %d: %s %s %d\n", v->client, names[v->kind],
                      model_devices[v->device].address, v->number);
    }
    print_message("%s\n", why);
}

static uint64_t setting(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);

    return text == NULL ? fallback : strtoull(text, NULL, 10);
}

static void the_server_does_what_the_documents_say(void **state)
{
    const uint64_t first = setting("TROUPE_VERBS_SEED", 1);
    const uint64_t count = setting("TROUPE_VERBS", SEQUENCES);
    char why[WHY];
    size_t bad = 0;

    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        sequence q;
        make_sequence(&q, seed);
        if (!play(&q, why, &bad)) {
            shrink(&q, why, bad);
            print_sequence(&q, why, seed);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_server_does_what_the_documents_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
