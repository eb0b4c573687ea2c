/* cast.c - emulated robots in a served world; see cast.h. */
#include "cast.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emulate/emulate.h"
#include "emulate/host/line.h"
#include "platform/line.h"

enum { MOST = 32, MOST_SCHEMES = 16, NAME = 64, CHUNK = 4096 };

/* A driver's wish for a robot; the reader of the pipe frees it. */
struct wish {
    const tpi_emu_kind *kind;
    char body[NAME];
    int fd; /* owned: the robot's end of the line */
};

struct actor {
    tpi_emu *robot; /* owned; NULL for a free place */
    int fd;         /* owned */
};

struct cast {
    tp_kit kit;
    const tp_scheme *schemes[MOST_SCHEMES];
    tp_scheme scheme;
    tpi_buf bodies;            /* borrowed; its names do not change */
    int wishes[2];             /* owned: a pipe of pointers to wishes */
    struct actor actors[MOST]; /* of the thread that steps the world */
};

static cast *the_cast; /* of this program */

static bool has_body(const cast *c, const char *name)
{
    const char *at = c->bodies.data;
    const char *end = at == NULL ? NULL : at + c->bodies.length;

    while (at < end && strcmp(at, name) != 0) {
        at += strlen(at) + 1;
    }
    return at < end;
}

/* ---- The driver's thread --------------------------------------------------------------------- */

static void line_close(tpi_line *line)
{
    close(line->fd);
    free(line);
}

static const tpi_line_ops line_ops = {
    .read = tpi_line_read_fd,
    .write = tpi_line_write_fd,
    .close = line_close,
};

/* The value of body= in "nxt?body=nina&seed=1"; "" if there is none. */
static void find_body(const char *rest, char body[NAME])
{
    const char *at = strchr(rest, '?');

    body[0] = '\0';
    while (at != NULL && strncmp(at + 1, "body=", 5) != 0) {
        at = strchr(at + 1, '&');
    }
    if (at != NULL) {
        (void)snprintf(body, NAME, "%.*s", (int)strcspn(at + 6, "&"), at + 6);
    }
}

static const tpi_emu_kind *find_kind(const char *rest, tp_error *err)
{
    char name[NAME];

    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "?"), rest);
    return tpi_emu_kind_named(name, err);
}

