/*
 * linuxwifi - how well this machine hears its wireless network, from /proc/net/wireless.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/wifi.h"

enum { LONGEST = 256, NAME = 32 };

struct wifi {
    tp_device *device;
    double rate;
};

static const tp_param wifi_params[] = {
    {"interface", NULL, "", "name of the network interface; empty for the first one"},
    {"file", NULL, "/proc/net/wireless", "where the kernel reports"},
    {"rate", "Hz", "1", "how often it is read"},
    {NULL, NULL, NULL, NULL},
};

/* " wlan0: 0000   54.  -56.  -256 ...": the name, and quality, level and noise. */
static bool read_line(const char *line, const char *wanted, char name[NAME], double values[3])
{
    const char *colon = strchr(line, ':');
    const char *begin = line + strspn(line, " ");
    char *at = NULL;

    if (colon == NULL || colon <= begin || (size_t)(colon - begin) >= NAME) {
        return false;
    }
    memcpy(name, begin, (size_t)(colon - begin));
    name[colon - begin] = '\0';
    (void)strtoul(colon + 1, &at, 16); /* its status */
    for (unsigned i = 0; i < 3; i++) {
        const char *from = at;
        values[i] = strtod(from, &at);
        if (at == from || !(values[i] >= -1000 && values[i] <= 1000)) {
            return false;
        }
    }
    return wanted[0] == '\0' || strcmp(name, wanted) == 0;
}

static tp_status find(const tp_instance *self, char name[NAME], double values[3], tp_error *err)
{
    const char *path = tp_param_string(self, "file");
    const char *wanted = tp_param_string(self, "interface");
    FILE *file = fopen(path, "r");
    char line[LONGEST];
    bool found = false;

    if (file == NULL) {
        return tp_fail(err, TP_E_IO, "%s cannot be read: this machine has no wireless network",
                       path);
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = read_line(line, wanted, name, values);
    }
    (void)fclose(file);
    return found ? TP_OK
                 : tp_fail(err, TP_E_UNKNOWN, "%s lists no wireless interface%s%.40s", path,
                           wanted[0] == '\0' ? "" : " ", wanted);
}

/* Numbers below 0 come in 32 bits. */
static uint32_t bits_of(double value)
{
    return (uint32_t)(int32_t)value;
}

static tp_status wifi_poll(tp_instance *self, tp_error *err)
{
    const struct wifi *w = tp_instance_state(self);
    char name[NAME];
    double values[3];
    const tp_status status = find(self, name, values, err);

    if (status == TP_OK) {
        tp_wifi_link link = {.mode = TP_WIFI_MODE_UNKNOWN,
                             .qual = bits_of(values[0]),
                             .level = bits_of(values[1]),
                             .noise = bits_of(values[2])};
        const tp_wifi_data data = {.links_count = 1,
                                   .links = &link,
                                   .qual_type = values[1] < 0 ? TP_WIFI_QUAL_DBM : TP_WIFI_QUAL_REL,
                                   .maxqual = 70};
        tp_wifi_publish_state(w->device, &data, 0);
    }
    return status;
}

static const tp_wifi_ops wifi_ops = {0};

static tp_status wifi_init(tp_instance *self, tp_error *err)
{
    struct wifi *w = tp_instance_state(self);
    const struct classic_number numbers[] = {{"rate", 0.01, 100, &w->rate}};
    const tp_status status = tpi_classic_numbers(self, numbers, 1, err);

    return status == TP_OK ? tp_offer_wifi(self, NULL, &wifi_ops, &w->device, err) : status;
}

static tp_status wifi_start(tp_instance *self, tp_error *err)
{
    const struct wifi *w = tp_instance_state(self);
    char name[NAME];
    double values[3];

    tp_instance_set_period(self, (int64_t)((double)TP_NS_PER_S / w->rate));
    return find(self, name, values, err);
}

static const tp_driver_ops linuxwifi_ops = {
    .init = wifi_init,
    .start = wifi_start,
    .poll = wifi_poll,
};

extern const tp_driver tp_driver_linuxwifi;
TP_API const tp_driver tp_driver_linuxwifi = {
    .abi = TP_DRIVER_ABI,
    .name = "linuxwifi",
    .summary = "how well this machine hears its wireless network",
    .state_size = sizeof(struct wifi),
    .params = wifi_params,
    .ops = &linuxwifi_ops,
};
