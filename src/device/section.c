/*
 * section.c - what the configuration says about an instance beyond its parameters: the sections
 * that were joined, where it stands; and what the instance says to the operator.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "device/inside.h"

/* ---- Sections -------------------------------------------------------------------------------- */

size_t tp_section_count(const tp_instance *self)
{
    return 1 + (size_t)self->blueprint.joined_count;
}

const char *tp_section_string(const tp_instance *self, size_t section, const char *name)
{
    const tpi_joined *joined = section > 0 ? &self->blueprint.joined[section - 1] : NULL;

    for (uint32_t i = 0; joined != NULL && i < joined->setting_count; i++) {
        const tpi_setting *setting = &joined->settings[i];
        if (strcmp(setting->name, name) == 0) {
            return setting->value_count > 0 ? setting->values[0].text : "";
        }
    }
    const tpi_setting *fallback = joined != NULL ? tpi_param_fallback(self, name) : NULL;
    if (fallback != NULL) {
        return fallback->value_count > 0 ? fallback->values[0].text : "";
    }
    return tp_param_string(self, name);
}

void tp_section_blame(tp_instance *self, size_t section)
{
    if (self->building != NULL) {
        self->building->blamed = section;
    }
}

void tp_param_blame(tp_instance *self, const char *name)
{
    if (self->building != NULL) {
        self->building->blamed_param = name;
    }
}

/* ---- The instance ---------------------------------------------------------------------------- */

const char *tp_instance_folder(const tp_instance *self)
{
    return self->hub->lines.folder == NULL ? "" : self->hub->lines.folder;
}

void tp_instance_stay_on(tp_instance *self)
{
    self->blueprint.always_on = true;
}

void tpi_hub_set_note(tpi_hub *hub, void (*note)(void *context, const char *text), void *context)
{
    hub->note = note;
    hub->note_context = context;
}

void tpi_hub_note(const tpi_hub *hub, const char *text)
{
    if (hub->note != NULL) {
        hub->note(hub->note_context, text);
    }
}

static void tell(const tp_instance *self, const char *text)
{
    tpi_buf line = {0}; /* a list in a note may be long */

    tpi_buf_printf(&line, "%s: %s", self->name, text);
    if (self->building != NULL && self->building->note != NULL) {
        self->building->note(self->building->context, tpi_buf_text(&line));
    } else {
        tpi_hub_note(self->hub, tpi_buf_text(&line));
    }
    tpi_buf_fini(&line);
}

static void note_came(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, note.task));

    tell(self, self->note.text);
    atomic_store(&self->note.sent, false);
}

/* Keep a note for the loop. One that is too long ends visibly. */
static void keep_note(tp_instance *self, const char *text)
{
    char *kept = self->note.text;
    const size_t size = sizeof self->note.text;

    if ((size_t)snprintf(kept, size, "%s", text) >= size) {
        memcpy(kept + size - sizeof " ...", " ...", sizeof " ...");
    }
}

void tp_instance_note(tp_instance *self, const char *text)
{
    assert(instance_is_current(self));
    if (self->building != NULL || tp_loop_is_current(self->hub->loop)) {
        tell(self, text);
    } else if (!atomic_exchange(&self->note.sent, true)) {
        keep_note(self, text);
        self->note.task.run = note_came;
        tpi_loop_post(self->hub->loop, &self->note.task);
    }
}
