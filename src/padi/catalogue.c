/*
 * catalogue.c - the interfaces that a program knows: built in, loaded from files, and added.
 *
 * One thread may load while others look up. They see a table that never changes. A load works on a
 * copy, the draft, and replaces the table when all has been read; a table that was replaced is kept
 * until the end, since a look-up may still be in it.
 */
#include "padi/catalogue.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "padi/names.h"
#include "padi/parse.h"

enum { LARGEST_FILE = 4 << 20, LARGEST_TEXT = 256 << 10, DEEPEST_USE = 16, MOST_AT_ONCE = 256 };

struct loaded {
    struct loaded *next; /* owned */
    tpi_padi padi;
};

struct table {
    struct table *before; /* owned: the one that this one has replaced */
    size_t count;
    size_t capacity;
    const tp_interface *interfaces[]; /* ordered by code */
};

struct tp_catalogue {
    _Atomic(struct table *) table; /* owned */
    struct table *draft;           /* owned: of the thread that loads; NULL while none does */
    struct loaded *loaded;         /* owned, newest first: a file is freed before those it uses */
};

static const struct table *table_of(const tp_catalogue *catalogue)
{
    return atomic_load_explicit(&catalogue->table, memory_order_acquire);
}

/* ---- Look-ups -------------------------------------------------------------------------------- */

size_t tp_catalogue_size(const tp_catalogue *catalogue)
{
    return table_of(catalogue)->count;
}

const tp_interface *tp_catalogue_at(const tp_catalogue *catalogue, size_t i)
{
    const struct table *table = table_of(catalogue);

    return i < table->count ? table->interfaces[i] : NULL;
}

/* The first place whose code is not below `code`. */
static size_t place_of(const struct table *table, unsigned code)
{
    size_t low = 0;
    size_t high = table->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->interfaces[middle]->code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const tp_interface *with_code(const struct table *table, unsigned code)
{
    size_t i = place_of(table, code);

    return i < table->count && table->interfaces[i]->code == code ? table->interfaces[i] : NULL;
}

static const tp_interface *with_name(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (tpi_names_equal(table->interfaces[i]->name, name)) {
            return table->interfaces[i];
        }
    }
    return NULL;
}

const tp_interface *tp_catalogue_code(const tp_catalogue *catalogue, unsigned code)
{
    return with_code(table_of(catalogue), code);
}

const tp_interface *tp_catalogue_named(const tp_catalogue *catalogue, const char *name)
{
    return with_name(table_of(catalogue), name);
}

static bool is_struct_name(const char *name, const char *ours)
{
    const size_t length = strlen(ours);

    if (strcmp(name, ours) == 0) {
        return true;
    }
    return strncmp(name, "player_", 7) == 0 && strncmp(name + 7, ours, length) == 0 &&
           strcmp(name + 7 + length, "_t") == 0;
}

const tp_struct *tp_catalogue_struct(const tp_catalogue *catalogue, const char *name)
{
    const struct table *table = table_of(catalogue);

    for (size_t i = 0; i < table->count; i++) {
        const tp_interface *interface = table->interfaces[i];
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            if (is_struct_name(name, interface->structs[k]->name)) {
                return interface->structs[k];
            }
        }
    }
    return NULL;
}

const tp_message *tp_catalogue_message(const tp_catalogue *catalogue, unsigned interface,
                                       tp_kind kind, unsigned code)
{
    const tp_interface *own = tp_catalogue_code(catalogue, interface);
    const tp_interface *common = tp_catalogue_code(catalogue, 0);
    const tp_message *message = own == NULL ? NULL : tp_interface_message(own, kind, code);

    if (message == NULL && own != NULL && common != NULL) {
        message = tp_interface_message(common, kind, code);
    }
    return message;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* The interface that has a struct or enum of this name: in C they share one name space. */
static const tp_interface *type_owner(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        const tp_interface *interface = table->interfaces[i];
        for (uint32_t k = 0; k < interface->struct_count; k++) {
            if (strcmp(interface->structs[k]->name, name) == 0) {
                return interface;
            }
        }
        for (uint32_t k = 0; k < interface->enum_count; k++) {
            if (strcmp(interface->enums[k]->name, name) == 0) {
                return interface;
            }
        }
    }
    return NULL;
}

