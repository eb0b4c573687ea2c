/* send_hold.c - what troupe send has of a device: access, rank and lease, and for how long. */
#include <string.h>

#include "base/text.h"
#include "send.h"

/* ---- What is granted ------------------------------------------------------------------------- */

/* A server gives no more than its configuration allows, and does not say no. */
static int tell_granted(struct send *s)
{
    static char nobody[] = "";
    const tp_lease ask = {.mover_count = sizeof nobody, .mover = nobody};
    const void *answer = NULL;
    tp_error err = {0};

    if (tp_proxy_request(s->proxy, TP_COMMON_REQ_LEASE, &ask, &answer, &err) != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    const tp_lease *granted = answer;
    if (s->lease_s > 0 && granted->duration > 0 && granted->duration < s->lease_s) {
        command_fail(s->remote.command, EXIT_DONE,
                     "%s gives a lease of %g s at most, not %g s: that is what it has now",
                     s->device.name, granted->duration, s->lease_s);
    }
    if (s->has_rank && granted->rank < s->rank) {
        command_fail(s->remote.command, EXIT_DONE,
                     "%s gives a rank of %ld at most, not %ld: that is what it has now",
                     s->device.name, (long)granted->rank, (long)s->rank);
    }
    return EXIT_DONE;
}

static int set_lease(struct send *s)
{
    tp_error err = {0};
    tp_status status = TP_OK;

    if (s->has_rank) {
        status = tp_proxy_set_rank(s->proxy, (int)s->rank, &err);
    }
    if (status == TP_OK && s->lease_s > 0) {
        status = tp_proxy_set_lease(s->proxy, s->lease_s, &err);
    }
    if (status != TP_OK) {
        return command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    }
    return s->has_rank || s->lease_s > 0 ? tell_granted(s) : EXIT_DONE;
}

int send_open(struct send *s)
{
    const unsigned access = s->exclusive ? TP_EXCLUSIVE_MODE : TP_WRITE_MODE;
    const int result = remote_open(&s->remote, &s->device, access, &s->proxy);

    return result == EXIT_DONE ? set_lease(s) : result;
}

/* ---- What it is worth ------------------------------------------------------------------------ */

static bool is_other_than_zero(const tp_field *field, const char *at)
{
    double wide = 0;
    float narrow = 0;

    if (field->type == TP_TYPE_F64) {
        memcpy(&wide, at, sizeof wide);
    } else if (field->type == TP_TYPE_F32) {
        memcpy(&narrow, at, sizeof narrow);
    }
    return wide != 0 || narrow != 0;
}

static bool has_other_than_zero(const tp_struct *type, const char *value)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const char *at = value + field->offset;
        if (field->shape != TP_SHAPE_ONE || is_other_than_zero(field, at) ||
            (field->type == TP_TYPE_STRUCT && has_other_than_zero(field->of, at))) {
            return true;
        }
    }
    return false;
}

/* The unit that tells what a value is about: its first that measures something; NULL if none does.
 */
static const char *first_measure(const tp_struct *type)
{
    static const char *const no_measures[] = {"1", "bool", "count", "id", NULL};
    const char *unit = NULL;

    for (uint32_t i = 0; type != NULL && i < type->field_count && unit == NULL; i++) {
        const tp_field *field = &type->fields[i];
        unit = field->unit == NULL && field->of != NULL ? first_measure(field->of) : field->unit;
        unit = unit != NULL && tpi_text_among(no_measures, unit) ? NULL : unit;
    }
    return unit;
}

/* Whether a command sets something in motion: one whose measures are all zero stops it. */
static bool sets_in_motion(const struct send *s)
{
    const tp_struct *type = s->message->ask;

    return first_measure(type) == NULL || has_other_than_zero(type, s->value);
}

/* What goes somewhere may be there already; a speed or a current holds until told otherwise. */
static bool ends_by_itself(const struct send *s)
{
    static const char *const places[] = {"m", "rad", "m|rad", NULL};
    const char *unit = first_measure(s->message->ask);

    return unit == NULL || tpi_text_among(places, unit);
}

void send_hint(const struct send *s)
{
    if (s->message->effect == TP_EFFECT_MOVES && s->repeat_hz == 0 && s->for_s == 0 &&
        tp_client_is_troupe(s->remote.client) && sets_in_motion(s)) {
        command_fail(s->remote.command, EXIT_DONE,
                     "%s is closed again, which stops what %s has begun%s: --for SECONDS keeps it "
                     "open",
                     s->device.name, s->message->name,
                     ends_by_itself(s) ? ", if it is still on its way" : "");
    }
}
