/* cmd_send.c - troupe send and request: one message to a device, or to the server itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "called.h"
#include "output.h"
#include "send.h"

/* ---- Commands -------------------------------------------------------------------------------- */

/* What is repeated would be old: the program was frozen. */
static bool is_old(struct send *s)
{
    const double lease_s = s->lease_s > 0 ? s->lease_s : 1;
    const double frozen_s = lapse_look_s(&s->lapse, tp_clock_now_ns(tp_clock_real()),
                                         command_ns(1 / s->repeat_hz), command_ns(lease_s));

    if (frozen_s > 0 && tp_effect_can_move(s->message->effect)) {
        command_fail(s->remote.command, EXIT_FAILED,
                     "this program was frozen or busy for %.1f s: %s is not sent again", frozen_s,
                     s->message->name);
        s->refused = true;
        remote_stop(&s->remote);
        return true;
    }
    return false;
}

static void send_again(void *context)
{
    struct send *s = context;
    tp_error err = {0};

    if (is_old(s)) {
        return;
    }
    const tp_status status = tp_proxy_command(s->proxy, s->message->code, s->value, &err);

    /* a lost connection was reported already */
    if (status != TP_OK && status != TP_E_CLOSED && !s->told) {
        command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
        s->told = true;
    }
}

static void end_sending(void *context)
{
    struct send *s = context;

    remote_stop(&s->remote);
}

/* Keep the device open, and repeat the command if that was asked for. */
static int keep_sending(struct send *s)
{
    tp_loop *loop = tp_client_loop(s->remote.client);
    tp_timer *repeat = NULL;
    tp_timer *end = NULL;
    tp_error err = {0};
    tp_status status = tp_timer_create(&repeat, loop, send_again, s, &err);

    status = status == TP_OK ? tp_timer_create(&end, loop, end_sending, s, &err) : status;
    if (status == TP_OK && s->repeat_hz > 0) {
        (void)is_old(s); /* from now on */
        tp_timer_every(repeat, command_ns(1 / s->repeat_hz));
    }
    if (status == TP_OK && s->for_s > 0) {
        tp_timer_at(end, tp_clock_now_ns(tp_loop_clock(loop)) + command_ns(s->for_s));
    }
    if (status == TP_OK) {
        remote_run(&s->remote);
    }
    tp_timer_destroy(repeat);
    tp_timer_destroy(end);
    return status == TP_OK ? EXIT_DONE
                           : command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
}

/* Commands are not answered, so ask a server of ours whether the device takes it. Some drivers know
 * no better than to refuse the question; so it is sent all the same. */
static void ask_whether_taken(struct send *s)
{
    const tp_capabilities_req ask = {.type = TP_MSGTYPE_CMD, .subtype = s->message->code};

    if (tp_client_is_troupe(s->remote.client) &&
        tp_proxy_request(s->proxy, TP_COMMON_REQ_CAPABILITIES, &ask, NULL, NULL) ==
            TP_E_UNSUPPORTED) {
        command_fail(s->remote.command, EXIT_DONE,
                     "%s does not report that it handles %s; sent anyway", s->device.name,
                     s->message->name);
    }
}

/* It stands still, and what goes on commanding would move it as soon as that is over. */
static void end_in_panic(struct remote *remote)
{
    struct send *s = (struct send *)remote; /* its first member */

    s->refused = true;
    remote_stop(remote);
}

/* Commands are not answered, but our servers tell when they refuse them, or stop what moves. */
static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct send *s = tp_proxy_context(proxy);
    const tp_failure *failure =
        tp_msg_header(msg)->subtype == TP_COMMON_DATA_ERROR ? tp_msg_payload(msg) : NULL;
    tpi_buf text = {0};

    if (failure == NULL || failure->code >= 0 ||
        (failure->code == TP_E_PANIC && s->remote.in_panic)) { /* was reported */
        return;
    }
    output_put_clean(&text, failure->text, failure->text_count);
    command_fail(s->remote.command, EXIT_FAILED, "%s", tpi_buf_text(&text));
    tpi_buf_fini(&text);
    s->refused = true;
    if (s->repeat_hz > 0 && failure->code == TP_E_PANIC) {
        s->remote.ignores_panics = true; /* this one was reported */
        remote_stop(&s->remote); /* what goes on commanding would move it as soon as that is over */
    }
}

