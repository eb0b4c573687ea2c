/*
 * tags.c - rfid: readers of radio tags.
 *
 * POWER says neither on nor off, as Player has it: it switches the reader to what it is not. Tags
 * have no memory, so READTAG, WRITETAG and LOCKTAG, which carry nothing either, are refused.
 */
#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/rfid.h"

static void tags_publish(simd_device *d)
{
    tp_rfid_tag tags[TPI_SIM_MOST_TAGS];
    tpi_sim_tags seen;

    if (tpi_sim_get_tags(d->owner->world, d->model, &seen, NULL) != TP_OK ||
        !tpi_simd_is_new(d, seen.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < seen.count; i++) {
        tags[i] = (tp_rfid_tag){.type = seen.items[i].type,
                                .guid_count = seen.items[i].length,
                                .guid = (char *)(uintptr_t)seen.items[i].id};
    }
    const tp_rfid_data data = {.tags_count = seen.count, .tags = tags};
    tp_publish(d->device, TP_RFID_DATA_TAGS, &data, (double)seen.time_us / 1e6);
}

static tp_status tags_power(tp_device *device, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_tags seen;
    tp_status status = tpi_sim_get_tags(d->owner->world, d->model, &seen, err);

    return status == TP_OK ? tpi_sim_set_reader_power(d->owner->world, d->model, !seen.powered, err)
                           : status;
}

static const tp_rfid_ops tags_ops = {.req_power = tags_power};

const simd_kind tpi_simd_tags[] = {
    {
        .interface = &tp_interface_rfid,
        .ops = &tags_ops,
        .models = SIMD_MODEL(RFID_READER),
        .publish = tags_publish,
    },
    {0},
};
