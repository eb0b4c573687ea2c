/*
 * play_move.c - troupe play --move: a running program goes on at another server, on another robot.
 *
 * The steps are those of interfaces/program.padi. Up to RELEASE the source can always take the
 * program back, since the target cannot begin without the proof; from RELEASE on only the target
 * can go on. Where an answer was lost, both are asked how far it went, again and again until both
 * answer or the time is over. Then the program stands still, in transit, and --settle goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "called.h"
#include "output.h"
#include "play.h"
#include "stat_programs.h"
#include "troupe/client/program.h"
#include "troupe/clock.h"

static const char name[] = PLAY_NAME;

enum { MOST_INDEX = 16 };
static const double PATIENCE_S = 10;
static const int64_t PAUSE_NS = 200000000;

/* One of the two servers. */
struct side {
    const char *what; /* "source" */
    const char *url;
    char server[256]; /* the URL without the device */
    unsigned index;
    bool is_named; /* the URL names the device */
    tp_client *client;
    tp_proxy *proxy;
    tp_error err; /* of the last request */
};

struct move {
    const play_options *options;
    struct side from, to;
    char id[64];
};

/* ---- Servers --------------------------------------------------------------------------------- */

static void leave(struct side *s)
{
    tp_proxy_close(s->proxy);
    tp_client_destroy(s->client);
    s->proxy = NULL;
    s->client = NULL;
}

/* Connect, if it is not; the device is opened too. */
static bool reach(struct move *m, struct side *s)
{
    const struct remote *remote = m->options->remote;
    const tp_client_options options = {.program = called_program(),
                                       .name = "troupe play --move",
                                       .timeout_ns = remote->timeout_ns,
                                       .stay_lost = true,
                                       .mode = TP_CLIENT_EVERYTHING,
                                       .catalogue = remote->catalogue,
                                       .key = remote->key,
                                       .key_file = remote->key_file};

    if (s->client != NULL && tp_client_is_connected(s->client)) {
        return true;
    }
    leave(s);
    if (tp_client_connect(&s->client, s->server, &options, &s->err) != TP_OK ||
        tp_program_open(s->client, s->index, &s->proxy, &s->err) != TP_OK) {
        leave(s);
        return false;
    }
    return true;
}

/* "host:port/program:1" */
static int read_url(struct side *s, const char *what, const char *url)
{
    const char *slash = url != NULL ? strrchr(url, '/') : NULL;
    char end;

    s->what = what;
    s->url = url;
    if (url == NULL) {
        return command_fail(name, EXIT_USAGE, "--move needs --from URL and --to URL");
    }
    s->is_named = slash != NULL && sscanf(slash, "/program:%u%c", &s->index, &end) == 1;
    snprintf(s->server, sizeof s->server, "%.*s", s->is_named ? (int)(slash - url) : 255, url);
    return EXIT_DONE;
}

static unsigned phase_of(struct move *m, struct side *s)
{
    tp_program_transfer ask = {.id_count = (uint32_t)strlen(m->id) + 1, .id = m->id};
    const tp_program_settled *settled = NULL;

    return reach(m, s) && tp_program_request_transfer(s->proxy, &ask, &settled, &s->err) == TP_OK
               ? settled->phase
               : UINT8_MAX;
}

/* Whether a program is the wanted one, which may be named without its end. */
static bool is_wanted(const char *program, const char *wanted)
{
    const size_t length = strlen(wanted);

    return strncmp(program, wanted, length) == 0 &&
           (program[length] == '\0' || strcmp(program + length, ".play") == 0);
}

