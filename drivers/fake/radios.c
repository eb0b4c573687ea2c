/*
 * radios.c - wifi, rfid, wsn and coopobject: what is received by radio.
 *
 * Stations, tags and nodes have the same addresses as long as the seed is the same.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/coopobject.h"
#include "troupe/interfaces/rfid.h"
#include "troupe/interfaces/wifi.h"
#include "troupe/interfaces/wsn.h"

/* ---- wifi: an access point and another client of it ------------------------------------------ */

enum { STATIONS = 2, TEXT_SIZE = 32 };

/* Write the hardware address of a station, 0 for the device itself. Returns its size with NUL. */
static uint32_t put_mac(const fake_device *d, unsigned station, void *text)
{
    fake_random random = {.state = d->origin + station};
    const unsigned long long bits = tpi_fake_random_bits(&random);

    return 1 + (uint32_t)snprintf(text, TEXT_SIZE, "02:%02llx:%02llx:%02llx:%02llx:%02llx",
                                  bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24 & 255,
                                  bits >> 32 & 255);
}

static tp_wifi_link hear_station(fake_device *d, unsigned station)
{
    tp_wifi_link link = {
        .essid_count = sizeof "troupe",
        .essid = "troupe",
        .mode = station == 1 ? TP_WIFI_MODE_MASTER : TP_WIFI_MODE_INFRA,
        .freq = 2437,
        .encrypt = 1,
        .qual = 60 + tpi_fake_random_below(&d->random, 20),
        .level = 50 + tpi_fake_random_below(&d->random, 20),
        .noise = 5 + tpi_fake_random_below(&d->random, 5),
    };

    link.mac_count = put_mac(d, station, link.mac);
    link.ip_count = 1 + (uint32_t)snprintf((char *)link.ip, TEXT_SIZE, "192.168.1.%u", station);
    return link;
}

static void wifi_publish(fake_device *d)
{
    tp_wifi_link links[STATIONS] = {hear_station(d, 1), hear_station(d, 2)};
    tp_wifi_data data = {
        .links_count = STATIONS,
        .links = links,
        .throughput = 20000000,
        .bitrate = 54000000,
        .mode = TP_WIFI_MODE_INFRA,
        .qual_type = TP_WIFI_QUAL_REL,
        .maxqual = 100,
        .maxlevel = 100,
        .maxnoise = 100,
    };

    put_mac(d, 1, data.ap);
    tp_publish(d->device, TP_WIFI_DATA_STATE, &data, 0);
}

static tp_status wifi_mac(tp_device *device, tp_wifi_mac_req *answer, tp_error *err)
{
    (void)err;
    answer->mac_count = put_mac(fake_of(device), 0, answer->mac);
    return TP_OK;
}

static const tp_wifi_ops wifi_ops = {.req_mac = wifi_mac};

/* ---- rfid: one to three tags are in reach ---------------------------------------------------- */

enum { TAGS = 3, GUID_SIZE = 8 };

static void rfid_publish(fake_device *d)
{
    fake_random fixed = {.state = d->origin};
    char guids[TAGS][GUID_SIZE];
    tp_rfid_tag tags[TAGS];
    const tp_rfid_data data = {.tags_count = 1 + tpi_fake_random_below(&d->random, TAGS),
                               .tags = tags};

    for (size_t i = 0; i < TAGS; i++) {
        const uint64_t bits = tpi_fake_random_bits(&fixed);
        memcpy(guids[i], &bits, GUID_SIZE);
        tags[i] = (tp_rfid_tag){.type = 1, .guid_count = GUID_SIZE, .guid = guids[i]};
    }
    tp_publish(d->device, TP_RFID_DATA_TAGS, &data, 0);
}

/* ---- wsn: nodes that report to a base station ------------------------------------------------ */

enum { NODES = 3, NODE_TYPE = 132, BASE_STATION = 0 };

struct wsn {
    bool asleep[NODES];
    bool physical; /* numbers are in physical units, not those of a 10-bit converter */
};

static tp_wsn_node_data measure_node(fake_device *d, bool physical)
{
    return (tp_wsn_node_data){
        .light = (float)tpi_fake_measure(d, physical ? 300 : 150),
        .mic = (float)tpi_fake_measure(d, 480),
        .accel_x = (float)tpi_fake_measure(d, physical ? 0 : 500),
        .accel_y = (float)tpi_fake_measure(d, physical ? 0 : 500),
        .accel_z = (float)tpi_fake_measure(d, physical ? 9.81 : 550),
        .magn_x = physical ? 0.2f : 220,
        .magn_y = physical ? 0 : 210,
        .magn_z = physical ? -0.4f : 190,
        .temperature = (float)tpi_fake_measure(d, physical ? 21 : 510),
        .battery = (float)tpi_fake_measure(d, physical ? 3 : 490),
    };
}

