/* front.c - an instance of a front, and what the front asks of it; see troupe/front.h. */
#include "session/front.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/params.h"
#include "platform/secret.h"
#include "session/session.h"

struct tp_front_instance {
    const tp_front *front; /* borrowed, as the two below */
    tp_hub *hub;
    tp_loop *loop;
    tpi_arena arena;         /* the copies of what the configuration says */
    tp_front_place place;    /* its text in the arena */
    tpi_params params;       /* in the arena */
    const char *blamed;      /* borrowed from the front; NULL for none */
    void *state;             /* owned */
    struct tpi_crowd *crowd; /* owned: its clients */
    void (*note)(void *context, const char *text);
    void *note_context; /* borrowed */
};

/* ---- Life ------------------------------------------------------------------------------------ */

static bool copy_values(tpi_arena *arena, const tpi_setting *from, tpi_setting *to)
{
    tpi_setting_value *values = tpi_arena_array(arena, from->value_count + 1, sizeof *values);
    bool copied = values != NULL;

    for (uint32_t i = 0; i < from->value_count && copied; i++) {
        values[i].number = from->values[i].number;
        values[i].text = tpi_arena_text(arena, from->values[i].text, strlen(from->values[i].text));
        copied = values[i].text != NULL;
    }
    to->name = copied ? tpi_arena_text(arena, from->name, strlen(from->name)) : NULL;
    to->values = values;
    to->value_count = from->value_count;
    return to->name != NULL;
}

static bool copy_settings(tp_front_instance *self, const tpi_front_opening *opening)
{
    tpi_setting *settings =
        tpi_arena_array(&self->arena, opening->setting_count + 1, sizeof *settings);
    bool copied = settings != NULL;

    for (uint32_t i = 0; i < opening->setting_count && copied; i++) {
        copied = copy_values(&self->arena, &opening->settings[i], &settings[i]);
    }
    self->params.given = settings;
    self->params.given_count = opening->setting_count;
    return copied;
}

static bool copy_opening(tp_front_instance *self, const tpi_front_opening *opening)
{
    const char *address = opening->place.address;
    tpi_setting *fallbacks = NULL;

    self->front = opening->front;
    self->hub = opening->hub;
    self->loop = opening->loop;
    self->crowd = tpi_crowd_create(self->hub, self->loop, strncmp(address, "udp:", 4) != 0);
    self->note = opening->note;
    self->note_context = opening->note_context;
    self->place = opening->place;
    self->place.address = tpi_arena_text(&self->arena, address, strlen(address));
    self->state = calloc(1, opening->front->state_size + 1);
    if (self->place.address == NULL || self->state == NULL || self->crowd == NULL ||
        !copy_settings(self, opening) ||
        tpi_params_cut(&self->arena, opening->front->params, &fallbacks,
                       &self->params.default_count) != TP_OK) {
        return false;
    }
    self->params.defaults = fallbacks;
    return true;
}

static void release(tp_front_instance *self)
{
    tpi_crowd_destroy(self->crowd);
    free(self->state);
    tpi_arena_fini(&self->arena);
    free(self);
}

