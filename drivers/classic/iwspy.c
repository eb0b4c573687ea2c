/*
 * iwspy - how well this machine hears certain stations of its wireless network, as the program
 * iwspy of the wireless tools tells.
 *
 * nic_0, nic_1 and so on are stations: an address of the network and one of the hardware. The
 * program is started once to name the stations, and once for each reading. What it prints has a
 * line for each station: "00:11:24:9E:5F:87 : Quality=54/70  Signal level=-56 dBm  Noise
 * level=-95 dBm".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/wifi.h"

enum {
    STATIONS = 32,
    ADDRESS = 32,
    LONGEST_LINE = 256,
    LONGEST_COMMAND = 256 + STATIONS * ADDRESS
};

struct station {
    char ip[ADDRESS], mac[ADDRESS];
    bool heard;
    int quality, level, noise;
};

struct iwspy {
    tp_device *device;
    tp_port *port; /* owned; NULL unless the program runs */
    double rate;
    struct station stations[STATIONS];
    size_t count;
    char line[LONGEST_LINE];
    size_t length;
    int most_quality;
    char command[LONGEST_COMMAND];
};

static const tp_param iwspy_params[] = {
    {"eth", NULL, "eth1", "name of the network interface"},
    {"port", "line", "", "what tells instead of the program iwspy, for tests"},
    {"program", NULL, "iwspy", "the program"},
    {"rate", "Hz", "1", "how often it is asked"},
    {"nic_0", NULL, "", "a station: its address of the network and that of its hardware"},
    {"nic_1", NULL, "", "the same"},
    {"nic_2", NULL, "", "the same"},
    {"nic_3", NULL, "", "the same"},
    {"nic_4", NULL, "", "the same"},
    {"nic_5", NULL, "", "the same"},
    {"nic_6", NULL, "", "the same"},
    {"nic_7", NULL, "", "the same"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Hearing --------------------------------------------------------------------------------- */

static bool same_address(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i])) {
            return false;
        }
    }
    return b[length] == '\0';
}

/* The number behind a word of the line; 0 if it is not there. */
static int number_behind(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    const long value = at == NULL ? 0 : strtol(at + strlen(word), NULL, 10);

    return value > -100000 && value < 100000 ? (int)value : 0;
}

static void take_line(struct iwspy *w)
{
    const char *at = w->line + strspn(w->line, " \t");
    const size_t length = strcspn(at, " ");

    for (size_t i = 0; i < w->count && strstr(at, "Quality") != NULL; i++) {
        struct station *s = &w->stations[i];
        if (same_address(at, s->mac, length)) {
            const char *most = strchr(strstr(at, "Quality"), '/');
            s->quality = number_behind(at, "Quality=") + number_behind(at, "Quality:");
            s->level = number_behind(at, "Signal level=") + number_behind(at, "Signal level:");
            s->noise = number_behind(at, "Noise level=") + number_behind(at, "Noise level:");
            s->heard = true;
            w->most_quality = most == NULL ? w->most_quality : number_behind(most, "/");
        }
    }
}

static void publish(struct iwspy *w)
{
    tp_wifi_link links[STATIONS] = {0};
    bool in_dbm = false;
    uint32_t count = 0;

    for (size_t i = 0; i < w->count; i++) {
        struct station *s = &w->stations[i];
        if (s->heard) {
            tp_wifi_link *link = &links[count++];
            link->mac_count = (uint32_t)strlen(s->mac);
            memcpy(link->mac, s->mac, link->mac_count);
            link->ip_count = (uint32_t)strlen(s->ip);
            memcpy(link->ip, s->ip, link->ip_count);
            link->mode = TP_WIFI_MODE_UNKNOWN;
            link->qual = (uint32_t)s->quality;
            link->level = (uint32_t)s->level;
            link->noise = (uint32_t)s->noise;
            in_dbm = in_dbm || s->level < 0;
        }
        s->heard = false;
    }
    const tp_wifi_data data = {.links_count = count,
                               .links = links,
                               .qual_type = in_dbm ? TP_WIFI_QUAL_DBM : TP_WIFI_QUAL_REL,
                               .maxqual = (uint32_t)w->most_quality};
    tp_wifi_publish_state(w->device, &data, 0);
}

static void take_bytes(struct iwspy *w, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n') {
            w->line[w->length] = '\0';
            take_line(w);
            w->length = 0;
        } else if (w->length < LONGEST_LINE - 1) {
            w->line[w->length++] = bytes[i];
        }
    }
}