static tp_status check_types(const struct table *table, const tp_interface *interface,
                             tp_error *err)
{
    for (uint32_t i = 0; i < interface->struct_count + interface->enum_count; i++) {
        const char *name = i < interface->struct_count
                               ? interface->structs[i]->name
                               : interface->enums[i - interface->struct_count]->name;
        const tp_interface *owner = type_owner(table, name);
        if (owner != NULL) {
            return tp_fail(err, TP_E_EXISTS, "interface %s has a type %s, which is %s's",
                           interface->name, name, owner->name);
        }
    }
    return TP_OK;
}

static tp_status check_distinct(const struct table *table, const tp_interface *interface,
                                tp_error *err)
{
    const tp_interface *same = with_code(table, interface->code);

    if (with_name(table, interface->name) != NULL) {
        return tp_fail(err, TP_E_EXISTS, "there is an interface %s already", interface->name);
    }
    if (same != NULL) {
        return tp_fail(err, TP_E_EXISTS, "interface %s has the code %u of %s", interface->name,
                       interface->code, same->name);
    }
    return check_types(table, interface, err);
}

/* ---- The draft ------------------------------------------------------------------------------- */

static tp_status begin_draft(tp_catalogue *catalogue, size_t more, tp_error *err)
{
    const struct table *now = table_of(catalogue);
    const size_t count = now == NULL ? 0 : now->count;
    struct table *draft = malloc(sizeof *draft + (count + more) * sizeof(const tp_interface *));

    if (draft == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *draft = (struct table){.count = count, .capacity = count + more};
    for (size_t i = 0; i < count; i++) {
        draft->interfaces[i] = now->interfaces[i];
    }
    catalogue->draft = draft;
    return TP_OK;
}

/* All may see it now, or nobody does. */
static void end_draft(tp_catalogue *catalogue, bool publish)
{
    struct table *draft = catalogue->draft;

    catalogue->draft = NULL;
    if (publish) {
        draft->before = atomic_load(&catalogue->table);
        atomic_store_explicit(&catalogue->table, draft, memory_order_release);
    } else {
        free(draft);
    }
}

static tp_status add(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    struct table *draft = catalogue->draft;

    if (draft->count == draft->capacity) {
        return tp_fail(err, TP_E_LIMIT, "more than %zu interfaces at once", draft->capacity);
    }
    size_t at = place_of(draft, interface->code);
    memmove(&draft->interfaces[at + 1], &draft->interfaces[at],
            (draft->count - at) * sizeof(const tp_interface *));
    draft->interfaces[at] = interface;
    draft->count++;
    return TP_OK;
}

static void unload_newest(tp_catalogue *catalogue)
{
    struct loaded *newest = catalogue->loaded;

    catalogue->loaded = newest->next;
    tpi_padi_fini(&newest->padi);
    free(newest);
}

/* Where `use` looks: the catalogue, then the folder of the file. */
struct search {
    tp_catalogue *catalogue;
    const char *path;
    unsigned depth;
};

static tp_status load(tp_catalogue *catalogue, const char *path, unsigned depth, tp_error *err);

static const tp_interface *find_used(void *context, const char *name, tp_error *err)
{
    const struct search *search = context;
    const tp_interface *known = with_name(search->catalogue->draft, name);
    if (known != NULL) {
        return known;
    }
    if (search->depth == DEEPEST_USE) {
        tp_fail(err, TP_E_LIMIT, "use is nested more than %d deep, or in a circle", DEEPEST_USE);
        return NULL;
    }
    const char *slash = strrchr(search->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - search->path + 1);
    tpi_buf path = {0};
    tpi_buf_printf(&path, "%.*s%s.padi", folder, search->path, name);
    tp_status status = path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                   : load(search->catalogue, path.data, search->depth + 1, err);
    tpi_buf_fini(&path);
    if (status != TP_OK) {
        return NULL;
    }
    return with_name(search->catalogue->draft, name);
}

/* Checks, then adds. */
static tp_status add_distinct(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    const tp_status status = check_distinct(catalogue->draft, interface, err);

    return status == TP_OK ? add(catalogue, interface, err) : status;
}

/* Takes what was parsed, or fails. */
static tp_status keep(tp_catalogue *catalogue, tpi_padi *padi, const char *path, tp_error *err)
{
    struct loaded *loaded = malloc(sizeof *loaded);

    if (loaded == NULL) {
        tpi_padi_fini(padi);
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    *loaded = (struct loaded){catalogue->loaded, *padi};
    catalogue->loaded = loaded;
    const tp_status status = add_distinct(catalogue, &loaded->padi.interface, err);
    return status == TP_OK ? TP_OK : tp_wrap(err, status, path);
}

static tp_status load(tp_catalogue *catalogue, const char *path, unsigned depth, tp_error *err)
{
    struct search search = {catalogue, path, depth};
    const tpi_padi_scope scope = {.find = find_used, .context = &search};
    tpi_buf text = {0};
    tpi_padi padi = {0};

    tp_status status = tpi_file_read(&text, path, LARGEST_FILE, err);
    if (status == TP_OK) {
        status = tpi_padi_parse(&padi, path, tpi_buf_text(&text), text.length, &scope, err);
    }
    tpi_buf_fini(&text);
    return status == TP_OK ? keep(catalogue, &padi, path, err) : status;
}

tp_status tp_catalogue_load(tp_catalogue *catalogue, const char *path, tp_error *err)
{
    const struct loaded *before = catalogue->loaded;
    tp_status status = begin_draft(catalogue, MOST_AT_ONCE, err);

    if (status != TP_OK) {
        return status;
    }
    status = load(catalogue, path, 0, err);
    end_draft(catalogue, status == TP_OK);
    while (status != TP_OK && catalogue->loaded != before) {
        unload_newest(catalogue);
    }
    return status;
}

static const tp_interface *find_known(void *context, const char *name, tp_error *err)
{
    const tp_interface *known = tp_catalogue_named(context, name);

    if (known == NULL) {
        tp_fail(err, TP_E_UNKNOWN, "there is no interface \"%s\"", name);
    }
    return known;
}

tp_status tp_catalogue_load_text(tp_catalogue *catalogue, const char *name, const char *text,
                                 size_t length, tp_error *err)
{
    const tpi_padi_scope scope = {.find = find_known, .context = catalogue};
    const struct loaded *before = catalogue->loaded;
    tpi_padi padi = {0};

    if (length > LARGEST_TEXT) {
        return tp_fail(err, TP_E_LIMIT, "%s: it is longer than %d bytes", name, LARGEST_TEXT);
    }
    tp_status status = begin_draft(catalogue, 1, err);
    if (status != TP_OK) {
        return status;
    }
    status = tpi_padi_parse(&padi, name, text, length, &scope, err);
    status = status == TP_OK ? keep(catalogue, &padi, name, err) : status;
    end_draft(catalogue, status == TP_OK);
    if (status != TP_OK && catalogue->loaded != before) {
        unload_newest(catalogue);
    }
    return status;
}

bool tp_interface_is_builtin(const tp_interface *interface)
{
    size_t i = 0;

    while (tpi_builtin_interfaces[i] != NULL && tpi_builtin_interfaces[i] != interface) {
        i++;
    }
    return tpi_builtin_interfaces[i] != NULL;
}

tp_status tp_catalogue_add(tp_catalogue *catalogue, const tp_interface *interface, tp_error *err)
{
    if (interface->code < 200) {
        return tp_fail(err, TP_E_INVALID, "interface %s has a code below 200, which is not its own",
                       interface->name);
    }
    tp_status status = begin_draft(catalogue, 1, err);
    if (status == TP_OK) {
        status = add_distinct(catalogue, interface, err);
        end_draft(catalogue, status == TP_OK);
    }
    return status;
}

tp_status tp_catalogue_create(tp_catalogue **out, tp_error *err)
{
    tp_catalogue *catalogue = calloc(1, sizeof *catalogue);
    tp_status status = TP_OK;
    size_t count = 0;

    if (catalogue == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    while (tpi_builtin_interfaces[count] != NULL) {
        count++;
    }
    status = begin_draft(catalogue, count, err);
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = add(catalogue, tpi_builtin_interfaces[i], err);
    }
    if (status != TP_OK) {
        free(catalogue);
        return status;
    }
    end_draft(catalogue, true);
    *out = catalogue;
    return TP_OK;
}

void tp_catalogue_destroy(tp_catalogue *catalogue)
{
    if (catalogue == NULL) {
        return;
    }
    while (catalogue->loaded != NULL) {
        unload_newest(catalogue);
    }
    for (struct table *table = atomic_load(&catalogue->table); table != NULL;) {
        struct table *before = table->before;
        free(table);
        table = before;
    }
    free(catalogue);
}
