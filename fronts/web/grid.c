/*
 * grid.c - whole maps: as OccupancyGrid of ROS 2, and in JSON.
 *
 * A map is fetched in tiles. While WebSocket clients are subscribed to the grid of a map, the front
 * has the map open to read, fetches it once for all of them, and again when the device says that it
 * has changed. Cells are converted tile by tile, and to JSON some at each tick, so no turn of the
 * loop is long. All clients are sent the same bytes.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/map.h"

enum { TILE_WIDTH = 256, TILE_HEIGHT = 128, MOST_CELLS = 1 << 23, MOST_GRIDS = 16 };
enum { TEXT_CELLS = 1 << 21, TEXT_STEP = 1 << 18, TEXT_HEAD = 512, TEXT_OF_CELL = 4 };

/* A map in JSON, made of a message of ROS 2. */
struct grid_text {
    struct note *made;   /* owned reference; NULL for none */
    struct note *being;  /* owned: is being filled; NULL for none */
    struct note *source; /* owned reference: what `being` is made of */
    tp_map_info info;    /* of `source` */
    size_t next;         /* cell */
    unsigned version;    /* of `made`, or of a failure */
    unsigned begun;      /* the version of the grid that `being` is for */
    bool wanted;         /* somebody is subscribed */
};

struct grid {
    struct grid *next;
    struct web_front *front; /* borrowed */
    tp_devaddr addr;
    tp_session *session; /* owned */
    tp_after drain;
    bool open, asked, lost;
    bool stale;         /* it has to be fetched */
    bool wanted;        /* somebody is subscribed */
    struct note *made;  /* owned reference; NULL until it was fetched */
    struct note *being; /* owned: is being filled; NULL for none */
    struct grid_text text;
    tp_map_info info, made_info;
    uint32_t col, row, band; /* of the next tile; band: its rows, 0 if it begins one */
    unsigned version;        /* of `made`; and of `failure` */
    char failure[160];       /* why there is none */
};

bool tpi_web_has_grid(const tp_devaddr *addr)
{
    return addr->interf == TP_MAP_CODE;
}

static bool is_grid(const struct subscription *s)
{
    return tpi_web_has_grid(&s->addr) && ((s->form == FORM_CDR && s->code == TP_MAP_DATA_INFO) ||
                                          (s->form == FORM_JSON && s->code == GRID_CODE));
}

