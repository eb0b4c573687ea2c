/*
 * service_adv_mdns - tells the local network that this server is there, by multicast DNS (RFC 6762)
 * and DNS-SD (RFC 6763), as Player's driver of this name does.
 *
 * The service is "_player2._tcp" with the robot's number as its port. Its texts are the
 * description, the tags and the devices of the robot. Before the name is used, others are asked
 * whether they have it; if so, a number is added. Answers are small and few: one packet per second
 * to the group, ten to single hosts of the same network.
 */
#include <stdio.h>
#include <string.h>

#include "mdns.h"
#include "troupe/datagram.h"
#include "troupe/driver/opaque.h"
#include "troupe/neighbour.h"

enum {
    PROBES = 3,
    ANNOUNCEMENTS = 2,
    MOST_NAMES = 100,  /* that are tried */
    UNICASTS = 10,     /* answers to single hosts in a second */
    RETRY_TURNS = 20,  /* polls between two attempts to open the socket */
    LONGEST_NAME = 48, /* leaves room for a number */
    LONGEST_ADDRESS = 64,
};

static const int64_t turn_ns = 250 * TP_NS_PER_MS;

struct adv {
    tp_device *device;
    tp_datagram *socket; /* owned; NULL without a network */
    tp_network network;
    tp_peer group;
    char address[LONGEST_ADDRESS];
    struct mdns_service service;
    unsigned number;                /* behind the name; 1 for none */
    unsigned probes, announcements; /* that are left */
    unsigned turns;                 /* polls until the next attempt or announcement */
    unsigned pending;               /* records that somebody wants */
    int64_t sent_ns;                /* the last answer to the group */
    int64_t second_ns;              /* when the count of `unicasts` began */
    unsigned unicasts;
};

static const tp_param adv_params[] = {
    {"service_name", NULL, "", "name of the service; without it \"robot\" and the port"},
    {"service_description", NULL, "", "a sentence about the robot"},
    {"service_tags", NULL, "", "further texts, such as \"job=mapper\""},
    {"service_port", "1", "0", "TCP port that is told; 0 for the number of the robot"},
    {"interface", NULL, "", "name or address of the network interface; \"\" for the first"},
    {"group", NULL, "224.0.0.251:5353", "multicast group and port, for tests"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- The service ----------------------------------------------------------------------------- */

static void set_name(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);
    const char *name = tp_param_string(self, "service_name");
    char fallback[16];

    (void)snprintf(fallback, sizeof fallback, "robot%u",
                   (unsigned)tp_device_addr(a->device)->robot);
    name = name[0] != '\0' ? name : fallback;
    if (a->number > 1) {
        (void)snprintf(a->service.name, sizeof a->service.name, "%.48s (%u)", name, a->number);
    } else {
        (void)snprintf(a->service.name, sizeof a->service.name, "%.48s", name);
    }
}

/* What does not fit is left out: devices come last. */
static void set_texts(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);
    const char *description = tp_param_string(self, "service_description");
    const tp_device *device;
    char text[256];

    a->service.text_length = 0;
    if (description[0] != '\0') {
        (void)snprintf(text, sizeof text, "description=%s", description);
        (void)tpi_mdns_add_text(&a->service, text);
    }
    for (size_t i = 0; i < tp_param_count(self, "service_tags"); i++) {
        (void)tpi_mdns_add_text(&a->service, tp_param_string_at(self, "service_tags", i));
    }
    for (size_t i = 0; (device = tp_instance_neighbour(self, i)) != NULL; i++) {
        const tp_devaddr *address = tp_device_addr(device);
        (void)snprintf(text, sizeof text, "device=%s#%u(%s)", tp_device_interface(device)->name,
                       (unsigned)address->index,
                       tp_instance_driver(tp_device_instance(device))->name);
        if (address->robot == tp_device_addr(a->device)->robot &&
            !tpi_mdns_add_text(&a->service, text)) {
            break;
        }
    }
}

/* ---- Talking --------------------------------------------------------------------------------- */

static void say(struct adv *a, unsigned records, const struct mdns_manner *manner,
                const tp_peer *to)
{
    uint8_t bytes[MDNS_MOST];
    const size_t length = tpi_mdns_write(&a->service, records, manner, bytes);

    (void)tp_datagram_send(a->socket, to, bytes, length); /* one that is lost is asked for again */
}

