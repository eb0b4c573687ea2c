/*
 * device_say.c - what a sensor writes, piece by piece; see device.h.
 *
 * An answer, the manifest and lines of data are written one after another and never within each
 * other. A piece is written only if the line has room for a whole one.
 */
#include "sensors/crc.h"
#include "sensors/device_inside.h"

/* What is being written. */
enum { NOTHING, ANSWER, CHUNK_HEAD, CHUNK_BYTES, CHUNK_END, MANIFEST_END, LINE_HEAD, LINE };

void tpi_sensor_say_nothing(tpi_sensor *s)
{
    s->says = NOTHING;
}

bool tpi_sensor_say_idle(const tpi_sensor *s)
{
    return s->says == NOTHING && s->answer_length == 0;
}

static void put(tpi_sensor *s, const char *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++) {
        s->check.line_sum ^= (uint8_t)bytes[i];
        s->check.line_crc = tpi_sensor_crc(s->check.line_crc, bytes[i]);
    }
    s->hooks->put(s->context, bytes, length);
}

static void begin_sums(tpi_sensor *s)
{
    s->check.line_sum = 0;
    s->check.line_crc = TPI_SENSOR_CRC_START;
}

/* The last four bits as a digit, without a table: that would take memory of a chip. */
static char hex_digit(uint16_t bits)
{
    const uint8_t digit = bits & 15;

    return (char)(digit < 10 ? '0' + digit : 'A' - 10 + digit);
}

/* The end of a line, with what it is checked by. */
static void put_end(tpi_sensor *s, uint8_t checks)
{
    const char head[] = {'*', s->check.number};
    uint16_t sum = s->check.line_sum;
    char end[5];
    uint8_t length = 0;

    if (checks != TPI_CHECKS_NOT) {
        put(s, head, checks == TPI_CHECKS_NUMBER ? 2 : 1);
        if (checks == TPI_CHECKS_NUMBER) {
            sum = s->check.line_crc;
            end[length++] = hex_digit(sum >> 12);
            end[length++] = hex_digit(sum >> 8);
        }
        end[length++] = hex_digit(sum >> 4);
        end[length++] = hex_digit(sum);
    }
    end[length++] = '\n';
    s->hooks->put(s->context, end, length);
    begin_sums(s);
}

/* ---- The manifest ---------------------------------------------------------------------------- */

void tpi_sensor_say_manifest(tpi_sensor *s, uint16_t chunk)
{
    s->chunk = chunk;
    s->manifest_at = chunk > 0 ? (uint32_t)(chunk - 1) * TPI_SENSOR_CHUNK : 0;
    begin_sums(s);
    s->says = s->manifest_at < s->plan->manifest_length ? CHUNK_HEAD : MANIFEST_END;
}

static void say_head(tpi_sensor *s)
{
    const uint32_t left = s->plan->manifest_length - s->manifest_at;
    char text[12] = "X,";
    uint8_t length = 2;

    if (s->chunk > 0) {
        length = (uint8_t)(length + tpi_sensor_put_whole(text + length, s->chunk));
        text[length++] = ',';
    }

    s->chunk_left = left < TPI_SENSOR_CHUNK ? (uint8_t)left : TPI_SENSOR_CHUNK;
    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, s->chunk_left));
    text[length++] = ',';
    put(s, text, length);
    s->says = CHUNK_BYTES;
}

static void say_bytes(tpi_sensor *s)
{
    char bytes[TPI_SENSOR_PIECE];
    uint8_t length = 0;

    while (length < TPI_SENSOR_PIECE && s->chunk_left > 0) {
        bytes[length++] = s->hooks->manifest(s->context, s->manifest_at++);
        s->chunk_left--;
    }
    put(s, bytes, length);
    s->says = s->chunk_left > 0 ? CHUNK_BYTES : CHUNK_END;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* "L,ch,": the begin of a line. */
static uint8_t begin_line(const tpi_sensor *s, uint8_t channel, char *out)
{
    uint8_t length = 2;

    out[0] = 'L';
    out[1] = ',';
    length =
        (uint8_t)(length + tpi_sensor_put_whole(out + length, s->plan->channels[channel].number));
    out[length++] = ',';
    return length;
}

static void say_lost(tpi_sensor *s, uint8_t channel, uint32_t first, uint32_t count)
{
    char text[TPI_SENSOR_PIECE];
    uint8_t length = begin_line(s, channel, text);

    for (const char *word = "lost,"; *word != '\0'; word++) {
        text[length++] = *word;
    }
    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, first));
    text[length++] = ',';
    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, count));
    begin_sums(s);
    put(s, text, length);
    put_end(s, s->check.lines);
}