static tp_status make_pair(int type, int ends[2], tp_error *err)
{
    if (socketpair(AF_UNIX, type, 0, ends) != 0) {
        return tp_fail(err, TP_E_IO, "a pair of sockets: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return TP_OK;
}

static tp_status send_wish(const cast *c, const tpi_emu_kind *kind, const char *body, int fd,
                           tp_error *err)
{
    struct wish *wish = calloc(1, sizeof *wish);

    if (wish == NULL) {
        close(fd);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    wish->kind = kind;
    wish->fd = fd;
    (void)snprintf(wish->body, sizeof wish->body, "%s", body);
    if (write(c->wishes[1], &wish, sizeof wish) != (ssize_t)sizeof wish) {
        close(fd);
        free(wish);
        return tp_fail(err, TP_E_LIMIT, "too many robots wait for the world");
    }
    return TP_OK;
}

static tp_status open_line(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    const cast *c = the_cast;
    char body[NAME];
    int ends[2];

    find_body(plan->rest, body);
    if (c == NULL || body[0] == '\0' || !has_body(c, body)) {
        return tpi_scheme_emulate.open(out, plan, err);
    }
    const tpi_emu_kind *kind = find_kind(plan->rest, err);
    tpi_line *line = kind == NULL ? NULL : calloc(1, sizeof *line);
    if (line == NULL) {
        return kind == NULL ? TP_E_UNKNOWN : tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = make_pair(SOCK_STREAM, ends, err);
    if (status == TP_OK) {
        *line = (tpi_line){.ops = &line_ops, .url = plan->url, .fd = ends[0]};
        status = send_wish(c, kind, body, ends[1], err);
        if (status != TP_OK) {
            close(ends[0]);
        }
    }
    if (status != TP_OK) {
        free(line);
        return status;
    }
    *out = line;
    return TP_OK;
}

/* ---- The world's thread ---------------------------------------------------------------------- */

static void dismiss(struct actor *actor, tpi_sim *sim)
{
    if (sim != NULL) {
        tpi_sim_stop(sim, tpi_emu_model(actor->robot));
    }
    tpi_emu_destroy(actor->robot);
    close(actor->fd);
    actor->robot = NULL;
}

/* A driver that opens the line again gets a robot that was just switched on; if the robot cannot
 * be made, its driver finds the line closed. */
static void grant(cast *c, tpi_sim *sim, const struct wish *wish)
{
    struct actor *actor = c->actors;

    while (actor < c->actors + MOST && actor->robot != NULL) {
        actor++;
    }
    if (actor == c->actors + MOST ||
        tpi_emu_create(&actor->robot, wish->kind, sim, tpi_sim_find(sim, wish->body), NULL, NULL) !=
            TP_OK) {
        close(wish->fd);
        return;
    }
    actor->fd = wish->fd;
}

static void take_wishes(cast *c, tpi_sim *sim)
{
    struct wish *wish = NULL;

    while (read(c->wishes[0], &wish, sizeof wish) == (ssize_t)sizeof wish) {
        grant(c, sim, wish);
        free(wish);
    }
}

/* Whether the driver is still there. */
static bool hear(struct actor *actor)
{
    unsigned char bytes[CHUNK];
    ssize_t length;

    while ((length = read(actor->fd, bytes, sizeof bytes)) > 0) {
        tpi_emu_input(actor->robot, bytes, (size_t)length);
    }
    return length < 0 && (errno == EAGAIN || errno == EINTR);
}

/* What the socket does not take is lost, as on a line that nobody reads. */
static void speak(struct actor *actor)
{
    unsigned char bytes[CHUNK];
    size_t length;

    while ((length = tpi_emu_output(actor->robot, bytes, sizeof bytes)) > 0) {
        (void)!send(actor->fd, bytes, length, MSG_NOSIGNAL);
    }
}

void cast_step(cast *c, tpi_sim *sim)
{
    take_wishes(c, sim);
    for (size_t i = 0; i < MOST; i++) {
        struct actor *actor = &c->actors[i];
        if (actor->robot == NULL) {
            continue;
        }
        if (!hear(actor)) {
            dismiss(actor, sim);
            continue;
        }
        tpi_emu_tick(actor->robot);
        speak(actor);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void make_kit(cast *c)
{
    size_t count = 0;

    c->scheme = (tp_scheme){.name = tpi_scheme_emulate.name, .open = open_line};
    for (const tp_scheme *const *at = tp_full_kit.schemes; *at != NULL && count < MOST_SCHEMES - 1;
         at++) {
        c->schemes[count++] = *at == &tpi_scheme_emulate ? &c->scheme : *at;
    }
    c->kit = tp_full_kit;
    c->kit.schemes = c->schemes;
}

tp_status cast_create(cast **out, tp_error *err)
{
    cast *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (pipe(c->wishes) != 0) {
        free(c);
        return tp_fail(err, TP_E_IO, "a pipe: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(c->wishes[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(c->wishes[i], F_SETFL, O_NONBLOCK);
    }
    make_kit(c);
    the_cast = c;
    *out = c;
    return TP_OK;
}

void cast_destroy(cast *c)
{
    struct wish *wish = NULL;

    if (c == NULL) {
        return;
    }
    the_cast = NULL;
    while (read(c->wishes[0], &wish, sizeof wish) == (ssize_t)sizeof wish) {
        close(wish->fd);
        free(wish);
    }
    for (size_t i = 0; i < MOST; i++) {
        if (c->actors[i].robot != NULL) {
            dismiss(&c->actors[i], NULL);
        }
    }
    close(c->wishes[0]);
    close(c->wishes[1]);
    tpi_buf_fini(&c->bodies);
    free(c);
}

const tp_kit *cast_kit(const cast *c)
{
    return &c->kit;
}

void cast_set_world(cast *c, const tpi_sim *sim)
{
    tpi_sim_info info;

    tpi_buf_clear(&c->bodies);
    for (tpi_sim_model model = 0; model < tpi_sim_model_count(sim); model += info.family) {
        tpi_sim_model_info(sim, model, &info);
        tpi_sim_put_name(sim, model, &c->bodies);
        tpi_buf_putc(&c->bodies, '\0');
    }
}
