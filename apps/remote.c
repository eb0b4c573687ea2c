/* remote.c - which server, which device, which message. */
#include "remote.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "called.h"
#include "output.h"
#include "stat_all.h"
#include "stat_text.h"
#include "troupe/server.h"

static const char *const shared_options[] = {"--url",     "--key",  "--key-file",
                                             "--timeout", "--load", NULL};

static const int64_t DEFAULT_TIMEOUT_NS = 5 * TP_NS_PER_S; /* as the library has it */

static tp_client *running; /* for the signal handler */
static volatile sig_atomic_t interrupted;

int remote_init(struct remote *remote, const char *caller)
{
    remote->command = caller;
    remote->catalogue = command_catalogue(caller);
    return remote->catalogue != NULL ? EXIT_DONE : EXIT_FAILED;
}

void remote_fini(struct remote *remote)
{
    tp_client_destroy(remote->client);
    tp_catalogue_destroy(remote->catalogue);
    free(remote->own_url);
    free(remote->key);
}

/* ---- Options --------------------------------------------------------------------------------- */

bool remote_has_option(const char *option)
{
    const char *const *at = shared_options;

    while (*at != NULL && strcmp(*at, option) != 0) {
        at++;
    }
    return *at != NULL || strcmp(option, "-u") == 0;
}

int command_positive(const char *name, int argc, char **argv, int *i, double *value)
{
    const char *option = argv[*i];
    const char *text = command_value(name, argc, argv, i);

    if (text == NULL) {
        return EXIT_USAGE;
    }
    const size_t length = strlen(text);
    if (length == 0 || tpi_number_read_f64(text, length, value) != length || !(*value > 0) ||
        isinf(*value)) {
        return command_fail(name, EXIT_USAGE, "%s needs a number over 0, not \"%s\"", option, text);
    }
    return EXIT_DONE;
}

int64_t command_ns(double seconds)
{
    return seconds > 1e9 ? (int64_t)1e18 : seconds < 1e-6 ? 1000 : (int64_t)(seconds * 1e9);
}

int command_whole(const char *name, int argc, char **argv, int *i, int64_t *value)
{
    const char *option = argv[*i];
    const char *text = command_value(name, argc, argv, i);

    if (text == NULL) {
        return EXIT_USAGE;
    }
    if (!tpi_number_read_i64(text, strlen(text), value) || *value < 1) {
        return command_fail(name, EXIT_USAGE, "%s needs a whole number over 0, not \"%s\"", option,
                            text);
    }
    return EXIT_DONE;
}

int remote_set_url(struct remote *remote, const char *url)
{
    if (remote->url != NULL) {
        return command_fail(remote->command, EXIT_USAGE,
                            "the server is named twice: \"%s\" and \"%s\"", remote->url, url);
    }
    if (url[0] == '\0') {
        return command_fail(remote->command, EXIT_USAGE, "the name of the server is empty");
    }
    remote->url = url;
    called_set_server(url);
    return EXIT_DONE;
}

static int read_timeout(struct remote *remote, int argc, char **argv, int *i)
{
    double seconds = 0;
    const int result = command_positive(remote->command, argc, argv, i, &seconds);

    if (result == EXIT_DONE) {
        remote->timeout_ns = command_ns(seconds);
    }
    return result;
}

/* Arguments can be seen by everybody on the machine: this one not for longer than it has to be. */
static int read_key(struct remote *remote, int argc, char **argv, int *i)
{
    if (command_value(remote->command, argc, argv, i) == NULL) {
        return EXIT_USAGE;
    }
    free(remote->key);
    remote->key = strdup(argv[*i]);
    memset(argv[*i], '*', strlen(argv[*i]));
    return remote->key != NULL ? EXIT_DONE
                               : command_fail(remote->command, EXIT_FAILED, "out of memory");
}