static void wsn_publish(fake_device *d)
{
    const struct wsn *w = d->state;

    for (uint32_t i = 0; i < NODES; i++) {
        const tp_wsn_data data = {.node_type = NODE_TYPE,
                                  .node_id = i + 1,
                                  .node_parent_id = BASE_STATION,
                                  .data_packet = measure_node(d, w->physical)};
        if (!w->asleep[i]) {
            tp_publish(d->device, TP_WSN_DATA_STATE, &data, 0);
        }
    }
}

/* Nodes are numbered from 1; -1 is all of them. */
static tp_status wsn_power(tp_device *device, const tp_wsn_power_config *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);

    if (ask->node_id != -1 && (ask->node_id < 1 || ask->node_id > NODES)) {
        return tp_fail(err, TP_E_RANGE, "there is no node %d", ask->node_id);
    }
    for (int i = 0; i < NODES; i++) {
        if (ask->node_id == -1 || ask->node_id == i + 1) {
            w->asleep[i] = ask->value == 0;
        }
    }
    return TP_OK;
}

static tp_status wsn_datatype(tp_device *device, const tp_wsn_datatype_config *ask, tp_error *err)
{
    (void)err;
    ((struct wsn *)fake_state(device))->physical = ask->value != 0;
    return TP_OK;
}

static const tp_wsn_ops wsn_ops = {.req_power = wsn_power, .req_datatype = wsn_datatype};

/* ---- coopobject: objects in a row, 2 m apart, in front of the robot -------------------------- */

enum { OBJECTS = 3 };

struct objects {
    uint16_t next; /* number of the object that sends next, from 0 */
};

static void publish_readings(fake_device *d, const tp_coopobject_header *header)
{
    tp_coopobject_sensor readings[] = {
        {TP_COOPOBJECT_TEMPERATURE, (int16_t)(210 + tpi_fake_random_below(&d->random, 10))},
        {TP_COOPOBJECT_HUMIDITY, (int16_t)(400 + tpi_fake_random_below(&d->random, 50))},
    };
    const tp_coopobject_data_sensor data = {.header = *header, .data_count = 2, .data = readings};

    tp_publish(d->device, TP_COOPOBJECT_DATA_SENSOR, &data, 0);
}

/* Where the object is, and how strongly the robot receives it. */
static void publish_place(fake_device *d, const tp_coopobject_header *header)
{
    const tp_pose2d *robot = &d->owner->robot;
    const tp_coopobject_position place = {
        .header = *header, .x = 2, .y = 2 * ((float)header->id - 2)};
    const double range = hypot((double)place.x - robot->px, (double)place.y - robot->py);
    const tp_coopobject_rssi rssi = {
        .header = {.origin = TP_COOPOBJECT_ORIGIN_ROBOT},
        .sender_id = header->id,
        .rssi = (uint16_t)(200 / (1 + range)),
        .x = (float)robot->px,
        .y = (float)robot->py,
    };

    tp_publish(d->device, TP_COOPOBJECT_DATA_POSITION, &place, 0);
    tp_publish(d->device, TP_COOPOBJECT_DATA_RSSI, &rssi, 0);
}

static void objects_publish(fake_device *d)
{
    struct objects *o = d->state;
    const tp_coopobject_header header = {.origin = TP_COOPOBJECT_ORIGIN_MOTE,
                                         .id = (uint16_t)(o->next + 1)};

    o->next = (uint16_t)(header.id % OBJECTS);
    tp_publish(d->device, TP_COOPOBJECT_DATA_HEALTH, &header, 0);
    publish_readings(d, &header);
    publish_place(d, &header);
}

/* An object sends back what it receives. */
static tp_status objects_data(tp_device *device, const tp_coopobject_data_userdefined *ask,
                              tp_error *err)
{
    if (ask->header.id < 1 || ask->header.id > OBJECTS) {
        return tp_fail(err, TP_E_RANGE, "there is no object %u", ask->header.id);
    }
    return tp_publish(device, TP_COOPOBJECT_DATA_USERDEFINED, ask, 0);
}

static const tp_coopobject_ops objects_ops = {.cmd_data = objects_data};

const fake_kind tpi_fake_radios[] = {
    {
        .interface = &tp_interface_wifi,
        .ops = &wifi_ops,
        .publish = wifi_publish,
    },
    {
        .interface = &tp_interface_rfid,
        .size = {.sw = 0.1, .sl = 0.1, .sh = 0.03},
        .publish = rfid_publish,
    },
    {
        .interface = &tp_interface_wsn,
        .ops = &wsn_ops,
        .state_size = sizeof(struct wsn),
        .publish = wsn_publish,
    },
    {
        .interface = &tp_interface_coopobject,
        .ops = &objects_ops,
        .state_size = sizeof(struct objects),
        .publishes = 1u << TP_COOPOBJECT_DATA_RSSI | 1u << TP_COOPOBJECT_DATA_SENSOR |
                     1u << TP_COOPOBJECT_DATA_USERDEFINED | 1u << TP_COOPOBJECT_DATA_POSITION,
        .publish = objects_publish,
    },
    {0},
};
