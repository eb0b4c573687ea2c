/* ports.c - the devices of a program on a robot; see troupe/universal.h. */
#include <stdlib.h>
#include <string.h>

#include "client/universal/inside.h"

const struct declared *tpi_universal_declared(const tp_universal *robot, tp_universal_port port)
{
    const unsigned i = (unsigned)port.type - TP_UNIVERSAL_FIRST_TYPE;

    return port.is_given && port.type >= TP_UNIVERSAL_FIRST_TYPE && i < robot->count
               ? &robot->declared[i]
               : NULL;
}

/* Keep what the server has answered. */
static tp_status keep(struct declared *device, const tp_universal_match *match, tp_error *err)
{
    const uint32_t length = match->explanation_count;
    char *text = malloc((size_t)length + 1);

    if (text == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (length > 0) {
        memcpy(text, match->explanation, length);
    }
    text[length] = '\0';
    free(device->explanation);
    device->explanation = text;
    device->match = *match;
    device->match.explanation = NULL;
    return TP_OK;
}

/* Ask for the matches of the first `count` devices. */
static tp_status match(tp_universal *robot, unsigned count, tp_error *err)
{
    tp_universal_device devices[TP_UNIVERSAL_MOST_DEVICES];
    const tp_universal_program program = {
        .loose = robot->loose, .devices_count = count, .devices = devices};
    const void *answer = NULL;

    for (unsigned i = 0; i < count; i++) {
        const struct declared *device = &robot->declared[i];
        devices[i] = (tp_universal_device){.classes_count = (uint32_t)strlen(device->classes) + 1,
                                           .classes = device->classes,
                                           .id = device->id,
                                           .command = (uint16_t)device->command};
    }
    tp_status status =
        tp_proxy_request(robot->proxy, TP_UNIVERSAL_REQ_MATCH, &program, &answer, err);
    if (status != TP_OK) {
        return status;
    }
    const tp_universal_matches *matches = answer;
    if (matches->matches_count != count) {
        return tp_fail(err, TP_E_DEVICE, "%s has answered for %u of %u devices",
                       tp_proxy_name(robot->proxy), matches->matches_count, count);
    }
    robot->revision = matches->revision;
    for (unsigned i = 0; i < count && status == TP_OK; i++) {
        status = keep(&robot->declared[i], &matches->matches[i], err);
    }
    return status;
}

tp_status tp_universal_register(tp_universal *robot, const char *classes, int id, unsigned command,
                                tp_universal_port *out, tp_error *err)
{
    struct declared *device = &robot->declared[robot->count];
    tp_status status = TP_E_NOMEM;

    *out = tp_universal_default;
    if (robot->count == TP_UNIVERSAL_MOST_DEVICES) {
        return tp_fail(err, TP_E_LIMIT, "a program has at most %d devices",
                       TP_UNIVERSAL_MOST_DEVICES);
    }
    *device = (struct declared){.id = id < 0 ? -1 : id,
                                .command = command != 0 ? command : TP_UNIVERSAL_NO_COMMAND,
                                .classes = malloc(strlen(classes) + 1)};
    if (device->classes == NULL) {
        return tp_fail(err, status, "out of memory");
    }
    memcpy(device->classes, classes, strlen(classes) + 1);
    status = match(robot, robot->count + 1, err);
    if (status == TP_OK && device->match.part < 0) {
        status = tp_fail(err, TP_E_UNKNOWN, "%s", device->explanation);
    }
    if (status != TP_OK) {
        free(device->classes);
        free(device->explanation);
        *device = (struct declared){0};
        return status;
    }
    *out = (tp_universal_port){.type = (uint8_t)(TP_UNIVERSAL_FIRST_TYPE + robot->count),
                               .id = (uint8_t)(id > 0 ? id : 0),
                               .is_given = true};
    robot->count++;
    return TP_OK;
}

tp_status tp_universal_match_again(tp_universal *robot, tp_error *err)
{
    const tp_status status = robot->count > 0 ? match(robot, robot->count, err) : TP_OK;

    if (status != TP_OK) {
        return status;
    }
    robot->is_stale = false;
    for (unsigned i = 0; i < robot->count; i++) {
        if (robot->declared[i].match.part < 0) {
            return tp_fail(err, TP_E_UNKNOWN, "%s", robot->declared[i].explanation);
        }
    }
    return TP_OK;
}

const char *tp_universal_explanation(const tp_universal *robot, tp_universal_port port)
{
    const struct declared *device = tpi_universal_declared(robot, port);

    return device != NULL ? device->explanation : "";
}

bool tp_universal_info(const tp_universal *robot, tp_universal_port port,
                       tp_universal_device_info *out)
{
    const struct declared *device = tpi_universal_declared(robot, port);

    if (device == NULL) {
        return false;
    }
    *out = (tp_universal_device_info){.part = device->match.part,
                                      .is_inverted = device->match.is_inverted != 0,
                                      .is_shared = device->match.is_shared != 0,
                                      .is_percent_only = device->match.is_percent_only != 0,
                                      .moves = device->match.moves != 0,
                                      .classes = device->classes,
                                      .explanation = device->explanation};
    return true;
}

unsigned tp_universal_registered(const tp_universal *robot)
{
    return robot->count;
}