/* The device of the source that has the program; its first one if no name is given. */
static int find_program(struct move *m, const char *wanted)
{
    for (unsigned i = 0; i < MOST_INDEX && !m->from.is_named; i++) {
        const tp_program_state *state = NULL;
        m->from.index = i;
        leave(&m->from);
        if (!reach(m, &m->from)) {
            break;
        }
        if (tp_program_request_state(m->from.proxy, &state, &m->from.err) == TP_OK &&
            is_wanted(state->name, wanted)) {
            return EXIT_DONE;
        }
    }
    return m->from.is_named
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s has no program \"%s\"", m->from.url, wanted);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static tp_program_transfer transfer_to(struct move *m, struct side *peer)
{
    tp_program_transfer ask = {.id_count = (uint32_t)strlen(m->id) + 1,
                               .id = m->id,
                               .peer_count = (uint32_t)strlen(peer->url) + 1};

    memcpy(&ask.peer, &peer->url, sizeof ask.peer); /* sent, not changed */
    return ask;
}

/* The source takes the program back; the target forgets it. */
static bool take_back(struct move *m)
{
    tp_program_transfer ask = transfer_to(m, &m->to);
    const bool is_back =
        reach(m, &m->from) && tp_program_request_return(m->from.proxy, &ask, &m->from.err) == TP_OK;

    if (is_back && reach(m, &m->to)) {
        (void)tp_program_request_forget(m->to.proxy, &ask, &m->to.err);
    }
    return is_back;
}

/* The source gives it up, the target goes on. */
static bool hand_over(struct move *m)
{
    tp_program_transfer ask = transfer_to(m, &m->to);
    const tp_program_proof *proof = NULL;

    return reach(m, &m->from) && reach(m, &m->to) &&
           tp_program_request_release(m->from.proxy, &ask, &proof, &m->from.err) == TP_OK &&
           tp_program_request_begin(m->to.proxy, proof, &m->to.err) == TP_OK;
}

/* Package and acceptance. False, with the reason, if the target does not take it. */
static bool carry(struct move *m, char why[320])
{
    const tp_program_transfer ask = transfer_to(m, &m->to);
    const tp_program_package *package = NULL;
    const tp_program_matches *matches = NULL;

    why[0] = '\0';
    if (tp_program_request_depart(m->from.proxy, &ask, &package, &m->from.err) != TP_OK) {
        snprintf(why, 320, "%s: %s", m->from.url, m->from.err.text);
        return false;
    }
    tp_program_package sent = *package;
    sent.transfer.peer_count = (uint32_t)strlen(m->from.url) + 1;
    memcpy(&sent.transfer.peer, &m->from.url, sizeof sent.transfer.peer);
    if (tp_program_request_arrive(m->to.proxy, &sent, &matches, &m->to.err) != TP_OK) {
        snprintf(why, 320, "%s: %s", m->to.url, m->to.err.text);
        return false;
    }
    for (uint32_t i = 0; i < matches->devices_count; i++) {
        printf("%s: %s\n", matches->devices[i].name, matches->devices[i].explanation);
    }
    if (!matches->fits) {
        snprintf(why, 320, "%s: %s", m->to.url, matches->why_count > 1 ? matches->why : "");
    }
    return matches->fits != 0;
}

/* ---- Settling -------------------------------------------------------------------------------- */

static bool runs(unsigned phase)
{
    return phase == TP_PROGRAM_RUNNING || phase == TP_PROGRAM_PAUSED || phase == TP_PROGRAM_DONE ||
           phase == TP_PROGRAM_FAILED || phase == TP_PROGRAM_STOPPED;
}

enum outcome { AWAITED, MOVED, RETURNED, LOST };

/* One look at both, and the next step. */
static enum outcome settle_once(struct move *m)
{
    const unsigned source = phase_of(m, &m->from), target = phase_of(m, &m->to);

    if (source == UINT8_MAX || target == UINT8_MAX) {
        return AWAITED;
    }
    if (runs(target)) {
        return MOVED;
    }
    if ((source == TP_PROGRAM_LEAVING || source == TP_PROGRAM_GONE) &&
        target == TP_PROGRAM_ARRIVING) {
        return hand_over(m) ? MOVED : AWAITED;
    }
    if (source == TP_PROGRAM_GONE) {
        return LOST; /* the target has lost what it had accepted */
    }
    if (source == TP_PROGRAM_LEAVING) {
        return take_back(m) ? RETURNED : AWAITED;
    }
    return RETURNED;
}

