/* radios.c - wifi and gps: what is heard by radio. */
#include <math.h>
#include <string.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/wifi.h"

/* ---- wifi ------------------------------------------------------------------------------------ */

enum { LONGEST_TEXT = 32, MOST_QUALITY = 100 };

/* A text as bytes, cut to what a link has room for. */
static uint32_t to_bytes(const char *text, uint8_t bytes[LONGEST_TEXT])
{
    const size_t length = strlen(text);
    const size_t count = length < LONGEST_TEXT ? length : LONGEST_TEXT;

    memcpy(bytes, text, count);
    return (uint32_t)count;
}

/* From where nothing is heard to a very good link. */
static uint32_t quality(double level_dbm, double noise_dbm)
{
    return (uint32_t)fmin(fmax((level_dbm - noise_dbm) * 2, 0), MOST_QUALITY);
}

static tp_wifi_link to_link(const simd *s, const tpi_sim_link *from, double noise_dbm)
{
    tpi_sim_station station = {.mac = "", .ip = "", .essid = ""};
    tp_wifi_link link = {
        .mode = TP_WIFI_MODE_ADHOC,
        .qual = quality(from->level, noise_dbm),
        .level = (uint32_t)(int32_t)lrint(from->level),
        .noise = (uint32_t)(int32_t)lrint(noise_dbm),
    };

    (void)tpi_sim_get_station(s->world, from->model, &station, NULL);
    link.freq = (uint32_t)station.frequency;
    link.mac_count = to_bytes(station.mac, link.mac);
    link.ip_count = to_bytes(station.ip, link.ip);
    link.essid_count = to_bytes(station.essid, link.essid);
    return link;
}

static void wifi_publish(simd_device *d)
{
    tpi_sim_links seen;
    tp_wifi_link links[TPI_SIM_MOST_LINKS];

    if (tpi_sim_get_links(d->owner->world, d->model, &seen, NULL) != TP_OK ||
        !tpi_simd_is_new(d, seen.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < seen.count; i++) {
        links[i] = to_link(d->owner, &seen.items[i], seen.noise);
    }
    const tp_wifi_data data = {.links_count = seen.count,
                               .links = links,
                               .mode = TP_WIFI_MODE_ADHOC,
                               .qual_type = TP_WIFI_QUAL_DBM,
                               .maxqual = MOST_QUALITY};
    tp_publish(d->device, TP_WIFI_DATA_STATE, &data, (double)seen.time_us / 1e6);
}

static tp_status wifi_mac(tp_device *device, tp_wifi_mac_req *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_station station;
    tp_status status = tpi_sim_get_station(d->owner->world, d->model, &station, err);

    if (status == TP_OK) {
        answer->mac_count = to_bytes(station.mac, answer->mac);
    }
    return status;
}

static const tp_wifi_ops wifi_ops = {.req_mac = wifi_mac};

/* ---- gps ------------------------------------------------------------------------------------- */

enum { SATELLITES = 8, GOOD_DOP = 10 };

static void gps_publish(simd_device *d)
{
    tpi_sim_fix fix;

    if (tpi_sim_get_fix(d->owner->world, d->model, &fix, NULL) != TP_OK ||
        !tpi_simd_is_new(d, fix.time_us)) {
        return;
    }
    const tp_gps_data data = {
        .time_sec = (uint32_t)(fix.time_us / 1000000),
        .time_usec = (uint32_t)(fix.time_us % 1000000),
        .latitude = (int32_t)lrint(fix.latitude * 1e7),
        .longitude = (int32_t)lrint(fix.longitude * 1e7),
        .altitude = (int32_t)lrint(fix.altitude * 1e3),
        .speed = fix.speed,
        .course = fix.course,
        .utm_e = fix.utm_e,
        .utm_n = fix.utm_n,
        .quality = 1,
        .num_sats = SATELLITES,
        .hdop = GOOD_DOP,
        .vdop = GOOD_DOP,
        .err_horz = fix.error_horizontal,
        .err_vert = fix.error_vertical,
    };
    tp_publish(d->device, TP_GPS_DATA_STATE, &data, (double)fix.time_us / 1e6);
}

const simd_kind tpi_simd_radios[] = {
    {
        .interface = &tp_interface_wifi,
        .ops = &wifi_ops,
        .models = SIMD_MODEL(WIFI),
        .publish = wifi_publish,
    },
    {
        .interface = &tp_interface_gps,
        .models = SIMD_MODEL(GPS),
        .publish = gps_publish,
    },
    {0},
};