/* Commands are not answered, so the server would refuse it in silence. */
static int check_panic(struct send *s)
{
    const void *answer = NULL;

    if (!tp_effect_can_move(s->message->effect) || !tp_client_is_troupe(s->remote.client) ||
        tp_client_request(s->remote.client, TP_PLAYER_REQ_GET_PANIC, NULL, &answer, NULL) !=
            TP_OK) {
        return EXIT_DONE;
    }
    const tp_panic_state *panic = answer;
    return panic == NULL || !panic->active
               ? EXIT_DONE
               : command_fail(s->remote.command, EXIT_FAILED,
                              "nothing moves: there is a panic; %s list%s names its origin, %s "
                              "reset%s ends it",
                              called(), called_server(), called(), called_server());
}

/* Commands are not answered: an answer to something else shows that they have arrived. A server of
 * ours asks the device itself, behind which a refusal cannot come any more. */
static int await_arrival(struct send *s)
{
    const tp_capabilities_req ask = {.type = TP_MSGTYPE_CMD, .subtype = s->message->code};
    tp_error err = {0};
    tp_status status = TP_OK;

    if (tp_client_is_troupe(s->remote.client)) {
        status = tp_proxy_request(s->proxy, TP_COMMON_REQ_CAPABILITIES, &ask, NULL, &err);
        status = status == TP_E_TIMEOUT || status == TP_E_CLOSED ? status : TP_OK;
    } else {
        status = tp_client_request(s->remote.client, TP_PLAYER_REQ_DEVLIST, NULL, NULL, &err);
    }
    return status == TP_OK
               ? EXIT_DONE
               : command_fail(s->remote.command, EXIT_FAILED, "%s %s may not have arrived: %s",
                              s->device.name, s->message->name, err.text);
}

static int send_command(struct send *s)
{
    tp_error err = {0};
    bool interrupted = false;
    int result = send_watch(s, &err) == TP_OK
                     ? send_open(s)
                     : command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);

    result = result == EXIT_DONE ? check_panic(s) : result;
    if (result != EXIT_DONE) {
        return result;
    }
    s->remote.ignores_panics = false; /* from now on they are news */
    tp_proxy_set_context(s->proxy, s);
    tp_proxy_on_data(s->proxy, on_data);
    ask_whether_taken(s);
    if (s->repeat_hz > 0 || s->for_s > 0 || s->streams) {
        remote_catch_signals(&s->remote);
    }
    result = send_refuse_old(s);
    if (result != EXIT_DONE) {
        return result;
    }
    if (!s->old.first && tp_proxy_command(s->proxy, s->message->code, s->value, &err) != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    result = s->streams ? send_stream(s, &interrupted) : EXIT_DONE;
    if (result == EXIT_DONE && !interrupted && (s->repeat_hz > 0 || s->for_s > 0)) {
        result = keep_sending(s);
    }
    result = result == EXIT_DONE ? await_arrival(s) : result;
    if (result == EXIT_DONE && !s->refused) {
        send_hint(s);
    }
    return result == EXIT_DONE && s->refused ? EXIT_FAILED : result;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static int print_answer(const struct send *s, const void *answer)
{
    tpi_buf out = {0};
    char *text = NULL;
    const tp_struct *type = s->message->answer;

    if (type == NULL || answer == NULL) {
        puts(s->json ? "null" : "done");
        return EXIT_DONE;
    }
    if (tp_value_text(&text, type, answer, s->json ? TP_TEXT_JSON : TP_TEXT_BLOCK) != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "out of memory");
    }
    if (s->json) {
        tpi_buf_printf(&out, "%s\n", text);
    } else {
        output_put_lines(&out, text);
    }
    free(text);
    return command_write(s->remote.command, &out);
}

