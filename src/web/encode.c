/* encode.c - see encode.h. */
#include "web/encode.h"

#include <string.h>

#include "base/json.h"
#include "padi/value.h"
#include "web/ros.h"

void tpi_web_put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

void tpi_web_put_u64(uint8_t *at, uint64_t value)
{
    tpi_web_put_u32(at, (uint32_t)value);
    tpi_web_put_u32(at + 4, (uint32_t)(value >> 32));
}

uint32_t tpi_web_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t tpi_web_nanoseconds(double seconds)
{
    if (!(seconds > 0 && seconds < 1e10)) {
        return 0;
    }
    const uint64_t whole = (uint64_t)seconds;

    return whole * 1000000000u + (uint64_t)((seconds - (double)whole) * 1e9 + 0.5);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* At most so many characters. */
static size_t json_bound(const tp_struct *type, const void *value)
{
    size_t bound = 2;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const uint32_t count = tp_field_count(field, value);
        const char *elements = tpi_field_elements(field, value);

        bound += strlen(field->name) + 6; /* quotes, colon, comma, brackets */
        if (field->type != TP_TYPE_STRUCT) {
            bound += count * tpi_number_width(field->type);
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            bound += 1 + json_bound(field->of, elements + (size_t)k * field->of->size);
        }
    }
    return bound;
}

static bool is_refusal(const tp_msghdr *header)
{
    return header->type == TP_MSGTYPE_RESP_NACK;
}

static tp_status json_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                           size_t *size)
{
    if (value == NULL) {
        *size = TPI_WEB_STAMP + 64;
    } else if (is_refusal(header) && type == &tp_desc_failure) {
        *size = TPI_WEB_STAMP + 64 + 6 * (size_t)((const tp_failure *)value)->text_count;
    } else {
        *size = TPI_WEB_STAMP + json_bound(type, value) + 1;
    }
    return *size > TP_XDR_MAX_MESSAGE_SIZE ? TP_E_LIMIT : TP_OK;
}

static void put_refusal(tpi_buf *out, const tp_struct *type, const void *value)
{
    const tp_failure *failure = type == &tp_desc_failure ? value : NULL;
    uint32_t length = 0;

    tpi_web_put_u32((uint8_t *)out->data,
                    (uint32_t)(failure != NULL ? failure->code : TP_E_DEVICE));
    if (failure != NULL && tpi_chars_text(failure->text, failure->text_count, &length)) {
        tpi_json_put_string(out, failure->text, length);
    } else {
        tpi_buf_puts(out, "\"the device refused it\"");
    }
}

static tp_status json_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                             void *bytes, size_t capacity, size_t *length)
{
    /* The buffer never grows: `size` is a bound. */
    tpi_buf out = {.data = bytes, .length = TPI_WEB_STAMP, .capacity = capacity};

    tpi_web_put_u64(bytes, tpi_web_nanoseconds(header->timestamp));
    if (is_refusal(header)) {
        put_refusal(&out, type, value);
    } else if (value == NULL) {
        tpi_buf_puts(&out, "{}");
    } else {
        tpi_value_put_json(&out, type, value, false, 0);
    }
    *length = out.length;
    return TP_OK;
}

const tp_encoding tpi_web_json = {.name = "web-json", .size = json_size, .encode = json_encode};

/* ---- CDR ------------------------------------------------------------------------------------- */

static tp_status cdr_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                          size_t *size)
{
    *size = TPI_WEB_STAMP;
    if (header->type == TP_MSGTYPE_DATA && value != NULL) {
        *size += tpi_ros_size(header, type, value);
    }
    return *size > TP_XDR_MAX_MESSAGE_SIZE ? TP_E_LIMIT : TP_OK;
}

static tp_status cdr_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                            void *bytes, size_t capacity, size_t *length)
{
    *length = TPI_WEB_STAMP;
    tpi_web_put_u64(bytes, tpi_web_nanoseconds(header->timestamp));
    if (header->type == TP_MSGTYPE_DATA && value != NULL) {
        *length += tpi_ros_encode(header, type, value, (uint8_t *)bytes + TPI_WEB_STAMP,
                                  capacity - TPI_WEB_STAMP);
    }
    return TP_OK;
}

const tp_encoding tpi_web_cdr = {.name = "web-cdr", .size = cdr_size, .encode = cdr_encode};