/* An instance that is checked and not open. */
static tp_status create(tp_front_instance **out, const tpi_front_opening *opening,
                        const char **blamed, tp_error *err)
{
    tp_front_instance *self = calloc(1, sizeof *self);

    assert(tp_loop_is_current(opening->loop));
    if (self == NULL || !copy_opening(self, opening)) {
        if (self != NULL) {
            release(self);
        }
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status =
        opening->front->check != NULL ? opening->front->check(self, err) : TP_OK;
    if (status != TP_OK) {
        *blamed = self->blamed;
        release(self);
        return status;
    }
    *out = self;
    return TP_OK;
}

tp_status tpi_front_check(const tpi_front_opening *opening, const char **blamed, tp_error *err)
{
    tp_front_instance *self = NULL;
    const char *ignored;
    const tp_status status = create(&self, opening, blamed != NULL ? blamed : &ignored, err);

    if (status == TP_OK) {
        release(self);
    }
    return status;
}

tp_status tpi_front_open(tp_front_instance **out, const tpi_front_opening *opening,
                         const char **blamed, tp_error *err)
{
    tp_front_instance *self = NULL;
    const char *ignored;
    tp_status status = create(&self, opening, blamed != NULL ? blamed : &ignored, err);

    if (status != TP_OK) {
        return status;
    }
    if (tpi_clients_add_crowd(self->hub, self->crowd) != TP_OK) {
        release(self);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = opening->front->open(self, err);
    if (blamed != NULL) {
        *blamed = status == TP_OK ? NULL : self->blamed;
    }
    if (status != TP_OK) {
        tpi_front_close(self);
        return status;
    }
    *out = self;
    return TP_OK;
}

void tpi_front_close(tp_front_instance *self)
{
    if (self != NULL) {
        assert(tp_loop_is_current(self->loop));
        self->front->close(self);
        tpi_clients_remove_crowd(self->hub, self->crowd);
        release(self);
    }
}

unsigned tpi_front_port(const tp_front_instance *self)
{
    return self->front->bound(self);
}

bool tpi_front_speaks(const tp_front *front, const char *scheme)
{
    return tpi_text_among(front->schemes, scheme);
}

/* ---- What a front asks of it ----------------------------------------------------------------- */

void *tp_front_state(const tp_front_instance *self)
{
    return self->state;
}

tp_hub *tp_front_hub(const tp_front_instance *self)
{
    return self->hub;
}

tp_loop *tp_front_loop(const tp_front_instance *self)
{
    return self->loop;
}

const tp_front_place *tp_front_where(const tp_front_instance *self)
{
    return &self->place;
}

bool tp_front_is_local(const char *peer)
{
    return strncmp(peer, "127.", 4) == 0 || strncmp(peer, "[::1]", 5) == 0 ||
           strcmp(peer, "unix") == 0;
}

tp_status tp_front_session(tp_session **out, const tp_front_instance *self, const char *peer,
                           const tp_session_limits *limits, const tp_session_events *events,
                           void *context, tp_error *err)
{
    assert(tp_loop_is_current(self->loop));
    tp_status status =
        tp_session_create(out, self->hub, self->place.robot, limits, events, context, err);

    if (status != TP_OK) {
        return status;
    }
    tp_session_set_name(*out, peer);
    tp_session_set_local(*out, tp_front_is_local(peer));
    tp_session_set_reach(*out, self->place.reach);
    status = tpi_crowd_enter(self->crowd, *out, peer);
    if (status != TP_OK) {
        tp_session_destroy(*out);
        *out = NULL;
        return tp_fail(err, status, "out of memory");
    }
    return TP_OK;
}

bool tp_front_make_room(const tp_front_instance *self)
{
    assert(tp_loop_is_current(self->loop));
    return tpi_crowd_close_one(self->crowd);
}

const char *tp_front_string_at(const tp_front_instance *self, const char *name, size_t i)
{
    return tpi_params_text(&self->params, name, i);
}

double tp_front_double_at(const tp_front_instance *self, const char *name, size_t i)
{
    return tpi_params_number(&self->params, name, i);
}

const char *tp_front_string(const tp_front_instance *self, const char *name)
{
    return tp_front_string_at(self, name, 0);
}

double tp_front_double(const tp_front_instance *self, const char *name)
{
    return tp_front_double_at(self, name, 0);
}

int64_t tp_front_int(const tp_front_instance *self, const char *name)
{
    return tpi_params_whole(&self->params, name);
}

bool tp_front_bool(const tp_front_instance *self, const char *name)
{
    return tp_front_double_at(self, name, 0) != 0;
}

bool tp_front_given(const tp_front_instance *self, const char *name)
{
    return tpi_params_given(&self->params, name);
}

size_t tp_front_count(const tp_front_instance *self, const char *name)
{
    return tpi_params_count(&self->params, name);
}

void tp_front_blame(tp_front_instance *self, const char *name)
{
    self->blamed = name;
}

void tp_front_note(const tp_front_instance *self, const char *text)
{
    char whole[320];

    if (self->note != NULL) {
        (void)snprintf(whole, sizeof whole, "%s: %s", self->front->name, text);
        self->note(self->note_context, whole);
    }
}

tp_status tp_front_random(void *bytes, size_t length)
{
    return tpi_secret_random(bytes, length);
}
