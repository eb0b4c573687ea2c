/*
 * talk.c - commands to the robot, and the first words with it.
 *
 * A robot that waits for a program answers SYNC 0, 1 and 2 with the same; then it says what it is.
 * In a robot that is still open the same numbers mean other things, so it is closed first. The
 * speed of a serial line is tried: robots begin with 9600 and may have been told another.
 */
#include <stdio.h>
#include <string.h>

#include "p2os.h"

static const int64_t patience_ns = 500 * TP_NS_PER_MS;

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status send(tp_instance *self, const uint8_t *packet, size_t length, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);

    p->sent_ns = now_ns(self);
    return tp_port_write(p->port, packet, length, err);
}

tp_status tpi_p2os_say(tp_instance *self, uint8_t command, int argument, tp_error *err)
{
    uint8_t packet[P2OS_MOST_PACKET];

    return send(self, packet, tpi_p2os_command(packet, command, argument), err);
}

tp_status tpi_p2os_say_only(tp_instance *self, uint8_t command, tp_error *err)
{
    uint8_t packet[P2OS_MOST_PACKET];

    return send(self, packet, tpi_p2os_wrap(packet, &command, 1), err);
}

tp_status tpi_p2os_say_all(tp_instance *self, const uint8_t *payload, size_t length, tp_error *err)
{
    uint8_t packet[P2OS_MOST_PACKET];

    return send(self, packet, tpi_p2os_wrap(packet, payload, length), err);
}

/* The bytes that stop it: no velocity, STOP, and perhaps the end of the connection. */
static size_t stop_bytes(uint8_t *out, bool closes)
{
    static const uint8_t stop = P2OS_STOP, end = P2OS_CLOSE;
    size_t length = tpi_p2os_command(out, P2OS_VEL, 0);

    length += tpi_p2os_command(out + length, P2OS_RVEL, 0);
    length += tpi_p2os_wrap(out + length, &stop, 1);
    return closes ? length + tpi_p2os_wrap(out + length, &end, 1) : length;
}

void tpi_p2os_say_stop(tp_instance *self, bool closes)
{
    struct p2os *p = tp_instance_state(self);
    uint8_t bytes[4 * P2OS_MOST_PACKET];

    p->in_motion = false;
    (void)send(self, bytes, stop_bytes(bytes, closes), NULL);
}

/* A packet that was begun has at most nine bytes, or those of a text. */
static tp_status guard(struct p2os *p, tp_error *err)
{
    enum { LONGEST = 9 + P2OS_MOST_TEXT };
    uint8_t bytes[LONGEST + 4 * P2OS_MOST_PACKET] = {0};

    return tp_port_guard(p->port, bytes, LONGEST + stop_bytes(bytes + LONGEST, true), err);
}

/* ---- First words ----------------------------------------------------------------------------- */

/* Read until a packet that begins with this byte. TP_E_TIMEOUT if none comes in time. */
static tp_status await(tp_instance *self, uint8_t wanted, int64_t deadline_ns, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    uint8_t byte = 0;
    tp_status status = TP_OK;

    while (status == TP_OK) {
        status = tp_port_read_all(p->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK && tpi_p2os_read(&p->reader, byte) &&
            p->reader.bytes[P2OS_HEAD] == wanted) {
            return TP_OK;
        }
    }
    return status;
}

/* Three words, each answered with itself. */
static tp_status synchronize(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    tp_status status = TP_OK;

    tp_port_drain(p->port);
    p->reader = (struct p2os_reader){0};
    for (uint8_t word = 0; word < 3 && status == TP_OK; word++) {
        status = tpi_p2os_say_only(self, word, err);
        status = status == TP_OK ? await(self, word, now_ns(self) + patience_ns, err) : status;
    }
    return status;
}

