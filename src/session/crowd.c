/* crowd.c - which client makes room for a new one, and clients that never say a word; see crowd.h.
 */
#include "session/crowd.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

/* A client beyond this machine that has sent nothing for so long after connecting is closed. */
static const int64_t patience_ns = 60 * TP_NS_PER_S;

/* What a new client has to say something when descriptors are scarce. With more clients of its host
 * or more connections that wait it is less, so that nobody waits for longer than `turnover_ns`. */
static const int64_t grace_ns = TP_NS_PER_S / 10;
static const int64_t least_grace_ns = TP_NS_PER_S / 40;
static const int64_t turnover_ns = TP_NS_PER_S * 3 / 5;

enum {
    HOSTS_COMPARED = 256, /* to find the one with the most clients */
    LOCAL_PLACES = 16,    /* clients of this machine that make room after all others */
    FEW = 4 /* of a host: they keep their time, and readers do not make room since others came */
};

/* The name of all addresses of this machine: it has millions, and is one host. */
static const char here[] = "here";

struct tpi_crowd_host {
    char name[TPI_HOST_NAME];
    struct tpi_crowd_list lists[TPI_STANDINGS];
    size_t count;
    struct tpi_crowd_host *next_in_bucket;
    struct tpi_crowd_host *next; /* in the ring */
    struct tpi_crowd_host *previous;
};

