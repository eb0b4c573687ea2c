/*
 * section_access.c - who may do what, as the configuration says: keys, key_file, operator_key,
 * open.
 *
 * Clients without a key are read-only where others than this machine's programs could be among
 * them: on ports that are open beyond loopback, and wherever the configuration names keys, even if
 * there are none. `open yes` lets everybody do everything but decide for others. An operator_key
 * alone only guards the end of a panic.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "platform/secret.h"
#include "server/inside.h"

enum { MOST_KEY_FILE = 1 << 20 };

/* ---- Reading --------------------------------------------------------------------------------- */

/* A configuration with secrets in it that others can read: told, not refused. */
void tpi_access_note_public(tp_server *server, const tpi_cfg_field *field)
{
    bool is_private = true;
    tp_error note = {0};

    if (server->options.text == NULL &&
        tpi_secret_is_private(field->place.file, &is_private, NULL) == TP_OK && !is_private) {
        tpi_cfg_fail(&field->place, &note,
                     "others can read this secret: chmod 600 the file, or use key_file");
        tpi_server_note(server, note.text);
    }
}

static struct access *access_of(void *file)
{
    return &((struct file *)file)->access;
}

tp_status tpi_access_read_keys(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "keys");
    struct access *access = access_of(into);
    tp_error why = {0};

    for (uint32_t i = 0; field != NULL && i < field->value_count; i++) {
        const tpi_cfg_value *value = &field->values[i];
        if (tpi_keys_add(&access->keys, value->text, strlen(value->text), &why) != TP_OK) {
            return tpi_cfg_fail(&value->place, err, "%s", why.text);
        }
    }
    if (field != NULL) {
        access->guarded = true;
        tpi_access_note_public(reading->server, field);
    }
    return TP_OK;
}

static tp_status load(const char *path, tpi_keys *keys, tp_error *err)
{
    tpi_buf text = {0};
    bool is_private = false;
    tp_status status = tpi_secret_is_private(path, &is_private, err);

    if (status == TP_OK && !is_private) {
        return tp_fail(err, TP_E_DENIED, "%s: others can read or change it: chmod 600 the file",
                       path);
    }
    status = status == TP_OK ? tpi_file_read(&text, path, MOST_KEY_FILE, err) : status;
    if (status == TP_OK) {
        status = tpi_keys_read(keys, path, tpi_buf_text(&text), text.length, err);
    }
    tpi_secret_wipe(text.data, text.length);
    tpi_buf_fini(&text);
    return status;
}

static tp_status read_one_file(const tpi_cfg_value *value, tpi_keys *keys, tp_error *err)
{
    char *path = NULL;
    tp_error why = {0};

    if (value->kind != TPI_CFG_STRING) {
        return tpi_cfg_fail(&value->place, err, "key_file is a file, not %.40s", value->text);
    }
    tp_status status = tpi_cfg_path(value, &path, err);
    if (status == TP_OK && load(path, keys, &why) != TP_OK) {
        status = tpi_cfg_fail(&value->place, err, "%s", why.text);
    }
    free(path);
    return status;
}

/* One, or several. */
tp_status tpi_access_read_key_file(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "key_file");
    struct access *access = access_of(into);
    tp_status status = TP_OK;

    access->guarded = access->guarded || field != NULL;
    for (uint32_t i = 0; field != NULL && i < field->value_count && status == TP_OK; i++) {
        status = read_one_file(&field->values[i], &access->keys, err);
    }
    return status;
}

tp_status tpi_access_read_operator_key(const struct reading *reading, void *into, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(reading->section, "operator_key");
    const char *secret = NULL;
    tp_error why = {0};
    tp_status status = tpi_cfg_string(reading->section, "operator_key", NULL, &secret, err);

    if (status != TP_OK || secret == NULL) {
        return status;
    }
    tpi_access_note_public(reading->server, field);
    return tpi_keys_add_secret(&access_of(into)->keys, "operator", TP_RIGHT_OPERATE, secret,
                               &why) == TP_OK
               ? TP_OK
               : tpi_cfg_fail(&field->place, err, "%s", why.text);
}

tp_status tpi_access_read_open(const struct reading *reading, void *into, tp_error *err)
{
    return tpi_cfg_bool(reading->section, "open", false, &access_of(into)->open, err);
}

/* A file that names keys wants them to be needed, also while there are none. */
static void note_none(tp_server *server, const struct file *file, const tpi_cfg_field *field)
{
    tp_error note = {0};

    if (file->access.keys.count == 0 && !file->access.open) {
        tpi_cfg_fail(&field->place, &note,
                     "there are no keys: no client can write or move anything");
        tpi_server_note(server, note.text);
    }
}

