/* robot_link.c - reads links, timing and framing of a robot file; see robot.h. */
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "universal/robot.h"

tp_status tpi_robotfile_read_link(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"kind", "baud", "port", "host", "boot", NULL};
    static const char *const kinds[] = {"serial", "tcp", "udp", "hid", "devices", NULL};
    const tpi_document *document = &robot->document;
    tpi_robot_link *link = &robot->links[robot->link_count];
    const char *kind = tpi_element_need(document, element, "kind");
    tp_status status = kind != NULL ? tpi_element_only(document, element, names) : TP_E_INVALID;

    if (status == TP_OK && !tpi_text_among(kinds, kind)) {
        status = tpi_element_fail(
            document, element, "kind=\"%.20s\": expected serial, tcp, udp, hid or devices", kind);
    }
    if (status == TP_OK && robot->link_count == TPI_MOST_LINKS) {
        status = tpi_element_fail(document, element, "over %d links", TPI_MOST_LINKS);
    }
    if (status != TP_OK) {
        return status;
    }
    link->kind = kind;
    link->host = tpi_element_get(element, "host");
    status = tpi_element_number(document, element, "baud", 50, 1e7, 115200, &link->baud);
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "port", 0, 65535, 0, &link->port);
    }
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "boot", 0, 60000, 0, &link->boot_ms);
    }
    robot->link_count++;
    return status;
}

tp_status tpi_robotfile_read_timing(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"reply", "gap", "largest", "drops", NULL};
    const tpi_document *document = &robot->document;
    tp_status status = tpi_element_only(document, element, names);
    double largest = 0;

    if (status == TP_OK) {
        status =
            tpi_element_number(document, element, "reply", 1, 60000, 500, &robot->timing.reply_ms);
    }
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "gap", 0, 10000, 0, &robot->timing.gap_ms);
    }
    if (status == TP_OK) {
        status = tpi_element_number(document, element, "largest", 64, 4 << 20, 4096, &largest);
        robot->timing.largest = (size_t)largest;
    }
    return status == TP_OK ? tpi_element_flag(document, element, "drops", &robot->timing.drops)
                           : status;
}

/* ---- Framing ---- */

static tp_status read_bytes(const tpi_document *document, const tpi_element *element,
                            const char *name, tpi_mark *out)
{
    const char *text = tpi_element_get(element, name);
    tpi_buf bytes = {0};
    tp_status status = TP_OK;

    if (text == NULL) {
        return TP_OK;
    }
    const tp_status read = tpi_hex_read(&bytes, text, strlen(text), NULL);
    if (read == TP_E_NOMEM) {
        status = tpi_document_no_memory(document);
    } else if (read != TP_OK || bytes.length == 0 || bytes.length > TPI_MOST_MARK) {
        status = tpi_element_fail(document, element,
                                  "%s=\"%.30s\": expected 1 to 8 bytes in hexadecimal: 0D 0A", name,
                                  text);
    } else {
        memcpy(out->bytes, bytes.data, bytes.length);
        out->length = (unsigned)bytes.length;
    }
    tpi_buf_fini(&bytes);
    return status;
}

/* A type of an attribute, which must be of one kind. */
static tp_status read_format(const tpi_document *document, const tpi_element *element,
                             const char *name, tpi_format_kind kind, const char *examples,
                             tpi_format *out)
{
    const char *text = tpi_element_get(element, name);

    if (text == NULL) {
        return TP_OK;
    }
    if (!tpi_format_read(out, text, strlen(text)) || out->kind != kind || out->is_signed) {
        *out = (tpi_format){0};
        return tpi_element_fail(document, element, "%s=\"%.20s\": expected a type such as %s", name,
                                text, examples);
    }
    return TP_OK;
}

