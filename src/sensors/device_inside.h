/* device_inside.h - what the files of the device side share; see device.h. */
#ifndef TROUPE_SENSORS_DEVICE_INSIDE_H
#define TROUPE_SENSORS_DEVICE_INSIDE_H

#include "sensors/device.h"

/* ---- Texts (device_text.c) ---- */

/* Write a whole number, a number with so many decimal places; how many bytes, no NUL. */
uint8_t tpi_sensor_put_whole(char *out, uint64_t value);
uint8_t tpi_sensor_put_number(char *out, double value, uint8_t places);

/* Read a number, at most `length` bytes: an optional sign, digits, optional places. How many bytes
 * it takes; 0 for none. */
uint8_t tpi_sensor_read_number(const char *text, uint8_t length, double *out);

/* Read digits; how many bytes, 0 for none and for a number beyond 64 bits. */
uint8_t tpi_sensor_read_whole(const char *text, uint8_t length, uint64_t *out);

/* ---- Answers (device.c) ---- */

/* Append to the answer; what does not fit is dropped. */
void tpi_sensor_answer_text(tpi_sensor *s, const char *text);
void tpi_sensor_answer_whole(tpi_sensor *s, uint64_t value);
void tpi_sensor_answer_number(tpi_sensor *s, double value, uint8_t places);

/* The place of the channel with this number; TPI_SENSOR_NONE if there is none. */
uint8_t tpi_sensor_channel_at(const tpi_sensor *s, uint64_t number);

/* The conversion that a channel has now. */
const tpi_sensor_conversion *tpi_sensor_conversion_of(const tpi_sensor *s, uint8_t channel);

/* The raw number of a value, rounded. */
int32_t tpi_sensor_raw(const tpi_sensor_conversion *conversion, double value);

/* ---- Commands (device_command.c, device_setup.c) ---- */

/* Carry out the command without its check sum. False if it is none. */
bool tpi_sensor_command(tpi_sensor *s, const char *text, uint8_t length);
bool tpi_sensor_log_command(tpi_sensor *s, const char *text, uint8_t length);

/* Whether this very command was carried out already: the host has not heard its answer. */
bool tpi_sensor_is_repeated(const tpi_sensor *s);

/* A set-up or a start was carried out: to be known when it comes again. */
void tpi_sensor_note_done(tpi_sensor *s);

/* ---- Data logging (device_log.c) ---- */

void tpi_sensor_log_go(tpi_sensor *s);
void tpi_sensor_log_stop(tpi_sensor *s);
void tpi_sensor_log_clear(tpi_sensor *s);

/* End one channel. */
void tpi_sensor_log_end(tpi_sensor *s, uint8_t channel);

/* The trigger command, for one channel or all (TPI_SENSOR_NONE). */
void tpi_sensor_log_trigger(tpi_sensor *s, uint8_t channel);

/* Everything that waits for this channel is to be sent. */
void tpi_sensor_log_flush(tpi_sensor *s, uint8_t channel);

/* Do one thing that is due. False if there was none. */
bool tpi_sensor_log_advance(tpi_sensor *s);

/* Take the next samples of a run for a line; how many, and the number of the first and the time of
 * the last. */
uint8_t tpi_sensor_log_take(tpi_sensor *s, uint8_t channel, tpi_sensor_cell *out, uint32_t *first,
                            uint64_t *last_us);

/* ---- Writing (device_say.c) ---- */

/* The answer is the manifest, or the chunk with this number, from 1; 0 for all. */
void tpi_sensor_say_manifest(tpi_sensor *s, uint16_t chunk);

/* Whether nothing of an answer is left to be written. */
bool tpi_sensor_say_idle(const tpi_sensor *s);

/* Write a piece, if there is one and the line has room. */
bool tpi_sensor_say(tpi_sensor *s);

/* Forget what is being written. */
void tpi_sensor_say_nothing(tpi_sensor *s);

#endif