int remote_option(struct remote *remote, int argc, char **argv, int *i)
{
    if (strcmp(argv[*i], "--key") == 0) {
        return read_key(remote, argc, argv, i);
    }
    if (strcmp(argv[*i], "--key-file") == 0) {
        remote->key_file = command_value(remote->command, argc, argv, i);
        return remote->key_file != NULL ? EXIT_DONE : EXIT_USAGE;
    }
    if (strcmp(argv[*i], "--load") == 0) {
        return command_load(remote->command, remote->catalogue, argc, argv, i);
    }
    if (strcmp(argv[*i], "--timeout") == 0) {
        return read_timeout(remote, argc, argv, i);
    }
    const char *url = command_value(remote->command, argc, argv, i);
    return url != NULL ? remote_set_url(remote, url) : EXIT_USAGE;
}

int remote_unexpected(const struct remote *remote, const char *argument, const char *const *known)
{
    const char *const *lists[] = {known, shared_options};
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, argument + strspn(argument, "-"));
    for (size_t i = 0; argument[0] == '-' && i < 2; i++) {
        for (const char *const *at = lists[i]; *at != NULL; at++) {
            tpi_nearest_offer(&nearest, *at + strspn(*at, "-"));
        }
    }
    return command_unexpected(remote->command, argument, nearest.best);
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* The text behind "FILE:LINE:COLUMN: ", if that is in a file that the user does not know. */
static const char *without_own_file(const struct remote *remote, const char *text)
{
    const size_t length = remote->own_file != NULL ? strlen(remote->own_file) : 0;

    if (length > 0 && strncmp(text, remote->own_file, length) == 0 && text[length] == ':') {
        text += length;
        text += strspn(text, ":0123456789");
        text += *text == ' ';
    }
    return text;
}

/* Interfaces that only the server knows. Fails if the server cannot be reached. */
static tp_status learn(struct remote *remote, tp_error *err)
{
    const tp_client_options options = {.name = "troupe",
                                       .timeout_ns = remote->timeout_ns,
                                       .stay_lost = true,
                                       .kit = &tp_full_kit,
                                       .key = remote->key,
                                       .key_file = remote->key_file};
    tp_client *client = NULL;

    const tp_status status = tp_client_connect(&client, remote->url, &options, err);
    if (status == TP_OK) {
        (void)tp_client_learn(client, remote->catalogue, NULL);
    }
    tp_client_destroy(client);
    return status;
}

/* The interface of a device. Without the server nobody knows whether it has such a one, unless the
 * name looks like a mistake in typing. */
static const tp_interface *find_interface(struct remote *remote, const char *name)
{
    const bool is_known = tp_catalogue_named(remote->catalogue, name) != NULL;
    char hint[96];
    tp_error err = {0};

    if (!is_known && learn(remote, &err) != TP_OK &&
        command_interface_hint(remote->catalogue, name, hint, sizeof hint)[0] == '\0') {
        command_fail(remote->command, EXIT_FAILED, "%s", without_own_file(remote, err.text));
        return NULL;
    }
    return command_interface(remote->command, remote->catalogue, name,
                             "; a device is INTERFACE[:INDEX], as laser:0");
}

/* "laser:1" or "laser". */
static int read_name(struct remote *remote, const char *text, struct remote_device *out)
{
    char interface[64];
    int64_t index = 0;
    const size_t length = strcspn(text, ":");

    if (length == 0 || length >= sizeof interface ||
        (text[length] == ':' &&
         !tpi_number_read_i64(text + length + 1, strlen(text + length + 1), &index)) ||
        index < 0 || index > UINT16_MAX) {
        return command_fail(remote->command, EXIT_USAGE,
                            "\"%s\" is no device; a device is INTERFACE[:INDEX], as laser:0", text);
    }
    memcpy(interface, text, length);
    interface[length] = '\0';
    out->interface = find_interface(remote, interface);
    out->index = (unsigned)index;
    snprintf(out->name, sizeof out->name, "%s:%u", interface, out->index);
    return out->interface != NULL ? EXIT_DONE : EXIT_FAILED;
}

