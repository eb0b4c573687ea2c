/*
 * roll.c - whether instances may be exchanged: no address twice, no frames that sit in each other.
 *
 * The check works on a copy of what counts of the registered devices. So it can run on the thread
 * that loads a configuration, while the loop goes on.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"

/* What counts of one device. */
struct line {
    tp_devaddr addr;
    const tp_instance *instance; /* borrowed, and only compared */
    char frame[PLACE_NAME];
    char parent[PLACE_NAME];
};

struct tpi_roll {
    size_t count;
    struct line lines[];
};

/* ---- The copy -------------------------------------------------------------------------------- */

tp_status tpi_roll_create(tpi_roll **out, const tpi_hub *hub, tp_error *err)
{
    const size_t size = sizeof(tpi_roll) + hub->device_count * sizeof(struct line);
    tpi_roll *roll = malloc(size);

    assert(hub_is_current(hub));
    if (roll == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    roll->count = hub->device_count;
    for (size_t i = 0; i < roll->count; i++) {
        const tp_device *device = hub->devices[i];
        struct line *line = &roll->lines[i];
        line->addr = device->addr;
        line->instance = device->instance;
        memcpy(line->frame, device->frame.name, PLACE_NAME);
        memcpy(line->parent, device->frame.parent, PLACE_NAME);
    }
    *out = roll;
    return TP_OK;
}

void tpi_roll_destroy(tpi_roll *roll)
{
    free(roll);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The lines that count, found by address and by the name of their frame. */
struct tables {
    const struct line **lines; /* owned; the lines are borrowed */
    size_t count;
    const struct line **by_address; /* owned, as the next: open addressing */
    const struct line **by_name;
    size_t mask;
};

static tp_status init_tables(struct tables *t, size_t most, tp_error *err)
{
    size_t size = 64;

    while (size < 2 * most) {
        size *= 2;
    }
    t->mask = size - 1;
    t->lines = calloc(most + 1, sizeof(const struct line *));
    t->by_address = calloc(size, sizeof(const struct line *));
    t->by_name = calloc(size, sizeof(const struct line *));
    return t->lines == NULL || t->by_address == NULL || t->by_name == NULL
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : TP_OK;
}

static void fini_tables(struct tables *t)
{
    free((void *)t->lines);
    free((void *)t->by_address);
    free((void *)t->by_name);
}

static const struct line **at_address(const struct tables *t, const tp_devaddr *addr)
{
    const uint32_t sum = (addr->robot * 31 + addr->interf) * 65599 + addr->index;
    size_t i = (sum * UINT32_C(2654435769) >> 7) & t->mask;

    while (t->by_address[i] != NULL && (t->by_address[i]->addr.robot != addr->robot ||
                                        t->by_address[i]->addr.interf != addr->interf ||
                                        t->by_address[i]->addr.index != addr->index)) {
        i = (i + 1) & t->mask;
    }
    return &t->by_address[i];
}

static const struct line **at_name(const struct tables *t, unsigned robot, const char *name)
{
    size_t i = tpi_device_index_hash(robot, name) & t->mask;

    while (t->by_name[i] != NULL &&
           (t->by_name[i]->addr.robot != robot || strcmp(t->by_name[i]->frame, name) != 0)) {
        i = (i + 1) & t->mask;
    }
    return &t->by_name[i];
}

/* Of several frames that are called the same the first one counts. */
static void put(struct tables *t, const struct line *line)
{
    const struct line **address = at_address(t, &line->addr);
    const struct line **name = at_name(t, line->addr.robot, line->frame);

    *address = *address == NULL ? line : *address;
    *name = *name == NULL ? line : *name;
    t->lines[t->count++] = line;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static size_t count_devices(const tp_instance *instance)
{
    size_t count = 0;

    for (const tp_device *device = instance->devices; device != NULL; device = device->next) {
        count++;
    }
    return count;
}

static tp_status check_addresses(const struct tables *t, const tp_instance *instance, tp_error *err)
{
    for (const tp_device *device = instance->devices; device != NULL; device = device->next) {
        if (*at_address(t, &device->addr) != NULL) {
            return tp_fail(err, TP_E_EXISTS, "%s is offered by another driver already",
                           device->name);
        }
    }
    return TP_OK;
}

/* Frames that sit in each other are a way up without an end. */
static tp_status check_frame(const struct tables *t, const struct line *line, tp_error *err)
{
    const struct line *at = *at_name(t, line->addr.robot, line->frame);
    size_t steps = 0;

    while (at != NULL && steps++ <= t->count) {
        at = *at_name(t, line->addr.robot, at->parent);
    }
    return at == NULL ? TP_OK
                      : tp_fail(err, TP_E_INVALID, "the frames \"%s\" and \"%s\" sit in each other",
                                line->frame, line->parent);
}

/* `lines` has room for its devices. */
static tp_status check_coming(struct tables *t, const tp_instance *instance, struct line *lines,
                              tp_error *err)
{
    tp_status status = check_addresses(t, instance, err);
    size_t count = 0;

    for (const tp_device *device = instance->devices; device != NULL && status == TP_OK;
         device = device->next) {
        struct line *line = &lines[count++];
        tp_geometry geometry;
        tpi_geometry_now(device, &geometry);
        line->addr = device->addr;
        line->instance = instance;
        memcpy(line->frame, geometry.frame, strlen(geometry.frame) + 1);
        memcpy(line->parent, geometry.parent, strlen(geometry.parent) + 1);
        put(t, line);
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = check_frame(t, &lines[i], err);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, instance->name);
}

static int compare_instances(const void *a, const void *b)
{
    const tp_instance *const *x = a;
    const tp_instance *const *y = b;

    return ((uintptr_t)*x > (uintptr_t)*y) - ((uintptr_t)*x < (uintptr_t)*y);
}

/* Those that stay. */
static tp_status put_staying(struct tables *t, const tpi_roll *roll, const tpi_exchange *e,
                             tp_error *err)
{
    const size_t size = sizeof(tp_instance *);
    const tp_instance **leaving = calloc(e->leaving_count + 1, size);

    if (leaving == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < e->leaving_count; i++) {
        leaving[i] = e->leaving[i];
    }
    qsort((void *)leaving, e->leaving_count, size, compare_instances);
    for (size_t i = 0; i < roll->count; i++) {
        const struct line *line = &roll->lines[i];
        if (bsearch((const void *)&line->instance, (const void *)leaving, e->leaving_count, size,
                    compare_instances) == NULL) {
            put(t, line);
        }
    }
    free((void *)leaving);
    return TP_OK;
}

static tp_status check(struct tables *t, const tpi_exchange *e, struct line *lines, size_t *wrong,
                       tp_error *err)
{
    tp_status status = TP_OK;
    size_t used = 0;

    for (*wrong = 0; *wrong < e->coming_count; (*wrong)++) {
        status = check_coming(t, e->coming[*wrong], lines + used, err);
        if (status != TP_OK) {
            return status;
        }
        used += count_devices(e->coming[*wrong]);
    }
    return TP_OK;
}

tp_status tpi_roll_check(const tpi_roll *roll, const tpi_exchange *exchange, size_t *wrong,
                         tp_error *err)
{
    struct tables t = {0};
    size_t more = 0;
    size_t ignored;

    for (size_t i = 0; i < exchange->coming_count; i++) {
        more += count_devices(exchange->coming[i]);
    }
    wrong = wrong == NULL ? &ignored : wrong;
    *wrong = exchange->coming_count;
    struct line *lines = calloc(more + 1, sizeof *lines);
    tp_status status = init_tables(&t, roll->count + more, err);
    status = lines == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : status;
    status = status == TP_OK ? put_staying(&t, roll, exchange, err) : status;
    status = status == TP_OK ? check(&t, exchange, lines, wrong, err) : status;
    free(lines);
    fini_tables(&t);
    return status;
}

tp_status tpi_hub_check(tpi_hub *hub, const tpi_exchange *exchange, size_t *wrong, tp_error *err)
{
    tpi_roll *roll = NULL;
    tp_status status = tpi_roll_create(&roll, hub, err);

    status = status == TP_OK ? tpi_roll_check(roll, exchange, wrong, err) : status;
    tpi_roll_destroy(roll);
    return status;
}
