/* channels.c - the mailboxes of one program; see channels.h. */
#include "universal/channels.h"

#include <stdlib.h>
#include <string.h>

struct mail {
    uint16_t length;
    char text[TPI_CHANNEL_TEXT];
};

struct mailbox {
    unsigned number;
    char name[TPI_CHANNEL_NAME];
    unsigned first, count;
    struct mail mail[TPI_CHANNEL_MAIL]; /* a ring */
};

struct tpi_channels {
    unsigned count;
    struct mailbox *boxes[TPI_MOST_CHANNELS]; /* owned */
    struct mail last;                         /* what was read */
};

tpi_channels *tpi_channels_create(void)
{
    return calloc(1, sizeof(tpi_channels));
}

void tpi_channels_destroy(tpi_channels *channels)
{
    for (unsigned i = 0; channels != NULL && i < channels->count; i++) {
        free(channels->boxes[i]);
    }
    free(channels);
}

static struct mailbox *find(const tpi_channels *channels, unsigned number)
{
    for (unsigned i = 0; channels != NULL && i < channels->count; i++) {
        if (channels->boxes[i]->number == number) {
            return channels->boxes[i];
        }
    }
    return NULL;
}

bool tpi_channels_open(tpi_channels *channels, unsigned number, const char *name, size_t length)
{
    struct mailbox *box = find(channels, number);

    if (length == 0 || length >= TPI_CHANNEL_NAME || memchr(name, '\0', length) != NULL ||
        (box == NULL && channels->count == TPI_MOST_CHANNELS)) {
        return false;
    }
    if (box == NULL) {
        box = malloc(sizeof *box);
        if (box == NULL) {
            return false;
        }
        channels->boxes[channels->count++] = box;
    }
    box->number = number;
    box->first = box->count = 0;
    memcpy(box->name, name, length);
    box->name[length] = '\0';
    return true;
}

const char *tpi_channels_name(const tpi_channels *channels, unsigned number)
{
    const struct mailbox *box = find(channels, number);

    return box != NULL ? box->name : NULL;
}

static void post(struct mailbox *box, const void *text, size_t length)
{
    if (box->count == TPI_CHANNEL_MAIL) {
        box->first = (box->first + 1) % TPI_CHANNEL_MAIL;
        box->count--;
    }
    struct mail *mail = &box->mail[(box->first + box->count++) % TPI_CHANNEL_MAIL];
    mail->length = (uint16_t)(length < TPI_CHANNEL_TEXT ? length : TPI_CHANNEL_TEXT);
    if (mail->length > 0) {
        memcpy(mail->text, text, mail->length);
    }
}

void tpi_channels_take(tpi_channels *channels, const char *name, size_t name_length,
                       const void *text, size_t length)
{
    for (unsigned i = 0; channels != NULL && i < channels->count; i++) {
        struct mailbox *box = channels->boxes[i];
        if (strlen(box->name) == name_length && memcmp(box->name, name, name_length) == 0) {
            post(box, text, length);
        }
    }
}

void tpi_channels_take_entry(tpi_channels *channels, const tp_blackboard_entry *entry)
{
    static const char group[] = TPI_CHANNEL_GROUP;

    if (entry == NULL || entry->group_count != sizeof group ||
        memcmp(entry->group, group, sizeof group) != 0 || entry->key_count == 0) {
        return;
    }
    const bool ends = entry->data_count > 0 && entry->data[entry->data_count - 1] == '\0';
    tpi_channels_take(channels, entry->key, entry->key_count - 1, entry->data,
                      entry->data_count - ends);
}

int tpi_channels_waiting(const tpi_channels *channels, unsigned number)
{
    const struct mailbox *box = find(channels, number);

    return box != NULL ? (int)box->count : -1;
}

const char *tpi_channels_read(tpi_channels *channels, unsigned number, size_t *length)
{
    struct mailbox *box = find(channels, number);

    if (box == NULL || box->count == 0) {
        *length = 0;
        return "";
    }
    channels->last = box->mail[box->first];
    box->first = (box->first + 1) % TPI_CHANNEL_MAIL;
    box->count--;
    *length = channels->last.length;
    return channels->last.text;
}

const tp_blackboard_entry *tpi_channel_fill(tpi_channel_entry *out, const char *name,
                                            const char *text, size_t length)
{
    const size_t name_length = strlen(name);

    if (name_length == 0 || name_length >= sizeof out->key || length >= sizeof out->data) {
        return NULL;
    }
    memcpy(out->key, name, name_length + 1);
    memcpy(out->group, TPI_CHANNEL_GROUP, sizeof out->group);
    if (length > 0) {
        memcpy(out->data, text, length);
    }
    out->data[length] = '\0';
    out->entry = (tp_blackboard_entry){.key_count = (uint32_t)name_length + 1,
                                       .key = out->key,
                                       .group_count = sizeof out->group,
                                       .group = out->group,
                                       .type = TP_BLACKBOARD_DATA_TYPE_COMPLEX,
                                       .subtype = TP_BLACKBOARD_DATA_SUBTYPE_STRING,
                                       .data_count = (uint32_t)length + 1,
                                       .data = out->data};
    return &out->entry;
}
