/* cmd_panic.c - troupe panic and reset: the emergency stop of a server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "called.h"
#include "mover.h"
#include "output.h"
#include "stat_text.h"

enum { STOP_TRIES = 200 }; /* two seconds */

static const int64_t DOUBT_NS = TP_NS_PER_S; /* then it may be the front of another protocol */
static const int64_t SOON_NS = TP_NS_PER_S * 3 / 10; /* then the first word may be the reason */

struct panic_options {
    struct remote remote;
    const char *why; /* borrowed; NULL if it was not given */
    bool raise;
    tpi_buf words;  /* owned: the arguments that are no options; the first may name the server */
    size_t first;   /* the length of the first one */
    bool by_motion; /* raised at a motion front */
    bool hasty;     /* connected with less patience than was asked for */
    char *later;    /* owned: what may be a server that is slow, and is tried once more; or NULL */
};

static char *chars(const char *text, uint32_t *count)
{
    *count = (uint32_t)strlen(text) + 1;
    return (char *)(uintptr_t)text;
}

/* Where there was a panic already, whose. */
static int print_earlier(const struct panic_options *o, const tp_panic_state *panic)
{
    tpi_buf out = {0};

    if (panic->count < 2) {
        return EXIT_DONE;
    }
    tpi_buf_puts(&out, "there was one already, ");
    stat_put_raisers(&out, panic);
    return command_write(o->remote.command, &out);
}

static int tell_owing(const struct panic_options *o, const tp_panic_state *panic)
{
    return command_fail(o->remote.command, EXIT_FAILED,
                        "NOT STOPPED YET: %.*s. Commands are refused now, but a driver that hangs "
                        "does not stop: kill the server if it must stop",
                        (int)panic->owing_count, panic->owing);
}

/* A server in this program ends with it, and its panic too. */
static void print_stopped(const struct panic_options *o)
{
    if (strncmp(remote_url(&o->remote), "inproc:", 7) == 0) {
        puts("everything that moves is stopped");
    } else {
        printf("everything that moves is stopped; %s reset%s ends the panic\n", called(),
               called_server());
    }
}

/* Connect again, with the patience that was asked for; false if it was there before. */
static bool has_patience_left(struct panic_options *o)
{
    if (!o->hasty) {
        return false;
    }
    o->hasty = false;
    tp_client_destroy(o->remote.client);
    o->remote.client = NULL;
    return remote_connect(&o->remote, TP_CLIENT_FRESH, false) == EXIT_DONE;
}

static const tp_panic_state *ask_panic(struct panic_options *o)
{
    const tp_panic_state *panic = remote_ask(&o->remote, TP_PLAYER_REQ_GET_PANIC, NULL, "panic");

    return panic == NULL && has_patience_left(o)
               ? remote_ask(&o->remote, TP_PLAYER_REQ_GET_PANIC, NULL, "panic")
               : panic;
}

/* Drivers act on it by themselves: ask until they have. That nobody answers does not mean that
 * everything has stopped. */
static int await_stops(struct panic_options *o)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const tp_panic_state *panic = NULL;

    for (int i = 0; i < STOP_TRIES; i++) {
        panic = ask_panic(o);
        if (panic == NULL) {
            return command_fail(o->remote.command, EXIT_FAILED,
                                "the panic is raised; whether everything has stopped is not known");
        }
        if (panic->owing_count <= 1) {
            print_stopped(o);
            return print_earlier(o, panic);
        }
        nanosleep(&pause, NULL);
    }
    return tell_owing(o, panic);
}

/* A user who needs this has no time to look it up. */
static int tell_other_ways(const struct panic_options *o)
{
    return command_fail(
        o->remote.command, EXIT_FAILED,
        "NOTHING WAS STOPPED: the server does not answer. On its machine:\n"
        "  kill -USR1 PID   of the server: stops everything, even if its loop hangs\n"
        "  kill -KILL PID   if the process itself is frozen: its guards stop what they guard\n"
        "or cut the power of what moves");
}

