/* labels.c - see labels.h. Statistics of devices have their names, a page at a time. */
#include "client/labels.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/inside.h"

enum { MOST_LABELS = 1 << 20, LABEL_SIZE = 64 };

struct label {
    uint32_t robot;
    uint16_t interf;
    uint16_t index;
    char text[LABEL_SIZE];
    char instance[LABEL_SIZE];
};

struct tpi_labels {
    size_t count;
    struct label labels[];
};

static tpi_labels *grow(tpi_labels *labels, size_t more)
{
    const size_t count = (labels != NULL ? labels->count : 0) + more;
    tpi_labels *grown =
        count > MOST_LABELS ? NULL : realloc(labels, sizeof *labels + count * sizeof(struct label));

    if (grown != NULL && labels == NULL) {
        grown->count = 0;
    }
    return grown;
}

static void copy(char out[LABEL_SIZE], const char *text, uint32_t count)
{
    (void)snprintf(out, LABEL_SIZE, "%.*s", (int)count, count > 0 ? text : "");
}

static bool add_page(tpi_labels **labels, const tp_device_stat_page *page)
{
    tpi_labels *grown = grow(*labels, page->devices_count);

    if (grown == NULL) {
        return false;
    }
    *labels = grown;
    for (uint32_t i = 0; i < page->devices_count; i++) {
        const tp_device_stat *stat = &page->devices[i];
        struct label *label = &grown->labels[grown->count++];
        *label = (struct label){stat->addr.robot, stat->addr.interf, stat->addr.index, "", ""};
        copy(label->text, stat->label, stat->label_count);
        copy(label->instance, stat->instance, stat->instance_count);
    }
    return true;
}

/* The server does not know the request, or does not answer it to this client. */
static bool is_refusal(tp_status status)
{
    return status != TP_E_CLOSED && status != TP_E_TIMEOUT && status != TP_E_INTERRUPTED &&
           status != TP_E_NOMEM;
}

tp_status tpi_labels_read(tpi_labels **out, tp_client *client, tp_error *err)
{
    const tp_device_stat_page *page = NULL;
    tpi_labels *labels = NULL;

    *out = NULL;
    if (!client->troupe) {
        return TP_OK;
    }
    do {
        const tp_device_stat_page ask = {.first = labels != NULL ? (uint32_t)labels->count : 0};
        const void *answer = NULL;
        tp_status status =
            tp_client_request(client, TP_PLAYER_REQ_DEVICE_STATISTICS, &ask, &answer, err);
        page = answer;
        if (status == TP_OK && !add_page(&labels, page)) {
            status = tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
        }
        if (status != TP_OK) {
            free(labels);
            return is_refusal(status) ? TP_OK : status;
        }
    } while (page->devices_count > 0 && labels->count < page->total);
    *out = labels;
    return TP_OK;
}

tpi_called tpi_labels_find(const tpi_labels *labels, const tp_devaddr *addr)
{
    for (size_t i = 0; labels != NULL && i < labels->count; i++) {
        const struct label *label = &labels->labels[i];
        if (label->interf == addr->interf && label->index == addr->index &&
            label->robot == addr->robot) {
            return (tpi_called){label->text, label->instance};
        }
    }
    return (tpi_called){NULL, NULL};
}