static int tell(const struct move *m, enum outcome outcome)
{
    switch (outcome) {
    case MOVED:
        printf("moved from %s to %s (%s)\n", m->from.url, m->to.url, m->id);
        return EXIT_DONE;
    case RETURNED:
        printf("goes on at %s (%s)\n", m->from.url, m->id);
        return EXIT_FAILED;
    case LOST:
        return command_fail(name, EXIT_FAILED,
                            "%s has given the program up, and %s does not have it; an operator can "
                            "let it go on: troupe play --claim %s --from %s",
                            m->from.url, m->to.url, m->id, m->from.url);
    default:
        return command_fail(name, EXIT_FAILED,
                            "in transit: %s; it stands still until both servers can be reached: "
                            "troupe play --settle %s --from %s --to %s",
                            m->from.client == NULL ? m->from.err.text : m->to.err.text, m->id,
                            m->from.url, m->to.url);
    }
}

/* Until both servers have met, or the time is over. */
static int settle(struct move *m)
{
    const double seconds = m->options->seconds > 0 ? m->options->seconds : PATIENCE_S;
    const int64_t end_ns = tp_clock_now_ns(tp_clock_real()) + (int64_t)(seconds * 1e9);
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    enum outcome outcome = settle_once(m);

    while (outcome == AWAITED && tp_clock_now_ns(tp_clock_real()) < end_ns) {
        (void)nanosleep(&pause, NULL);
        outcome = settle_once(m);
    }
    return tell(m, outcome);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int move_program(struct move *m)
{
    char why[320];

    snprintf(m->id, sizeof m->id, "move-%lx-%lx", (unsigned long)time(NULL),
             (unsigned long)getpid());
    if (!reach(m, &m->to)) {
        return command_fail(name, EXIT_FAILED, "%s: %s", m->to.url, m->to.err.text);
    }
    int result = find_program(m, m->options->path);
    if (result != EXIT_DONE) {
        return result;
    }
    if (!reach(m, &m->from)) {
        return command_fail(name, EXIT_FAILED, "%s: %s", m->from.url, m->from.err.text);
    }
    if (carry(m, why)) {
        return hand_over(m) ? tell(m, MOVED) : settle(m);
    }
    fflush(stdout);
    command_fail(name, EXIT_FAILED, "not moved: %s", why);
    if (phase_of(m, &m->from) == TP_PROGRAM_EMPTY) {
        return EXIT_FAILED; /* it has not begun to move */
    }
    return take_back(m) ? tell(m, RETURNED) : settle(m);
}

/* An operator decides, since the other server is lost. */
static int claim(struct move *m)
{
    struct side *s = m->options->from != NULL ? &m->from : &m->to;
    tp_program_transfer ask = {.id_count = (uint32_t)strlen(m->id) + 1, .id = m->id};

    if (!reach(m, s) || tp_program_request_claim(s->proxy, &ask, &s->err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", s->url, s->err.text);
    }
    printf("goes on at %s (%s)\n", s->url, m->id);
    return EXIT_DONE;
}

int play_move(const play_options *options)
{
    const bool is_claim = strcmp(options->action, "--claim") == 0;
    struct move m = {.options = options};
    int result = EXIT_DONE;

    if (!is_claim || options->from != NULL) {
        result = read_url(&m.from, "source", options->from);
    }
    if (result == EXIT_DONE && (!is_claim || options->from == NULL)) {
        result = read_url(&m.to, "target", options->to);
    }
    if (result != EXIT_DONE) {
        return result;
    }
    if (strcmp(options->action, "--move") == 0) {
        result = move_program(&m);
    } else {
        snprintf(m.id, sizeof m.id, "%s", options->path);
        result = is_claim ? claim(&m) : settle(&m);
    }
    leave(&m.from);
    leave(&m.to);
    return result;
}