static int raise_panic(struct panic_options *o)
{
    tp_panic panic = {0};
    tp_error err = {0};

    panic.why = chars(o->why != NULL ? o->why : "troupe panic", &panic.why_count);
    panic.who = chars("", &panic.who_count);
    tp_status status = tp_client_request(o->remote.client, TP_PLAYER_REQ_PANIC, &panic, NULL, &err);
    if (status == TP_E_TIMEOUT && has_patience_left(o)) {
        status = tp_client_request(o->remote.client, TP_PLAYER_REQ_PANIC, &panic, NULL, &err);
    }
    if (status != TP_OK) {
        command_fail(o->remote.command, EXIT_FAILED, "%s", err.text);
        return tell_other_ways(o);
    }
    return await_stops(o);
}

/* A key that nobody asks for would look like the right one. */
static void note_needless_key(struct panic_options *o)
{
    const struct remote *remote = &o->remote;
    const bool given = (remote->key != NULL && remote->key[0] != '\0') || remote->key_file != NULL;

    if (given && tp_client_is_troupe(remote->client) &&
        tp_client_request(remote->client, TP_PLAYER_REQ_CHALLENGE, NULL, NULL, NULL) ==
            TP_E_UNSUPPORTED) {
        command_fail(remote->command, EXIT_DONE,
                     "%s has no keys: the one that was given is not looked at", remote_url(remote));
    }
}

static int end_panic(struct panic_options *o, uint32_t epoch)
{
    tp_panic_reset reset = {.epoch = epoch};
    tp_error err = {0};

    reset.key = chars("", &reset.key_count); /* it was proved when we connected */
    return tp_client_request(o->remote.client, TP_PLAYER_REQ_RESET_PANIC, &reset, NULL, &err) ==
                   TP_OK
               ? EXIT_DONE
               : command_fail(o->remote.command, EXIT_FAILED, "%s", err.text);
}

static int reset_panic(struct panic_options *o)
{
    const tp_panic_state *panic = remote_ask(&o->remote, TP_PLAYER_REQ_GET_PANIC, NULL, "panic");
    tpi_buf out = {0};
    tpi_buf over = {0};

    if (panic == NULL) {
        return EXIT_FAILED;
    }
    if (!panic->active) {
        puts("there is no panic");
        return EXIT_DONE;
    }
    const uint32_t epoch = panic->epoch;
    stat_put_raisers(&out, panic);
    tpi_buf_puts(&over, "the panic is over");
    if (panic->owing_count > 1) { /* drivers that hang have still not stopped then */
        tpi_buf_puts(&over, "; NOT STOPPED YET: ");
        output_put_clean(&over, panic->owing, panic->owing_count);
    }
    tpi_buf_putc(&over, '\n');
    command_write(o->remote.command, &out);
    note_needless_key(o); /* its answer takes the place of the panic's */
    int result = end_panic(o, epoch);
    if (result == EXIT_DONE) {
        return command_write(o->remote.command, &over);
    }
    tpi_buf_fini(&over);
    return result;
}

/* The first word names the server, and the others are the reason. */
static int read_word(struct panic_options *o, const char *word)
{
    if (!o->raise) {
        return remote_set_url(&o->remote, word);
    }
    if (o->words.length > 0) {
        tpi_buf_putc(&o->words, ' ');
    }
    tpi_buf_puts(&o->words, word);
    o->first = o->first == 0 ? o->words.length : o->first;
    return EXIT_DONE;
}

static int read_options(struct panic_options *o, int argc, char **argv)
{
    static const char *const known[] = {"--why", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (remote_has_option(argv[i])) {
            result = remote_option(&o->remote, argc, argv, &i);
        } else if (o->raise && strcmp(argv[i], "--why") == 0) {
            o->why = command_value(o->remote.command, argc, argv, &i);
            result = o->why == NULL ? EXIT_USAGE : EXIT_DONE;
        } else if (argv[i][0] == '-') {
            result = remote_unexpected(&o->remote, argv[i], known);
        } else {
            result = read_word(o, argv[i]);
        }
    }
    return result;
}

/* ---- Which server ---------------------------------------------------------------------------- */

/* A motion front waits for its client to speak, so it looks like a Player server that hangs. */
static bool raise_by_motion(struct panic_options *o, int64_t timeout_ns, tp_error *err)
{
    const tp_motion_options options = {.size = sizeof options,
                                       .name = "troupe panic",
                                       .timeout_ns = timeout_ns,
                                       .stay_lost = true,
                                       .renewal = TP_RENEW_LOOP,
                                       .key = o->remote.key};
    tp_motion *robot = NULL;
    tp_status status = tp_motion_connect(&robot, o->remote.url, &options, err);

    status = status == TP_OK ? tp_motion_panic(robot, NULL, err) : status;
    tp_motion_destroy(robot);
    o->by_motion = status == TP_OK;
    return o->by_motion;
}

