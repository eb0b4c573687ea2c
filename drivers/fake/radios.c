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

enum { NODES = 3, NODE_TYPE = 132, BASE_STATION = 0, GROUP = 0 };
enum { LAMP, BUZZER, PARTS }; /* of a node, which its own sensors notice */

struct node {
    bool asleep;
    bool on[PARTS];
    double period_s; /* of its reports; 0 for that of the device */
    double next_s;
};

struct wsn {
    struct node nodes[NODES];
    bool physical; /* numbers are in physical units, not those of a 10-bit converter */
};

static tp_wsn_node_data measure_node(fake_device *d, const struct node *node, bool physical)
{
    const double lit = node->on[LAMP] ? 2 : 1;
    const double loud = node->on[BUZZER] ? 2 : 1;

    return (tp_wsn_node_data){
        .light = (float)tpi_fake_measure(d, lit * (physical ? 300 : 150)),
        .mic = (float)tpi_fake_measure(d, loud * 480),
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
    struct wsn *w = d->state;
    const double now_s = tpi_fake_time_s(d);

    for (uint32_t i = 0; i < NODES; i++) {
        struct node *node = &w->nodes[i];
        const tp_wsn_data data = {.node_type = NODE_TYPE,
                                  .node_id = i + 1,
                                  .node_parent_id = BASE_STATION,
                                  .data_packet = measure_node(d, node, w->physical)};
        if (!node->asleep && now_s >= node->next_s) {
            node->next_s = fmax(node->next_s, now_s - node->period_s) + node->period_s;
            tp_publish(d->device, TP_WSN_DATA_STATE, &data, 0);
        }
    }
}

/* Nodes are numbered from 1 and are in group 0; -1 is all of them. */
static tp_status check_nodes(int32_t id, int32_t group, tp_error *err)
{
    return (id == -1 || (id >= 1 && id <= NODES)) && (group == -1 || group == GROUP)
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no node %d in group %d", id, group);
}

static bool is_chosen(int32_t id, int i)
{
    return id == -1 || id == i + 1;
}

static tp_status wsn_power(tp_device *device, const tp_wsn_power_config *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    tp_status status = check_nodes(ask->node_id, ask->group_id, err);

    for (int i = 0; status == TP_OK && i < NODES; i++) {
        if (is_chosen(ask->node_id, i)) {
            w->nodes[i].asleep = ask->value == 0;
        }
    }
    return status;
}

static tp_status wsn_datafreq(tp_device *device, const tp_wsn_datafreq_config *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    const double most = fake_of(device)->owner->rate_hz;
    tp_status status = check_nodes(ask->node_id, ask->group_id, err);

    if (status == TP_OK && !(ask->frequency > 0 && ask->frequency <= most)) {
        return tp_fail(err, TP_E_RANGE,
                       "%g reports a second are not above 0 and up to %g, the rate", ask->frequency,
                       most);
    }
    for (int i = 0; status == TP_OK && i < NODES; i++) {
        if (is_chosen(ask->node_id, i)) {
            w->nodes[i].period_s = ask->frequency < most ? 1 / ask->frequency : 0;
            w->nodes[i].next_s = 0;
        }
    }
    return status;
}

static tp_status wsn_devstate(tp_device *device, const tp_wsn_cmd *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    tp_status status = check_nodes(ask->node_id, ask->group_id, err);

    if (status == TP_OK && ask->device >= PARTS) {
        return tp_fail(err, TP_E_RANGE, "there is no light or buzzer %u", ask->device);
    }
    for (int i = 0; status == TP_OK && i < NODES; i++) {
        if (is_chosen(ask->node_id, i)) {
            w->nodes[i].on[ask->device] = ask->enable != 0;
        }
    }
    return status;
}

static tp_status wsn_datatype(tp_device *device, const tp_wsn_datatype_config *ask, tp_error *err)
{
    (void)err;
    ((struct wsn *)fake_state(device))->physical = ask->value != 0;
    return TP_OK;
}

static const tp_wsn_ops wsn_ops = {
    .cmd_devstate = wsn_devstate,
    .req_power = wsn_power,
    .req_datatype = wsn_datatype,
    .req_datafreq = wsn_datafreq,
};

/* ---- coopobject: objects in a row, 2 m apart, in front of the robot -------------------------- */

enum { OBJECTS = 3 };

struct objects {
    uint16_t next; /* number of the object that sends next, from 0 */
    struct {
        bool known;
        float x, y, z;
    } told[OBJECTS]; /* where each takes the robot to be */
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
    const struct objects *o = d->state;
    const tp_pose2d *robot = &d->owner->robot;
    const tp_coopobject_position place = {
        .header = *header, .x = 2, .y = 2 * ((float)header->id - 2)};
    const double range = hypot((double)place.x - robot->px, (double)place.y - robot->py);
    tp_coopobject_rssi rssi = {
        .header = {.origin = TP_COOPOBJECT_ORIGIN_ROBOT},
        .sender_id = header->id,
        .rssi = (uint16_t)(200 / (1 + range)),
        .x = (float)robot->px,
        .y = (float)robot->py,
    };
    if (o->told[header->id - 1].known) {
        rssi.x = o->told[header->id - 1].x;
        rssi.y = o->told[header->id - 1].y;
        rssi.z = o->told[header->id - 1].z;
    }

    tp_publish(d->device, TP_COOPOBJECT_DATA_POSITION, &place, 0);
    tp_publish(d->device, TP_COOPOBJECT_DATA_RSSI, &rssi, 0);
}

static tp_coopobject_header header_of(uint16_t id)
{
    return (tp_coopobject_header){.origin = TP_COOPOBJECT_ORIGIN_MOTE, .id = id};
}

static void objects_publish(fake_device *d)
{
    struct objects *o = d->state;
    const tp_coopobject_header header = header_of((uint16_t)(o->next + 1));

    o->next = (uint16_t)(header.id % OBJECTS);
    tp_publish(d->device, TP_COOPOBJECT_DATA_HEALTH, &header, 0);
    publish_readings(d, &header);
    publish_place(d, &header);
}

static tp_status check_object(uint16_t id, tp_error *err)
{
    return id >= 1 && id <= OBJECTS ? TP_OK : tp_fail(err, TP_E_RANGE, "there is no object %u", id);
}

/* An object sends back what it receives. */
static tp_status objects_data(tp_device *device, const tp_coopobject_data_userdefined *ask,
                              tp_error *err)
{
    tp_status status = check_object(ask->header.id, err);

    return status == TP_OK ? tp_publish(device, TP_COOPOBJECT_DATA_USERDEFINED, ask, 0) : status;
}

static tp_status objects_command(tp_device *device, const tp_coopobject_cmd *ask, tp_error *err)
{
    tp_status status = check_object(ask->header.id, err);

    return status == TP_OK ? tp_publish(device, TP_COOPOBJECT_DATA_COMMAND, ask, 0) : status;
}

/* The place of its later readings of signals. */
static tp_status objects_position(tp_device *device, const tp_coopobject_position *ask,
                                  tp_error *err)
{
    struct objects *o = fake_state(device);
    tp_status status = check_object(ask->header.id, err);

    if (status == TP_OK) {
        const size_t i = (size_t)(ask->header.id - 1);
        o->told[i].known = true;
        o->told[i].x = ask->x;
        o->told[i].y = ask->y;
        o->told[i].z = ask->z;
    }
    return status;
}

static tp_status objects_ask(tp_device *device, const tp_coopobject_req *ask, tp_error *err)
{
    enum { STATUS = 0 };
    const tp_coopobject_header header = header_of(ask->header.id);
    tp_status status = check_object(ask->header.id, err);

    if (status == TP_OK && ask->request != STATUS) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the objects know no request %u, only 0",
                       ask->request);
    }
    if (status == TP_OK) {
        tp_publish(device, TP_COOPOBJECT_DATA_HEALTH, &header, 0);
        publish_readings(fake_of(device), &header);
    }
    return status;
}

static const tp_coopobject_ops objects_ops = {
    .cmd_standard = objects_command,
    .cmd_data = objects_data,
    .cmd_position = objects_position,
    .req_standard = objects_ask,
};

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
                     1u << TP_COOPOBJECT_DATA_USERDEFINED | 1u << TP_COOPOBJECT_DATA_COMMAND |
                     1u << TP_COOPOBJECT_DATA_POSITION,
        .publish = objects_publish,
    },
    {0},
};
