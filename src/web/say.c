/* say.c - see say.h. */
#include "web/say.h"

#include <string.h>

static const struct {
    const char *name;
    tpi_say_op op;
    const char *list; /* the member that is its list; NULL for none */
} ops[] = {
    {"subscribe", TPI_SAY_SUBSCRIBE, "subscriptions"},
    {"unsubscribe", TPI_SAY_UNSUBSCRIBE, "subscriptionIds"},
    {"advertise", TPI_SAY_ADVERTISE, "channels"},
    {"unadvertise", TPI_SAY_UNADVERTISE, "channelIds"},
    {"getParameters", TPI_SAY_GET_PARAMETERS, "parameterNames"},
    {"setParameters", TPI_SAY_SET_PARAMETERS, "parameters"},
    {"subscribeParameterUpdates", TPI_SAY_WATCH_PARAMETERS, "parameterNames"},
    {"unsubscribeParameterUpdates", TPI_SAY_FORGET_PARAMETERS, "parameterNames"},
    {"subscribeConnectionGraph", TPI_SAY_WATCH_GRAPH, NULL},
    {"unsubscribeConnectionGraph", TPI_SAY_FORGET_GRAPH, NULL},
    {"auth", TPI_SAY_AUTH, NULL},
    {"challenge", TPI_SAY_CHALLENGE, NULL},
    {"prove", TPI_SAY_PROVE, NULL},
    {"ping", TPI_SAY_PING, NULL},
    {"panic", TPI_SAY_PANIC, NULL},
    {"state", TPI_SAY_STATE, NULL},
};

enum { OPS = sizeof ops / sizeof ops[0] };

static bool read_string(tpi_json *json, tpi_json_span *out)
{
    return tpi_json_peek(json) == TPI_JSON_STRING ? tpi_json_string(json, out)
                                                  : tpi_json_skip(json, NULL);
}

/* Keep what the members of a message are; the list is looked at later. */
static bool read_member(tpi_say *out, tpi_json *json, tpi_json_span name)
{
    if (tpi_json_is(name, "op")) {
        return tpi_json_string(json, &out->name);
    }
    if (tpi_json_is(name, "id")) {
        return read_string(json, &out->id);
    }
    if (tpi_json_is(name, "key") || tpi_json_is(name, "digest")) {
        return read_string(json, &out->secret);
    }
    if (tpi_json_is(name, "why")) {
        return read_string(json, &out->why);
    }
    return tpi_json_skip(json, NULL);
}

static bool find_list(tpi_say *out, const char *member, const char *text, size_t length)
{
    tpi_json json;
    tpi_json_span name, value;

    tpi_json_init(&json, text, length);
    (void)tpi_json_object(&json);
    while (tpi_json_member(&json, &name)) {
        if (!tpi_json_skip(&json, &value)) {
            return false;
        }
        if (tpi_json_is(name, member)) {
            tpi_json_init(&out->list, value.text, value.length);
            out->listed = tpi_json_array(&out->list);
        }
    }
    return out->listed;
}

tp_status tpi_say_read(tpi_say *out, const char *text, size_t length, tp_error *err)
{
    tpi_json json;
    tpi_json_span name;

    *out = (tpi_say){.op = TPI_SAY_UNKNOWN};
    tpi_json_init(&json, text, length);
    if (tpi_json_object(&json)) {
        while (tpi_json_member(&json, &name) && read_member(out, &json, name)) {
        }
    }
    const tp_status status = tpi_json_end(&json, err);
    if (status != TP_OK) {
        return status;
    }
    if (out->name.text == NULL) {
        return tp_fail(err, TP_E_INVALID, "a message has a member \"op\"");
    }
    for (size_t i = 0; i < OPS; i++) {
        if (tpi_json_is(out->name, ops[i].name)) {
            out->op = ops[i].op;
            if (ops[i].list != NULL && !find_list(out, ops[i].list, text, length)) {
                return tp_fail(err, TP_E_INVALID, "%s has a list \"%s\"", ops[i].name, ops[i].list);
            }
        }
    }
    return TP_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool read_number(tpi_json *json, uint32_t *out)
{
    int64_t number;

    if (!tpi_json_i64(json, &number)) {
        return false;
    }
    if (number < 0 || number > UINT32_MAX) {
        return tpi_json_reject(json, "an id is a number from 0 to 4294967295");
    }
    *out = (uint32_t)number;
    return true;
}

static bool read_item_member(tpi_json *json, tpi_json_span name, tpi_say_item *item)
{
    if (tpi_json_is(name, "id")) {
        return read_number(json, &item->id);
    }
    if (tpi_json_is(name, "channelId")) {
        return read_number(json, &item->channel);
    }
    if (tpi_json_is(name, "rate")) {
        return tpi_json_f64(json, &item->rate);
    }
    if (tpi_json_is(name, "topic")) {
        return tpi_json_string(json, &item->topic);
    }
    if (tpi_json_is(name, "encoding")) {
        return tpi_json_string(json, &item->encoding);
    }
    if (tpi_json_is(name, "schemaName")) {
        return tpi_json_string(json, &item->schema);
    }
    if (tpi_json_is(name, "name")) {
        return tpi_json_string(json, &item->name);
    }
    return tpi_json_skip(json, tpi_json_is(name, "value") ? &item->value : NULL);
}

bool tpi_say_next(tpi_say *said, tpi_say_item *item)
{
    tpi_json *json = &said->list;
    tpi_json_span name;

    *item = (tpi_say_item){.id = 0};
    if (!said->listed || !tpi_json_element(json)) {
        return false;
    }
    switch (tpi_json_peek(json)) {
    case TPI_JSON_NUMBER:
        return read_number(json, &item->id);
    case TPI_JSON_STRING:
        return tpi_json_string(json, &item->name);
    case TPI_JSON_OBJECT:
        (void)tpi_json_object(json);
        while (tpi_json_member(json, &name) && read_item_member(json, name, item)) {
        }
        return !json->failed;
    default:
        return tpi_json_reject(json, "an element is a number, a name or an object");
    }
}

bool tpi_say_copy(char *out, size_t size, tpi_json_span raw)
{
    tpi_buf text = {0};
    bool fits = false;

    if (raw.text == NULL || raw.length > size * 6) {
        return false;
    }
    tpi_json_unescape(&text, raw);
    if (!text.failed && text.length < size &&
        memchr(tpi_buf_text(&text), '\0', text.length) == NULL) {
        memcpy(out, tpi_buf_text(&text), text.length);
        out[text.length] = '\0';
        fits = true;
    }
    tpi_buf_fini(&text);
    return fits;
}