int remote_read_server(struct remote *remote, const char *text, const char **device)
{
    const char *slash = strrchr(text, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - text);

    *device = slash == NULL ? text : slash + 1;
    if (slash == NULL || (remote->own_url != NULL && strlen(remote->own_url) == length &&
                          strncmp(remote->own_url, text, length) == 0)) {
        return EXIT_DONE;
    }
    char *url = strndup(text, length);
    if (url == NULL) {
        return command_fail(remote->command, EXIT_FAILED, "out of memory");
    }
    const int result = remote_set_url(remote, url);
    if (result != EXIT_DONE) {
        free(url);
        return result;
    }
    remote->own_url = url;
    return EXIT_DONE;
}

int remote_read_device(struct remote *remote, const char *text, struct remote_device *out)
{
    const char *device = NULL;
    const int result = remote_read_server(remote, text, &device);

    return result == EXIT_DONE ? read_name(remote, device, out) : result;
}

/* "; it has laser:0, laser:1", or that it has none like it. */
static void put_known(tpi_buf *out, const tp_client_device *devices, size_t count,
                      const struct remote_device *device)
{
    const char *glue = "; it has ";
    size_t same = 0;

    for (size_t i = 0; i < count; i++) {
        if (devices[i].interface == device->interface && same++ < 8) {
            tpi_buf_printf(out, "%s%s", glue, devices[i].name);
            glue = ", ";
        }
    }
    if (same > 8) {
        tpi_buf_puts(out, ", ...");
    } else if (same == 0 && count > 0) {
        tpi_buf_printf(out, ", nor any other %s; %s list%s shows its devices",
                       device->interface->name, called(), called_server());
    } else if (count == 0) {
        tpi_buf_puts(out, ", nor any other");
    }
}

/* Whether the server lists the device; if it does not, says so. */
static bool is_listed(struct remote *remote, const struct remote_device *device)
{
    tp_client_device *devices = NULL;
    size_t count = 0;
    bool found = tp_client_list(remote->client, &devices, &count, NULL) != TP_OK;
    tpi_buf known = {0};

    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(devices[i].name, device->name) == 0;
    }
    if (!found) {
        put_known(&known, devices, count, device);
        command_fail(remote->command, EXIT_FAILED, "%s has no device %s%s", remote_url(remote),
                     device->name, tpi_buf_text(&known));
    }
    tpi_buf_fini(&known);
    free(devices);
    return found;
}

/* Why it is not open: that it is not there, or what the server said. */
static int explain_unopened(struct remote *remote, const struct remote_device *device,
                            const char *why)
{
    if (tp_client_is_connected(remote->client) && !is_listed(remote, device)) {
        return EXIT_FAILED;
    }
    return command_fail(remote->command, EXIT_FAILED, "%s", why);
}

int remote_open(struct remote *remote, const struct remote_device *device, unsigned access,
                tp_proxy **out)
{
    tp_error err = {0};

    if (tp_client_open(remote->client, device->name, access, out, &err) == TP_OK) {
        return EXIT_DONE;
    }
    return explain_unopened(remote, device, err.text);
}

struct opening {
    bool done;
    tp_error err;
};

static void on_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct opening *opening = context;

    (void)proxy;
    opening->done = true;
    if (status != TP_OK) {
        tp_fail(&opening->err, status, "%s", why);
    }
}

static void on_late(void *context)
{
    struct opening *opening = context;

    opening->done = true;
    tp_fail(&opening->err, TP_E_TIMEOUT, "it was not opened in time");
}

/* Until it is open, or the time-out. */
static void wait_opened(struct remote *remote, struct opening *opening)
{
    const int64_t timeout_ns = remote->timeout_ns > 0 ? remote->timeout_ns : DEFAULT_TIMEOUT_NS;
    tp_loop *loop = tp_client_loop(remote->client);
    const int64_t now_ns = tp_clock_now_ns(tp_loop_clock(loop));
    tp_timer *timer = NULL;

    if (tp_timer_create(&timer, loop, on_late, opening, &opening->err) != TP_OK) {
        return;
    }
    tp_timer_at(timer, now_ns + timeout_ns);
    while (!opening->done) {
        tp_client_step(remote->client, true);
    }
    tp_timer_destroy(timer);
}

