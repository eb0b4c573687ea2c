/*
 * trouble.c - instances that do not do their work: they have failed, could not be started, or run
 * while what does the work for them is away.
 *
 * Why is remembered until they work again, for statistics. The owner of the server receives it once
 * when that begins and once when it is over, not at every attempt in between. All on the loop.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "device/inside.h"

static void tell(const tp_instance *self, const char *text)
{
    if (self->hub->failed != NULL) {
        self->hub->failed(self->hub->failed_context, self, text);
    }
}

void tpi_trouble_begins(tp_instance *self, const char *why, bool is_news)
{
    snprintf(self->trouble.cause, sizeof self->trouble.cause, "%s", why);
    if ((is_news || self->trouble.told[0] != '\0') && strcmp(self->trouble.told, why) != 0) {
        snprintf(self->trouble.told, sizeof self->trouble.told, "%s", why);
        tell(self, why);
    }
}

void tpi_trouble_is_over(tp_instance *self)
{
    char text[sizeof self->name + 32];

    self->trouble.cause[0] = '\0';
    if (self->trouble.told[0] != '\0') {
        self->trouble.told[0] = '\0';
        snprintf(text, sizeof text, "%s: works again", self->name);
        tell(self, text);
    }
}

const char *tpi_trouble_cause(const tp_instance *self)
{
    const size_t length = strlen(self->name);
    const bool named = strncmp(self->trouble.cause, self->name, length) == 0 &&
                       strncmp(self->trouble.cause + length, ": ", 2) == 0;

    return named ? self->trouble.cause + length + 2 : self->trouble.cause;
}

void tp_instance_trouble(tp_instance *self, const char *why)
{
    tp_error err = {0};
    const bool was_troubled = self->trouble.is_on;

    assert(hub_is_current(self->hub));
    self->trouble.is_on = why != NULL;
    if (why != NULL) {
        tp_fail(&err, TP_E_DEVICE, "%s: %s", self->name, why);
        tpi_trouble_begins(self, err.text, true);
    } else if (was_troubled &&
               instance_phase(self) == RUNNING) { /* else it shows when it has started */
        tpi_trouble_is_over(self);
    }
}

void tp_instance_set_guards(tp_instance *self, uint32_t guards, uint32_t restarts)
{
    atomic_store(&self->lines.guarded, guards);
    atomic_store(&self->lines.guard_restarts, restarts);
}

bool tpi_trouble_is_on(const tp_instance *self)
{
    return self->trouble.is_on;
}

void tpi_trouble_clear(tp_instance *self)
{
    self->trouble.is_on = false;
}

const char *tpi_trouble_text(const tp_instance *self)
{
    return self->trouble.cause;
}
