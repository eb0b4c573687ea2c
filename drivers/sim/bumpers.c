/* bumpers.c - bumper: what touches a robot. Buttons are in senses.c. */
#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/bumper.h"

struct bumper {
    tp_bumper_define defines[TPI_SIM_MOST_BUMPERS]; /* room for an answer */
    uint8_t pressed[TPI_SIM_MOST_BUMPERS];          /* as counted last */
};

static const tp_property_plan bumps = {
    .key = "bumps",
    .type = TP_PROPERTY_DOUBLE,
    .unit = "",
    .doc = "Counter: how often something touched a bumper.",
};

static tp_status bumper_begin(simd_device *d, tp_error *err)
{
    return tp_device_add_counter(d->device, &bumps, err);
}

/* Each bumper that was free before counts once. */
static void count_bumps(simd_device *d, const tpi_sim_bumpers *bumpers)
{
    struct bumper *b = d->state;
    uint32_t more = 0;

    for (uint32_t i = 0; i < bumpers->count; i++) {
        more += bumpers->pressed[i] != 0 && b->pressed[i] == 0;
        b->pressed[i] = bumpers->pressed[i];
    }
    tp_device_count(d->device, bumps.key, more);
}

static void bumper_publish(simd_device *d)
{
    tpi_sim_bumpers bumpers;

    if (tpi_sim_get_bumpers(d->owner->world, d->model, &bumpers, NULL) != TP_OK ||
        !tpi_simd_is_new(d, bumpers.time_us)) {
        return;
    }
    count_bumps(d, &bumpers);
    const tp_bumper_data data = {.bumpers_count = bumpers.count,
                                 .bumpers = (uint8_t *)(uintptr_t)bumpers.pressed};
    tp_publish(d->device, TP_BUMPER_DATA_STATE, &data, (double)bumpers.time_us / 1e6);
}

static tp_status bumper_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    simd_device *d = simd_of(device);
    struct bumper *room = d->state;
    const tpi_sim_pose base = tpi_sim_pose_on_root(d->owner->world, d->model);
    tpi_sim_bumpers bumpers;
    tp_status status = tpi_sim_get_bumpers(d->owner->world, d->model, &bumpers, err);

    for (uint32_t i = 0; status == TP_OK && i < bumpers.count; i++) {
        tpi_sim_bumper bumper;
        status = tpi_sim_get_bumper(d->owner->world, d->model, i, &bumper, err);
        if (status == TP_OK) {
            const tpi_sim_pose pose = tpi_sim_compose(&base, &bumper.pose);
            room->defines[i] =
                (tp_bumper_define){.pose = tpi_simd_pose3d(&pose), .length = (float)bumper.length};
        }
    }
    if (status == TP_OK) {
        answer->bumper_def_count = bumpers.count;
        answer->bumper_def = room->defines;
    }
    return status;
}

static const tp_bumper_ops bumper_ops = {.req_get_geom = bumper_geom};

const simd_kind tpi_simd_bumpers[] = {
    {
        .interface = &tp_interface_bumper,
        .ops = &bumper_ops,
        .models = SIMD_MODEL(BUMPER),
        .state_size = sizeof(struct bumper),
        .begin = bumper_begin,
        .publish = bumper_publish,
    },
    {0},
};
