/*
 * owed.c - stops of devices that are not running on the other server; see relay.h.
 *
 * A driver that has lost its line is not running, and what it has set in motion may go on. Its
 * server writes the stop when the line is back, and names the driver until then in its state of
 * panic, also without a panic. So that state is asked for until the driver is not in it, or until
 * the device is open again and answers.
 */
#include <stdio.h>
#include <string.h>

#include "relay.h"
#include "troupe/interfaces/player.h"

static const int64_t ASK_AGAIN_NS = TP_NS_PER_S / 2;

/* Whether a list of drivers has one that the reason is about: the reason why a device cannot be
 * opened names its driver. An entry is a name, and can have a cause in parentheses. */
static bool names(const char *list, const char *why)
{
    char name[64];

    for (const char *at = list; at != NULL && *at != '\0';) {
        const int length = (int)strcspn(at, " ,");
        const int written = snprintf(name, sizeof name, "%.*s: ", length, at);
        if (length > 0 && written < (int)sizeof name && strstr(why, name) != NULL) {
            return true;
        }
        at = strstr(at, ", ");
        at = at != NULL ? at + 2 : NULL;
    }
    return false;
}

/* A child has one driver. Of a server whose reason is not known yet, any driver counts. */
static bool is_lost(const struct joint *joint, const tp_panic_state *state)
{
    const char *cause = tpi_remote_joint_cause(joint);
    char list[512];

    snprintf(list, sizeof list, "%.*s", (int)state->owing_count, state->owing);
    return list[0] != '\0' && (joint->relay->of_child || cause[0] == '\0' || names(list, cause));
}

/* The operator receives the cause; a panic names it too. */
static void tell(struct relay *relay, const struct joint *away)
{
    const char *own = tp_instance_name(relay->self);
    const char *cause = away == NULL                              ? ""
                        : tpi_remote_joint_cause(away)[0] != '\0' ? tpi_remote_joint_cause(away)
                                                                  : "a line is lost";
    const bool named = strncmp(cause, own, strlen(own)) == 0 && cause[strlen(own)] == ':';

    snprintf(relay->owed, sizeof relay->owed, "%s", named ? cause + strlen(own) + 2 : cause);
    tpi_remote_relay_judge(relay);
}

static void owed_answered(void *context, tp_proxy *none, tp_status status, const tp_msg *answer,
                          const char *why)
{
    struct relay *relay = context;
    const tp_panic_state *state = status == TP_OK && answer != NULL ? tp_msg_payload(answer) : NULL;
    const struct joint *away = NULL;

    (void)none;
    (void)why;
    relay->asks = false;
    for (size_t i = 0; i < relay->joint_count; i++) {
        struct joint *joint = &relay->joints[i];
        if (joint->away && state != NULL && !is_lost(joint, state)) {
            tpi_remote_joint_has_stopped(joint);
        }
        away = joint->away ? joint : away;
    }
    tell(relay, away);
    if (away != NULL && status != TP_E_CLOSED) { /* else its devices tell when it is back */
        tp_timer_at(relay->again, tp_clock_now_ns(tp_instance_clock(relay->self)) + ASK_AGAIN_NS);
    }
}

void tpi_remote_relay_ask_owed(void *relay)
{
    struct relay *of = relay;

    if (!of->asks && of->client != NULL) {
        of->asks = tp_client_request_later(of->client, TP_PLAYER_REQ_GET_PANIC, NULL,
                                           of->timeout_ns, owed_answered, of, NULL) == TP_OK;
    }
}

void tpi_remote_joint_is_away(struct joint *joint)
{
    if (!tp_client_is_troupe(joint->relay->client)) {
        tpi_remote_joint_has_stopped(joint); /* a Player server does not tell */
        return;
    }
    joint->away = true;
    tpi_remote_relay_ask_owed(joint->relay);
}
