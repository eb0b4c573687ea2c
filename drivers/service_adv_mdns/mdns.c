/* mdns.c - packets of multicast DNS for one service; see mdns.h. */
#include "mdns.h"

#include <string.h>

enum {
    HEAD = 12,
    TYPE_A = 1,
    TYPE_PTR = 12,
    TYPE_TXT = 16,
    TYPE_SRV = 33,
    TYPE_ANY = 255,
    CLASS_IN = 1,
    CLASS_ANY = 255,
    TOP_BIT = 0x8000, /* of a class: "unicast please", or "this replaces what you know" */
    IS_ANSWER = 0x8000,
    OPCODE = 0x7800,
    LONG_S = 4500,
    SHORT_S = 120,
    PLAIN_S = 10,    /* most seconds that a plain client keeps an answer */
    MOST_PARTS = 256 /* questions and records that are read of a packet */
};

static const char domain[] = "local";

/* A name as packets have it, in lower case. */
struct name {
    uint8_t bytes[MDNS_NAME];
    size_t length;
};

bool tpi_mdns_add_text(struct mdns_service *service, const char *text)
{
    const size_t length = strlen(text);

    if (length == 0 || length > 255 || service->text_length + 1 + length > MDNS_MOST_TEXT) {
        return false;
    }
    service->text[service->text_length] = (uint8_t)length;
    memcpy(service->text + service->text_length + 1, text, length);
    service->text_length += 1 + length;
    return true;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

/* Up to five parts of at most 63 bytes fit: all but one of them are short. */
static void add_label(struct name *name, const char *label)
{
    const size_t length = strlen(label);

    name->bytes[name->length++] = (uint8_t)length;
    memcpy(name->bytes + name->length, label, length);
    name->length += length;
}

static struct name end_name(struct name name)
{
    add_label(&name, domain);
    name.bytes[name.length++] = 0;
    return name;
}

static struct name name_of_kinds(void)
{
    struct name name = {.length = 0};

    add_label(&name, "_services");
    add_label(&name, "_dns-sd");
    add_label(&name, "_udp");
    return end_name(name);
}

static struct name name_of_kind(const struct mdns_service *service)
{
    struct name name = {.length = 0};

    add_label(&name, service->kind);
    add_label(&name, "_tcp");
    return end_name(name);
}

static struct name name_of_service(const struct mdns_service *service)
{
    struct name name = {.length = 0};

    add_label(&name, service->name);
    add_label(&name, service->kind);
    add_label(&name, "_tcp");
    return end_name(name);
}

static struct name name_of_host(const struct mdns_service *service)
{
    struct name name = {.length = 0};

    add_label(&name, service->host);
    return end_name(name);
}

static bool same(const struct name *a, const struct name *b)
{
    for (size_t i = 0; i < a->length && a->length == b->length; i++) {
        if (lower(a->bytes[i]) != lower(b->bytes[i])) {
            return false;
        }
    }
    return a->length == b->length;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *bytes;
    size_t length, at;
};

struct record {
    struct name name;
    unsigned type, class;
    uint32_t ttl_s;
    size_t data, data_length;
};

static unsigned u16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

/* A pointer leads to an earlier place than the last one did, so that reading ends. */
static bool read_name(struct reader *r, struct name *out)
{
    size_t at = r->at;
    size_t before = r->at;
    bool jumped = false;

    out->length = 0;
    while (at < r->length) {
        const size_t label = r->bytes[at];
        if (label >= 0xc0) {
            if (at + 2 > r->length || (u16(r->bytes + at) & 0x3fff) >= before) {
                return false;
            }
            r->at = jumped ? r->at : at + 2;
            jumped = true;
            at = before = u16(r->bytes + at) & 0x3fff;
            continue;
        }
        if (label > MDNS_LABEL || at + 1 + label > r->length ||
            out->length + 1 + label > sizeof out->bytes) {
            return false;
        }
        memcpy(out->bytes + out->length, r->bytes + at, 1 + label);
        out->length += 1 + label;
        at += 1 + label;
        if (label == 0) {
            r->at = jumped ? r->at : at;
            return true;
        }
    }
    return false;
}

static bool read_question(struct reader *r, struct record *out)
{
    if (!read_name(r, &out->name) || r->length - r->at < 4) {
        return false;
    }
    out->type = u16(r->bytes + r->at);
    out->class = u16(r->bytes + r->at + 2);
    r->at += 4;
    return true;
}

static bool read_record(struct reader *r, struct record *out)
{
    if (!read_question(r, out) || r->length - r->at < 6) {
        return false;
    }
    out->ttl_s = (uint32_t)u16(r->bytes + r->at) << 16 | u16(r->bytes + r->at + 2);
    out->data_length = u16(r->bytes + r->at + 4);
    out->data = r->at + 6;
    r->at = out->data;
    if (r->length - r->at < out->data_length) {
        return false;
    }
    r->at += out->data_length;
    return true;
}

/* The records of the service that a question is about. */
static unsigned asked(const struct mdns_service *service, const struct record *question)
{
    const struct name kinds = name_of_kinds();
    const struct name kind = name_of_kind(service);
    const struct name own = name_of_service(service);
    const struct name host = name_of_host(service);
    const unsigned class = question->class & ~(unsigned)TOP_BIT;
    const bool any = question->type == TYPE_ANY;
    unsigned wanted = 0;

    if (class != CLASS_IN && class != CLASS_ANY) {
        return 0;
    }
    if (any || question->type == TYPE_PTR) {
        wanted |= same(&question->name, &kinds) ? MDNS_KINDS : 0;
        wanted |= same(&question->name, &kind) ? MDNS_LISTED : 0;
    }
    if (same(&question->name, &own)) {
        wanted |= any || question->type == TYPE_SRV ? MDNS_PLACE : 0;
        wanted |= any || question->type == TYPE_TXT ? MDNS_TEXT : 0;
    }
    if (same(&question->name, &host)) {
        wanted |= any || question->type == TYPE_A ? MDNS_HOST : 0;
    }
    return wanted;
}

static bool read_questions(const struct mdns_service *service, struct reader *r,
                           struct mdns_heard *out)
{
    const unsigned count = u16(r->bytes + 4);
    struct record question;

    out->unicast = true;
    for (unsigned i = 0; i < count; i++) {
        if (i >= MOST_PARTS || !read_question(r, &question)) {
            return false;
        }
        const unsigned wanted = asked(service, &question);
        if (wanted != 0 && out->question_length == 0) {
            memcpy(out->question, question.name.bytes, question.name.length);
            out->question_length = question.name.length;
            const uint8_t rest[] = {(uint8_t)(question.type >> 8), (uint8_t)question.type, 0,
                                    CLASS_IN};
            memcpy(out->question + out->question_length, rest, sizeof rest);
            out->question_length += sizeof rest;
        }
        out->unicast = out->unicast && (wanted == 0 || (question.class & TOP_BIT) != 0);
        out->wanted |= wanted;
    }
    return true;
}

/* What the sender knows and will know for a while is not told again. */
static bool read_known(const struct mdns_service *service, struct reader *r, struct mdns_heard *out)
{
    const unsigned count = u16(r->bytes + 6);
    const struct name kinds = name_of_kinds();
    const struct name kind = name_of_kind(service);
    const struct name own = name_of_service(service);
    struct record record;
    struct name target;

    for (unsigned i = 0; i < count; i++) {
        if (i >= MOST_PARTS || !read_record(r, &record)) {
            return false;
        }
        struct reader data = {r->bytes, record.data + record.data_length, record.data};
        if (record.type != TYPE_PTR || record.ttl_s < LONG_S / 2 || !read_name(&data, &target)) {
            continue;
        }
        if (same(&record.name, &kind) && same(&target, &own)) {
            out->wanted &= ~(unsigned)MDNS_LISTED;
        } else if (same(&record.name, &kinds) && same(&target, &kind)) {
            out->wanted &= ~(unsigned)MDNS_KINDS;
        }
    }
    return true;
}

/* An answer with our name and another place. Goodbyes are none. */
static bool read_answers(const struct mdns_service *service, struct reader *r,
                         struct mdns_heard *out)
{
    const unsigned count = u16(r->bytes + 6) + u16(r->bytes + 8) + u16(r->bytes + 10);
    const struct name own = name_of_service(service);
    const struct name host = name_of_host(service);
    struct record record;
    struct name target;
    bool conflict = false;

    for (unsigned i = 0; i < count; i++) {
        if (i >= MOST_PARTS || !read_record(r, &record)) {
            return false;
        }
        if (record.type != TYPE_SRV || record.ttl_s == 0 || !same(&record.name, &own)) {
            continue;
        }
        struct reader data = {r->bytes, record.data + record.data_length, record.data + 6};
        conflict = conflict || record.data_length < 7 ||
                   u16(r->bytes + record.data + 4) != service->port || !read_name(&data, &target) ||
                   !same(&target, &host);
    }
    out->conflict = conflict;
    return true;
}

bool tpi_mdns_read(const struct mdns_service *service, const uint8_t *bytes, size_t length,
                   struct mdns_heard *out)
{
    struct reader r = {bytes, length, HEAD};

    *out = (struct mdns_heard){.wanted = 0};
    if (length < HEAD || (u16(bytes + 2) & OPCODE) != 0) {
        return false;
    }
    out->id = (uint16_t)u16(bytes);
    bool whole = true;
    if ((u16(bytes + 2) & IS_ANSWER) == 0) {
        whole = read_questions(service, &r, out) && read_known(service, &r, out);
    } else if (u16(bytes + 4) == 0) { /* answers in multicast repeat no question */
        whole = read_answers(service, &r, out);
    }
    if (!whole) {
        *out = (struct mdns_heard){.wanted = 0};
    }
    return whole;
}

/* ---- Writing --------------------------------------------------------------------------------- */

struct writer {
    uint8_t *bytes; /* room for MDNS_MOST: all records together have less */
    size_t length;
    const struct mdns_manner *manner;
};

static void put_u16(struct writer *w, unsigned value)
{
    w->bytes[w->length++] = (uint8_t)(value >> 8);
    w->bytes[w->length++] = (uint8_t)value;
}

static void put(struct writer *w, const void *bytes, size_t length)
{
    memcpy(w->bytes + w->length, bytes, length);
    w->length += length;
}

/* `unique`: nobody else has records of this name and type. */
static void put_record(struct writer *w, const struct name *name, unsigned type, bool unique,
                       unsigned ttl_s, const void *head, size_t head_length, const void *data,
                       size_t length)
{
    const bool plain = w->manner->plain != NULL;
    const unsigned most_s = w->manner->goodbye ? 0 : plain ? PLAIN_S : ttl_s;

    put(w, name->bytes, name->length);
    put_u16(w, type);
    put_u16(w, unique && !plain && !w->manner->probe ? CLASS_IN | TOP_BIT : CLASS_IN);
    put_u16(w, 0);
    put_u16(w, ttl_s < most_s ? ttl_s : most_s);
    put_u16(w, (unsigned)(head_length + length));
    if (head_length > 0) {
        put(w, head, head_length);
    }
    put(w, data, length);
}

static void put_records(struct writer *w, const struct mdns_service *service, unsigned records)
{
    const struct name kinds = name_of_kinds();
    const struct name kind = name_of_kind(service);
    const struct name own = name_of_service(service);
    const struct name host = name_of_host(service);
    const uint8_t place[6] = {0, 0, 0, 0, (uint8_t)(service->port >> 8), (uint8_t)service->port};
    const uint8_t none = 0; /* a TXT record without texts has one that is empty */

    if ((records & MDNS_KINDS) != 0) {
        put_record(w, &kinds, TYPE_PTR, false, LONG_S, NULL, 0, kind.bytes, kind.length);
    }
    if ((records & MDNS_LISTED) != 0) {
        put_record(w, &kind, TYPE_PTR, false, LONG_S, NULL, 0, own.bytes, own.length);
    }
    if ((records & MDNS_PLACE) != 0) {
        put_record(w, &own, TYPE_SRV, true, SHORT_S, place, 6, host.bytes, host.length);
    }
    if ((records & MDNS_TEXT) != 0) {
        put_record(w, &own, TYPE_TXT, true, LONG_S, NULL, 0,
                   service->text_length > 0 ? service->text : &none,
                   service->text_length > 0 ? service->text_length : 1);
    }
    if ((records & MDNS_HOST) != 0) {
        put_record(w, &host, TYPE_A, true, SHORT_S, NULL, 0, service->address, 4);
    }
}

static unsigned count_of(unsigned records)
{
    unsigned count = 0;

    for (; records != 0; records >>= 1) {
        count += records & 1;
    }
    return count;
}

/* What a client asks next. */
static unsigned belonging(unsigned records)
{
    const unsigned all = (records & MDNS_LISTED) != 0  ? (unsigned)MDNS_ALL
                         : (records & MDNS_PLACE) != 0 ? (unsigned)MDNS_HOST
                                                       : 0;

    return all & ~records;
}

static size_t write_probe(struct writer *w, const struct mdns_service *service)
{
    const struct name own = name_of_service(service);

    for (unsigned i = 0; i < 6; i++) {
        put_u16(w, i == 2 || i == 4 ? 1 : 0); /* a question, and the record that is proposed */
    }
    put(w, own.bytes, own.length);
    put_u16(w, TYPE_ANY);
    put_u16(w, CLASS_IN);
    put_records(w, service, MDNS_PLACE);
    return w->length;
}

size_t tpi_mdns_write(const struct mdns_service *service, unsigned records,
                      const struct mdns_manner *manner, uint8_t out[MDNS_MOST])
{
    struct writer w = {.bytes = out, .manner = manner};
    const struct mdns_heard *plain = manner->plain;
    const unsigned more = manner->goodbye ? 0 : belonging(records);

    if (manner->probe) {
        return write_probe(&w, service);
    }
    put_u16(&w, plain != NULL ? plain->id : 0);
    put_u16(&w, 0x8400); /* an answer, from the one who knows */
    put_u16(&w, plain != NULL ? 1 : 0);
    put_u16(&w, count_of(records));
    put_u16(&w, 0);
    put_u16(&w, count_of(more));
    if (plain != NULL) {
        put(&w, plain->question, plain->question_length);
    }
    put_records(&w, service, records);
    put_records(&w, service, more);
    return w.length;
}
