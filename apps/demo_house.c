/* demo_house.c - the configuration of the demo and what is played in it; see demo_house.h. */
#include "demo_house.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "called.h"
#include "platform/folder.h"
#include "troupe/clock.h"
#include "troupe/front.h"

extern char **environ;

enum { LARGEST = 1 << 20, LONGEST_PATH = 4096 };

static const char web[] = "web";
static const int64_t pause_ns = 3 * TP_NS_PER_S; /* between two rounds of a sequence */

/* In the order of the `motion` fronts of the configuration. */
static const char *const sequences[DEMO_PLAYERS] = {"demo-pioneer.csv", "demo-arm.csv"};

/* ---- The configuration ----------------------------------------------------------------------- */

static tp_status find(struct demo_house *house, tp_error *err)
{
    char folder[LONGEST_PATH];

    for (size_t i = 0; tpi_folder_own("configs", folder, sizeof folder, i); i++) {
        tpi_buf_clear(&house->path);
        tpi_buf_printf(&house->path, "%s/demo.cfg", folder);
        if (access(tpi_buf_text(&house->path), R_OK) == 0) {
            for (size_t k = 0; k < DEMO_PLAYERS; k++) {
                tpi_buf_printf(&house->players[k].file, "%s/%s", folder, sequences[k]);
            }
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "demo.cfg is not there; name a world instead: %s demo office",
                   called());
}

bool demo_house_has_page(void)
{
    const tp_front *const *at = tp_full_kit.fronts;

    while (*at != NULL && strcmp((*at)->name, web) != 0) {
        at++;
    }
    return *at != NULL;
}

/* Each line that begins a section of the front becomes a comment. */
static void leave_out_page(tpi_buf *text)
{
    static const char section[] = "front ( name \"web\"";

    for (char *at = text->data; at != NULL && (at = strstr(at, section)) != NULL; at++) {
        *at = '#';
    }
}

/* Recordings belong to the user: they are kept where the demo was started. */
static void place_recordings(tpi_buf *text)
{
    static const char name[] = "filename \"demo.mcap\"";
    char folder[LONGEST_PATH];
    tpi_buf placed = {0};
    const char *from = tpi_buf_text(text), *at;

    if (getcwd(folder, sizeof folder) == NULL || strpbrk(folder, "\"\\\n") != NULL) {
        return; /* beside the configuration */
    }
    while ((at = strstr(from, name)) != NULL) {
        tpi_buf_put(&placed, from, (size_t)(at - from));
        tpi_buf_printf(&placed, "filename \"%s/demo.mcap\"", folder);
        from = at + sizeof name - 1;
    }
    tpi_buf_puts(&placed, from);
    tpi_buf_fini(text);
    *text = placed;
}

tp_status demo_house_init(struct demo_house *house, tp_error *err)
{
    tp_status status = find(house, err);

    if (status == TP_OK) {
        status = tpi_file_read(&house->text, tpi_buf_text(&house->path), LARGEST, err);
    }
    if (status == TP_OK && !demo_house_has_page()) {
        leave_out_page(&house->text);
    }
    if (status == TP_OK) {
        place_recordings(&house->text);
    }
    return status == TP_OK && house->text.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                                 : status;
}

/* ---- A configuration of the user's ----------------------------------------------------------- */

/* The value of a key, that is: what stands between the quotation marks behind it; NULL if it is
 * only in comments. */
static const char *value_of(const char *text, const char *key, size_t *length)
{
    for (const char *at = strstr(text, key); at != NULL; at = strstr(at + 1, key)) {
        const char *line = at;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        const char *value = at + strlen(key);
        value += strspn(value, " \t\n");
        if (memchr(line, '#', (size_t)(at - line)) == NULL && *value == '"') {
            *length = strcspn(value + 1, "\"\n");
            return value + 1;
        }
    }
    return NULL;
}

tp_status demo_house_read(struct demo_house *house, const char *path, tpi_buf *world,
                          const char **driver, tp_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t length = 0;
    const tp_status status = tpi_file_read(&house->text, path, LARGEST, err);

    tpi_buf_puts(&house->path, path);
    if (status != TP_OK) {
        return status;
    }
    const char *text = tpi_buf_text(&house->text);
    const char *value = value_of(text, "worldfile", &length);
    if (value == NULL) {
        return tp_fail(err, TP_E_INVALID, "%.80s has no world to show; %s run %.80s serves it",
                       path, called(), path);
    }
    if (value[0] != '/' && slash != NULL) {
        tpi_buf_put(world, path, (size_t)(slash - path) + 1);
    }
    tpi_buf_put(world, value, length);
    *driver = strstr(text, "name \"sim\"") == NULL ? "stage" : "sim";
    return world->failed || house->path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

void demo_house_set_speed(struct demo_house *house, double speed)
{
    static const char sim[] = "name \"sim\"", stage[] = "name \"stage\"";
    const char *at = strstr(tpi_buf_text(&house->text), sim);
    size_t length = sizeof sim - 1;
    tpi_buf text = {0};

    if (at == NULL) {
        at = strstr(tpi_buf_text(&house->text), stage);
        length = sizeof stage - 1;
    }
    if (at != NULL) {
        const size_t before = (size_t)(at - house->text.data) + length;
        tpi_buf_put(&text, house->text.data, before);
        tpi_buf_printf(&text, " speed %.9g%s", speed, house->text.data + before);
        tpi_buf_fini(&house->text);
        house->text = text;
    }
}

/* ---- Robots ---------------------------------------------------------------------------------- */

tp_status demo_house_add_crew(const struct demo_house *house, struct demo_crew *crew, tp_error *err)
{
    const char *at = strstr(tpi_buf_text(&house->text), "bodies [");
    const char *end = at == NULL ? NULL : strchr(at, ']');
    char name[64];
    unsigned device = 0;
    tp_status status = TP_OK;

    while (status == TP_OK && at != NULL && (at = strchr(at, '"')) != NULL && at < end) {
        if (sscanf(at, "\"%63s position2d:%u", name, &device) == 2) {
            status = demo_crew_add(crew, name, device, err);
        }
        at = strchr(at + 1, '"') + 1;
    }
    return status;
}

/* ---- The stage ------------------------------------------------------------------------------- */

void demo_house_set_stage(struct demo_house *house, const tp_server *server)
{
    tp_server_front front;
    size_t player = 0;

    for (size_t i = 0; tp_server_front_at(server, i, &front) && player < DEMO_PLAYERS; i++) {
        if (strcmp(front.name, "motion") == 0 && front.port != 0) {
            struct demo_player *p = &house->players[player++];
            (void)snprintf(p->url, sizeof p->url, "localhost:%u", front.port);
        }
    }
}

void demo_house_put_page(tpi_buf *out, const tp_server *server)
{
    tp_server_front front;

    for (size_t i = 0; tp_server_front_at(server, i, &front); i++) {
        if (strcmp(front.name, web) == 0 && front.port != 0) {
            tpi_buf_printf(out, "http://localhost:%u/", front.port);
            return;
        }
    }
}

/* Quietly, and without the terminal: Ctrl-C is for the demo. */
static void begin(struct demo_player *player)
{
    char *const arguments[] = {(char *)(uintptr_t) "troupe",
                               (char *)(uintptr_t) "motion",
                               (char *)(uintptr_t) "play",
                               player->file.data,
                               player->url,
                               NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;

    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&attributes);
    for (int fd = 0; fd < 3; fd++) {
        (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&player->pid, called_program(), &files, &attributes, arguments, environ) != 0) {
        player->pid = 0;
    }
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attributes);
}

void demo_house_tick(struct demo_house *house, int64_t now_ns)
{
    for (size_t i = 0; i < DEMO_PLAYERS; i++) {
        struct demo_player *player = &house->players[i];
        if (player->pid > 0 && waitpid(player->pid, NULL, WNOHANG) == player->pid) {
            player->pid = 0;
            player->next_ns = now_ns + pause_ns;
        }
        if (player->pid == 0 && player->url[0] != '\0' && now_ns >= player->next_ns &&
            called_program() != NULL) {
            player->next_ns = now_ns + pause_ns;
            begin(player);
        }
    }
}

void demo_house_fini(struct demo_house *house)
{
    for (size_t i = 0; i < DEMO_PLAYERS; i++) {
        struct demo_player *player = &house->players[i];
        if (player->pid > 0) {
            (void)kill(player->pid, SIGKILL);
            (void)waitpid(player->pid, NULL, 0);
        }
        tpi_buf_fini(&player->file);
    }
    tpi_buf_fini(&house->path);
    tpi_buf_fini(&house->text);
}