static tp_session *session_of(struct tpi_crowd_place *place)
{
    return (tp_session *)((char *)place - offsetof(tp_session, place));
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The host of a peer: "10.0.0.7:51234" without its port. Of an IPv6 address the first half, since
 * one machine has all addresses that begin with it. */
static void cut_name(char host[TPI_HOST_NAME], const char *peer)
{
    (void)snprintf(host, TPI_HOST_NAME, "%s", peer);
    char *end = strrchr(host, ':');

    if (host[0] == '[') {
        unsigned colons = 0;
        for (end = host; *end != '\0' && *end != ']' && colons < 4; end++) {
            colons = end[0] != ':' ? colons : end[1] == ':' ? 4 : colons + 1;
        }
    }
    if (end != NULL) {
        *end = '\0';
    }
}

static struct tpi_crowd_host **find_host(struct tpi_crowd *crowd, const char *name)
{
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (const char *at = name; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619U;
    }
    struct tpi_crowd_host **host = &crowd->buckets[hash % TPI_CROWD_BUCKETS];
    while (*host != NULL && strcmp((*host)->name, name) != 0) {
        host = &(*host)->next_in_bucket;
    }
    return host;
}

static struct tpi_crowd_host *need_host(struct tpi_crowd *crowd, const char *peer, bool local)
{
    char name[TPI_HOST_NAME] = "";

    cut_name(name, local ? here : peer);
    struct tpi_crowd_host **at = find_host(crowd, name);
    if (*at != NULL) {
        return *at;
    }
    struct tpi_crowd_host *host = calloc(1, sizeof *host);
    if (host == NULL) {
        return NULL;
    }
    memcpy(host->name, name, sizeof name);
    host->next = crowd->hosts != NULL ? crowd->hosts : host;
    host->previous = crowd->hosts != NULL ? crowd->hosts->previous : host;
    host->next->previous = host->previous->next = host;
    crowd->hosts = host;
    crowd->here = local ? host : crowd->here;
    *at = host;
    return host;
}

static void release_host(struct tpi_crowd *crowd, struct tpi_crowd_host *host)
{
    struct tpi_crowd_host **at = find_host(crowd, host->name);

    assert(*at == host && host->count == 0);
    *at = host->next_in_bucket;
    host->next->previous = host->previous;
    host->previous->next = host->next;
    if (crowd->hosts == host) {
        crowd->hosts = host->next != host ? host->next : NULL;
    }
    crowd->here = crowd->here != host ? crowd->here : NULL;
    free(host);
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void link_place(struct tpi_crowd_place *place)
{
    struct tpi_crowd_list *list = &place->host->lists[place->standing];

    place->next = NULL;
    place->previous = list->newest;
    *(list->newest != NULL ? &list->newest->next : &list->oldest) = place;
    list->newest = place;
    list->count++;
    place->crowd->counts[place->standing]++;
}

static void unlink_place(struct tpi_crowd_place *place)
{
    struct tpi_crowd_list *list = &place->host->lists[place->standing];

    *(place->previous != NULL ? &place->previous->next : &list->oldest) = place->next;
    *(place->next != NULL ? &place->next->previous : &list->newest) = place->previous;
    list->count--;
    place->crowd->counts[place->standing]--;
}

static enum tpi_standing standing_of(const tp_session *session)
{
    const tpi_identity *identity = &session->identity;

    if (identity->reach == TP_REACH_INSIDE || identity->key != NULL ||
        identity->keyring->raiser == identity->number) {
        return TPI_KNOWN; /* also the client that can end the panic */
    }
    if (!session->place.heard) {
        return TPI_SILENT;
    }
    if (session->subscription_count == 0) {
        return TPI_STRANGER;
    }
    return tpi_identity_right(identity) > TP_RIGHT_READ ? TPI_KNOWN : TPI_READER;
}

void tpi_crowd_look(tp_session *session)
{
    struct tpi_crowd_place *place = &session->place;

    if (place->crowd != NULL && place->standing != standing_of(session)) {
        unlink_place(place);
        place->standing = standing_of(session);
        link_place(place);
    }
}

/* ---- Clients that never say a word ----------------------------------------------------------- */

static void await_next(struct tpi_crowd *crowd)
{
    if (crowd->first_awaited != NULL) {
        tp_timer_at(crowd->patience, session_of(crowd->first_awaited)->begun_ns + patience_ns);
    }
}

static void await_no_more(struct tpi_crowd_place *place)
{
    struct tpi_crowd *crowd = place->crowd;

    if (place->awaited) {
        place->awaited = false;
        *(place->previous_awaited != NULL ? &place->previous_awaited->next_awaited
                                          : &crowd->first_awaited) = place->next_awaited;
        *(place->next_awaited != NULL ? &place->next_awaited->previous_awaited
                                      : &crowd->last_awaited) = place->previous_awaited;
    }
}

static void on_patience(void *context)
{
    struct tpi_crowd *crowd = context;
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(crowd->hub));

    while (crowd->first_awaited != NULL &&
           session_of(crowd->first_awaited)->begun_ns + patience_ns <= now_ns) {
        struct tpi_crowd_place *place = crowd->first_awaited;
        await_no_more(place);
        tpi_mailbox_lose(session_of(place));
    }
    await_next(crowd);
}

static tp_status await_message(struct tpi_crowd *crowd, struct tpi_crowd_place *place)
{
    const tp_status status =
        crowd->patience != NULL
            ? TP_OK
            : tp_timer_create(&crowd->patience, crowd->loop, on_patience, crowd, NULL);

    if (status != TP_OK) {
        return status;
    }
    place->awaited = true;
    place->next_awaited = NULL;
    place->previous_awaited = crowd->last_awaited;
    *(crowd->last_awaited != NULL ? &crowd->last_awaited->next_awaited : &crowd->first_awaited) =
        place;
    crowd->last_awaited = place;
    await_next(crowd);
    return TP_OK;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

struct tpi_crowd *tpi_crowd_create(tp_hub *hub, tp_loop *loop, bool streams)
{
    struct tpi_crowd *crowd = calloc(1, sizeof *crowd);

    if (crowd != NULL) {
        crowd->hub = hub;
        crowd->loop = loop;
        crowd->streams = streams;
    }
    return crowd;
}

void tpi_crowd_destroy(struct tpi_crowd *crowd)
{
    if (crowd != NULL) {
        assert(crowd->hosts == NULL);
        tp_timer_destroy(crowd->patience);
        free(crowd);
    }
}

tp_status tpi_crowd_enter(struct tpi_crowd *crowd, tp_session *session, const char *peer)
{
    struct tpi_crowd_place *place = &session->place;
    struct tpi_crowd_host *host = need_host(crowd, peer, session->identity.local);

    assert(session_is_current(session) && place->crowd == NULL);
    if (host == NULL) {
        return TP_E_NOMEM;
    }
    place->crowd = crowd;
    place->host = host;
    place->standing = standing_of(session);
    host->count++;
    link_place(place);
    return session->identity.local || place->standing != TPI_SILENT ? TP_OK
                                                                    : await_message(crowd, place);
}

void tpi_crowd_leave(tp_session *session)
{
    struct tpi_crowd_place *place = &session->place;
    struct tpi_crowd *crowd = place->crowd;

    if (crowd == NULL) {
        return;
    }
    await_no_more(place);
    unlink_place(place);
    place->crowd = NULL;
    if (--place->host->count == 0) {
        release_host(crowd, place->host);
    }
}

void tpi_crowd_heard(tp_session *session)
{
    struct tpi_crowd_place *place = &session->place;

    if (!place->heard) {
        place->heard = true;
        await_no_more(place);
        tpi_crowd_look(session);
    }
}

/* ---- Making room ----------------------------------------------------------------------------- */

/* Which clients make room: all of a standing, or those that no reserve is for. */
typedef struct tpi_crowd_choice {
    enum tpi_standing standing;
    bool spares; /* clients of this machine, while they are few */
} tpi_crowd_choice;

/* The order in which clients make room. False after the last choice. */
static bool choose_next(tpi_crowd_choice *choice)
{
    if (++choice->standing == TPI_KNOWN && choice->spares) {
        *choice = (tpi_crowd_choice){.standing = TPI_SILENT};
    }
    return choice->standing < TPI_KNOWN;
}

static size_t count_of(const struct tpi_crowd *crowd, const struct tpi_crowd_host *host,
                       tpi_crowd_choice choice)
{
    const bool spared = choice.spares && host == crowd->here && host->count <= LOCAL_PLACES;

    return spared ? 0 : host->lists[choice.standing].count;
}

static size_t count_all(const struct tpi_crowd *crowd, tpi_crowd_choice choice)
{
    const struct tpi_crowd_host *host = crowd->here;

    return crowd->counts[choice.standing] -
           (host == NULL ? 0 : host->lists[choice.standing].count - count_of(crowd, host, choice));
}

/* The host that has most clients of a choice; NULL if there is none. Of very many hosts not all are
 * compared. */
static struct tpi_crowd_host *fullest(struct tpi_crowd *crowd, tpi_crowd_choice choice)
{
    struct tpi_crowd_host *best = NULL;
    struct tpi_crowd_host *at = crowd->hosts;
    unsigned compared = 0;

    if (count_all(crowd, choice) == 0) {
        return NULL;
    }
    while (compared < HOSTS_COMPARED || best == NULL) {
        const size_t most = best != NULL ? count_of(crowd, best, choice) : 0;
        best = count_of(crowd, at, choice) > most ? at : best;
        at = at->next;
        compared++;
        if (at == crowd->hosts) {
            break;
        }
    }
    crowd->hosts = at; /* the next look begins with others */
    return best;
}

/* The operator gets a note of the first one, the second, the fourth, the eighth ... */
static void note_closed(struct tpi_crowd *crowd, const tp_session *session)
{
    char text[TPI_MOVER_LABEL + 96];

    crowd->closed++;
    if ((crowd->closed & (crowd->closed - 1)) == 0) {
        (void)snprintf(text, sizeof text,
                       "no place was left for a new client: closed %s; %llu since the start",
                       session->identity.label, (unsigned long long)crowd->closed);
        tpi_hub_note(crowd->hub, text);
    }
}

/* The oldest client of a choice in the fullest host; NULL if there is none. What a client may do
 * can have changed without a look. */
static tp_session *find_oldest(struct tpi_crowd *crowd, tpi_crowd_choice choice)
{
    struct tpi_crowd_host *host = fullest(crowd, choice);

    while (host != NULL) {
        tp_session *session = session_of(host->lists[choice.standing].oldest);
        tpi_crowd_look(session);
        if (session->place.standing == choice.standing) {
            return session;
        }
        host = fullest(crowd, choice);
    }
    return NULL;
}

static void close_client(tp_session *session)
{
    note_closed(session->place.crowd, session);
    tpi_crowd_leave(session);
    tpi_mailbox_lose(session);
}

bool tpi_crowd_close_one(struct tpi_crowd *crowd)
{
    tpi_crowd_choice choice = {TPI_SILENT, true};
    tp_session *session;

    do {
        session = find_oldest(crowd, choice);
    } while (session == NULL && choose_next(&choice));
    if (session != NULL) {
        close_client(session);
    }
    return session != NULL;
}

/* The time of a new client that is one of many, if all that can make room do so in turns. */
static int64_t grace_of_many(const struct tpi_crowd *crowds, size_t waiting)
{
    size_t places = 0;

    for (const struct tpi_crowd *crowd = crowds; crowd != NULL; crowd = crowd->next) {
        for (int i = TPI_SILENT; crowd->streams && i < TPI_KNOWN; i++) {
            places += crowd->counts[i];
        }
    }
    const int64_t fair_ns =
        waiting > 0 ? turnover_ns / (int64_t)waiting * (int64_t)places : grace_ns;
    return fair_ns < least_grace_ns ? least_grace_ns : fair_ns < grace_ns ? fair_ns : grace_ns;
}

static bool is_one_of_few(const tp_session *session)
{
    return session->place.host->lists[session->place.standing].count <= FEW;
}

static bool has_just_come(const tp_session *session, int64_t grace_of_many_ns)
{
    const int64_t age_ns = tp_clock_now_ns(tp_hub_clock(session->hub)) - session->begun_ns;

    return age_ns < (is_one_of_few(session) ? grace_ns : grace_of_many_ns);
}

static bool is_one_of_few_readers(const tp_session *session)
{
    return session->place.standing == TPI_READER && is_one_of_few(session);
}

/* How soon new clients make room, and whether some that have just come could do so later. */
typedef struct tpi_crowd_hurry {
    int64_t grace_ns; /* of a client that is one of many */
    bool later;
} tpi_crowd_hurry;

static bool is_too_early(const tp_session *session, const tpi_crowd_hurry *hurry)
{
    return has_just_come(session, hurry->grace_ns) ||
           (hurry->later && is_one_of_few_readers(session));
}

/* The one that makes room in the crowd with the most clients of a choice. A crowd in which all have
 * just come does not protect the others: a front that many come to would hold up all. */
static tp_session *find_in_crowds(struct tpi_crowd *crowds, tpi_crowd_choice choice,
                                  tpi_crowd_hurry *hurry)
{
    tp_session *best = NULL;
    size_t most = 0;
    bool early = false;

    for (struct tpi_crowd *crowd = crowds; crowd != NULL; crowd = crowd->next) {
        const size_t count = crowd->streams ? count_all(crowd, choice) : 0;
        tp_session *session = count > most ? find_oldest(crowd, choice) : NULL;

        if (session != NULL && is_too_early(session, hurry)) {
            early = true;
        } else if (session != NULL) {
            best = session;
            most = count;
        }
    }
    hurry->later = hurry->later || (best == NULL && early);
    return best;
}

/* A client that has just come does not protect those that make room after it. Otherwise the next
 * new client would wait for each client of a crowd that comes again and again. */
tpi_room tpi_crowd_free_file(struct tpi_crowd *crowds, size_t waiting)
{
    tpi_crowd_hurry hurry = {.grace_ns = grace_of_many(crowds, waiting)};
    tpi_crowd_choice choice = {TPI_SILENT, true};

    do {
        tp_session *session = find_in_crowds(crowds, choice, &hurry);
        if (session != NULL) {
            close_client(session);
            return TPI_ROOM_MADE;
        }
    } while (choose_next(&choice) && (choice.spares || !hurry.later));
    return hurry.later ? TPI_ROOM_LATER : TPI_ROOM_NONE;
}
