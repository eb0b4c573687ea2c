/*
 * naming.c - what instances are called: their driver's name and the lowest number that is free.
 *
 * There may be thousands. The names that are taken are in a table, and of each driver it is known
 * up to which number all are. Instances are made on the loop and on the thread that loads a
 * configuration, so a lock protects the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/inside.h"

/* The numbers of one driver's instances. */
struct naming {
    char driver[LONGEST_DRIVER + 1];
    unsigned free_from; /* all below are taken */
    struct naming *next;
};

static struct naming *find_naming(const tpi_hub *hub, const char *driver)
{
    struct naming *naming = hub->namings;

    while (naming != NULL && strncmp(naming->driver, driver, LONGEST_DRIVER) != 0) {
        naming = naming->next;
    }
    return naming;
}

static struct naming *add_naming(tpi_hub *hub, const char *driver)
{
    struct naming *naming = calloc(1, sizeof *naming);

    if (naming != NULL) {
        (void)snprintf(naming->driver, sizeof naming->driver, "%s", driver);
        naming->next = hub->namings;
        hub->namings = naming;
    }
    return naming;
}

static tp_instance **bucket(tpi_hub *hub, const char *name)
{
    uint32_t sum = 0;

    for (; *name != '\0'; name++) {
        sum = (sum ^ (uint8_t)*name) * UINT32_C(16777619);
    }
    return &hub->named[(sum ^ sum >> 15) % NAME_BUCKETS];
}

static bool is_taken(tpi_hub *hub, const char *name)
{
    const tp_instance *other = *bucket(hub, name);

    while (other != NULL && strcmp(other->name, name) != 0) {
        other = other->naming.next;
    }
    return other != NULL;
}

static void add(tp_instance *self, struct naming *naming)
{
    tp_instance **first = bucket(self->hub, self->name);

    self->naming.next = *first;
    self->naming.named = true;
    *first = self;
    naming->free_from += naming->free_from == self->naming.number;
}

static tp_status choose(tp_instance *self)
{
    const char *driver = tpi_instance_driver_name(self);
    struct naming *naming = find_naming(self->hub, driver);

    (void)snprintf(self->name, sizeof self->name, "%.*s", LONGEST_DRIVER, driver);
    if (naming == NULL && (naming = add_naming(self->hub, driver)) == NULL) {
        return TP_E_NOMEM;
    }
    self->naming.number = naming->free_from;
    (void)snprintf(self->name, sizeof self->name, "%s%u", naming->driver, self->naming.number);
    while (is_taken(self->hub, self->name)) {
        self->naming.number++;
        (void)snprintf(self->name, sizeof self->name, "%s%u", naming->driver, self->naming.number);
    }
    (void)snprintf(self->label, sizeof self->label, "the driver %s", self->name);
    add(self, naming);
    return TP_OK;
}

tp_status tpi_naming_choose(tp_instance *self)
{
    tpi_lock_take(self->hub->naming_lock);
    const tp_status status = choose(self);
    tpi_lock_give(self->hub->naming_lock);
    return status;
}

static void take_back(tp_instance *self)
{
    struct naming *naming = find_naming(self->hub, tpi_instance_driver_name(self));
    tp_instance **at = bucket(self->hub, self->name);

    while (*at != self) {
        at = &(*at)->naming.next;
    }
    *at = self->naming.next;
    naming->free_from =
        self->naming.number < naming->free_from ? self->naming.number : naming->free_from;
    self->naming.named = false;
}

void tpi_naming_remove(tp_instance *self)
{
    if (self->naming.named) {
        tpi_lock_take(self->hub->naming_lock);
        take_back(self);
        tpi_lock_give(self->hub->naming_lock);
    }
}

tp_status tpi_naming_init(tpi_hub *hub, tp_error *err)
{
    return tpi_lock_create(&hub->naming_lock, err);
}

void tpi_naming_fini(tpi_hub *hub)
{
    tpi_lock_destroy(hub->naming_lock);
    while (hub->namings != NULL) {
        struct naming *next = hub->namings->next;
        free(hub->namings);
        hub->namings = next;
    }
}