int remote_follow(struct remote *remote, const struct remote_device *device, tp_proxy_data *data,
                  void *context, tp_proxy **out)
{
    struct opening opening = {0};
    tp_status status = tp_client_open_later(remote->client, device->interface, device->index,
                                            TP_READ_MODE, on_opened, &opening, out, &opening.err);

    if (status == TP_OK) {
        tp_proxy_set_context(*out, context);
        tp_proxy_on_data(*out, data);
        wait_opened(remote, &opening);
    }
    if (opening.err.code == TP_OK) {
        return EXIT_DONE;
    }
    tp_proxy_close(*out);
    *out = NULL;
    return explain_unopened(remote, device, opening.err.text);
}

/* "; it is a request: troupe request position2d GET_GEOM" if the interface has a message of that
 * name for another command; else the text stays as it is. */
static void hint_at_command(const tp_interface *interface, const char *name, char *out, size_t size)
{
    static const struct {
        tp_kind kind;
        const char *command;
    } others[] = {{TP_KIND_COMMAND, "send"}, {TP_KIND_REQUEST, "request"}, {TP_KIND_DATA, "print"}};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (tp_interface_message_named(interface, others[i].kind, name) != NULL) {
            const bool is_data = others[i].kind == TP_KIND_DATA;
            snprintf(out, size, "; it is %s %s: %s %s %s%s %s", is_data ? "a message of" : "a",
                     tp_kind_name(others[i].kind), called(), others[i].command, interface->name,
                     is_data ? " --only" : "", name);
            return;
        }
    }
}

static void hint_at_others(const tp_interface *interface, tp_kind kind, char *out, size_t size)
{
    size_t length = 0;

    for (uint32_t i = 0; i < interface->message_count && length < size; i++) {
        if (interface->messages[i].kind == kind) {
            length +=
                (size_t)snprintf(out + length, size - length, "%s%s",
                                 length == 0 ? "; it has " : ", ", interface->messages[i].name);
        }
    }
    if (length == 0) {
        snprintf(out, size, "; it has none");
    }
}

const tp_message *remote_message(const struct remote *remote, const tp_interface *interface,
                                 tp_kind kind, const char *name)
{
    const tp_interface *places[] = {interface, tp_catalogue_code(remote->catalogue, 0)};
    const tp_message *message = NULL;
    tpi_nearest nearest;
    char hint[1024];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < 2 && message == NULL; i++) {
        message = tp_interface_message_named(places[i], kind, name);
        for (uint32_t k = 0; k < places[i]->message_count; k++) {
            if (places[i]->messages[k].kind == kind) {
                tpi_nearest_offer(&nearest, places[i]->messages[k].name);
            }
        }
    }
    if (message == NULL) {
        tpi_nearest_hint(&nearest, hint, sizeof hint);
        if (hint[0] == '\0') {
            hint_at_others(interface, kind, hint, sizeof hint);
        }
        hint_at_command(interface, name, hint, sizeof hint);
        command_fail(remote->command, EXIT_FAILED, "%s has no %s \"%s\"%s", interface->name,
                     tp_kind_name(kind), name, hint);
    }
    return message;
}

/* ---- The connection -------------------------------------------------------------------------- */

static void on_change(void *context, tp_client *client, const char *why)
{
    struct remote *remote = context;

    if (remote->was_connected && remote->before_note != NULL) {
        remote->before_note(remote);
    }
    if (why != NULL) {
        command_fail(remote->command, EXIT_FAILED, "%s; trying to connect again", why);
    } else if (remote->was_connected) {
        command_fail(remote->command, EXIT_DONE, "connected to %s again", tp_client_url(client));
    }
    remote->was_connected = true;
}

static void put_panic(struct remote *remote, const tp_panic_state *panic)
{
    tpi_buf text = {0};

    if (remote->before_note != NULL) {
        remote->before_note(remote);
    }
    if (panic->active) {
        tpi_buf_puts(&text, "PANIC, ");
        stat_put_raisers(&text, panic);
        tpi_buf_printf(&text, "nothing moves until %s reset%s", called(), called_server());
    } else {
        tpi_buf_puts(&text, "the panic is over");
    }
    command_fail(remote->command, EXIT_DONE, "%s", tpi_buf_text(&text));
    tpi_buf_fini(&text);
}

