/*
 * recorder.h - the data of devices as channels of a recording, and back.
 *
 * Each data message of a device is a channel: the topic is "/laser:0/SCAN". Its notes say what a
 * player needs: `device`, `interface`, `message`, `code`, `driver`; and, for an interface that is
 * not built in, `padi.NAME`: the files of those that it uses, then its own. The messages are in one
 * of two forms:
 *
 *     json   as docs/reference/json.md says, with a JSON Schema: other tools can show it
 *     xdr    the bytes of the Player protocol without the header, with the interface file: small
 *            and fast
 *
 * Each device has metadata, too: "troupe.device" with `device`, `interface` and `driver`, so that a
 * recording names devices that have sent nothing. "troupe.answer" has what a device has answered
 * to a question, with `device`, `interface`, `request` and `value`, as JSON.
 *
 * One thread uses a recorder.
 */
#ifndef TROUPE_LOG_RECORDER_H
#define TROUPE_LOG_RECORDER_H

#include "log/reader.h"
#include "log/writer.h"
#include "troupe/padi.h"

typedef struct tpi_log_recorder tpi_log_recorder;

typedef enum tpi_log_form { TPI_LOG_JSON, TPI_LOG_XDR } tpi_log_form;

/* `writer` stays borrowed, and open. So does `catalogue`, which has the interfaces that those of
 * the devices use; NULL if all are built in. */
tp_status tpi_log_recorder_create(tpi_log_recorder **out, tpi_log_writer *writer, tpi_log_form form,
                                  const tp_catalogue *catalogue, tp_error *err);
void tpi_log_recorder_destroy(tpi_log_recorder *recorder);

/* A device to record: "laser:0". Names are copied, the interface stays borrowed. Returns its number
 * in `device`. Writes the metadata of the device. */
tp_status tpi_log_recorder_add(tpi_log_recorder *recorder, const char *name, const char *driver,
                               const tp_interface *interface, unsigned *device, tp_error *err);

/* Record properties of a device: names and values, ended by a NULL name. They become metadata,
 * "troupe.properties", with `device`. `uncertainty` and `unit`, or `uncertainty.FIELD` and
 * `unit.FIELD`, say something about the numbers of the device. */
tp_status tpi_log_recorder_properties(tpi_log_recorder *recorder, unsigned device,
                                      const tpi_log_note *properties, tp_error *err);

/* Whether the answer to this request belongs to a recording: it asks without a question, and
 * changes nothing. */
bool tpi_log_is_question(const tp_message *request);

/* Record what a device has answered to a request of its interface without a question, such as
 * GET_GEOM. */
tp_status tpi_log_recorder_answer(tpi_log_recorder *recorder, unsigned device,
                                  const tp_message *request, const void *value, tp_error *err);

/* Record a data message of a device. Its channel is made with the first one. `value` is NULL for a
 * message without a body. A code that the interface does not have is TP_E_UNKNOWN. */
tp_status tpi_log_recorder_put(tpi_log_recorder *recorder, unsigned device, unsigned code,
                               const void *value, uint64_t log_ns, uint64_t publish_ns,
                               tp_error *err);

/* ---- Back ------------------------------------------------------------------------------------ */

/* What a channel of a recording is. Texts are owned by it. */
typedef struct tpi_log_track {
    uint16_t channel;
    char device[80], message[48];
    const tp_message *what; /* borrowed from the catalogue; NULL if it is not ours or not known */
    tpi_log_form form;
} tpi_log_track;

/* What metadata of a recording say of a device. Texts are owned by it. */
typedef struct tpi_log_about {
    char device[80], driver[64];
    const tp_interface *interface; /* borrowed from the catalogue; NULL if it is not known */
    const tp_message *request;     /* NULL unless it is an answer of a known interface */
    tpi_mcap_view value;           /* of an answer: JSON; borrowed as the item */
} tpi_log_about;

/* Read metadata. False if they are not about a device. */
bool tpi_log_about_read(tpi_log_about *about, const tpi_log_item *metadata,
                        const tp_catalogue *catalogue);

/* Add the interfaces that a channel describes, unless the catalogue knows the name, the code or a
 * struct of one. Before tpi_log_track_read(). */
void tpi_log_learn(tp_catalogue *catalogue, const tpi_log_item *channel);

/* Read the notes of a channel. */
void tpi_log_track_read(tpi_log_track *track, const tpi_log_item *channel,
                        const tp_catalogue *catalogue);

/* The value of a message: one block, to free(); NULL for a message without a body. */
tp_status tpi_log_track_value(const tpi_log_track *track, const tpi_log_item *message, void **value,
                              tp_error *err);

#endif
