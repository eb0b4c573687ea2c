/*
 * lab_control.c - /control of phyphox's remote interface: start, stop, clear, set, trigger.
 *
 * A command that was refused is answered with 200 and {"result":false}, as phyphox does, unless a
 * key is missing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "inside.h"
#include "web/lab.h"

static const double ANSWER_S = 10;

static void send_request(struct connection *c, const struct web_device *device, const char *name,
                         const char *value)
{
    const tp_message *what = tpi_web_message_named(device, TP_KIND_REQUEST, name);
    struct call *place = what == NULL ? NULL : tpi_web_call_begin(c->visitor, CALL_HTTP);
    tp_error err = {.text = ""};

    if (place == NULL) {
        tpi_web_refuse(c, 429, "limit", "too many requests are under way");
        return;
    }
    place->waits = c;
    tpi_web_http_wait(c, WAITS_CALL, ANSWER_S);
    const tp_status status =
        tpi_web_send_json(c->visitor, &device->addr, what, value, strlen(value),
                          tpi_web_call_number(c->visitor, place), &err);
    if (status != TP_OK && status != TP_PENDING) {
        tpi_web_call_end(c->visitor, place);
        tpi_web_api_refuse(c, status, err.text);
    }
}

/* phyphox has groups of buffers to clear; there are none here. */
static void clear(struct connection *c, tpi_lab *lab, const struct web_device *device,
                  tpi_span query)
{
    char group[TPI_LAB_NAME];

    if (tpi_http_parameter(group, sizeof group, query, "clearGroup1")) {
        tpi_web_refuse(c, 400, "unsupported",
                       "there are no groups; without clearGroup1, all is cleared");
    } else if (tp_session_right(c->visitor->sessions[FORM_JSON]) < TP_RIGHT_WRITE) {
        tpi_web_api_refuse(c, TP_E_DENIED, "forgetting samples needs the right to write");
    } else {
        tpi_lab_clear(lab);
        if (lab->measures) {
            send_request(c, device, "STOP", "");
        } else {
            tpi_web_answer_result(c);
        }
    }
}

/* A number of the query; false if it is none. */
static bool number_of(tpi_span query, const char *name, double *out)
{
    char text[TPI_LAB_NAME] = "";

    return tpi_http_parameter(text, sizeof text, query, name) && text[0] != '\0' &&
           tpi_number_read_f64(text, strlen(text), out) == strlen(text) && isfinite(*out);
}

/* Write a setting; whether that was begun. Samples are written by the sensor only. */
static bool set(struct connection *c, const tpi_lab *lab, const struct web_device *device,
                tpi_span query)
{
    char name[TPI_LAB_NAME] = "", digits[TPI_NUMBER_SIZE], value[TPI_NUMBER_SIZE + 16];
    double number = 0;
    tp_error err = {.text = ""};

    (void)tpi_http_parameter(name, sizeof name, query, "buffer");
    const tpi_lab_setting *setting = tpi_lab_find_setting(lab, name);
    if (setting == NULL) {
        tpi_web_refuse(c, 400, "unknown",
                       "only settings are written: conversion.N, mode.N.NAME; /config lists them");
        return false;
    }
    if (!number_of(query, "value", &number)) {
        tpi_web_refuse(c, 400, "invalid", "value is a number");
        return false;
    }
    tpi_number_put_f64(digits, number);
    (void)snprintf(value, sizeof value, setting->is_text ? "{\"value\":\"%s\"}" : "{\"value\":%s}",
                   digits);
    tpi_web_http_wait(c, WAITS_PROPERTIES, ANSWER_S);
    const tp_status status =
        tpi_web_property_set(c->visitor, c, &device->addr, name, value, strlen(value), &err);
    if (status != TP_OK) {
        tpi_web_api_refuse(c, status, err.text);
    }
    return status == TP_OK;
}

/* The buttons of phyphox have numbers; here they are channels that wait for the trigger command. */
static void trigger(struct connection *c, const struct web_device *device, tpi_span query)
{
    double number = 0;
    char value[40];

    if (!number_of(query, "element", &number) || number < 0 || number > UINT8_MAX ||
        number != floor(number)) {
        tpi_web_refuse(c, 400, "invalid", "element is the number of a channel, or 0 for all");
        return;
    }
    (void)snprintf(value, sizeof value, "{\"channel\":%u}", (unsigned)number);
    send_request(c, device, "TRIGGER", value);
}

bool tpi_web_lab_control(struct connection *c, tpi_lab *lab, const struct web_device *device,
                         tpi_span query)
{
    char command[16] = "";

    (void)tpi_http_parameter(command, sizeof command, query, "cmd");
    if (strcmp(command, "start") == 0) {
        send_request(c, device, "LAUNCH", "");
    } else if (strcmp(command, "stop") == 0) {
        send_request(c, device, "STOP", "");
    } else if (strcmp(command, "clear") == 0) {
        clear(c, lab, device, query);
    } else if (strcmp(command, "set") == 0) {
        return set(c, lab, device, query);
    } else if (strcmp(command, "trigger") == 0) {
        trigger(c, device, query);
    } else {
        tpi_web_refuse(c, 400, "invalid", "cmd is start, stop, clear, set or trigger");
    }
    return false;
}
