/* radios.c - wifi, rfid, wsn and coopobject: what is heard by radio. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/coopobject.h"
#include "troupe/interfaces/rfid.h"
#include "troupe/interfaces/wifi.h"
#include "troupe/interfaces/wsn.h"

/* ---- wifi ------------------------------------------------------------------------------------ */

enum { STATIONS = 2, MAC_SIZE = 18 };

struct wifi {
    char mac[MAC_SIZE];
    char ap[MAC_SIZE];
    tp_wifi_link links[STATIONS];
};

static void make_mac(fake_random *random, char mac[MAC_SIZE])
{
    const uint64_t bits = tpi_fake_random_bits(random);

    snprintf(mac, MAC_SIZE, "02:%02x:%02x:%02x:%02x:%02x", (unsigned)(bits & 255),
             (unsigned)(bits >> 8 & 255), (unsigned)(bits >> 16 & 255),
             (unsigned)(bits >> 24 & 255), (unsigned)(bits >> 32 & 255));
}

/* A text in a counted array of bytes, with its NUL. */
static uint32_t put_text(uint8_t bytes[32], const char *text)
{
    const uint32_t count = tpi_fake_count(text);

    memcpy(bytes, text, count);
    return count;
}

static tp_status wifi_begin(fake_device *d, tp_error *err)
{
    struct wifi *w = d->state;

    (void)err;
    make_mac(&d->random, w->mac);
    make_mac(&d->random, w->ap);
    for (unsigned i = 0; i < STATIONS; i++) {
        tp_wifi_link *link = &w->links[i];
        char text[MAC_SIZE];
        make_mac(&d->random, text);
        link->mac_count = put_text(link->mac, i == 0 ? w->ap : text);
        snprintf(text, sizeof text, "192.168.1.%u", i + 1);
        link->ip_count = put_text(link->ip, text);
        link->essid_count = put_text(link->essid, "troupe");
        link->mode = i == 0 ? TP_WIFI_MODE_MASTER : TP_WIFI_MODE_INFRA;
        link->freq = 2437;
        link->encrypt = 1;
    }
    return TP_OK;
}

static void wifi_publish(fake_device *d)
{
    struct wifi *w = d->state;
    tp_wifi_data data = {
        .links_count = STATIONS,
        .links = w->links,
        .throughput = 20000000,
        .bitrate = 54000000,
        .mode = TP_WIFI_MODE_INFRA,
        .qual_type = TP_WIFI_QUAL_REL,
        .maxqual = 100,
        .maxlevel = 100,
        .maxnoise = 100,
    };

    memcpy(data.ap, w->ap, MAC_SIZE);
    for (unsigned i = 0; i < STATIONS; i++) {
        w->links[i].qual = 60 + tpi_fake_random_below(&d->random, 20);
        w->links[i].level = 50 + tpi_fake_random_below(&d->random, 20);
        w->links[i].noise = 5 + tpi_fake_random_below(&d->random, 5);
    }
    tp_publish(d->device, TP_WIFI_DATA_STATE, &data, 0);
}

static tp_status wifi_mac(tp_device *device, tp_wifi_mac_req *answer, tp_error *err)
{
    const struct wifi *w = fake_state(device);

    (void)err;
    answer->mac_count = put_text(answer->mac, w->mac);
    return TP_OK;
}

static const tp_wifi_ops wifi_ops = {.req_mac = wifi_mac};

/* ---- rfid ------------------------------------------------------------------------------------ */

enum { TAGS = 3, GUID_SIZE = 8 };

struct rfid {
    bool asleep;
    char guids[TAGS][GUID_SIZE];
    tp_rfid_tag tags[TAGS];
};

static tp_status rfid_begin(fake_device *d, tp_error *err)
{
    struct rfid *r = d->state;

    (void)err;
    for (size_t i = 0; i < TAGS; i++) {
        const uint64_t bits = tpi_fake_random_bits(&d->random);
        memcpy(r->guids[i], &bits, GUID_SIZE);
        r->tags[i] = (tp_rfid_tag){.type = 1, .guid_count = GUID_SIZE, .guid = r->guids[i]};
    }
    return TP_OK;
}

/* One to three tags are in reach, now these, now those. */
static void rfid_publish(fake_device *d)
{
    struct rfid *r = d->state;
    const tp_rfid_data data = {.tags_count = 1 + tpi_fake_random_below(&d->random, TAGS),
                               .tags = r->tags};

    if (!r->asleep) {
        tp_publish(d->device, TP_RFID_DATA_TAGS, &data, 0);
    }
}

/* The request says nothing more, so it changes over. */
static tp_status rfid_power(tp_device *device, tp_error *err)
{
    struct rfid *r = fake_state(device);

    (void)err;
    r->asleep = !r->asleep;
    return TP_OK;
}

static const tp_rfid_ops rfid_ops = {.req_power = rfid_power};

/* ---- wsn: three nodes report in turn --------------------------------------------------------- */

enum { NODES = 3, NODE_TYPE = 132, BASE_STATION = 0 };