/* A robot that somebody has left open is closed; to one that waits this means nothing. */
static tp_status close_first(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    uint8_t bytes[4 * P2OS_MOST_PACKET];
    uint8_t dropped[64];
    size_t length = 0;
    const int64_t deadline_ns = now_ns(self) + patience_ns / 5;
    tp_status status = send(self, bytes, stop_bytes(bytes, true), err);

    while (status == TP_OK) {
        status = tp_port_read(p->port, dropped, sizeof dropped, &length, deadline_ns, err);
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status find_robot(tp_instance *self, tp_error *err)
{
    static const unsigned usual[] = {9600, 38400, 19200, 115200, 57600, 0};
    struct p2os *p = tp_instance_state(self);
    const unsigned given[] = {p->plan.baud, p->plan.baud, 0};
    tp_status status = TP_E_TIMEOUT;

    for (const unsigned *baud = p->plan.baud != 0 ? given : usual; *baud != 0; baud++) {
        status = tp_port_set_baud(p->port, *baud, err);
        status = status == TP_OK ? close_first(self, err) : status;
        status = status == TP_OK ? synchronize(self, err) : status;
        if (status != TP_E_TIMEOUT) {
            return status;
        }
    }
    return tp_fail(err, TP_E_TIMEOUT,
                   "%s: no robot answers: is it switched on, and does no other program use it?",
                   tp_port_url(p->port));
}

/* A text of the payload from `at` on, which may lack its end; where the next begins. */
static size_t take_text(const struct p2os_reader *reader, size_t at, char *out, size_t size)
{
    const size_t end = P2OS_HEAD + tpi_p2os_payload(reader);
    size_t length = 0;

    for (; at < end && reader->bytes[at] != '\0'; at++) {
        const uint8_t byte = reader->bytes[at];
        if (length + 1 < size) {
            out[length++] = byte >= ' ' && byte <= '~' ? (char)byte : '?';
        }
    }
    out[length] = '\0';
    return at < end ? at + 1 : at;
}

/* Its last answer has three texts: name, class and subclass. */
static void identify(tp_instance *self)
{
    struct p2os *p = tp_instance_state(self);
    char class[24];
    char make[24];
    char note[P2OS_MOST_LABEL + 128];
    char name[24];
    size_t at = take_text(&p->reader, P2OS_HEAD + 1, name, sizeof name);

    at = take_text(&p->reader, at, class, sizeof class);
    (void)take_text(&p->reader, at, make, sizeof make);
    (void)snprintf(p->label, sizeof p->label, "%s %s", class, make);
    p->model = p->plan.model != NULL ? p->plan.model : tpi_p2os_model_named(make);
    if (p->model == NULL) {
        p->model = tpi_p2os_usual_model;
        (void)snprintf(note, sizeof note,
                       "the robot calls itself \"%s\", which is not known here: taken for a %s; "
                       "`model` names another of %s",
                       p->label, p->model->name, tpi_p2os_model_names);
        tp_instance_note(self, note);
    }
}

static int degrees(double radians)
{
    return (int)(radians * 180 / 3.14159265358979323846 + 0.5);
}

/* What the configuration wants of it; 0 leaves its own. */
static tp_status set_up(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const struct p2os_plan *plan = &p->plan;
    const struct {
        uint8_t command;
        int argument;
        bool wanted;
    } words[] = {
        {P2OS_SETV, (int)(plan->max_speed * 1000 + 0.5), true},
        {P2OS_SETRV, degrees(plan->max_turn), true},
        {P2OS_SETA, (int)(plan->acceleration * 1000 + 0.5), plan->acceleration > 0},
        {P2OS_SETA, -(int)(plan->deceleration * 1000 + 0.5), plan->deceleration > 0},
        {P2OS_SETRA, degrees(plan->turn_acceleration), plan->turn_acceleration > 0},
        {P2OS_BUMPSTALL, plan->bumpstall, plan->bumpstall >= 0},
        {P2OS_SONAR, p->sonar != NULL, true},
        {P2OS_ENABLE, p->vehicle != NULL, true},
    };
    tp_status status = tpi_p2os_say_only(self, P2OS_OPEN, err);

    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == TP_OK; i++) {
        status =
            words[i].wanted ? tpi_p2os_say(self, words[i].command, words[i].argument, err) : TP_OK;
    }
    return status;
}

tp_status tpi_p2os_connect(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const tp_port_settings settings = {.baud = p->plan.baud != 0 ? p->plan.baud : 9600};
    const char *url = p->url[0] != '\0' ? p->url : tp_param_string(self, "port");
    tp_status status =
        tp_port_open(&p->port, self, url, &settings, now_ns(self) + 5 * TP_NS_PER_S, err);

    status = status == TP_OK ? find_robot(self, err) : status;
    if (status == TP_OK) {
        identify(self);
        status = set_up(self, err);
        status = status == TP_OK ? tpi_p2os_start_extras(self, err) : status;
    }
    return status == TP_OK && p->vehicle != NULL ? guard(p, err) : status;
}