/* At an address that can be of both kinds: soon at the one, soon at the other, then with time. */
static int reach_in_doubt(struct panic_options *o)
{
    const int64_t timeout_ns = o->remote.timeout_ns;
    const int64_t soon_ns = timeout_ns > 0 && timeout_ns < DOUBT_NS ? timeout_ns : DOUBT_NS;

    o->remote.first_try = true;
    o->remote.timeout_ns = soon_ns;
    int result = remote_connect(&o->remote, TP_CLIENT_FRESH, false);
    o->remote.first_try = false;
    o->remote.timeout_ns = timeout_ns;
    o->hasty = result == EXIT_DONE && soon_ns != timeout_ns;
    if (result == EXIT_DONE || raise_by_motion(o, soon_ns, NULL)) {
        return EXIT_DONE;
    }
    return remote_connect(&o->remote, TP_CLIENT_FRESH, false);
}

static int reach(struct panic_options *o)
{
    const char *url = o->remote.url;
    tp_error err = {0};

    if (!o->raise || url == NULL || strpbrk(url, ":/") == NULL || strncmp(url, "inproc:", 7) == 0) {
        return remote_connect(&o->remote, TP_CLIENT_FRESH, false);
    }
    if (strncmp(url, "motion:", 7) != 0) {
        return reach_in_doubt(o);
    }
    if (raise_by_motion(o, o->remote.timeout_ns, &err)) {
        return EXIT_DONE;
    }
    o->remote.unreached = true;
    return command_fail(o->remote.command, EXIT_FAILED, "%s", err.text);
}

/* What nobody would write for another reason: "robot:6665", "tcp:robot", "[::1]". */
static bool is_address(const char *word)
{
    static const char *const schemes[] = {"tcp:", "unix:", "inproc:", "motion:", "["};
    const char *colon = strrchr(word, ':');

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(word, schemes[i], strlen(schemes[i])) == 0) {
            return true;
        }
    }
    return colon != NULL && colon[1] != '\0' && colon[1 + strspn(colon + 1, "0123456789")] == '\0';
}

/* "fire!", "a fire", "fire:" and "fire:kitchen" are no names of servers. */
static bool can_be_server(const char *word)
{
    return word[0] != '\0' && (is_address(word) || strpbrk(word, ":/") == NULL) &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789.:/_-[]%@~+,=")] == '\0';
}

/* Everything is stopped on the usual server if the first word is no server that can be reached:
 * a user who types a reason is in a hurry. An address is never a reason. */
static int reach_usual(struct panic_options *o, const char *word)
{
    o->why = o->why != NULL ? o->why : tpi_buf_text(&o->words);
    o->remote.url = NULL;
    called_set_server(NULL);
    command_fail(
        o->remote.command, EXIT_DONE,
        "there is no server \"%s\" that can be reached: \"%s\" is taken as the reason, and "
        "%s is stopped",
        word, o->why, getenv("TROUPE_URL") != NULL ? getenv("TROUPE_URL") : "this machine");
    return reach(o);
}

/* A word that can be the reason has little time to be a server. Another try follows. */
static int reach_soon(struct panic_options *o, const char *word)
{
    const int64_t timeout_ns = o->remote.timeout_ns;

    if (timeout_ns > 0 && timeout_ns <= SOON_NS) {
        return reach(o);
    }
    o->remote.first_try = true;
    o->remote.timeout_ns = SOON_NS;
    const int result = reach(o);
    o->remote.first_try = false;
    o->remote.timeout_ns = timeout_ns;
    o->hasty = result == EXIT_DONE;
    o->later = result == EXIT_DONE ? NULL : strdup(word);
    return result;
}

/* Whether the server that was slow is there. */
static bool reach_later(struct panic_options *o)
{
    o->hasty = false;
    tp_client_destroy(o->remote.client);
    o->remote.client = NULL;
    o->remote.url = o->later;
    o->remote.first_try = true;
    called_set_server(o->later);
    return remote_connect(&o->remote, TP_CLIENT_FRESH, false) == EXIT_DONE;
}