struct node {
    bool asleep;
    bool lit;
    double period_s; /* 0 for as often as the driver sends data */
    double due_s;
};

struct wsn {
    struct node nodes[NODES];
    bool raw;
    double time_s;
};

static tp_status wsn_begin(fake_device *d, tp_error *err)
{
    (void)err;
    ((struct wsn *)d->state)->raw = true;
    return TP_OK;
}

static void wsn_advance(fake_device *d, double dt_s)
{
    ((struct wsn *)d->state)->time_s += dt_s;
}

/* In physical units, or as the 10-bit converter of a node gives them. */
static tp_wsn_node_data wsn_measure(fake_device *d, bool raw, bool lit)
{
    const double light = lit ? 600 : 300;

    return (tp_wsn_node_data){
        .light = (float)tpi_fake_measure(d, raw ? light / 2 : light),
        .mic = (float)tpi_fake_measure(d, 480),
        .accel_x = (float)tpi_fake_measure(d, raw ? 500 : 0),
        .accel_y = (float)tpi_fake_measure(d, raw ? 500 : 0),
        .accel_z = (float)tpi_fake_measure(d, raw ? 550 : 9.81),
        .magn_x = (float)(raw ? 220 : 2e-5),
        .magn_y = (float)(raw ? 220 : 0),
        .magn_z = (float)(raw ? 230 : -4e-5),
        .temperature = (float)tpi_fake_measure(d, raw ? 510 : 21),
        .battery = (float)tpi_fake_measure(d, raw ? 490 : 3),
    };
}

static void wsn_publish(fake_device *d)
{
    struct wsn *w = d->state;

    for (uint32_t i = 0; i < NODES; i++) {
        struct node *node = &w->nodes[i];
        if (node->asleep || w->time_s < node->due_s) {
            continue;
        }
        node->due_s = w->time_s + node->period_s;
        const tp_wsn_data data = {.node_type = NODE_TYPE,
                                  .node_id = i + 1,
                                  .node_parent_id = BASE_STATION,
                                  .data_packet = wsn_measure(d, w->raw, node->lit)};
        tp_publish(d->device, TP_WSN_DATA_STATE, &data, 0);
    }
}

/* Nodes are numbered from 1; -1 is all of them. */
static tp_status check_node(int32_t id, tp_error *err)
{
    return id == -1 || (id >= 1 && id <= NODES)
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no node %d", id);
}

static bool is_meant(int32_t id, int i)
{
    return id == -1 || id == i + 1;
}

static tp_status wsn_devstate(tp_device *device, const tp_wsn_cmd *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    tp_status status = check_node(ask->node_id, err);

    for (int i = 0; status == TP_OK && i < NODES; i++) {
        w->nodes[i].lit = is_meant(ask->node_id, i) ? ask->enable != 0 : w->nodes[i].lit;
    }
    return status;
}

static tp_status wsn_power(tp_device *device, const tp_wsn_power_config *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    tp_status status = check_node(ask->node_id, err);

    for (int i = 0; status == TP_OK && i < NODES; i++) {
        w->nodes[i].asleep = is_meant(ask->node_id, i) ? ask->value == 0 : w->nodes[i].asleep;
    }
    return status;
}

static tp_status wsn_datatype(tp_device *device, const tp_wsn_datatype_config *ask, tp_error *err)
{
    (void)err;
    ((struct wsn *)fake_state(device))->raw = ask->value == 0;
    return TP_OK;
}

static tp_status wsn_datafreq(tp_device *device, const tp_wsn_datafreq_config *ask, tp_error *err)
{
    struct wsn *w = fake_state(device);
    tp_status status = check_node(ask->node_id, err);

    if (status == TP_OK && !(ask->frequency > 0 && isfinite(ask->frequency))) {
        return tp_fail(err, TP_E_RANGE, "a frequency of %g Hz", ask->frequency);
    }
    for (int i = 0; status == TP_OK && i < NODES; i++) {
        if (is_meant(ask->node_id, i)) {
            w->nodes[i].period_s = 1 / ask->frequency;
            w->nodes[i].due_s = 0;
        }
    }
    return status;
}

static const tp_wsn_ops wsn_ops = {
    .cmd_devstate = wsn_devstate,
    .req_power = wsn_power,
    .req_datatype = wsn_datatype,
    .req_datafreq = wsn_datafreq,
};

/* ---- coopobject: three objects, heard in turn ------------------------------------------------ */

enum { OBJECTS = 3, READINGS = 2, MOST_USER_DATA = 4096 };

struct objects {
    unsigned next;
    tp_coopobject_sensor readings[READINGS];
};

static tp_coopobject_header object(unsigned i)
{
    return (tp_coopobject_header){.origin = TP_COOPOBJECT_ORIGIN_MOTE, .id = (uint16_t)(i + 1)};
}

