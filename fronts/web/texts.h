/*
 * texts.h - texts that are made once for many clients: frames, what is advertised of devices, the
 * connection graph, parts of JSON. For the files of this folder; see inside.h.
 */
#ifndef TROUPE_FRONTS_WEB_TEXTS_H
#define TROUPE_FRONTS_WEB_TEXTS_H

#include "base/buf.h"
#include "troupe/loop.h"

struct client;
struct connection;
struct web_front;

/* A frame for many clients, or all of one but its beginning. */
struct note {
    unsigned references;
    tpi_buf frame;
    size_t begin;    /* of the frame in the buffer */
    unsigned *alive; /* borrowed: counts the graphs that there are; NULL for other notes */
    int64_t made_ns; /* of a graph */
    int64_t old_ns;  /* since when only clients have it that have not read it; TP_NEVER before */
};

/* The connection graph, made piece by piece, and shared by all that watch it. */
struct graph {
    unsigned version;     /* changes that the last one does not show */
    unsigned alive;       /* notes with a graph */
    struct note *note;    /* owned reference: the last one; NULL for none */
    unsigned section;     /* of the next one, that is being made; 0 for none */
    bool first;           /* nothing is in the section */
    size_t device;        /* that follows in it */
    struct connection *c; /* borrowed: the same */
    tpi_buf text;         /* owned */
};

/* The devices that a text is about: all that clients have been told of, and of those that change,
 * the ones that are gone and the new ones. */
enum about { ABOUT_ALL, ABOUT_GONE, ABOUT_NEW, ABOUTS };

/* Texts about devices, made a few devices at a time: with hundreds of devices they have many
 * megabytes. */
struct making {
    struct note *notes[ABOUTS][2][2]; /* owned references: [about][brief][services] */
    tp_after step;                    /* makes some more */
    bool wanted[2];                   /* those for new clients; [brief] */
    enum about about;                 /* of the text that is being made, as what follows */
    bool of_services;
    bool brief;
    size_t next;    /* the device that follows in it */
    unsigned count; /* of channels or services so far */
    tpi_buf text;   /* owned: it, behind room for the head of a frame; empty for none */
};

/* A round, in which WebSocket clients are told of changes (tell.c). */
struct round {
    bool due;                /* there are changes that the one under way does not tell */
    bool under_way;          /* as what follows is of it */
    bool has[ABOUTS];        /* devices that are gone, and new ones */
    bool failed;             /* a text could not be made */
    unsigned stage;          /* texts that have been begun */
    struct connection *next; /* borrowed: told next */
};

/* All interfaces as JSON, made when it is first asked for. */
struct description {
    tpi_buf text; /* owned */
    size_t count; /* so many interfaces are in it; there are only ever more */
};

/* A text that is good for a moment. */
struct recent_text {
    tpi_buf text; /* owned */
    int64_t made_ns;
};

/* What is made once for many clients. */
struct texts {
    struct description description;
    struct recent_text statistics;
    struct part *parts; /* owned: about interfaces (parts.c) */
};

/* ---- output.c ---- */

/* An empty one; NULL without memory. */
struct note *tpi_web_note_create(void);

/* A frame of this text, which begins behind TPI_FRAME_HEAD bytes and becomes the note's. NULL
 * without memory. */
struct note *tpi_web_note_adopt(tpi_buf *text);
void tpi_web_note_unref(struct note *note);

/* The front needs it no more. NULL is accepted, by both. */
void tpi_web_note_drop(struct web_front *front, struct note *note);

/* ---- parts.c ---- */

enum { PART_NAMES = 3 }; /* that a text can leave open: the n-th stands as a character n */

/* Kinds of texts: schemas, of the list of devices, and from PART_THING on of their descriptions. */
enum { PART_SCHEMA, PART_LIST, PART_THING };

/* A text about an interface or a struct, of one of some kinds; `make` writes it at the first call.
 * NULL without memory. */
typedef void web_make(tpi_buf *out, const void *about, unsigned kind);
const struct part *tpi_web_part(struct web_front *front, const void *about, unsigned kind,
                                web_make *make);

/* Append it, with these names (NULL for a text without); a part that is NULL fails. */
void tpi_web_put_part(tpi_buf *out, const struct part *part, const char *const names[PART_NAMES]);
void tpi_web_parts_clear(struct web_front *front);

/* ---- tell.c ---- */

/* Whether a new client can be told of the devices now. If not, it goes on when that is so. */
bool tpi_web_can_introduce(struct connection *c);

/* What a new client is told. */
void tpi_web_introduce(struct connection *c);

/* The list of devices has changed: WebSocket clients are told. */
void tpi_web_tell_changes(struct web_front *front);

/* Make some more of the texts, or tell some more clients. False if nothing is left to do. */
bool tpi_web_tell_step(struct web_front *front);
void tpi_web_tell_clear(struct web_front *front);

/* ---- graph.c ---- */

void tpi_web_graph_changed(struct web_front *front);
void tpi_web_graph_tick(struct web_front *front);

/* The client watches the graph from now on, or no more. */
void tpi_web_graph_watch(struct client *client, bool on);

/* Make some more of the next one. False if nothing is left to make. */
bool tpi_web_graph_step(struct web_front *front);
void tpi_web_graph_clear(struct web_front *front);

#endif