static const uint8_t *cells_of(const struct note *note, const tp_map_info *info)
{
    return (const uint8_t *)note->frame.data + note->frame.length -
           (size_t)info->width * info->height;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void fail(struct grid *grid, const char *text)
{
    tpi_web_note_unref(grid->being);
    grid->being = NULL;
    grid->stale = false;
    grid->version = ++grid->front->grids.version;
    snprintf(grid->failure, sizeof grid->failure, "%.159s", text);
}

/* The answer to GET_INFO: place for the whole message, with all cells unknown. */
static void begin(struct grid *grid, const tp_map_info *info)
{
    const double now_s = tp_clock_wall_s(tp_hub_clock(tp_front_hub(grid->front->instance)));
    const uint64_t cells = (uint64_t)info->width * info->height;
    struct note *note = tpi_web_note_create();

    if (cells == 0 || cells > MOST_CELLS || note == NULL) {
        tpi_web_note_unref(note);
        fail(grid, cells == 0           ? "the map is empty"
                   : cells > MOST_CELLS ? "the map has too many cells for one message"
                                        : "out of memory");
        return;
    }
    const size_t length = tpi_ros_grid(&grid->addr, info, now_s, NULL, 0);
    uint8_t *bytes = (uint8_t *)tpi_buf_reserve(&note->frame, TPI_WEB_STAMP + length);
    if (bytes == NULL) {
        tpi_web_note_unref(note);
        fail(grid, "out of memory");
        return;
    }
    tpi_web_put_u64(bytes, tpi_web_nanoseconds(now_s));
    (void)tpi_ros_grid(&grid->addr, info, now_s, bytes + TPI_WEB_STAMP, length);
    note->frame.length = TPI_WEB_STAMP + length;
    tpi_web_note_unref(grid->being);
    grid->being = note;
    grid->info = *info;
    grid->col = grid->row = grid->band = 0;
    grid->stale = false;
}

static void complete(struct grid *grid)
{
    tpi_web_note_drop(grid->front, grid->made);
    grid->made = grid->being;
    grid->made_info = grid->info;
    grid->being = NULL;
    grid->version = ++grid->front->grids.version;
    grid->failure[0] = '\0';
}

/* The answer to GET_DATA. It may hold less than was asked for, but not another place. */
static void take_tile(struct grid *grid, const tp_map_data *tile)
{
    const uint32_t band = grid->band > 0 ? grid->band : tile->height;

    if (grid->being == NULL) {
        return;
    }
    if (tile->col != grid->col || tile->row != grid->row || tile->width == 0 || tile->height == 0 ||
        tile->height != band || tile->width > grid->info.width - grid->col ||
        tile->height > grid->info.height - grid->row ||
        (uint64_t)tile->width * tile->height != tile->data_count) {
        fail(grid, "the device gave another part of the map than it was asked for");
        return;
    }
    uint8_t *cells = (uint8_t *)grid->being->frame.data + grid->being->frame.length -
                     (size_t)grid->info.width * grid->info.height;
    for (uint32_t i = 0; i < tile->height; i++) {
        tpi_ros_cells(cells + (size_t)(tile->row + i) * grid->info.width + tile->col,
                      tile->data + (size_t)i * tile->width, tile->width, tile->data_range);
    }
    grid->band = band;
    grid->col += tile->width;
    if (grid->col == grid->info.width) {
        grid->col = grid->band = 0;
        grid->row += band;
    }
    if (grid->row == grid->info.height) {
        complete(grid);
    }
}

/* ---- In JSON --------------------------------------------------------------------------------- */

static void drop_text(struct grid_text *text)
{
    tpi_web_note_unref(text->being);
    tpi_web_note_unref(text->source);
    text->being = text->source = NULL;
}

/* Place for all cells, and the text before them. */
static void begin_text(struct grid *grid)
{
    struct grid_text *text = &grid->text;
    const size_t cells = (size_t)grid->made_info.width * grid->made_info.height;

    drop_text(text);
    text->begun = grid->version;
    text->next = 0;
    text->info = grid->made_info;
    text->being = cells <= TEXT_CELLS ? tpi_web_note_create() : NULL;
    if (text->being == NULL) {
        tpi_web_note_drop(grid->front, text->made);
        text->made = NULL;
        text->version = text->begun;
        return;
    }
    text->source = grid->made;
    text->source->references++;
    tpi_buf *out = &text->being->frame;
    (void)tpi_buf_reserve(out, TPI_WEB_STAMP + TEXT_HEAD + cells * TEXT_OF_CELL);
    tpi_buf_put(out, text->source->frame.data, TPI_WEB_STAMP);
    tpi_grid_begin(out, &text->info);
}

/* Some more cells. */
static void write_text(struct grid *grid)
{
    struct grid_text *text = &grid->text;

    if (!text->wanted || grid->made == NULL) {
        return;
    }
    if (text->being == NULL && text->begun != grid->version) { /* one that has begun is ended */
        begin_text(grid);
    }
    if (text->being == NULL) {
        return;
    }
    const size_t cells = (size_t)text->info.width * text->info.height;
    const size_t some = cells - text->next < TEXT_STEP ? cells - text->next : TEXT_STEP;
    const int8_t *at = (const int8_t *)cells_of(text->source, &text->info) + text->next;
    tpi_buf *out = &text->being->frame;

    tpi_grid_put_cells(out, at, some, text->next == 0);
    text->next += some;
    if (text->next == cells) {
        tpi_grid_end(out);
        tpi_web_note_drop(grid->front, text->made);
        text->made = out->failed ? NULL : text->being;
        text->being = out->failed ? text->being : NULL;
        text->version = text->begun;
        drop_text(text);
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void ask(struct grid *grid)
{
    const unsigned code = grid->being != NULL ? TP_MAP_REQ_GET_DATA : TP_MAP_REQ_GET_INFO;
    const tp_message *what = tp_interface_message(&tp_interface_map, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = grid->addr, .type = TP_MSGTYPE_REQ, .subtype = what->code};
    const tp_map_data tile = {
        .col = grid->col,
        .row = grid->row,
        .width = grid->being == NULL ? 0 : least(TILE_WIDTH, grid->info.width - grid->col),
        .height = grid->being == NULL ? 0
                  : grid->band > 0    ? grid->band
                                      : least(TILE_HEIGHT, grid->info.height - grid->row)};
    tp_msg *msg = NULL;

    tp_session_heard(grid->session);
    if (tp_msg_create(&msg, &header, what->ask, grid->being != NULL ? &tile : NULL) == TP_OK) {
        const tp_status status = tp_session_send(grid->session, msg, what, NULL);

        grid->asked = status == TP_OK;
        grid->lost = status == TP_E_DENIED; /* the device was removed, or replaced */
        tp_msg_unref(msg);
    }
}

static void go_on(struct grid *grid)
{
    if (grid->open && !grid->asked && !grid->lost && (grid->being != NULL || grid->stale)) {
        ask(grid);
    }
}

static void take(struct grid *grid, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->type == TP_MSGTYPE_DATA) {
        grid->stale = grid->stale || header->subtype == TP_MAP_DATA_INFO;
        return;
    }
    grid->asked = false;
    if (header->type == TP_MSGTYPE_RESP_ACK && tp_msg_type(msg) == &tp_desc_map_info) {
        begin(grid, tp_msg_payload(msg));
    } else if (header->type == TP_MSGTYPE_RESP_ACK && tp_msg_type(msg) == &tp_desc_map_data) {
        take_tile(grid, tp_msg_payload(msg));
    } else {
        fail(grid, "the device does not give its map");
    }
}

static void on_drain(tp_after *after)
{
    struct grid *grid = (struct grid *)((char *)after - offsetof(struct grid, drain));
    tp_msg *msg;

    assert(front_is_current(grid->front));
    while ((msg = tp_session_take(grid->session)) != NULL) {
        take(grid, msg);
        tp_msg_unref(msg);
    }
    go_on(grid);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void on_ready(void *context)
{
    struct grid *grid = context;

    tp_loop_after(grid->front->loop, &grid->drain);
}

static void on_lost(void *context)
{
    ((struct grid *)context)->lost = true; /* it goes with the next tick */
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct grid *grid = context;

    (void)request;
    (void)device;
    grid->open = status == TP_OK;
    if (status != TP_OK) {
        fail(grid, err != NULL ? err->text : tp_status_text(status));
    }
    go_on(grid);
}

static void destroy(struct grid *grid)
{
    tp_loop_after_cancel(grid->front->loop, &grid->drain);
    tp_session_destroy(grid->session);
    tpi_web_note_drop(grid->front, grid->made);
    tpi_web_note_unref(grid->being);
    tpi_web_note_drop(grid->front, grid->text.made);
    drop_text(&grid->text);
    free(grid);
}

static struct grid *create(struct web_front *front, const tp_devaddr *addr)
{
    static const tp_session_limits limits = {.data = 16, .replies = 16, .requests = 4};
    static const tp_session_events events = {.ready = on_ready, .lost = on_lost};
    const tp_msghdr request = {.addr = *addr, .type = TP_MSGTYPE_REQ};
    struct grid *grid = calloc(1, sizeof *grid);

    if (grid == NULL) {
        return NULL;
    }
    grid->front = front;
    grid->addr = *addr;
    grid->drain.run = on_drain;
    grid->stale = true;
    if (tp_session_create(&grid->session, tp_front_hub(front->instance), TP_EVERY_ROBOT, &limits,
                          &events, grid, NULL) != TP_OK) {
        free(grid);
        return NULL;
    }
    tp_session_set_name(grid->session, "web");
    tp_device *device = tp_session_find_at(grid->session, addr);
    if (device == NULL ||
        tp_session_open(grid->session, device, TP_READ_MODE, &request, on_opened) != TP_OK) {
        destroy(grid);
        return NULL;
    }
    return grid;
}

static struct grid *grid_of(struct web_front *front, const tp_devaddr *addr)
{
    struct grid *grid = front->grids.first;
    unsigned count = 0;

    while (grid != NULL && !same_address(&grid->addr, addr)) {
        grid = grid->next;
        count++;
    }
    if (grid == NULL && count < MOST_GRIDS && (grid = create(front, addr)) != NULL) {
        grid->next = front->grids.first;
        front->grids.first = grid;
    }
    return grid;
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void send(struct connection *c, struct subscription *s, struct grid *grid)
{
    const bool failed = grid->failure[0] != '\0', is_text = s->form == FORM_JSON;
    const unsigned version = is_text && !failed ? grid->text.version : grid->version;
    struct note *note = is_text ? grid->text.made : grid->made;

    if (s->version == version || c->blocked || c->behind.count > 0) {
        return;
    }
    s->version = version;
    if (failed) {
        tpi_web_status(c, 1, "subscription %u: %s", s->id, grid->failure);
    } else if (note != NULL) {
        tpi_web_send_data(c, s->id, note);
    } else if (is_text) {
        tpi_web_status(c, 1,
                       "subscription %u: the map has too many cells for JSON; it is there in CDR, "
                       "on /ros/%u/map/%u/INFO",
                       s->id, (unsigned)s->addr.robot, (unsigned)s->addr.index);
    }
}

static void look_at(struct connection *c)
{
    for (unsigned i = 0; i < SUB_BUCKETS; i++) {
        for (struct subscription *s = c->door->subscriptions[i]; s != NULL; s = s->next) {
            struct grid *grid = is_grid(s) ? grid_of(c->front, &s->addr) : NULL;

            if (grid != NULL) {
                grid->wanted = true;
                grid->text.wanted = grid->text.wanted || s->form == FORM_JSON;
                send(c, s, grid);
            }
        }
    }
}

void tpi_web_grids_tick(struct web_front *front)
{
    assert(front_is_current(front));
    for (struct grid *grid = front->grids.first; grid != NULL; grid = grid->next) {
        write_text(grid);
        grid->wanted = grid->text.wanted = false;
        go_on(grid);
    }
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_SOCKET && c->door->grid_count > 0) {
            look_at(c);
        }
    }
    for (struct grid **at = &front->grids.first; *at != NULL;) {
        struct grid *grid = *at;

        if (grid->wanted && !grid->lost) {
            at = &grid->next;
            continue;
        }
        *at = grid->next;
        destroy(grid);
    }
}

void tpi_web_grids_clear(struct web_front *front)
{
    while (front->grids.first != NULL) {
        struct grid *grid = front->grids.first;

        front->grids.first = grid->next;
        destroy(grid);
    }
}

void tpi_web_grid_counted(struct client *client, const struct subscription *s, bool added)
{
    if (is_grid(s)) {
        client->grid_count += added ? 1 : (unsigned)-1;
    }
}