static void say_line_head(tpi_sensor *s)
{
    char text[TPI_SENSOR_PIECE];
    uint8_t length = begin_line(s, s->line_run, text);

    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, s->line_first));
    text[length++] = ',';
    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, s->line_count));
    text[length++] = ',';
    length = (uint8_t)(length + tpi_sensor_put_whole(text + length, s->line_us));
    text[length++] = ',';
    begin_sums(s);
    put(s, text, length);
    s->says = LINE;
}

/* Raw numbers go without floating point, which is slow on small chips. */
static uint8_t put_value(const tpi_sensor_conversion *conversion, tpi_sensor_cell raw, char *out)
{
    const tpi_scaling *scaling = &conversion->scaling;

    if (scaling->function == TPI_SCALING_NONE && conversion->places == 0 && raw >= 0 &&
        scaling->resolution == 1 && raw >= scaling->min && raw <= scaling->max) {
        return tpi_sensor_put_whole(out, (uint64_t)raw);
    }
    return tpi_sensor_put_number(out, tpi_scaling_value(scaling, raw), conversion->places);
}

static void say_value(tpi_sensor *s)
{
    const tpi_sensor_channel *channel = &s->plan->channels[s->line_run];
    const tpi_sensor_conversion *conversion = &channel->conversions[s->run[s->line_run].conversion];
    char text[33];
    uint8_t length;

    if (s->line_at == s->line_count) {
        put_end(s, s->check.lines);
        s->says = NOTHING;
        return;
    }
    length = put_value(conversion, s->line[s->line_at], text);
    s->line_at++;
    if (s->line_at < s->line_count) {
        text[length++] = ';';
    }
    put(s, text, length);
}

/* Begin a line of data. Its samples are taken at once, with the news of those that are lost before
 * it: otherwise, on a line that is too slow, more would be lost meanwhile, and nothing but such
 * news would be sent. */
static void begin_line_of(tpi_sensor *s, uint8_t channel)
{
    tpi_sensor_run *run = &s->run[channel];
    const uint32_t lost = run->lost, first = run->oldest - lost;

    run->lost = 0;
    s->line_run = channel;
    s->line_at = 0;
    s->line_count = tpi_sensor_log_take(s, channel, s->line, &s->line_first, &s->line_us);
    s->says = s->line_count > 0 ? LINE_HEAD : NOTHING;
    if (lost > 0) {
        say_lost(s, channel, first, lost);
    } else {
        say_line_head(s);
    }
}

/* Begin a line of data, if one is to be sent. */
static bool begin_data(tpi_sensor *s)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        const tpi_sensor_run *run = &s->run[i];
        if (run->to_send > 0 || (run->lost > 0 && run->state == TPI_RUN_ENDED)) {
            begin_line_of(s, i);
            return true;
        }
    }
    return false;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void say_answer(tpi_sensor *s)
{
    const uint8_t left = (uint8_t)(s->answer_length - s->answer_sent);
    const uint8_t most = TPI_SENSOR_PIECE - 7; /* the end of the line */
    const uint8_t length = left < most ? left : most;

    if (s->answer_sent == 0) {
        begin_sums(s);
    }
    put(s, s->answer + s->answer_sent, length);
    s->answer_sent = (uint8_t)(s->answer_sent + length);
    if (s->answer_sent == s->answer_length) {
        put_end(s, s->check.answer);
        s->answer_length = s->answer_sent = 0;
        s->says = NOTHING;
    }
}

/* An answer goes first, unless data belong before it. */
static bool begin(tpi_sensor *s)
{
    const bool waits = s->answer_after != TPI_SENSOR_NONE && s->run[s->answer_after].to_send > 0;

    if (s->answer_length > 0 && !waits) {
        s->says = ANSWER;
        say_answer(s);
        return true;
    }
    return begin_data(s);
}

bool tpi_sensor_say(tpi_sensor *s)
{
    if (s->hooks->room(s->context) < TPI_SENSOR_PIECE) {
        return false;
    }
    switch (s->says) {
    case ANSWER:
        say_answer(s);
        return true;
    case CHUNK_HEAD:
        say_head(s);
        return true;
    case CHUNK_BYTES:
        say_bytes(s);
        return true;
    case CHUNK_END:
        put_end(s, s->check.answer);
        s->says = s->chunk > 0                                ? NOTHING
                  : s->manifest_at < s->plan->manifest_length ? CHUNK_HEAD
                                                              : MANIFEST_END;
        return true;
    case MANIFEST_END:
        put(s, "X\xFF", 2);
        put_end(s, s->check.answer);
        s->says = NOTHING;
        return true;
    case LINE_HEAD:
        say_line_head(s);
        return true;
    case LINE:
        say_value(s);
        return true;
    default:
        return begin(s);
    }
}
