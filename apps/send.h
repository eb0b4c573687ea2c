/* send.h - what troupe send and request share: the message, and how it goes out. */
#ifndef TROUPE_APPS_SEND_H
#define TROUPE_APPS_SEND_H

#include "feed.h"
#include "lapse.h"
#include "remote.h"
#include "waited.h"

enum { MOST_WORDS = 3 };

/* send_stream.c: what waited in the input. */
struct what_waited {
    struct waited input;
    double frozen_s;        /* for how long the program did not look, the last time */
    bool connects;          /* the next look is the first one with a connection */
    bool was_connecting;    /* that was for the connection */
    bool first;             /* that was before the first command was sent, which is old */
    bool begun;             /* the value that has begun in the feed, or is next, is old */
    unsigned long left_out; /* values that were not reported yet */
};

struct send {
    struct remote remote;
    tp_kind kind;
    struct remote_device device;
    const tp_message *message;
    const char *words[MOST_WORDS]; /* DEVICE MESSAGE JSON */
    int word_count;
    bool json; /* the answer */
    double repeat_hz;
    struct lapse lapse; /* of what is repeated */
    double for_s;
    double lease_s; /* 0 for the device's default */
    int64_t rank;
    bool has_rank;
    bool exclusive; /* nobody else writes meanwhile */
    void *value;    /* owned; NULL for a message without a body */
    tp_proxy *proxy;
    bool told;    /* that a command could not be sent */
    bool refused; /* a command, by the server, which has said so */

    /* send_stream.c: commands from standard input */
    bool streams;
    bool input_ended;
    unsigned at_once;    /* so many commands are sent before the device is asked */
    unsigned unanswered; /* that were sent since it was asked last */
    int64_t asked_ns;    /* then */
    bool awaits;         /* the device's answer, and the input is not looked at */
    tp_timer *beat;      /* owned: looks whether the program was frozen */
    struct what_waited old;
    int result;
    struct feed feed;
    struct tpi_input *input; /* owned; NULL if it is not read now */
};

/* send_value.c: read the value of the message from the command line or standard input; list the
 * messages that the device takes. */
int send_read_value(struct send *s);
int send_parse_value(struct send *s, const char *text, size_t length);
int send_list_messages(const struct send *s);

/* send_stream.c: notice from now on if the program is frozen: what it has then is old. */
tp_status send_watch(struct send *s, tp_error *err);

/* send_stream.c: the device is open, and the first command is about to be sent. An old one is
 * refused; where others follow it is only left out. */
int send_refuse_old(struct send *s);

/* send_stream.c: wait for the first command on standard input; once it was sent, send the others as
 * they come, until the input ends. */
int send_read_first(struct send *s);
int send_stream(struct send *s, bool *interrupted);

/* send_hold.c: open the device, and ask for rank and lease, as the options say; what is not granted
 * is reported. Once all is sent, say what that is worth. */
int send_open(struct send *s);
void send_hint(const struct send *s);

#endif