/* The end of the program is the end of a reading. */
static tp_status iwspy_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);
    char bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        take_bytes(w, bytes, length);
    }
    if (status == TP_E_CLOSED) {
        tp_port_close(w->port);
        w->port = NULL;
        publish(w);
        return TP_OK;
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static tp_status ask(tp_instance *self, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);
    const char *given = tp_param_string(self, "port");
    char url[LONGEST_COMMAND];

    (void)snprintf(url, sizeof url, "run:%s %s", tp_param_string(self, "program"),
                   tp_param_string(self, "eth"));
    w->length = 0;
    const tp_status status = tp_port_open(&w->port, self, given[0] != '\0' ? given : url, NULL,
                                          tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);
    if (status == TP_OK) {
        tp_port_watch(w->port, true);
    }
    return status;
}

static tp_status iwspy_poll(tp_instance *self, tp_error *err)
{
    const struct iwspy *w = tp_instance_state(self);

    return w->port == NULL ? ask(self, err) : TP_OK; /* or it is still speaking */
}

static const tp_wifi_ops wifi_ops = {0};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_stations(tp_instance *self, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);

    for (const tp_param *param = iwspy_params; param->name != NULL; param++) {
        if (strncmp(param->name, "nic_", 4) != 0 || !tp_param_given(self, param->name)) {
            continue;
        }
        struct station *s = &w->stations[w->count++];
        const char *ip = tp_param_string_at(self, param->name, 0);
        const char *mac = tp_param_string_at(self, param->name, 1);
        if (tp_param_count(self, param->name) != 2 || strlen(mac) != 17 || strlen(ip) >= ADDRESS ||
            strspn(mac, "0123456789abcdefABCDEF:") != 17 || strspn(ip, "0123456789.") == 0) {
            tp_param_blame(self, param->name);
            return tp_fail(err, TP_E_INVALID,
                           "%s needs two addresses, such as \"10.0.0.1\" \"00:11:24:9E:5F:87\"",
                           param->name);
        }
        (void)snprintf(s->ip, sizeof s->ip, "%s", ip);
        (void)snprintf(s->mac, sizeof s->mac, "%s", mac);
    }
    return TP_OK;
}

static tp_status iwspy_init(tp_instance *self, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);
    const struct classic_number numbers[] = {{"rate", 0.01, 100, &w->rate}};
    tp_status status = tpi_classic_numbers(self, numbers, 1, err);

    status = status == TP_OK ? read_stations(self, err) : status;
    return status == TP_OK ? tp_offer_wifi(self, NULL, &wifi_ops, &w->device, err) : status;
}

/* "iwspy eth 00:11:... 00:30:...": these are listened for from now on. */
static tp_status name_stations(tp_instance *self, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);
    int length = snprintf(w->command, sizeof w->command, "run:%s %s",
                          tp_param_string(self, "program"), tp_param_string(self, "eth"));
    char byte;

    for (size_t i = 0; i < w->count && length > 0 && (size_t)length < sizeof w->command; i++) {
        length += snprintf(w->command + length, sizeof w->command - (size_t)length, " %s",
                           w->stations[i].mac);
    }
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 5 * TP_NS_PER_S;
    tp_status status = tp_port_open(&w->port, self, w->command, NULL, deadline_ns, err);
    while (status == TP_OK) { /* until it ends */
        status = tp_port_read_all(w->port, &byte, 1, deadline_ns, err);
    }
    tp_port_close(w->port);
    w->port = NULL;
    return status == TP_E_CLOSED ? TP_OK : status;
}

static tp_status iwspy_start(tp_instance *self, tp_error *err)
{
    struct iwspy *w = tp_instance_state(self);

    w->port = NULL;
    w->most_quality = 70;
    tp_instance_set_period(self, (int64_t)((double)TP_NS_PER_S / w->rate));
    return tp_param_string(self, "port")[0] != '\0' ? TP_OK : name_stations(self, err);
}

static void iwspy_stop(tp_instance *self)
{
    struct iwspy *w = tp_instance_state(self);

    tp_port_close(w->port);
    w->port = NULL;
}

static const tp_driver_ops iwspy_ops = {
    .init = iwspy_init,
    .start = iwspy_start,
    .poll = iwspy_poll,
    .input = iwspy_input,
    .stop = iwspy_stop,
};

extern const tp_driver tp_driver_iwspy;
TP_API const tp_driver tp_driver_iwspy = {
    .abi = TP_DRIVER_ABI,
    .name = "iwspy",
    .summary = "how well this machine hears certain wireless stations",
    .state_size = sizeof(struct iwspy),
    .params = iwspy_params,
    .ops = &iwspy_ops,
};