static int send_request(struct send *s)
{
    const unsigned code = s->message->code;
    const void *answer = NULL;
    tp_error err = {0};
    int result = EXIT_DONE;
    tp_status status = TP_OK;

    if (s->device.interface->code == TP_PLAYER_CODE) {
        status = tp_client_request(s->remote.client, code, s->value, &answer, &err);
    } else {
        result = remote_open(&s->remote, &s->device, TP_OPEN_MODE, &s->proxy);
        if (result == EXIT_DONE) {
            status = tp_proxy_request(s->proxy, code, s->value, &answer, &err);
        }
    }
    if (status != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    return result == EXIT_DONE ? print_answer(s, answer) : result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_rank(struct send *s, int argc, char **argv, int *i)
{
    const char *value = command_value(s->remote.command, argc, argv, i);

    if (value == NULL) {
        return EXIT_USAGE;
    }
    s->has_rank = true;
    if (!tpi_number_read_i64(value, strlen(value), &s->rank) || s->rank < INT16_MIN ||
        s->rank > INT16_MAX) {
        return command_fail(s->remote.command, EXIT_USAGE, "\"%s\" is no rank", value);
    }
    return EXIT_DONE;
}

static int read_option(struct send *s, int argc, char **argv, int *i)
{
    static const char *const of_send[] = {"--repeat", "--for",       "--lease",
                                          "--rank",   "--exclusive", NULL};
    static const char *const of_request[] = {"--json", NULL};
    const bool sends = s->kind == TP_KIND_COMMAND;

    if (remote_has_option(argv[*i])) {
        return remote_option(&s->remote, argc, argv, i);
    }
    if (sends && strcmp(argv[*i], "--repeat") == 0) {
        return command_positive(s->remote.command, argc, argv, i, &s->repeat_hz);
    }
    if (sends && strcmp(argv[*i], "--for") == 0) {
        return command_positive(s->remote.command, argc, argv, i, &s->for_s);
    }
    if (sends && strcmp(argv[*i], "--lease") == 0) {
        return command_positive(s->remote.command, argc, argv, i, &s->lease_s);
    }
    if (sends && strcmp(argv[*i], "--rank") == 0) {
        return read_rank(s, argc, argv, i);
    }
    if (sends && strcmp(argv[*i], "--exclusive") == 0) {
        s->exclusive = true;
        return EXIT_DONE;
    }
    if (!sends && strcmp(argv[*i], "--json") == 0) {
        s->json = true;
        return EXIT_DONE;
    }
    return remote_unexpected(&s->remote, argv[*i], sends ? of_send : of_request);
}

static int read_options(struct send *s, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        const bool option = argv[i][0] == '-' && argv[i][1] != '\0';
        if (option || s->word_count == MOST_WORDS) {
            result = read_option(s, argc, argv, &i);
        } else {
            s->words[s->word_count++] = argv[i];
        }
    }
    if (result == EXIT_DONE && s->word_count == 0) {
        return command_fail(s->remote.command, EXIT_USAGE, "which device? %s list names them",
                            called());
    }
    return result == EXIT_DONE ? remote_read_device(&s->remote, s->words[0], &s->device) : result;
}

static int do_it(struct send *s)
{
    if (s->word_count < 2) {
        return send_list_messages(s);
    }
    s->message = remote_message(&s->remote, s->device.interface, s->kind, s->words[1]);
    int result = s->message != NULL ? send_read_value(s) : EXIT_FAILED;
    const bool stays = s->repeat_hz > 0 || s->for_s > 0 || (s->streams && !s->input_ended);
    s->remote.tells_panics = stays && s->message != NULL && tp_effect_can_move(s->message->effect);
    s->remote.ignores_panics = true;
    s->remote.panicked = end_in_panic;
    if (result == EXIT_DONE) {
        result = remote_connect(
            &s->remote, s->kind == TP_KIND_COMMAND ? TP_CLIENT_EVERYTHING : TP_CLIENT_FRESH, stays);
    }
    if (result == EXIT_DONE) {
        result = s->kind == TP_KIND_COMMAND ? send_command(s) : send_request(s);
    }
    tp_proxy_close(s->proxy);
    tp_timer_destroy(s->beat);
    free(s->value);
    feed_fini(&s->feed);
    return result;
}

static int run(const char *name, tp_kind kind, int argc, char **argv)
{
    struct send s = {.kind = kind};
    int result = remote_init(&s.remote, name);

    result = result == EXIT_DONE ? read_options(&s, argc, argv) : result;
    result = result == EXIT_DONE ? do_it(&s) : result;
    remote_fini(&s.remote);
    return result;
}

static int run_send(int argc, char **argv)
{
    return run("send", TP_KIND_COMMAND, argc, argv);
}

static int run_request(int argc, char **argv)
{
    return run("request", TP_KIND_REQUEST, argc, argv);
}

const command command_send = {
    .name = "send",
    .summary = "send a command to a device",
    .help =
        "usage: troupe send DEVICE [COMMAND [JSON]] [--repeat HZ] [--for SECONDS]\n"
        "                   [--lease SECONDS] [--rank N] [--exclusive]\n"
        "\n"
        "Sends a command to a device. Omitted members of the JSON are zero. Without COMMAND, it\n"
        "lists the commands of the interface, each with an example; that needs no server. DEVICE\n"
        "is [SERVER/]INTERFACE[:INDEX]: position2d, robot.local:6666/position2d:1.\n"
        "\n"
        "With - in place of JSON, it reads commands from standard input, one JSON value after the\n"
        "other, and sends each at once: any program can drive through a pipe. An error ends the\n"
        "command and is reported with its line. With --repeat, it reads one command. What waited\n"
        "while this program was frozen moves nothing: it is left out, which is reported. So is\n"
        "what waited for longer than the lease until there was a connection, unless its writer\n"
        "had ended by then: a file and the output of echo are sent as a whole.\n"
        "\n"
        "At the end the device is closed, and what the command moves stops. --for keeps the "
        "device\n"
        "open for some time. A Player server may behave differently.\n"
        "\n"
        "  --repeat HZ     send the command at this rate, until --for ends or it is interrupted\n"
        "  --for SECONDS   keep the device open for this time\n"
        "  --lease SECONDS the time after which the device stops if this program is silent; at "
        "most\n"
        "                  the server's limit: 1 s, or as its file says\n"
        "  --rank N        give way to writers with a higher rank; at most the configured rank\n"
        "  --exclusive     refuse all other writers meanwhile, except those with a higher "
        "rank\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe send position2d:0 VEL '{\"vel\":{\"px\":0.2},\"state\":1}' --for 2\n"
        "          troupe send gripper OPEN --for 3\n"
        "          my_program | troupe send position2d VEL -\n",
    .run = run_send,
};

const command command_request = {
    .name = "request",
    .summary = "send a request to a device and print the answer",
    .help =
        "usage: troupe request DEVICE [REQUEST [JSON]] [--json]\n"
        "\n"
        "Sends a request to a device and prints the answer, or \"done\" if the request has none.\n"
        "Omitted members of the JSON are zero; with -, it is read from standard input. Without\n"
        "REQUEST, it lists the requests of the interface, each with an example; that needs no\n"
        "server. The device player:0 is the server itself. DEVICE is [SERVER/]INTERFACE[:INDEX]:\n"
        "laser, robot.local:6666/laser:1.\n"
        "\n"
        "  --json          print the answer as one line of JSON\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe request position2d GET_GEOM\n"
        "          troupe request position2d:0 SET_ODOM '{\"pose\":{\"px\":1}}'\n"
        "          troupe request laser GET_GEOMETRY --json\n",
    .run = run_request,
};
