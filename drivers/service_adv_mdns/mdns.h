/*
 * mdns.h - packets of multicast DNS (RFC 6762) for one service (RFC 6763): reading questions and
 * writing answers. Pure: no sockets, no time.
 */
#ifndef TROUPE_SERVICE_ADV_MDNS_MDNS_H
#define TROUPE_SERVICE_ADV_MDNS_MDNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MDNS_PORT = 5353,
    MDNS_LABEL = 63,      /* most bytes of a part of a name */
    MDNS_KIND = 16,       /* most bytes of the kind of a service */
    MDNS_NAME = 255,      /* most bytes of a name in a packet */
    MDNS_MOST_TEXT = 700, /* most bytes of the TXT record */
    MDNS_MOST = 1400,     /* most bytes of a packet of ours; all records together have less */
};

/* Records of the service, as bits. */
enum {
    MDNS_KINDS = 1,  /* PTR: that there are services of this kind at all */
    MDNS_LISTED = 2, /* PTR: the kind has this service */
    MDNS_PLACE = 4,  /* SRV: host and port */
    MDNS_TEXT = 8,   /* TXT */
    MDNS_HOST = 16,  /* A: the address of the host */
    MDNS_ALL = MDNS_LISTED | MDNS_PLACE | MDNS_TEXT | MDNS_HOST,
};

struct mdns_service {
    char name[MDNS_LABEL + 1]; /* "a robot" */
    char kind[MDNS_KIND + 1];  /* "_player2", over TCP */
    char host[MDNS_LABEL + 1]; /* without ".local" */
    uint16_t port;
    uint8_t address[4];
    uint8_t text[MDNS_MOST_TEXT]; /* strings, each behind its length */
    size_t text_length;
};

/* What a packet of somebody else is to the service. */
struct mdns_heard {
    unsigned wanted;                 /* records that it asks for and does not know */
    bool unicast;                    /* all these questions ask for an answer to the sender alone */
    bool conflict;                   /* another host has a service of this name */
    uint16_t id;                     /* of the packet */
    uint8_t question[MDNS_NAME + 4]; /* the first one that is for the service */
    size_t question_length;
};

/* How to answer. */
struct mdns_manner {
    bool goodbye; /* the service ends */
    bool probe;   /* ask whether somebody else has the name, instead of answering */
    const struct mdns_heard *plain; /* the packet of a plain DNS client; NULL for others */
};

/* Read a packet. False if it is damaged; what was understood before that counts not. */
bool tpi_mdns_read(const struct mdns_service *service, const uint8_t *bytes, size_t length,
                   struct mdns_heard *out);

/* Write a packet with these records of the service and those that belong to them. The length. */
size_t tpi_mdns_write(const struct mdns_service *service, unsigned records,
                      const struct mdns_manner *manner, uint8_t out[MDNS_MOST]);

/* Add a string to the TXT record. False if it does not fit, and nothing is added. */
bool tpi_mdns_add_text(struct mdns_service *service, const char *text);

#endif