/* "AB 8D=05 AB=23" */
static tp_status read_escapes(tpi_robotfile *robot, const tpi_element *element)
{
    const char *text = tpi_element_get(element, "escape");
    tpi_framing *framing = &robot->framing;
    tpi_buf bytes = {0};
    char copy[100] = "";
    bool good = text != NULL && strlen(text) < sizeof copy;

    if (text == NULL) {
        return TP_OK;
    }
    for (size_t i = 0; good && text[i] != '\0'; i++) {
        copy[i] = text[i] == '=' ? ' ' : text[i];
    }
    const tp_status read = tpi_hex_read(&bytes, copy, strlen(copy), NULL);
    if (read == TP_E_NOMEM) {
        tpi_buf_fini(&bytes);
        return tpi_document_no_memory(&robot->document);
    }
    good = good && read == TP_OK && (bytes.length & 1) != 0 &&
           bytes.length <= 1 + 2 * TPI_MOST_ESCAPES;
    for (size_t i = 0; good && i < bytes.length / 2; i++) {
        memcpy(framing->escapes[framing->escape_count++], bytes.data + 1 + 2 * i, 2);
    }
    framing->has_escape = good;
    framing->escape = good ? (uint8_t)bytes.data[0] : 0;
    tpi_buf_fini(&bytes);
    return good ? TP_OK
                : tpi_element_fail(&robot->document, element,
                                   "escape=\"%.30s\": expected a byte and pairs: AB 8D=05 AB=23",
                                   text);
}

static tp_status read_sizes(tpi_robotfile *robot, const tpi_element *element)
{
    const tpi_document *document = &robot->document;
    tpi_framing *framing = &robot->framing;
    double size = 0, in_size = 0;
    tpi_mark pad = {{0}, 0};
    tp_status status = tpi_element_number(document, element, "size", 1, 1024, 0, &size);

    if (status == TP_OK) {
        status = tpi_element_number(document, element, "in-size", 1, 1024, size, &in_size);
    }
    if (status == TP_OK) {
        status =
            tpi_element_number(document, element, "length-adds", -16, 16, 0, &framing->length_adds);
    }
    if (status == TP_OK) {
        status = read_bytes(document, element, "pad", &pad);
    }
    framing->size = (unsigned)size;
    framing->in_size = (unsigned)in_size;
    framing->pad = pad.bytes[0];
    return status;
}

/* Frames must have an end that the engine can find. */
static tp_status check_framing(const tpi_robotfile *robot, const tpi_element *element)
{
    const tpi_framing *f = &robot->framing;
    const char *sequence = tpi_element_get(element, "sequence");

    if (sequence != NULL && strcmp(sequence, "u8") != 0) {
        return tpi_element_fail(&robot->document, element, "sequence=\"%.20s\": expected u8",
                                sequence);
    }
    if (f->has_escape && f->end.length == 0) {
        return tpi_element_fail(&robot->document, element,
                                "escape needs end: without it nobody knows where a frame ends");
    }
    if (!f->is_packet && !f->reads_plain && f->length.width == 0 && f->in_size == 0 &&
        f->end.length == 0) {
        return tpi_element_fail(&robot->document, element,
                                "nothing says where a frame ends; give length, size, end, "
                                "packet=\"yes\" or in=\"none\"");
    }
    return TP_OK;
}

tp_status tpi_robotfile_read_framing(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"start",   "end", "length", "length-adds", "size",
                                        "in-size", "pad", "escape", "sequence",    "checksum",
                                        "packet",  "in",  NULL};
    const tpi_document *document = &robot->document;
    tpi_framing *framing = &robot->framing;
    const char *in = tpi_element_get(element, "in");
    tp_status status = tpi_element_only(document, element, names);

    if (status == TP_OK && framing->is_used) {
        status = tpi_element_fail(document, element, "it is there twice; remove one");
    }
    framing->is_used = true;
    if (status == TP_OK && in != NULL && strcmp(in, "none") != 0) {
        status = tpi_element_fail(document, element, "in=\"%.20s\": expected none", in);
    }
    framing->reads_plain = in != NULL;
    framing->has_sequence = tpi_element_get(element, "sequence") != NULL;
    if (status == TP_OK) {
        status = tpi_element_flag(document, element, "packet", &framing->is_packet);
    }
    if (status == TP_OK) {
        status = read_bytes(document, element, "start", &framing->start);
    }
    if (status == TP_OK) {
        status = read_bytes(document, element, "end", &framing->end);
    }
    if (status == TP_OK) {
        status =
            read_format(document, element, "length", TPI_FORMAT_INTEGER, "u16le", &framing->length);
    }
    if (status == TP_OK) {
        status = read_format(document, element, "checksum", TPI_FORMAT_CHECKSUM, "sum8",
                             &framing->checksum);
    }
    if (status == TP_OK) {
        status = read_sizes(robot, element);
    }
    if (status == TP_OK) {
        status = read_escapes(robot, element);
    }
    return status == TP_OK ? check_framing(robot, element) : status;
}

bool tpi_robotfile_reads_frames(const tpi_robotfile *robot)
{
    return robot->framing.is_used && !robot->framing.reads_plain;
}