static int reach_named(struct panic_options *o)
{
    const char *words = tpi_buf_text(&o->words);
    char *word = NULL;

    if (o->remote.url != NULL) {
        o->why = o->why != NULL ? o->why : words;
        return reach(o);
    }
    word = strndup(words, o->first);
    if (word == NULL) {
        return command_fail(o->remote.command, EXIT_FAILED, "out of memory");
    }
    const bool more = o->words.length > o->first;
    const bool named = can_be_server(word);
    const bool address = named && is_address(word);
    const bool reason = !address && (o->why == NULL || !named);
    int result = EXIT_FAILED;
    free(o->remote.own_url);
    o->remote.own_url = word;
    if (named) {
        result = remote_set_url(&o->remote, word);
        if (result == EXIT_DONE) {
            result = reason ? reach_soon(o, word) : reach(o);
        }
    }
    if (result == EXIT_DONE && more) {
        o->why = o->why != NULL ? o->why : words + o->first + 1;
    } else if (result != EXIT_DONE && reason) {
        result = reach_usual(o, word);
    }
    return result;
}

/* Everybody may raise a panic; with a wrong key nobody could. */
static int forget_key(struct remote *remote)
{
    free(remote->key);
    remote->key_file = NULL;
    remote->key = strdup("");
    return remote->key != NULL ? EXIT_DONE
                               : command_fail(remote->command, EXIT_FAILED, "out of memory");
}

static int run(const char *name, bool raise, int argc, char **argv)
{
    struct panic_options o = {.raise = raise};
    int result = remote_init(&o.remote, name);

    result = result == EXIT_DONE ? read_options(&o, argc, argv) : result;
    result = result == EXIT_DONE && raise ? forget_key(&o.remote) : result;
    if (result == EXIT_DONE) {
        result = o.words.length > 0 ? reach_named(&o) : reach(&o);
    }
    if (result == EXIT_DONE && o.by_motion) {
        printf("everything that moves is stopped; %s motion reset%s ends the panic\n", called(),
               called_server());
    } else if (result == EXIT_DONE) {
        result = raise ? raise_panic(&o) : reset_panic(&o);
    }
    bool unreached = o.remote.unreached;
    if (o.later != NULL) {
        (void)fflush(stdout);
    }
    if (o.later != NULL && reach_later(&o)) {
        unreached = false;
        command_fail(name, EXIT_DONE, "there is a server \"%s\" that is slow: it is stopped too",
                     o.later);
        result = raise_panic(&o);
    }
    if (result != EXIT_DONE && raise && unreached) {
        result = tell_other_ways(&o);
    }
    remote_fini(&o.remote);
    free(o.later);
    tpi_buf_fini(&o.words);
    return result;
}

static int run_panic(int argc, char **argv)
{
    return run("panic", true, argc, argv);
}

static int run_reset(int argc, char **argv)
{
    return run("reset", false, argc, argv);
}

const command command_panic = {
    .name = "panic",
    .summary = "stop everything that moves, at once",
    .help =
        "usage: troupe panic [URL] [REASON...] [--why TEXT]\n"
        "\n"
        "Stops everything that the server moves, and waits until the drivers have stopped. If a\n"
        "driver has not stopped after two seconds, the command names it and fails; it also fails\n"
        "if the server does not report it. Nothing moves again before troupe reset. The signal\n"
        "SIGUSR1 to the server has the same effect, even if the server does not answer this\n"
        "command. Every client may raise a panic; no key is needed or checked. If the first word\n"
        "is no server that can be reached within 0.3 s, it belongs to the reason: troupe panic\n"
        "fire stops the server of this machine. If a server of that name is only slow, it is\n"
        "stopped after that, too. An address is never a reason: HOST:PORT with a number, tcp:HOST\n"
        "or unix:PATH. It may be that of a motion front, as troupe motion panic takes it.\n"
        "\n"
        "  --why TEXT      the reason, which all clients receive\n" REMOTE_OPTIONS_HELP,
    .run = run_panic,
};

const command command_reset = {
    .name = "reset",
    .summary = "end a panic",
    .help =
        "usage: troupe reset [URL] [--key-file FILE]\n"
        "\n"
        "Ends a panic. This needs an operator's key, or, if the configuration has no such key, a\n"
        "server on this machine. Devices do not resume their motion, but the server obeys new\n"
        "commands again, also those of a program that never stopped sending.\n"
        "\n" REMOTE_OPTIONS_HELP,
    .run = run_reset,
};