/* Another host has the name: take the next one, and ask again. */
static void rename_service(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);
    char text[160];

    if (a->number >= MOST_NAMES) {
        return;
    }
    a->number++;
    set_name(self);
    a->probes = PROBES;
    a->pending = 0;
    a->turns = 0;
    (void)snprintf(text, sizeof text, "another host has this name; the service is now \"%s\"",
                   a->service.name);
    tp_instance_note(self, text);
}

/* To one host, which asked for it or is a plain client; few in a second, whoever asks. */
static void answer_alone(tp_instance *self, const struct mdns_heard *heard, bool plain,
                         const tp_peer *to)
{
    struct adv *a = tp_instance_state(self);
    const int64_t now = now_ns(self);

    if (now - a->second_ns >= TP_NS_PER_S) {
        a->second_ns = now;
        a->unicasts = 0;
    }
    if (a->unicasts < UNICASTS) {
        a->unicasts++;
        say(a, heard->wanted, &(struct mdns_manner){.plain = plain ? heard : NULL}, to);
    }
}

static void adv_receive(void *context, const tp_peer *from, const void *bytes, size_t length)
{
    tp_instance *self = context;
    struct adv *a = tp_instance_state(self);
    struct mdns_heard heard;
    unsigned port = 0;

    if (!tp_network_has(&a->network, from, &port) ||
        !tpi_mdns_read(&a->service, bytes, length, &heard)) {
        return; /* from another network, or damaged */
    }
    const bool plain = port != tp_datagram_port(a->socket);
    if (heard.conflict && !plain) {
        rename_service(self);
    } else if (heard.wanted != 0 && a->probes == 0) {
        if (plain || heard.unicast) {
            answer_alone(self, &heard, plain, from);
        } else {
            a->pending |= heard.wanted;
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void try_to_open(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);
    tp_error err = {0};

    if (tp_datagram_open_group(&a->socket, tp_instance_loop(self), a->address,
                               tp_param_string(self, "interface"), &a->network, adv_receive, self,
                               &err) != TP_OK) {
        a->socket = NULL;
        a->turns = RETRY_TURNS;
        tp_instance_trouble(self, err.text);
        return;
    }
    tp_instance_trouble(self, NULL);
    const unsigned char *own = a->network.address;
    memcpy(a->service.address, own, sizeof a->service.address);
    (void)snprintf(a->service.host, sizeof a->service.host, "troupe-%u-%u-%u-%u", own[0], own[1],
                   own[2], own[3]);
    a->probes = PROBES;
    a->announcements = ANNOUNCEMENTS;
    a->turns = 0;
}

/* Devices have come or gone: the texts are told anew. */
static void look_at_devices(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);
    uint8_t before[MDNS_MOST_TEXT];
    const size_t length = a->service.text_length;

    memcpy(before, a->service.text, length);
    set_texts(self);
    if (length != a->service.text_length || memcmp(before, a->service.text, length) != 0) {
        a->pending |= MDNS_TEXT;
    }
}

/* A poll every quarter of a second: ask three times, announce twice, answer once a second. */
static tp_status adv_poll(tp_instance *self, tp_error *err)
{
    struct adv *a = tp_instance_state(self);
    const int64_t now = now_ns(self);

    (void)err;
    if (a->turns > 0) {
        a->turns--;
    }
    if (a->socket == NULL) {
        if (a->turns == 0) {
            try_to_open(self);
        }
        return TP_OK;
    }
    if (a->probes > 0) {
        a->probes--;
        a->announcements = ANNOUNCEMENTS;
        say(a, 0, &(struct mdns_manner){.probe = true}, &a->group);
        return TP_OK;
    }
    look_at_devices(self);
    if (a->announcements > 0 && a->turns == 0) {
        a->announcements--;
        a->turns = (unsigned)(TP_NS_PER_S / turn_ns);
        a->pending |= MDNS_ALL;
    }
    if (a->pending != 0 && now - a->sent_ns >= TP_NS_PER_S) {
        say(a, a->pending, &(struct mdns_manner){.goodbye = false}, &a->group);
        a->pending = 0;
        a->sent_ns = now;
    }
    return TP_OK;
}

static tp_status check_texts(tp_instance *self, tp_error *err)
{
    const char *name = tp_param_string(self, "service_name");

    if (strlen(name) > LONGEST_NAME) {
        tp_param_blame(self, "service_name");
        return tp_fail(err, TP_E_RANGE, "service_name has more than %d bytes", LONGEST_NAME);
    }
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127) {
            tp_param_blame(self, "service_name");
            return tp_fail(err, TP_E_INVALID, "service_name has a control character");
        }
    }
    if (strlen(tp_param_string(self, "service_description")) > 240) {
        tp_param_blame(self, "service_description");
        return tp_fail(err, TP_E_RANGE, "service_description has more than 240 bytes");
    }
    for (size_t i = 0; i < tp_param_count(self, "service_tags"); i++) {
        const size_t length = strlen(tp_param_string_at(self, "service_tags", i));
        if (length > 255) {
            tp_param_blame(self, "service_tags");
            return tp_fail(err, TP_E_RANGE, "tag %zu of service_tags has more than 255 bytes",
                           i + 1);
        }
    }
    return TP_OK;
}

