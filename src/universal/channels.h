/*
 * channels.h - the mailboxes of one program: messages of named channels that wait to be read.
 *
 * A channel is a name. A message that anybody writes to it goes to everybody who has opened it, the
 * writer too. Between programs it is an entry of a blackboard (interfaces/blackboard.padi, driver
 * localbb): group TPI_CHANNEL_GROUP, key the name, value the text. A program
 *   - opens its channels here (tpi_channels_open);
 *   - sends a SET_ENTRY to the blackboard to write (tpi_channel_fill);
 *   - hands over every UPDATE of the blackboard (tpi_channels_take_entry);
 *   - reads what waits (tpi_channels_read).
 * Everything is bounded: a full mailbox loses its oldest message.
 */
#ifndef TROUPE_UNIVERSAL_CHANNELS_H
#define TROUPE_UNIVERSAL_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/interfaces/blackboard.h"

#define TPI_CHANNEL_GROUP "channel"

enum {
    TPI_MOST_CHANNELS = 32,
    TPI_CHANNEL_NAME = 64,  /* bytes of a name, with its NUL */
    TPI_CHANNEL_TEXT = 512, /* bytes of a message; longer ones are cut */
    TPI_CHANNEL_MAIL = 16,  /* messages that wait in a mailbox */
};

typedef struct tpi_channels tpi_channels;

/* NULL if memory runs out. destroy accepts NULL. */
tpi_channels *tpi_channels_create(void);
void tpi_channels_destroy(tpi_channels *channels);

/* Open a mailbox under a number of the program, 0 to 255. Under a number that is open the name
 * changes, and what waits is dropped. False if the name is empty or too long, there are too many,
 * or memory runs out. */
bool tpi_channels_open(tpi_channels *channels, unsigned number, const char *name, size_t length);

/* The name of an open mailbox; NULL if it is not open. */
const char *tpi_channels_name(const tpi_channels *channels, unsigned number);

/* A message has come: it goes into all mailboxes with this name. The text need not end with a NUL.
 */
void tpi_channels_take(tpi_channels *channels, const char *name, size_t name_length,
                       const void *text, size_t length);

/* An entry of a blackboard was written. Those of other groups are ignored; NULL is accepted. */
void tpi_channels_take_entry(tpi_channels *channels, const tp_blackboard_entry *entry);

/* How many messages wait; -1 if the mailbox is not open. */
int tpi_channels_waiting(const tpi_channels *channels, unsigned number);

/* Take the oldest message; the text is valid until the next call, "" with length 0 if there is
 * none. */
const char *tpi_channels_read(tpi_channels *channels, unsigned number, size_t *length);

/* ---- Writing ---- */

/* An entry with the memory of its parts. It must not be copied. */
typedef struct tpi_channel_entry {
    char key[TPI_CHANNEL_NAME], group[sizeof TPI_CHANNEL_GROUP];
    uint8_t data[TPI_CHANNEL_TEXT + 1];
    tp_blackboard_entry entry;
} tpi_channel_entry;

/* Make the entry that writes a message. Returns it; NULL if the name is empty or too long, or the
 * text too long. */
const tp_blackboard_entry *tpi_channel_fill(tpi_channel_entry *out, const char *name,
                                            const char *text, size_t length);

#endif