static void publish_readings(fake_device *d, const tp_coopobject_header *header)
{
    struct objects *o = d->state;
    const tp_coopobject_data_sensor data = {
        .header = *header, .data_count = READINGS, .data = o->readings};

    o->readings[0] = (tp_coopobject_sensor){TP_COOPOBJECT_TEMPERATURE,
                                            (int16_t)(210 + tpi_fake_random_below(&d->random, 10))};
    o->readings[1] = (tp_coopobject_sensor){TP_COOPOBJECT_HUMIDITY,
                                            (int16_t)(400 + tpi_fake_random_below(&d->random, 50))};
    tp_publish(d->device, TP_COOPOBJECT_DATA_SENSOR, &data, 0);
}

/* Objects stand in a row, 2 m apart, in front of the robot. */
static void publish_signals(fake_device *d, const tp_coopobject_header *header)
{
    const float x = 2, y = 2 * ((float)header->id - 2);
    const tp_coopobject_position position = {.header = *header, .x = x, .y = y};
    const double range = hypot((double)x - d->owner->robot.px, (double)y - d->owner->robot.py);
    const tp_coopobject_rssi rssi = {
        .header = {.origin = TP_COOPOBJECT_ORIGIN_ROBOT},
        .sender_id = header->id,
        .rssi = (uint16_t)(200 / (1 + range)),
        .x = (float)d->owner->robot.px,
        .y = (float)d->owner->robot.py,
    };

    tp_publish(d->device, TP_COOPOBJECT_DATA_POSITION, &position, 0);
    tp_publish(d->device, TP_COOPOBJECT_DATA_RSSI, &rssi, 0);
}

static void objects_publish(fake_device *d)
{
    struct objects *o = d->state;
    const tp_coopobject_header header = object(o->next);

    o->next = (o->next + 1) % OBJECTS;
    tp_publish(d->device, TP_COOPOBJECT_DATA_HEALTH, &header, 0);
    publish_readings(d, &header);
    publish_signals(d, &header);
}

static tp_status check_object(const tp_coopobject_header *header, tp_error *err)
{
    return header->id >= 1 && header->id <= OBJECTS
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "there is no object %u", header->id);
}

static tp_status objects_command(tp_device *device, const tp_coopobject_cmd *ask, tp_error *err)
{
    (void)device;
    return check_object(&ask->header, err);
}

/* An object sends back what it is sent. */
static tp_status objects_data(tp_device *device, const tp_coopobject_data_userdefined *ask,
                              tp_error *err)
{
    tp_status status = check_object(&ask->header, err);

    if (status == TP_OK && ask->data_count > MOST_USER_DATA) {
        return tp_fail(err, TP_E_LIMIT, "%u bytes are too much for a radio", ask->data_count);
    }
    return status == TP_OK ? tp_publish(device, TP_COOPOBJECT_DATA_USERDEFINED, ask, 0) : status;
}

static tp_status objects_position(tp_device *device, const tp_coopobject_position *ask,
                                  tp_error *err)
{
    (void)device;
    return check_object(&ask->header, err);
}

/* What an object says comes as data. */
static tp_status objects_request(tp_device *device, const tp_coopobject_req *ask, tp_error *err)
{
    fake_device *d = fake_of(device);
    tp_status status = check_object(&ask->header, err);

    if (status == TP_OK) {
        tp_publish(device, TP_COOPOBJECT_DATA_HEALTH, &ask->header, 0);
        publish_readings(d, &ask->header);
    }
    return status;
}

static const tp_coopobject_ops objects_ops = {
    .cmd_standard = objects_command,
    .cmd_data = objects_data,
    .cmd_position = objects_position,
    .req_standard = objects_request,
};

const fake_kind tpi_fake_radios[] = {
    {
        .interface = &tp_interface_wifi,
        .ops = &wifi_ops,
        .state_size = sizeof(struct wifi),
        .publishes = 1u << TP_WIFI_DATA_STATE,
        .begin = wifi_begin,
        .publish = wifi_publish,
    },
    {
        .interface = &tp_interface_rfid,
        .ops = &rfid_ops,
        .state_size = sizeof(struct rfid),
        .size = {.sw = 0.1, .sl = 0.1, .sh = 0.03},
        .publishes = 1u << TP_RFID_DATA_TAGS,
        .begin = rfid_begin,
        .publish = rfid_publish,
    },
    {
        .interface = &tp_interface_wsn,
        .ops = &wsn_ops,
        .state_size = sizeof(struct wsn),
        .publishes = 1u << TP_WSN_DATA_STATE,
        .begin = wsn_begin,
        .advance = wsn_advance,
        .publish = wsn_publish,
    },
    {
        .interface = &tp_interface_coopobject,
        .ops = &objects_ops,
        .state_size = sizeof(struct objects),
        .publishes = 1u << TP_COOPOBJECT_DATA_HEALTH | 1u << TP_COOPOBJECT_DATA_RSSI |
                     1u << TP_COOPOBJECT_DATA_SENSOR | 1u << TP_COOPOBJECT_DATA_USERDEFINED |
                     1u << TP_COOPOBJECT_DATA_POSITION,
        .publish = objects_publish,
    },
    {0},
};