/* The end of a panic is reported only after its beginning was. */
static void on_panic(void *context, tp_client *client, const tp_panic_state *panic)
{
    struct remote *remote = context;

    (void)client;
    if (remote->ignores_panics) {
        return;
    }
    if (panic->active || remote->in_panic) {
        put_panic(remote, panic);
    }
    if (panic->active && !remote->in_panic && remote->panicked != NULL) {
        remote->panicked(remote);
    }
    remote->in_panic = panic->active != 0;
}

int remote_connect(struct remote *remote, tp_client_mode mode, bool persistent)
{
    char name[64];
    tp_error err = {0};
    const tp_client_options options = {
        .program = called_program(),
        .name = name,
        .timeout_ns = remote->timeout_ns,
        .mode = mode,
        .stay_lost = !persistent,
        .extensions = true,       /* a user who types the name of one asks for it */
        .renewal = TP_RENEW_LOOP, /* commands work in the loop: one that hangs renews nothing */
        .catalogue = remote->catalogue,
        .kit = &tp_full_kit,
        .key = remote->key,
        .key_file = remote->key_file,
        .changed = persistent ? on_change : NULL,
        .context = remote,
        .panicked = remote->tells_panics ? on_panic : NULL,
    };

    snprintf(name, sizeof name, "troupe %s", remote->command);
    remote->unreached = tp_client_connect(&remote->client, remote->url, &options, &err) != TP_OK;
    if (remote->unreached && remote->first_try) {
        return EXIT_FAILED;
    }
    if (remote->unreached) {
        return command_fail(remote->command, EXIT_FAILED, "%s", without_own_file(remote, err.text));
    }
    return EXIT_DONE;
}

const char *remote_url(const struct remote *remote)
{
    return remote->client != NULL ? tp_client_url(remote->client) : remote->url;
}

static bool is_ours(const struct remote *remote, const char *what)
{
    const bool ours = tp_client_is_troupe(remote->client);

    if (!ours) {
        command_fail(remote->command, EXIT_FAILED, "%s is a Player server, which has no %s",
                     remote_url(remote), what);
    }
    return ours;
}

const void *remote_ask(struct remote *remote, unsigned code, const void *ask, const char *what)
{
    const void *answer = NULL;
    tp_error err = {0};

    if (is_ours(remote, what) &&
        tp_client_request(remote->client, code, ask, &answer, &err) != TP_OK) {
        command_fail(remote->command, EXIT_FAILED, "%s: %s: %s", remote_url(remote), what,
                     err.text);
        answer = NULL;
    }
    return answer;
}

/* Interfaces that only the server knows have names, too. */
static void learn_names(const struct remote *remote, const tp_statistics *found)
{
    uint32_t i = 0;

    while (i < found->devices_count &&
           tp_catalogue_code(remote->catalogue, found->devices[i].addr.interf) != NULL) {
        i++;
    }
    if (i < found->devices_count) {
        (void)tp_client_learn(remote->client, remote->catalogue, NULL);
    }
}

tp_statistics *remote_statistics(struct remote *remote)
{
    static const char what[] = "statistics";
    tp_statistics *found = NULL;
    tp_error err = {0};

    if (is_ours(remote, what) && stat_all(remote->client, &found, &err) != TP_OK) {
        command_fail(remote->command, EXIT_FAILED, "%s: %s: %s", remote_url(remote), what,
                     err.text);
    } else if (found != NULL) {
        learn_names(remote, found);
    }
    return found;
}

/* tp_client_stop() may be called from a signal handler; clang-tidy cannot know that. */
static void on_signal(int number) /* NOLINT(bugprone-signal-handler) */
{
    (void)number;
    interrupted = 1;
    tp_client_stop(running); /* NOLINT(bugprone-signal-handler) */
    output_stop();           /* NOLINT(bugprone-signal-handler) */
}

void remote_catch_signals(struct remote *remote)
{
    /* once: a second signal ends it at once */
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    running = remote->client;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool remote_run(struct remote *remote)
{
    tp_client_run(remote->client);
    return interrupted != 0;
}

void remote_stop(struct remote *remote)
{
    tp_client_stop(remote->client);
}