/* Wrong keys do not slow down an attacker that connects anew for each: the length of a secret is
 * what protects it. Notes never show a part of a secret. */
static void note_short(tp_server *server, const tpi_keys *keys, const tpi_cfg_field *field)
{
    const char *first = NULL;
    size_t count = 0;
    char more[40] = "";
    tp_error note = {0};

    for (size_t i = 0; i < keys->count; i++) {
        if (strlen(keys->keys[i].secret) < TPI_KEY_SAFE) {
            first = first == NULL ? keys->keys[i].name : first;
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    if (count > 1) {
        (void)snprintf(more, sizeof more, " and of %zu more", count - 1);
    }
    tpi_cfg_fail(&field->place, &note,
                 "the secret of the key %s%s can be guessed: give it %d random characters", first,
                 more, TPI_KEY_SAFE);
    tpi_server_note(server, note.text);
}

void tpi_access_note_keys(tp_server *server, const struct file *file)
{
    static const char *const names[] = {"keys", "key_file", "operator_key"};
    const tpi_cfg_field *field = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && field == NULL; i++) {
        field = tpi_cfg_find(tpi_cfg_root(file->cfg), names[i]);
    }
    if (field != NULL) {
        note_none(server, file, field);
        note_short(server, &file->access.keys, field);
    }
}

void tpi_access_forget(struct file *file)
{
    tpi_secret_wipe(&file->access, sizeof file->access);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

bool tpi_access_same_keys(const void *a, const void *b)
{
    const struct access *x = &((const struct file *)a)->access;
    const struct access *y = &((const struct file *)b)->access;
    bool same = x->guarded == y->guarded && x->keys.count == y->keys.count;

    for (size_t i = 0; same && i < x->keys.count; i++) {
        const tpi_key *one = &x->keys.keys[i];
        const tpi_key *other = &y->keys.keys[i];
        same = one->right == other->right && strcmp(one->name, other->name) == 0 &&
               strcmp(one->secret, other->secret) == 0;
    }
    return same;
}

bool tpi_access_same_open(const void *a, const void *b)
{
    return ((const struct file *)a)->access.open == ((const struct file *)b)->access.open;
}

const char *tpi_access_report(const void *after)
{
    return ((const struct file *)after)->access.open
               ? "keys and rights have changed: open to everybody now"
               : "keys and rights have changed";
}

/* ---- What follows from it -------------------------------------------------------------------- */

tp_reach tpi_access_reach(const char *host)
{
    const bool loopback =
        strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;

    return loopback ? TP_REACH_LOOPBACK : TP_REACH_NETWORK;
}

/* Whether any front listens on an address that other machines can reach. */
static bool listens_beyond(const tp_server *server)
{
    const char *host = server->options.listen;
    bool beyond = host[0] != '\0' && tpi_access_reach(host) == TP_REACH_NETWORK;

    for (const struct front_entry *entry = server->file->fronts; entry != NULL;
         entry = entry->next) {
        beyond = beyond ||
                 (entry->listen != NULL && tpi_access_reach(entry->listen) == TP_REACH_NETWORK);
    }
    return beyond;
}

/* A session that nobody says anything about has the reach of a network. If the server listens on
 * loopback only, it is a session of the program itself. */
static tp_right guests_of(const tp_server *server, tp_reach reach)
{
    const struct access *access = &server->file->access;
    const bool beyond = reach == TP_REACH_NETWORK && listens_beyond(server);

    return access->open || !(beyond || access->guarded) ? TP_RIGHT_MOVE : TP_RIGHT_READ;
}

tp_status tpi_access_apply(tp_server *server, tp_error *err)
{
    const struct access *access = &server->file->access;
    const tpi_access rules = {
        .keys = access->keys.keys,
        .key_count = access->keys.count,
        .guests = {[TP_REACH_NETWORK] = guests_of(server, TP_REACH_NETWORK),
                   [TP_REACH_LOOPBACK] = guests_of(server, TP_REACH_LOOPBACK),
                   [TP_REACH_UNIX] = guests_of(server, TP_REACH_UNIX),
                   [TP_REACH_INSIDE] = TP_RIGHT_OPERATE},
    };

    return tpi_hub_set_access(server->hub, &rules) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_right tp_server_guests(const tp_server *server, tp_reach reach)
{
    return reach == TP_REACH_INSIDE ? TP_RIGHT_OPERATE : guests_of(server, reach);
}

size_t tp_server_key_count(const tp_server *server)
{
    return server->file->access.keys.count;
}
