/* universal.c - the life of a robot that takes universal commands; see troupe/universal.h. */
#include <stdlib.h>
#include <string.h>

#include "client/universal/inside.h"
#include "troupe/client/common.h"
#include "troupe/client/universal.h"

unsigned tp_universal_code(const char *name)
{
    const tpi_command command = tpi_dictionary_named(name);

    return command < TPI_COMMANDS ? tpi_dictionary_entry(command)->code : TP_UNIVERSAL_NO_COMMAND;
}

const char *tp_universal_code_name(unsigned code)
{
    const tpi_command command =
        code < TP_UNIVERSAL_NO_COMMAND ? tpi_dictionary_code((uint16_t)code) : TPI_COMMANDS;

    return command < TPI_COMMANDS ? tpi_dictionary_entry(command)->name : NULL;
}

const char *tp_universal_fault_text(unsigned fault)
{
    static const char *const texts[] = {"done",      "not available", "no match",
                                        "bad value", "robot silent",  "robot refused",
                                        "stopped",   "denied",        "reply too long"};

    return fault < sizeof texts / sizeof texts[0] ? texts[fault] : "unknown fault";
}

static char *copy(const void *text, size_t length)
{
    char *out = malloc(length + 1);

    if (out != NULL) {
        if (length > 0) {
            memcpy(out, text, length);
        }
        out[length] = '\0';
    }
    return out;
}

/* The device may be open again: parts can have other numbers. */
static void on_change(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    tp_universal *robot = context;

    (void)proxy;
    (void)status;
    (void)why;
    robot->is_stale = robot->count > 0;
}

/* Learn what the robot is. */
static tp_status describe(tp_universal *robot, tp_error *err)
{
    const void *answer = NULL;
    tp_status status =
        tp_proxy_request(robot->proxy, TP_UNIVERSAL_REQ_DESCRIBE, NULL, &answer, err);

    if (status != TP_OK) {
        return status;
    }
    const tp_universal_robot *is = answer;
    robot->revision = is->revision;
    robot->name = copy(is->name, is->name_count > 0 ? is->name_count - 1 : 0);
    robot->title = copy(is->title, is->title_count > 0 ? is->title_count - 1 : 0);
    robot->file = copy(is->file, is->file_count);
    robot->file_length = is->file_count;
    if (robot->name == NULL || robot->title == NULL || robot->file == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return TP_OK;
}

/* The first device of the interface. */
static tp_status open_first(tp_universal *robot, tp_error *err)
{
    tp_client_device *devices = NULL;
    size_t count = 0;
    tp_status status = tp_client_list(robot->client, &devices, &count, err);
    size_t i = 0;

    if (status != TP_OK) {
        return status;
    }
    while (i < count && devices[i].addr.interf != TP_UNIVERSAL_CODE) {
        i++;
    }
    if (i < count) {
        status = tp_client_open_device(robot->client, &tp_interface_universal,
                                       devices[i].addr.index, TP_OPEN_MODE, &robot->proxy, err);
    } else {
        status = tp_fail(err, TP_E_UNKNOWN,
                         "%s has no device of the interface universal; add \"universal:0\" to "
                         "`provides` of a robotfile section",
                         tp_client_url(robot->client));
    }
    free(devices);
    return status;
}

tp_status tp_universal_create(tp_universal **out, tp_client *client, const char *device,
                              const tp_universal_options *options, tp_error *err)
{
    tp_universal *robot = calloc(1, sizeof *robot);
    tp_status status;

    *out = NULL;
    if (robot == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    robot->client = client;
    robot->timeout_ns = options != NULL ? options->timeout_ns : 0;
    robot->loose = options != NULL && options->loose;
    status = device == NULL ? open_first(robot, err)
                            : tp_client_open(client, device, TP_OPEN_MODE, &robot->proxy, err);
    if (status == TP_OK && tp_proxy_interface(robot->proxy)->code != TP_UNIVERSAL_CODE) {
        status = tp_fail(err, TP_E_INVALID, "%s is no device of the interface universal", device);
    }
    if (status == TP_OK) {
        tp_proxy_on_change(robot->proxy, on_change, robot);
        status = describe(robot, err);
    }
    if (status != TP_OK) {
        tp_universal_destroy(robot);
        return status;
    }
    *out = robot;
    return TP_OK;
}

void tp_universal_destroy(tp_universal *robot)
{
    if (robot == NULL) {
        return;
    }
    tp_proxy_close(robot->proxy);
    tp_proxy_close(robot->board);
    tpi_channels_destroy(robot->channels);
    tpi_universal_forget(robot);
    for (unsigned i = 0; i < robot->count; i++) {
        free(robot->declared[i].classes);
        free(robot->declared[i].explanation);
    }
    tp_msg_unref(robot->answer);
    free(robot->name);
    free(robot->title);
    free(robot->file);
    free(robot);
}

const char *tp_universal_name(const tp_universal *robot)
{
    return robot->name;
}

const char *tp_universal_title(const tp_universal *robot)
{
    return robot->title;
}

const char *tp_universal_file(const tp_universal *robot, size_t *length)
{
    if (length != NULL) {
        *length = robot->file_length;
    }
    return robot->file;
}

tp_client *tp_universal_client(const tp_universal *robot)
{
    return robot->client;
}

tp_proxy *tp_universal_proxy(const tp_universal *robot)
{
    return robot->proxy;
}

tp_status tp_universal_stop(tp_universal *robot, tp_error *err)
{
    return tp_common_request_halt(robot->proxy, err);
}

tp_status tp_universal_explain(tp_universal *robot, unsigned command, tp_universal_port port,
                               char **out, tp_error *err)
{
    const tp_universal_call call = {.command = command, .port = port};
    tp_universal_order order;
    const void *answer = NULL;
    tp_status status;

    *out = NULL;
    tpi_universal_fill(robot, &call, &order, NULL);
    status = tp_proxy_request(robot->proxy, TP_UNIVERSAL_REQ_EXPLAIN, &order, &answer, err);
    if (status != TP_OK) {
        return status;
    }
    const tp_universal_text *text = answer;
    *out = copy(text->text, text->text_count > 0 ? text->text_count - 1 : 0);
    return *out != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}