/* A number and a dot in front of the others: no name is looked up. */
static tp_status read_group(tp_instance *self, tp_error *err)
{
    struct adv *a = tp_instance_state(self);
    unsigned part[4];
    unsigned port;
    char end;
    const char *group = tp_param_string(self, "group");

    if (sscanf(group, "%3u.%3u.%3u.%3u:%5u%c", &part[0], &part[1], &part[2], &part[3], &port,
               &end) != 5 ||
        part[0] < 224 || part[0] > 239 || part[1] > 255 || part[2] > 255 || part[3] > 255 ||
        port == 0 || port > 65535) {
        tp_param_blame(self, "group");
        return tp_fail(err, TP_E_INVALID,
                       "group is a multicast address and a port, such as 224.0.0.251:5353, not "
                       "\"%.40s\"",
                       group);
    }
    (void)snprintf(a->address, sizeof a->address, "udp:%u.%u.%u.%u:%u", part[0], part[1], part[2],
                   part[3], port);
    return tp_peer_parse(&a->group, a->address, err);
}

static tp_status adv_init(tp_instance *self, tp_error *err)
{
    static const tp_opaque_ops ops = {.cmd_data = NULL};
    struct adv *a = tp_instance_state(self);
    const int64_t port = tp_param_int(self, "service_port");
    tp_status status = check_texts(self, err);

    if (status == TP_OK && (port < 0 || port > 65535)) {
        tp_param_blame(self, "service_port");
        return tp_fail(err, TP_E_RANGE, "service_port is a port from 1 to 65535, or 0");
    }
    status = status == TP_OK ? read_group(self, err) : status;
    status = status == TP_OK ? tp_offer_opaque(self, NULL, &ops, &a->device, err) : status;
    if (status == TP_OK) {
        tp_instance_stay_on(self);
    }
    return status;
}

static tp_status adv_start(tp_instance *self, tp_error *err)
{
    struct adv *a = tp_instance_state(self);
    const int64_t port = tp_param_int(self, "service_port");

    (void)err;
    a->service = (struct mdns_service){
        .kind = "_player2",
        .port = (uint16_t)(port != 0 ? (uint32_t)port : tp_device_addr(a->device)->robot)};
    a->number = 1;
    a->pending = 0;
    a->sent_ns = a->second_ns = now_ns(self) - TP_NS_PER_S;
    set_name(self);
    set_texts(self);
    try_to_open(self);
    tp_instance_set_period(self, turn_ns);
    return TP_OK;
}

/* Goodbye, so that nobody looks for a robot that is gone. */
static void adv_stop(tp_instance *self)
{
    struct adv *a = tp_instance_state(self);

    if (a->socket != NULL && a->probes == 0) {
        say(a, MDNS_ALL, &(struct mdns_manner){.goodbye = true}, &a->group);
    }
    tp_datagram_close(a->socket);
    a->socket = NULL;
}

static const tp_driver_ops adv_ops = {
    .init = adv_init,
    .start = adv_start,
    .poll = adv_poll,
    .stop = adv_stop,
};

extern const tp_driver tp_driver_service_adv_mdns;
TP_API const tp_driver tp_driver_service_adv_mdns = {
    .abi = TP_DRIVER_ABI,
    .name = "service_adv_mdns",
    .summary = "tells the local network by multicast DNS that this server is there",
    .state_size = sizeof(struct adv),
    .params = adv_params,
    .ops = &adv_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
